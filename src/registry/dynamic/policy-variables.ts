import { type CelType, dyn, listOf, mapOf } from '../../cel/cel-type.ts'
import { evaluate } from '../../cel/evaluator.ts'
import { EvaluationError, type ObjectValue, type Value } from '../../cel/value.ts'
import {
  type CompiledExpression,
  CostBudget,
  compileAdmission,
  type EvaluatedExpression,
  evaluateAdmission,
  perCallLimit,
  policyBudget,
  type VariableChoice,
  variableTypes,
} from './expressions.ts'
import type { Variable } from './policies.ts'

/** The variables of a policy, compiled: each may use earlier variables. */
export interface CompiledVariables {
  readonly programs: ReadonlyMap<string, CompiledExpression>
  /** The types of all variables that an expression of the policy may use. */
  readonly types: (authorizer: boolean) => ReadonlyMap<string, CelType>
}

/** `check` is called for each variable, so that errors can end the compilation. */
export function compileVariables(
  variables: readonly Variable[] | undefined,
  choice: Omit<VariableChoice, 'authorizer' | 'variables'>,
  isComposed = true,
  check?: (variable: Variable, position: number, compiled: CompiledExpression | undefined) => void,
): CompiledVariables {
  const fields = new Map<string, CelType>()
  const programs = new Map<string, CompiledExpression>()
  const composed = isComposed ? { variables: fields } : {}
  const types = (authorizer: boolean) => variableTypes({ ...choice, authorizer, ...composed })
  let position = 0
  for (const variable of variables ?? []) {
    const { name, expression } = variable
    const isEmpty = (expression ?? '').trim() === ''
    const compiled = isEmpty ? undefined : compileAdmission(expression, types(true), 'any')
    check?.(variable, position++, compiled)
    if (compiled !== undefined) programs.set(name, compiled)
    fields.set(name, compiled?.program === undefined ? dyn : declared(compiled.program.type))
  }
  return { programs, types }
}

/**
 * The declared type of a variable: simple types, lists and maps are kept, other types are dyn (cel,
 * convertCelTypeToDeclType).
 */
function declared(type: CelType): CelType {
  switch (type.kind) {
    case 'simple':
      return type
    case 'list':
      return listOf(declared(type.element))
    case 'map':
      return mapOf(declared(type.key), declared(type.value))
    default:
      return dyn
  }
}

/**
 * A group of expressions that are evaluated one after the other: a variable is evaluated when it is first used, and once
 * for the group.
 */
export class PolicyEvaluation {
  readonly budget: CostBudget
  private readonly values: ReadonlyMap<string, Value>
  private spent = 0

  constructor(values: ReadonlyMap<string, Value>, variables: CompiledVariables, budget = new CostBudget(policyBudget)) {
    this.budget = budget
    const known = new Map(values)
    known.set(
      'variables',
      new LazyVariables(variables.programs, known, (cost) => {
        this.spent += cost
      }),
    )
    this.values = known
  }

  run(expression: CompiledExpression): EvaluatedExpression {
    return evaluateAdmission(expression, this.values, this.budget, () => {
      const { spent } = this
      this.spent = 0
      return spent
    })
  }
}

class LazyVariables implements ObjectValue {
  readonly isObject = true
  private readonly programs: ReadonlyMap<string, CompiledExpression>
  private readonly values: ReadonlyMap<string, Value>
  private readonly spend: (cost: number) => void
  private readonly known = new Map<string, Value | EvaluationError>()

  constructor(
    programs: ReadonlyMap<string, CompiledExpression>,
    values: ReadonlyMap<string, Value>,
    spend: (cost: number) => void,
  ) {
    this.programs = programs
    this.values = values
    this.spend = spend
  }

  get size(): number {
    return this.programs.size
  }

  has(field: string): boolean {
    return this.programs.has(field)
  }

  get(field: string): Value | undefined {
    let value = this.known.get(field)
    if (value === undefined) {
      const program = this.programs.get(field)
      if (program === undefined) return undefined
      value = this.evaluate(field, program)
      this.known.set(field, value)
    }
    if (value instanceof EvaluationError) throw value
    return value
  }

  private evaluate(name: string, compiled: CompiledExpression): Value | EvaluationError {
    const shown = `composited variable ${JSON.stringify(name)} fails to`
    if (compiled.error !== undefined) return new EvaluationError(`${shown} compile: ${compiled.error}`)
    const result = evaluate(compiled.program, this.values, perCallLimit)
    this.spend(result.cost)
    return result.ok ? result.value : new EvaluationError(`${shown} evaluate: ${result.error.message}`)
  }

  *fields(): Iterable<readonly [string, Value]> {
    for (const name of this.programs.keys()) {
      const value = this.get(name)
      if (value !== undefined) yield [name, value]
    }
  }
}
