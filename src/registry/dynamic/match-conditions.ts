import type { KubeObject } from '../../api/objects/meta.ts'
import type { Value } from '../../cel/value.ts'
import {
  type CompiledExpression,
  CostBudget,
  compileAdmission,
  conditionBudget,
  evaluateAdmission,
  type Subject,
  variableTypes,
  variableValues,
  withinBudget,
} from './expressions.ts'

export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

const compiled = new WeakMap<readonly MatchCondition[], readonly CompiledExpression[]>()
const types = variableTypes({ params: true, authorizer: true })
const webhookTypes = variableTypes({ params: false, authorizer: true })

function compiledConditions(conditions: readonly MatchCondition[], hasParams: boolean): readonly CompiledExpression[] {
  let found = compiled.get(conditions)
  if (found === undefined) {
    const known = hasParams ? types : webhookTypes
    found = conditions.map(({ expression }) => compileAdmission(expression, known, ['bool']))
    compiled.set(conditions, found)
  }
  return found
}

/** `failed`: not all conditions have a value, and the failure policy is Fail. */
export type ConditionsOutcome = 'match' | 'no match' | { readonly failed: string }

/** Whether all conditions are true (webhook/matchconditions). */
export function conditionsMatch(
  conditions: readonly MatchCondition[] | undefined,
  failurePolicy: string | undefined,
  subject: Subject,
  params?: KubeObject | null,
  more?: ReadonlyMap<string, Value>,
): ConditionsOutcome {
  if (conditions === undefined || conditions.length === 0) return 'match'
  // The namespace is not shown to match conditions.
  const values = variableValues(subject, undefined, params)
  for (const [name, value] of more ?? []) values.set(name, value)
  const isIgnored = failurePolicy === 'Ignore'
  const budget = new CostBudget(conditionBudget)
  const errors: string[] = []
  let isFalse = false
  const tooExpensive = withinBudget(() => {
    for (const expression of compiledConditions(conditions, params !== undefined)) {
      const result = evaluateAdmission(expression, values, budget)
      if (!result.ok) errors.push(result.message)
      else if (result.value === false) isFalse = true
    }
  })
  if (tooExpensive !== undefined) return isIgnored ? 'no match' : { failed: tooExpensive }
  if (isFalse) return 'no match'
  if (errors.length === 0) return 'match'
  return isIgnored ? 'no match' : { failed: aggregated(errors) }
}

/** Several errors as one text (apimachinery util/errors, NewAggregate). */
export function aggregated(messages: readonly string[]): string {
  const distinct = [...new Set(messages)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`
}
