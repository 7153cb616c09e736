import { done, failed, type Result } from '../../base/result.ts'
import { type CelType, dyn, mapOf, simple } from '../../cel/cel-type.ts'
import { ListValue, type Value } from '../../cel/value.ts'
import {
  CostBudget,
  compileAdmission,
  dynamicValue,
  evaluateAdmission,
  perCallLimit,
  userInfo,
  withinBudget,
} from './expressions.ts'

/** The result of an expression about a token or a user: a string, a list of strings, or a boolean. */
export type ClaimValue = string | readonly string[] | boolean | undefined

/** Evaluates an expression for the claims of a token, or for a user as `userInfo` shows them. */
export type ClaimExpression = (json: unknown) => Result<ClaimValue>

const variables: Readonly<Record<'claims' | 'user', ReadonlyMap<string, CelType>>> = {
  claims: new Map([['claims', mapOf(simple('string'), dyn)]]),
  user: new Map([['user', userInfo]]),
}

/** Expressions of structured authentication (v1.36, apiserver, authentication/cel). */
export function compileClaims(source: string, variable: 'claims' | 'user'): Result<ClaimExpression> {
  const wanted = variable === 'user' ? ['bool'] : 'any'
  const compiled = compileAdmission(source, variables[variable], wanted)
  if (compiled.error !== undefined) return failed(compiled.error)
  return done((json) => {
    const values = new Map<string, Value>([[variable, dynamicValue(json)]])
    const result = withinBudget(() => evaluateAdmission(compiled, values, new CostBudget(perCallLimit)))
    if (typeof result === 'string') return failed(result)
    return result.ok ? plainValue(result.value) : failed(result.message)
  })
}

const wrongType = 'expression must return a string or a list of strings'

/** Absent values and empty strings are left out of lists (convertCELValueToStringList). */
function plainValue(value: Value): Result<ClaimValue> {
  if (typeof value === 'string' || typeof value === 'boolean') return done(value)
  if (value === null) return done(undefined)
  if (!(value instanceof ListValue)) return failed(wrongType)
  const texts: string[] = []
  for (const one of value.items) {
    if (typeof one !== 'string') return failed(wrongType)
    if (one !== '') texts.push(one)
  }
  return done(texts)
}
