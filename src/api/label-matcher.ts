import { failed, type Result } from '../base/result.ts'
import { parseInt64 } from './int64.ts'
import { labelKeyProblems, labelValueProblems } from './label-syntax.ts'
import type { StringMap } from './objects/meta.ts'

/** The operators of apimachinery's selection package, in the form of selector text. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'

/** One requirement on labels, created and validated by `createRequirement`. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly values: readonly string[]
}

/** `path` names the requirement in messages, for example `spec.selector.matchExpressions[0]`. */
export function createRequirement(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
  path = '',
): Result<LabelRequirement> {
  const at = path === '' ? '' : `${path}.`
  const keyProblems = labelKeyProblems(key)
  const problems = keyProblems.length === 0 ? [] : [invalid(`${at}key`, key, keyProblems.join('; '))]
  problems.push(...valueCountProblems(operator, values, `${at}values`))
  values.forEach((value, i) => {
    const valueProblems = labelValueProblems(value)
    if (valueProblems.length > 0) problems.push(invalid(`${at}values[${i}][${key}]`, value, valueProblems.join('; ')))
  })
  if (problems.length > 0) return failed(aggregate(problems))
  return { ok: true, value: { key, operator, values } }
}

function valueCountProblems(operator: LabelOperator, values: readonly string[], path: string): string[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : [invalid(path, values, "for 'in', 'notin' operators, values set can't be empty")]
    case '=':
    case '==':
    case '!=':
      return values.length === 1 ? [] : [invalid(path, values, 'exact-match compatibility requires one single value')]
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : [invalid(path, values, 'values set must be empty for exists and does not exist')]
    case 'gt':
    case 'lt': {
      const one = values.length === 1
      const problems = one ? [] : [invalid(path, values, "for 'Gt', 'Lt' operators, exactly one value is required")]
      values.forEach((value, i) => {
        if (parseInt64(value) !== undefined) return
        problems.push(invalid(`${path}[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      })
      return problems
    }
  }
}

/** A field error with upstream's text. */
export function invalid(path: string, value: unknown, problem: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${problem}`
}

/** Several errors as one, as apimachinery's errors.Aggregate prints them. */
export function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`
}

/** A compiled requirement: the common case of one value needs no search. */
interface CompiledRequirement {
  readonly key: string
  readonly operator: LabelOperator
  readonly only: string | undefined
  readonly values: readonly string[]
  readonly bound: number | bigint | undefined
}

/** A conjunction of requirements. Immutable. Reuse it: creating one costs more than many matches. */
export class LabelMatcher {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[]
  /** True if it matches no labels, not even an empty set, like an absent selector. */
  readonly nothing: boolean
  private readonly tests: readonly CompiledRequirement[]
  private text: string | undefined

  constructor(requirements: readonly LabelRequirement[], nothing = false) {
    this.requirements = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    this.nothing = nothing
    this.tests = this.requirements.map(({ key, operator, values }) => ({
      key,
      operator,
      only: values.length === 1 ? values[0] : undefined,
      values,
      bound: operator === 'gt' || operator === 'lt' ? parseInt64(values[0] ?? '') : undefined,
    }))
  }

  /** True if it matches every set of labels. */
  get everything(): boolean {
    return !this.nothing && this.tests.length === 0
  }

  matches(labels: StringMap | undefined): boolean {
    if (this.nothing) return false
    const tests = this.tests
    for (let i = 0; i < tests.length; i++) {
      if (!passes(tests[i] as CompiledRequirement, labels)) return false
    }
    return true
  }

  /** The value that a key must have, if the selector requires exactly one. */
  exactValue(key: string): string | undefined {
    const first = this.tests.find((test) => test.key === key)
    if (first === undefined) return undefined
    return first.operator === '=' || first.operator === '==' || first.operator === 'in' ? first.only : undefined
  }

  /** A matcher with additional requirements. */
  and(requirements: readonly LabelRequirement[]): LabelMatcher {
    if (this.nothing || requirements.length === 0) return this
    return new LabelMatcher([...this.requirements, ...requirements])
  }

  /** The canonical text; two matchers with the same text match the same labels. */
  toString(): string {
    this.text ??= this.requirements.map(requirementText).join(',')
    return this.text
  }
}

export const matchEverything = new LabelMatcher([])
export const matchNothing = new LabelMatcher([], true)

function passes(test: CompiledRequirement, labels: StringMap | undefined): boolean {
  // Labels come from JSON, so a name like "constructor" may reach a function of Object's prototype. Only strings count.
  const found: unknown = labels === undefined ? undefined : labels[test.key]
  const value = typeof found === 'string' ? found : undefined
  switch (test.operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && (test.only !== undefined ? value === test.only : test.values.includes(value))
    case '!=':
    case 'notin':
      return value === undefined || (test.only !== undefined ? value !== test.only : !test.values.includes(value))
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case 'gt':
    case 'lt': {
      if (value === undefined || test.bound === undefined) return false
      const number = parseInt64(value)
      if (number === undefined) return false
      return test.operator === 'gt' ? number > test.bound : number < test.bound
    }
  }
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`
    case 'gt':
      return `${key}>${values[0] ?? ''}`
    case 'lt':
      return `${key}<${values[0] ?? ''}`
    default:
      return `${key}${operator}${values[0] ?? ''}`
  }
}
