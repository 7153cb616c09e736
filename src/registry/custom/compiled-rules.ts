import type { CelType } from '../../cel/cel-type.ts'
import { optionalOf } from '../../cel/cel-type.ts'
import type { CheckedExpression } from '../../cel/checker.ts'
import { estimateCost, type SizeAt } from '../../cel/cost-estimate.ts'
import { escapeName } from '../../cel/escaping.ts'
import { compileExpression, isType } from '../../cel/program.ts'
import { type RuleType, ruleType } from './rule-types.ts'
import { itemsOf, type Schema, type ValidationRule } from './schema.ts'

export interface CompiledRule {
  readonly rule: ValidationRule
  readonly program: CheckedExpression | undefined
  /** Why compilation failed. */
  readonly error?: string
  readonly usesOldSelf: boolean
  /** The maximum estimated cost. */
  readonly maxCost: number
  readonly message?: CheckedExpression
  readonly messageError?: string
  readonly messageMaxCost?: number
}

/** The rules of a schema and of its parts. */
export interface RuleTree {
  readonly schema: Schema
  readonly isResource: boolean
  readonly rules: readonly CompiledRule[]
  readonly usesOldSelf: boolean
  /** No rule of this part or of its parts reads the old value. */
  readonly isStateless: boolean
  readonly items?: RuleTree
  readonly values?: RuleTree
  readonly properties: ReadonlyMap<string, RuleTree>
  readonly allOf: readonly RuleTree[]
}

const trees = new WeakMap<Schema, { readonly tree: RuleTree | undefined }>()

/** The rules of a resource's schema, compiled once; undefined if there are none. */
export function ruleTreeOf(schema: Schema): RuleTree | undefined {
  let found = trees.get(schema)
  if (found === undefined) {
    found = { tree: hasRules(schema) ? treeOf(schema, schema, true, ruleType(schema, true)) : undefined }
    trees.set(schema, found)
  }
  return found.tree
}

/** The rules of a part of a schema. */
export function ruleTreeWithin(schema: Schema): RuleTree | undefined {
  return hasRules(schema) ? treeOf(schema, schema, isEmbedded(schema), ruleType(schema, isEmbedded(schema))) : undefined
}

function hasRules(schema: Schema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true
  const items = itemsOf(schema)
  if (items !== undefined && hasRules(items)) return true
  if (typeof schema.additionalProperties === 'object' && hasRules(schema.additionalProperties)) return true
  return Object.values(schema.properties ?? {}).some(hasRules) || (schema.allOf ?? []).some(hasRules)
}

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true

/** `said` is the schema with the rules, `node` the schema with the types. They differ inside allOf. */
function treeOf(said: Schema, node: Schema, isResource: boolean, type: RuleType | undefined): RuleTree | undefined {
  if (type === undefined) return undefined
  const rules = compileRules(said['x-kubernetes-validations'] ?? [], type)
  const properties = new Map<string, RuleTree>()
  for (const [name, property] of Object.entries(said.properties ?? {})) {
    const inner =
      node.properties !== undefined && Object.hasOwn(node.properties, name) ? node.properties[name] : undefined
    if (inner === undefined) continue
    const escaped = escapeName(name)
    const innerType = escaped === undefined ? ruleType(inner, isEmbedded(inner)) : type.fields?.get(escaped)
    const tree = treeOf(property, inner, isEmbedded(inner), innerType)
    if (tree !== undefined) properties.set(name, tree)
  }
  const items = within(itemsOf(said), itemsOf(node), type.element)
  const values = within(schemaOf(said), schemaOf(node), type.element)
  const allOf = (said.allOf ?? []).flatMap((one) => treeOf(one, node, isResource, type) ?? [])
  if (
    rules.length === 0 &&
    properties.size === 0 &&
    items === undefined &&
    values === undefined &&
    allOf.length === 0
  ) {
    return undefined
  }
  const usesOldSelf = rules.some((rule) => rule.usesOldSelf)
  const parts = [items ?? [], values ?? [], ...properties.values(), ...allOf].flat()
  return {
    schema: node,
    isResource,
    rules,
    usesOldSelf,
    isStateless: !usesOldSelf && parts.every((part) => part.isStateless),
    properties,
    allOf,
    ...(items === undefined ? {} : { items }),
    ...(values === undefined ? {} : { values }),
  }
}

const schemaOf = ({ additionalProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined

function within(said: Schema | undefined, node: Schema | undefined, type: RuleType | undefined): RuleTree | undefined {
  return said === undefined || node === undefined ? undefined : treeOf(said, node, isEmbedded(node), type)
}

/** Rules for a value of this type, in order. */
export function compileRules(rules: readonly ValidationRule[], self: RuleType): readonly CompiledRule[] {
  const { type } = self
  const plain = variablesOf(type, type)
  const optional = variablesOf(type, optionalOf(type))
  const sizeAt: SizeAt = ([, ...path]) => sizeWithin(self, path)
  return rules.map((rule) => compileRule(rule, rule.optionalOldSelf === true ? optional : plain, sizeAt))
}

function sizeWithin(root: RuleType, path: readonly string[]): number | undefined {
  let here: RuleType | undefined = root
  for (const step of path) {
    // Keys of maps are strings without maxLength, which upstream estimates as empty.
    if (step === '@keys') return here?.element === undefined ? undefined : 0
    here = step === '@items' || step === '@values' ? here?.element : here?.fields?.get(step)
    if (here === undefined) return undefined
  }
  return here.maxSize
}

const variablesOf = (self: CelType, oldSelf: CelType): ReadonlyMap<string, CelType> =>
  new Map([
    ['self', self],
    ['oldSelf', oldSelf],
  ])

function compileRule(rule: ValidationRule, variables: ReadonlyMap<string, CelType>, sizeAt: SizeAt): CompiledRule {
  const none = { rule, program: undefined, usesOldSelf: false, maxCost: 0 }
  if (typeof rule.rule !== 'string' || rule.rule.trim() === '') return none
  const compiled = compileExpression(rule.rule, variables)
  if (!compiled.ok) return { ...none, error: `compilation failed: ${compiled.message}` }
  const { program } = compiled
  if (!isType(program.type, 'bool')) return { ...none, error: 'cel expression must evaluate to a bool' }
  return {
    rule,
    program,
    usesOldSelf: program.mentions.has('oldSelf'),
    maxCost: estimateCost(program, sizeAt).max,
    ...compileMessage(rule, variables, sizeAt),
  }
}

function compileMessage(
  { messageExpression = '' }: ValidationRule,
  variables: ReadonlyMap<string, CelType>,
  sizeAt: SizeAt,
): Pick<CompiledRule, 'message' | 'messageError' | 'messageMaxCost'> {
  if (messageExpression === '') return {}
  const compiled = compileExpression(messageExpression, variables)
  if (!compiled.ok) return { messageError: `messageExpression compilation failed: ${compiled.message}` }
  if (!isType(compiled.program.type, 'string')) return { messageError: 'messageExpression must evaluate to a string' }
  return { message: compiled.program, messageMaxCost: estimateCost(compiled.program, sizeAt).max }
}
