import {
  constructFromEvents,
  DUMP_SCHEMA,
  defineScalarTag,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  Schema,
  seqTag,
  strTag,
  YAMLException,
} from 'js-yaml'
import { isInt64, Numeral, numberOf } from './exact-json.ts'
import { maxMembers, maxValues, tooManyMembers, tooManyValues } from './value-limits.ts'

export interface YamlLimits {
  /** Maximum nesting depth of collections. */
  readonly depth: number
  /** The maximum number of characters of scalars that aliases may add to the text. */
  readonly aliasedLength: number
  /** Maximum number of members of mappings and items of sequences. */
  readonly values: number
  /** Maximum number of members of one mapping. */
  readonly members: number
}

/** For a request body, which any client may send. */
export const bodyLimits: YamlLimits = {
  depth: 500,
  aliasedLength: 4 * 1024 * 1024,
  values: maxValues,
  members: maxMembers,
}
/** For a file that the user of a command names. */
export const fileLimits: YamlLimits = {
  depth: 500,
  aliasedLength: 64 * 1024 * 1024,
  ...{ values: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY },
}

const booleans = new Map([
  ...'y Y yes Yes YES true True TRUE on On ON'.split(' ').map((text) => [text, true] as const),
  ...'n N no No NO false False FALSE off Off OFF'.split(' ').map((text) => [text, false] as const),
])

const bool = defineScalarTag<boolean>('tag:yaml.org,2002:bool', {
  implicit: true,
  resolve: (source) => booleans.get(source) ?? NOT_RESOLVED,
  identify: (value) => typeof value === 'boolean',
})

const integerText = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/
// Go reads a 64-bit integer, or else a double, and treats longer numbers as text.
const maxIntegerLength = 400

/** Integers as in exact-json.ts. */
const int = defineScalarTag<number | bigint | Numeral>('tag:yaml.org,2002:int', {
  implicit: true,
  resolve: (source) => {
    if (source.length > maxIntegerLength || !/^[-+0-9]/.test(source)) return NOT_RESOLVED
    const match = integerText.exec(source.replaceAll('_', ''))
    if (match === null) return NOT_RESOLVED
    const digits = match[2] as string
    const literal = /^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits
    const magnitude = Number(literal)
    if (Number.isSafeInteger(magnitude)) return match[1] === '-' ? -magnitude : magnitude
    if (!Number.isFinite(magnitude)) return NOT_RESOLVED
    const exact = match[1] === '-' ? -BigInt(literal) : BigInt(literal)
    // Beyond 64 bits Go uses a double, formatted as in JSON.
    return isInt64(exact) || BigInt.asUintN(64, exact) === exact
      ? numberOf(String(exact))
      : new Numeral(String(Number(exact)))
  },
  identify: (value) => Number.isInteger(value),
})

/**
 * How sigs.k8s.io/yaml (go-yaml v2) reads a plain scalar: the booleans and octals of YAML 1.1 and merge keys, but no
 * base-60 numbers, and timestamps stay text.
 */
const schema = new Schema([strTag, seqTag, mapTag, nullCoreTag, bool, int, floatCoreTag, mergeTag])

const writtenInt = DUMP_SCHEMA.lookupScalarTag(intCoreTag.tagName) ?? intCoreTag

/** For writing: integers beyond 2^53 are bigints. */
export const dumpSchema = DUMP_SCHEMA.withTags(
  defineScalarTag<number>(intCoreTag.tagName, {
    ...(writtenInt as typeof intCoreTag),
    identify: (value) => typeof value === 'bigint' || writtenInt.identify(value),
    represent: (value) => (typeof value === 'bigint' ? String(value) : writtenInt.represent(value)),
  }),
)

/**
 * The documents of a YAML text as JSON values. Aliases are copied, so that no object is shared. Throws YamlError,
 * including for a duplicate key in a mapping, unless `keys` allows it; the last value is used then.
 */
export function loadYaml(text: string, limits: YamlLimits, keys: 'once' | 'last' = 'once'): unknown[] {
  let events: Event[]
  let documents: unknown[]
  try {
    events = parseEvents(text, { maxDepth: limits.depth })
    documents = constructFromEvents(events, { source: text, schema, json: keys === 'last' })
  } catch (error) {
    throw new YamlError(problemOf(error, limits), error instanceof YAMLException ? (error.mark?.line ?? 0) : 0)
  }
  const expansion = new Expansion(text.length, limits)
  return documents.map((document) => {
    try {
      return expansion.document(document)
    } catch (error) {
      if (!(error instanceof Cycle)) throw error
      throw new YamlError(`anchor '${ownAnchor(text, events)}' value contains itself`)
    }
  })
}

/**
 * The duplicate keys in mappings of the first document, in the format of go-yaml: `line 8: key "replicas" already set
 * in map`.
 */
export function repeatedKeys(text: string, limits: YamlLimits): readonly string[] {
  const found: string[] = []
  const stack: { readonly keys: Set<string> | undefined; isKey: boolean }[] = []
  let documents = 0
  for (const event of parseEvents(text, { maxDepth: limits.depth })) {
    if (event.type === EVENT_ID.POP) {
      stack.pop()
      continue
    }
    if (event.type === EVENT_ID.DOCUMENT && ++documents > 1) break
    const top = stack.at(-1)
    const isKey = top?.keys !== undefined && top.isKey
    if (top?.keys !== undefined) top.isKey = !top.isKey
    if (isKey && event.type === EVENT_ID.SCALAR) {
      const key = getScalarValue(text, event)
      if (top?.keys?.has(key) === true)
        found.push(`line ${lineOf(text, event.valueStart)}: key ${JSON.stringify(key)} already set in map`)
      top?.keys?.add(key)
    } else if (event.type === EVENT_ID.MAPPING) stack.push({ keys: new Set(), isKey: true })
    else if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.DOCUMENT)
      stack.push({ keys: undefined, isKey: false })
  }
  return found
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

/** With the messages of Go's yaml. */
export class YamlError extends Error {
  readonly reason: string
  /** Counted from 0. */
  readonly line: number

  constructor(reason: string, line = 0) {
    super(`yaml: ${reason}`)
    this.reason = reason
    this.line = line
  }
}

/** A value that YAML can express and JSON cannot, with the message of Go's JSON. */
class UnsupportedValue extends YamlError {
  override readonly message: string

  constructor(value: string) {
    const problem = `json: unsupported value: ${value}`
    super(problem)
    this.message = problem
  }
}

class Cycle extends Error {}

function problemOf(error: unknown, { depth }: YamlLimits): string {
  const message = error instanceof YAMLException ? error.reason : String(error)
  return message.includes('maxDepth') || error instanceof RangeError ? `exceeded max depth of ${depth}` : message
}

/**
 * go.yaml.in/yaml/v2, allowedAliasRatio: small documents may consist almost entirely of aliases, large ones may not.
 */
function allowedRatio(nodes: number): number {
  const low = 400_000
  const high = 4_000_000
  if (nodes <= low) return 0.99
  return nodes >= high ? 0.1 : 0.99 - 0.89 * ((nodes - low) / (high - low))
}

class Expansion {
  private readonly maxLength: number
  private readonly limits: YamlLimits
  private seen = new Set<object>()
  private open = new Set<object>()
  private nodes = 0
  private aliased = 0
  private aliasDepth = 0
  private length = 0
  private values = 0

  constructor(length: number, limits: YamlLimits) {
    this.maxLength = length + limits.aliasedLength
    this.limits = limits
  }

  document(value: unknown): unknown {
    this.seen = new Set()
    this.open = new Set()
    return this.copy(value)
  }

  private copy(value: unknown): unknown {
    this.count(value)
    if (typeof value !== 'object' || value === null || value instanceof Numeral) return scalar(value)
    if (this.open.has(value)) throw new Cycle()
    const { depth } = this.limits
    if (this.open.size > depth) throw new YamlError(`exceeded max depth of ${depth}`)
    const isAlias = this.seen.has(value)
    if (isAlias) this.aliasDepth++
    else this.seen.add(value)
    this.open.add(value)
    const copied = Array.isArray(value) ? value.map((one) => this.inner(one)) : this.members(value)
    this.open.delete(value)
    if (isAlias) this.aliasDepth--
    return copied
  }

  private inner(value: unknown): unknown {
    if (++this.values > this.limits.values) throw new YamlError(tooManyValues)
    return this.copy(value)
  }

  private members(value: object): object {
    const out: Record<string, unknown> = {}
    const names = Object.keys(value)
    if (names.length > this.limits.members) throw new YamlError(tooManyMembers)
    for (const name of names) {
      this.count(name)
      const copied = this.inner((value as Record<string, unknown>)[name])
      if (name === '__proto__') {
        Object.defineProperty(out, name, { value: copied, enumerable: true, writable: true, configurable: true })
      } else out[name] = copied
    }
    return out
  }

  private count(value: unknown): void {
    this.nodes++
    if (this.aliasDepth > 0) this.aliased++
    if (typeof value === 'string') this.length += value.length
    const isExcessive = this.aliased > 100 && this.nodes > 1000 && this.aliased / this.nodes > allowedRatio(this.nodes)
    if (isExcessive || this.length > this.maxLength) throw new YamlError('document contains excessive aliasing')
  }
}

function scalar(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
    throw new UnsupportedValue(name)
  }
  return value === undefined ? null : value
}

/** The first anchor that contains an alias of itself. */
function ownAnchor(text: string, events: readonly Event[]): string {
  const open: string[] = []
  for (const event of events) {
    switch (event.type) {
      case EVENT_ID.POP:
        open.pop()
        break
      case EVENT_ID.DOCUMENT:
        open.push('')
        break
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        open.push(text.slice(event.anchorStart, event.anchorEnd))
        break
      case EVENT_ID.ALIAS: {
        const name = text.slice(event.anchorStart, event.anchorEnd)
        if (open.includes(name)) return name
      }
    }
  }
  return ''
}
