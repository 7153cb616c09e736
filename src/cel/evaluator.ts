import type { CheckedExpression } from './checker.ts'
import { limitedIncludes, typeNames } from './declarations.ts'
import type {
  Comprehension,
  Expression,
  FunctionCall,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from './expression.ts'
import { functionNamed } from './functions.ts'
import { accumulator } from './macros.ts'
import { callCost, perListLiteral, perMapLiteral, perStructLiteral } from './runtime-cost.ts'
import {
  EvaluationError,
  GrowingList,
  GrowingMap,
  isObject,
  ListValue,
  MapValue,
  none,
  noOverload,
  numberOf,
  Optional,
  StructValue,
  TypeValue,
  type Value,
} from './value.ts'

/** The cost limit was exceeded. No operator ignores this error. */
export class CostLimitError extends Error {
  override readonly name = 'CostLimitError'
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

interface ValueScope {
  readonly name: string
  readonly value: Value
  readonly outer: ValueScope | undefined
}

export type Evaluated = { readonly cost: number } & (
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: EvaluationError | CostLimitError }
)

/** Evaluates an expression. Every step has a cost, and the total is limited. */
export function evaluate(
  checked: CheckedExpression,
  variables: ReadonlyMap<string, Value>,
  costLimit: number,
): Evaluated {
  const evaluation = new CelEvaluation(checked, variables, costLimit)
  try {
    const value = evaluation.run(checked.expression, undefined)
    return { ok: true, value, cost: evaluation.cost }
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof CostLimitError) {
      return { ok: false, error, cost: evaluation.cost }
    }
    // Strings, lists, numbers or nesting that JavaScript cannot represent exceed any budget.
    if (error instanceof RangeError) return { ok: false, error: new CostLimitError(), cost: costLimit }
    throw error
  }
}

class CelEvaluation {
  cost = 0
  private readonly checked: CheckedExpression
  private readonly variables: ReadonlyMap<string, Value>
  private readonly limit: number

  constructor(checked: CheckedExpression, variables: ReadonlyMap<string, Value>, limit: number) {
    this.checked = checked
    this.variables = variables
    this.limit = limit
  }

  private spend(cost: number): void {
    this.cost += cost
    if (this.cost > this.limit) throw new CostLimitError()
  }

  run(expression: Expression, scope: ValueScope | undefined): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'ident':
        return this.ident(expression, expression.name, scope)
      case 'select':
        return this.select(expression, scope)
      case 'call':
        return this.call(expression, scope)
      case 'list':
        return this.list(expression, scope)
      case 'map':
        return this.map(expression, scope)
      case 'comprehension':
        return this.comprehension(expression, scope)
      case 'struct':
        return this.struct(expression, scope)
    }
  }

  private ident(at: Expression, name: string, scope: ValueScope | undefined): Value {
    this.spend(1)
    for (let here = scope; here !== undefined; here = here.outer) if (here.name === name) return here.value
    const found = this.variables.get(name)
    if (found !== undefined) return found
    return this.typeValue(at) ?? fail(`no such attribute(s): ${name}`)
  }

  private typeValue(at: Expression): Value | undefined {
    const name = this.checked.typeNameAt(at)
    return name !== undefined && typeNames.has(name) ? new TypeValue(name) : undefined
  }

  private select(select: Select, scope: ValueScope | undefined): Value {
    const type = this.typeValue(select)
    if (type !== undefined) {
      this.spend(1)
      return type
    }
    const variable = this.checked.variableAt(select)
    if (variable !== undefined) {
      this.spend(1)
      return this.variables.get(variable) ?? fail(`no such attribute(s): ${variable}`)
    }
    const operand = this.run(select.operand, scope)
    if (select.isTest) return hasField(operand, select.field)
    this.spend(1)
    return selected(operand, select.field)
  }

  private list({ elements, optional }: ListLiteral, scope: ValueScope | undefined): Value {
    const items: Value[] = []
    elements.forEach((element, i) => {
      const value = this.run(element, scope)
      if (!optional.has(i)) items.push(value)
      else if (!(value instanceof Optional)) throw noOverload()
      else if (value.value !== undefined) items.push(value.value)
    })
    this.spend(perListLiteral)
    return new ListValue(items)
  }

  private map({ entries }: MapLiteral, scope: ValueScope | undefined): Value {
    const map = new MapValue()
    for (const { key, value, isOptional } of entries) {
      const name = this.run(key, scope)
      const found = this.run(value, scope)
      if (!isKey(name)) throw new EvaluationError('unsupported key type')
      if (map.get(name) !== undefined) throw new EvaluationError(`Failed with repeated key ${String(name)}`)
      if (!isOptional) map.insert(name, found)
      else if (!(found instanceof Optional)) throw noOverload()
      else if (found.value !== undefined) map.insert(name, found.value)
    }
    this.spend(perMapLiteral)
    return map
  }

  private struct({ name, fields }: StructLiteral, scope: ValueScope | undefined): Value {
    const made = new Map<string, Value>()
    for (const { name: field, value, isOptional } of fields) {
      const found = this.run(value, scope)
      if (!isOptional) made.set(field, found)
      else if (!(found instanceof Optional)) throw noOverload()
      else if (found.value !== undefined) made.set(field, found.value)
    }
    this.spend(perStructLiteral)
    return new StructValue(name, made)
  }

  private call(call: FunctionCall, scope: ValueScope | undefined): Value {
    const special = this.special(call, scope)
    if (special !== undefined) return special
    const qualified = this.checked.qualifiedName(call)
    const name = qualified ?? (call.name === 'includes' ? this.includesIn(call) : call.name)
    const isMember = call.target !== undefined && qualified === undefined
    const args = (isMember ? [call.target as Expression, ...call.args] : call.args).map((arg) => this.run(arg, scope))
    const work = functionNamed(name)
    if (work === undefined) throw noOverload()
    const result = work(args, isMember)
    this.spend(callCost(name, args, result))
    return result
  }

  private includesIn(call: FunctionCall): string {
    return this.checked.overloadsAt(call)[0]?.id === 'dra_includes_dyn_dyn' ? limitedIncludes : call.name
  }

  /** Calls that do not evaluate all of their arguments. */
  private special(call: FunctionCall, scope: ValueScope | undefined): Value | undefined {
    const [first, second, third] = call.args
    switch (call.name) {
      case '_&&_':
        return this.logical(call, scope, false)
      case '_||_':
        return this.logical(call, scope, true)
      case '_?_:_': {
        const condition = this.run(first as Expression, scope)
        if (typeof condition !== 'boolean') throw noOverload()
        return this.run((condition ? second : third) as Expression, scope)
      }
      case '@not_strictly_false':
        return this.notStrictlyFalse(first as Expression, scope)
      case '_[_]':
      case '_[?_]': {
        const operand = this.run(first as Expression, scope)
        const key = this.run(second as Expression, scope)
        this.spend(1)
        return call.name === '_[_]' ? indexed(operand, key) : perhapsIndexed(operand, key)
      }
      case '_?._': {
        const operand = this.run(first as Expression, scope)
        this.spend(1)
        return perhapsSelected(operand, String((second as { readonly value?: unknown }).value))
      }
      case 'or':
      case 'orValue':
        return call.target === undefined ? undefined : this.otherwise(call, call.target, scope)
    }
    return undefined
  }

  private otherwise({ name, args }: FunctionCall, target: Expression, scope: ValueScope | undefined): Value {
    const value = this.run(target, scope)
    if (!(value instanceof Optional)) throw noOverload()
    this.spend(1)
    if (value.value !== undefined) return name === 'or' ? value : value.value
    return this.run(args[0] as Expression, scope)
  }

  private notStrictlyFalse(operand: Expression, scope: ValueScope | undefined): boolean {
    const value = this.attempt(operand, scope)
    this.spend(1)
    return value !== false
  }

  private attempt(expression: Expression, scope: ValueScope | undefined): Value | EvaluationError {
    try {
      return this.run(expression, scope)
    } catch (error) {
      if (error instanceof EvaluationError) return error
      throw error
    }
  }

  /** One side may determine the result, even if the other side has an error. */
  private logical({ args }: FunctionCall, scope: ValueScope | undefined, decisive: boolean): Value {
    const [left, right] = args as [Expression, Expression]
    const a = this.attempt(left, scope)
    if (a === decisive) return decisive
    const b = this.attempt(right, scope)
    if (b === decisive) return decisive
    if (a instanceof EvaluationError) throw a
    if (b instanceof EvaluationError) throw b
    if (typeof a !== 'boolean' || typeof b !== 'boolean') throw noOverload()
    return !decisive
  }

  private comprehension(fold: Comprehension, scope: ValueScope | undefined): Value {
    const range = this.run(fold.range, scope)
    let value = growing(fold, this.run(fold.initial, scope))
    for (const [key, element] of elementsOf(range, fold.second !== undefined)) {
      const inner: ValueScope = { name: fold.accumulator, value, outer: scope }
      const first: ValueScope = { name: fold.variable, value: key, outer: inner }
      const here = fold.second === undefined ? first : { name: fold.second, value: element, outer: first }
      const goesOn = this.run(fold.condition, here)
      if (goesOn !== true) break
      value = this.run(fold.step, here)
    }
    const result = this.run(fold.result, { name: fold.accumulator, value, outer: scope })
    return result instanceof GrowingList ? new ListValue(result.items) : result
  }
}

/** Builds the result of a comprehension in place: no other code reads it before it is complete. */
function growing(fold: Comprehension, initial: Value): Value {
  if (fold.accumulator !== accumulator) return initial
  if (initial instanceof ListValue && initial.items.length === 0) return new GrowingList()
  return initial instanceof MapValue && initial.entries.size === 0 ? new GrowingMap() : initial
}

function* elementsOf(range: Value, isPair: boolean): Generator<readonly [Value, Value]> {
  if (range instanceof ListValue) {
    for (const [i, item] of range.items.entries()) yield isPair ? [BigInt(i), item] : [item, item]
  } else if (range instanceof MapValue) {
    for (const { key, value } of range.entries.values()) yield [key, value]
  } else throw noOverload()
}

const fail = (why: string): never => {
  throw new EvaluationError(why)
}

const isKey = (value: Value): boolean =>
  typeof value === 'string' || typeof value === 'boolean' || numberOf(value) !== undefined

/** A value without fields has no such field (cel-go, interpreter, refQualify). */
function fieldOf(operand: Value, field: string): Value | undefined {
  if (isObject(operand) || operand instanceof MapValue) return operand.get(field)
  if (operand instanceof ListValue) throw noOverload()
  return undefined
}

function selected(operand: Value, field: string): Value {
  if (operand instanceof Optional) return perhapsSelected(operand, field)
  return fieldOf(operand, field) ?? fail(`no such key: ${field}`)
}

function hasField(operand: Value, field: string): boolean {
  if (operand instanceof Optional) return operand.value !== undefined && hasField(operand.value, field)
  if (isObject(operand)) return operand.has(field)
  if (operand instanceof ListValue) throw noOverload()
  return operand instanceof MapValue && operand.get(field) !== undefined
}

function perhapsSelected(operand: Value, field: string): Value {
  if (operand instanceof Optional) return operand.value === undefined ? none : perhapsSelected(operand.value, field)
  const found = fieldOf(operand, field)
  return found === undefined ? none : new Optional(found)
}

function elementAt(list: ListValue, key: Value): Value | undefined {
  const index = numberOf(key)
  if (index === undefined || (typeof index === 'number' && !Number.isInteger(index))) {
    return fail('unsupported index type in list')
  }
  return list.items[Number(index)]
}

function indexed(operand: Value, key: Value): Value {
  if (operand instanceof Optional) return perhapsIndexed(operand, key)
  if (operand instanceof ListValue) return elementAt(operand, key) ?? fail(`index out of bounds: ${shown(key)}`)
  if (operand instanceof MapValue) return operand.get(key) ?? fail(`no such key: ${shown(key)}`)
  throw noOverload()
}

const shown = (key: Value): string => String(numberOf(key) ?? key)

function perhapsIndexed(operand: Value, key: Value): Value {
  if (operand instanceof Optional) return operand.value === undefined ? none : perhapsIndexed(operand.value, key)
  const found =
    operand instanceof ListValue ? elementAt(operand, key) : operand instanceof MapValue ? operand.get(key) : undefined
  return found === undefined ? none : new Optional(found)
}
