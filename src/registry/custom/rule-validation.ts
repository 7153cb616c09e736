import type { MutableFields } from '../../base/fields.ts'
import { CostLimitError, evaluate } from '../../cel/evaluator.ts'
import { EvaluationError, none, Optional, type Value } from '../../cel/value.ts'
import {
  duplicate,
  type FieldError,
  fieldError,
  forbidden,
  invalid,
  invalidUnshown,
  required,
} from '../errors/field-error.ts'
import type { CompiledRule, RuleTree } from './compiled-rules.ts'
import { type Correlation, identityOf } from './correlation.ts'
import { parseFieldPath } from './field-path.ts'
import { toValue } from './rule-values.ts'
import { isMap, type ValidationRule } from './schema.ts'

// v1.36, apiserver/pkg/apis/cel: the cost limits of one rule and of all rules of an object.
const perRule = 1_000_000
const perObject = 10_000_000
const maxMessageBytes = 5 * 1024

export interface RuleFindings {
  readonly errors: readonly FieldError[]
  /** Errors that existed before and are unchanged. */
  readonly warnings: readonly string[]
}

/** Evaluates the rules of a schema on an object (v1.36, apiextensions-apiserver schema/cel, Validator). */
export function checkRules(
  tree: RuleTree | undefined,
  object: unknown,
  old: unknown,
  correlation: Correlation | undefined,
): RuleFindings {
  if (tree === undefined) return { errors: [], warnings: [] }
  const check = new RuleCheck()
  check.node(tree, { value: object, old, path: '', current: correlation, nearest: undefined })
  return { errors: check.errors, warnings: check.warnings }
}

interface RuleTarget {
  readonly value: unknown
  readonly old: unknown
  readonly path: string
  readonly current: Correlation | undefined
  /** The closest parent that can be compared with its old value, if this value cannot be compared. */
  readonly nearest: Correlation | undefined
}

type KnownCosts = WeakMap<RuleTree, WeakMap<object, number>>

/** The cost of values that broke no rule. Objects do not change, and most writes keep most parts. */
const passed: KnownCosts = new WeakMap()
/** The same for rules that compare with the old value, if the old value is identical. */
const passedUnchanged: KnownCosts = new WeakMap()

class RuleCheck {
  readonly errors: FieldError[] = []
  readonly warnings: string[] = []
  private budget = perObject
  private isOver = false

  node(tree: RuleTree, place: RuleTarget): void {
    const { value } = place
    if (this.isOver || value === null || value === undefined) return
    if (typeof value !== 'object' || !(tree.isStateless || value === place.old)) {
      this.parts(tree, place)
      return
    }
    const all = tree.isStateless ? passed : passedUnchanged
    let known = all.get(tree)
    if (known === undefined) {
      known = new WeakMap()
      all.set(tree, known)
    }
    const cost = known.get(value)
    if (cost !== undefined && cost < this.budget) {
      this.budget -= cost
      return
    }
    const { budget } = this
    const found = this.errors.length + this.warnings.length
    this.parts(tree, place)
    if (!this.isOver && found === this.errors.length + this.warnings.length) known.set(value, budget - this.budget)
  }

  private parts(tree: RuleTree, place: RuleTarget): void {
    const { value, nearest } = place
    this.rules(tree, place)
    for (const one of tree.allOf) {
      this.node(one, { ...place, current: undefined, nearest })
    }
    if (Array.isArray(value)) this.elements(tree, place, value)
    else if (isMap(value)) this.members(tree, place, value)
  }

  private elements(tree: RuleTree, { old, path, current, nearest }: RuleTarget, value: readonly unknown[]): void {
    const { items, schema } = tree
    if (items === undefined) return
    // Only lists with keys identify elements across an update.
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : undefined
    const before = new Map(
      keys !== undefined && Array.isArray(old) ? old.map((one) => [identityOf(one, keys), one]) : [],
    )
    value.forEach((one, i) => {
      this.node(items, {
        value: one,
        old: keys === undefined ? undefined : before.get(identityOf(one, keys)),
        path: `${path}[${i}]`,
        ...inside(current, nearest, (found) => found.index(i)),
      })
    })
  }

  private members(tree: RuleTree, place: RuleTarget, value: MutableFields): void {
    const { old, path, current, nearest } = place
    const before = isMap(old) ? old : {}
    const member = (inner: RuleTree, name: string, at: string): void => {
      const isRootType = nearest === undefined && (name === 'apiVersion' || name === 'kind')
      this.node(inner, {
        value: value[name],
        old: Object.hasOwn(before, name) ? before[name] : undefined,
        path: at,
        ...(isRootType
          ? { current: undefined, nearest: undefined }
          : inside(current, nearest, (found) => found.key(name))),
      })
    }
    for (const name of Object.keys(value)) {
      if (tree.values !== undefined) member(tree.values, name, `${path}[${name}]`)
      const property = tree.properties.get(name)
      if (property !== undefined) member(property, name, path === '' ? name : `${path}.${name}`)
    }
  }

  private rules(tree: RuleTree, place: RuleTarget): void {
    if (tree.rules.length === 0) return
    const { path } = place
    const type = tree.schema.type ?? ''
    const fail = (why: string): void => {
      this.errors.push(invalid(fieldOf(path), type, why))
    }
    if (this.budget <= 0) {
      fail('validation failed due to running out of cost budget, no further validation rules will be run')
      this.isOver = true
      return
    }
    const self = readValue(place.value, tree)
    const before =
      tree.usesOldSelf && place.old !== undefined && place.old !== null ? readValue(place.old, tree) : undefined
    for (const compiled of tree.rules) {
      if (this.isOver) return
      this.rule(tree, place, compiled, self, before, fail)
    }
  }

  private rule(
    tree: RuleTree,
    place: RuleTarget,
    compiled: CompiledRule,
    self: Value | EvaluationError,
    before: Value | EvaluationError | undefined,
    fail: (why: string) => void,
  ): void {
    const { rule, program, usesOldSelf } = compiled
    if (compiled.error !== undefined) fail(`rule compile error: ${compiled.error}`)
    if (program === undefined) return
    const isOptional = rule.optionalOldSelf === true
    if (usesOldSelf && before === undefined && !isOptional) return
    const unreadable = [self, before].find((one) => one instanceof EvaluationError)
    if (unreadable !== undefined) fail(`${unreadable.message} evaluating rule: ${ruleText(rule)}`)
    if (self instanceof EvaluationError || before instanceof EvaluationError) return
    const variables = variablesOf(self, before, isOptional)
    const result = evaluate(program, variables, perRule)
    if (result.cost > this.budget) {
      this.isOver = true
      fail('validation failed due to running out of cost budget, no further validation rules will be run')
      return
    }
    this.budget -= result.cost
    if (!result.ok) this.failed(rule, result.error, fail)
    else if (result.value !== true) this.broken(tree, place, compiled, variables)
  }

  private failed(rule: ValidationRule, error: Error, fail: (why: string) => void): void {
    const said = ruleText(rule)
    if (error instanceof CostLimitError) {
      this.isOver = true
      fail(
        `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${said}`,
      )
    } else if (error.message.startsWith('no such overload')) {
      const why = 'call arguments did not match a supported operator, function or macro signature'
      fail(`'${error.message}': ${why} for rule: ${said}`)
    } else fail(`${error.message} evaluating rule: ${said}`)
  }

  private broken(
    tree: RuleTree,
    place: RuleTarget,
    compiled: CompiledRule,
    variables: ReadonlyMap<string, Value>,
  ): void {
    const { rule, usesOldSelf } = compiled
    const path = `${place.path}${rule.fieldPath === undefined ? '' : (parseFieldPath(rule.fieldPath, tree.schema) ?? '')}`
    const isContainer = tree.schema.type === 'object' || tree.schema.type === 'array'
    const detail = this.message(compiled, variables) ?? defaultMessage(rule)
    const error = errorOf(rule.reason, fieldOf(path.replace(/^\./, '')), isContainer ? undefined : place.value, detail)
    const correlated = place.current ?? place.nearest
    if (!usesOldSelf && correlated?.isSame() === true) this.warnings.push(`${error.field}: ${error.message}`)
    else this.errors.push(error)
  }

  private message({ message }: CompiledRule, variables: ReadonlyMap<string, Value>): string | undefined {
    if (message === undefined) return undefined
    const result = evaluate(message, variables, perRule)
    this.budget -= result.cost
    if (!result.ok || typeof result.value !== 'string') return undefined
    const text = result.value.trim()
    return text === '' || text.includes('\n') || Buffer.byteLength(text) > maxMessageBytes ? undefined : text
  }
}

function inside(
  current: Correlation | undefined,
  nearest: Correlation | undefined,
  next: (found: Correlation) => Correlation | undefined,
): Pick<RuleTarget, 'current' | 'nearest'> {
  return current === undefined ? { current, nearest } : { current: next(current), nearest: current }
}

function readValue(json: unknown, { schema, isResource }: RuleTree): Value | EvaluationError {
  try {
    return toValue(json, schema, isResource)
  } catch (error) {
    if (error instanceof EvaluationError) return error
    throw error
  }
}

function variablesOf(self: Value, before: Value | undefined, isOptional: boolean): ReadonlyMap<string, Value> {
  const variables = new Map<string, Value>([['self', self]])
  if (isOptional) variables.set('oldSelf', before === undefined ? none : new Optional(before))
  else if (before !== undefined) variables.set('oldSelf', before)
  return variables
}

/** The root has no path. */
const fieldOf = (path: string): string => (path === '' ? '<nil>' : path)

const ruleText = ({ message = '', rule }: ValidationRule): string => (message === '' ? rule : message).trim()
const defaultMessage = (rule: ValidationRule): string =>
  (rule.message ?? '') === '' ? `failed rule: ${ruleText(rule)}` : ruleText(rule)

function errorOf(reason: string | undefined, field: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, detail)
    case 'FieldValueRequired':
      return required(field, detail)
    case 'FieldValueDuplicate':
      return value === undefined ? fieldError('FieldValueDuplicate', field, 'Duplicate value') : duplicate(field, value)
    default:
      return value === undefined ? invalidUnshown(field, detail) : invalid(field, value, detail)
  }
}
