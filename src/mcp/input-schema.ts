import { nameHint } from '../whatif/scenario/near-names.ts'

/** The part of JSON Schema 2020-12 that the tools use. Every keyword here is checked. */
export interface InputSchema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object'
  readonly description?: string
  readonly enum?: readonly string[]
  readonly default?: string | number | boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: InputSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

export interface ObjectSchema extends InputSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, InputSchema>>
  readonly additionalProperties: boolean
}

/** An object with these fields and no others. */
export function fields(
  properties: Readonly<Record<string, InputSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false }
}

/** An object with at least these fields. */
export function openFields(
  properties: Readonly<Record<string, InputSchema>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { ...fields(properties, required), additionalProperties: true }
}

const mostProblems = 10
// Deeper values are rejected before recursive code reads them.
const maxDepth = 100

/** The problems of the value, one sentence each with the path of the field. Empty: the value is valid. */
export function problemsOf(schema: InputSchema, value: unknown): readonly string[] {
  if (isDeeper(value, maxDepth)) return [`arguments: nested deeper than ${maxDepth} levels`]
  const problems: string[] = []
  check(schema, value, '', problems)
  return problems.slice(0, mostProblems)
}

function check(schema: InputSchema, value: unknown, path: string, problems: string[]): void {
  if (problems.length >= mostProblems) return
  const say = (what: string) => problems.push(`${path === '' ? 'arguments' : path}: ${what}`)
  if (schema.type !== undefined && !isOfType(value, schema.type)) {
    say(`must be ${withArticle(schema.type)}, not ${typeText(value)}${described(schema)}`)
    return
  }
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    say(`must be one of ${schema.enum.join(', ')}, not ${valueText(value)}`)
    return
  }
  if (typeof value === 'string') checkText(schema, value, say)
  else if (typeof value === 'number') checkNumber(schema, value, say)
  else if (Array.isArray(value)) checkList(schema, value, { path, say, problems })
  else if (typeof value === 'object' && value !== null)
    checkFields(schema, value as Readonly<Record<string, unknown>>, { path, say, problems })
}

function checkText({ minLength = 0, maxLength }: InputSchema, value: string, say: (what: string) => void): void {
  if (value.length < minLength)
    say(minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`)
  if (maxLength !== undefined && value.length > maxLength) say(`must have at most ${maxLength} characters`)
}

function checkNumber({ minimum, maximum }: InputSchema, value: number, say: (what: string) => void): void {
  if (minimum !== undefined && value < minimum) say(`must be >= ${minimum}, not ${value}`)
  if (maximum !== undefined && value > maximum) say(`must be <= ${maximum}, not ${value}`)
}

interface Place {
  readonly path: string
  readonly say: (what: string) => void
  readonly problems: string[]
}

function checkList(schema: InputSchema, value: readonly unknown[], { path, say, problems }: Place): void {
  const { minItems = 0, maxItems, items } = schema
  if (value.length < minItems) say(minItems === 1 ? 'must not be empty' : `must have at least ${minItems} items`)
  if (maxItems !== undefined && value.length > maxItems) {
    say(`must have at most ${maxItems} items, not ${value.length}`)
    return
  }
  if (items !== undefined) for (const [at, item] of value.entries()) check(items, item, `${path}[${at}]`, problems)
}

function checkFields(
  { properties = {}, required = [], additionalProperties = true }: InputSchema,
  value: Readonly<Record<string, unknown>>,
  { path, say, problems }: Place,
): void {
  const known = Object.keys(properties)
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`
    if (Object.hasOwn(properties, name)) check(properties[name] as InputSchema, member, at, problems)
    else if (!additionalProperties) say(`unknown field ${valueText(name)}; ${fieldHint(name, known)}`)
  }
  for (const name of required)
    if (!Object.hasOwn(value, name)) say(`${name} is required${described(properties[name] ?? {})}`)
}

/** A description of the field for an error, so that the caller can send a valid value. */
function described({ description, enum: values }: InputSchema): string {
  if (values !== undefined) return `: one of ${values.join(', ')}`
  return description === undefined ? '' : `: ${description}`
}

function fieldHint(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'no fields are expected'
  return name.length > 64 ? `expected ${known.join(', ')}` : nameHint(name, known, 20)
}

function isOfType(value: unknown, type: NonNullable<InputSchema['type']>): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    default:
      return typeof value === type
  }
}

const withArticle = (type: string): string => `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`

function typeText(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : withArticle(typeof value)
}

function valueText(value: unknown): string {
  if (typeof value === 'object' && value !== null) return typeText(value)
  const text = JSON.stringify(value) ?? 'undefined'
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** Without recursion, because the depth of the value is limited only by the length of the message. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value]
  for (let at = 0; at <= depth; at++) {
    const next: unknown[] = []
    for (const one of level) {
      if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) next.push(member)
    }
    if (next.length === 0) return false
    level = next
  }
  return true
}
