import { capped, fixed, most, nothing, one, product, type SizeBounds, scaled, sum, union, unknown } from './bounds.ts'
import { type CallEstimate, listCall, listCalls, ownCall, patternCost, type Sizes } from './call-estimate.ts'
import type { CelType } from './cel-type.ts'
import type { CheckedExpression } from './checker.ts'
import type { Overload } from './declarations.ts'
import {
  type Comprehension,
  type Expression,
  type ExpressionVisitor,
  type FunctionCall,
  type Ident,
  type ListLiteral,
  type MapLiteral,
  type Select,
  visitExpression,
} from './expression.ts'

import { accumulator } from './macros.ts'
import { perCharacter, perListLiteral, perMapLiteral } from './runtime-cost.ts'
import { sizeOf } from './value.ts'

/** The maximum size of the value at a path from a variable: fields by name, `@items`, `@values`, `@keys`. */
export type SizeAt = (path: readonly string[]) => number | undefined

/** The minimum and maximum cost of evaluating an expression (cel-go, checker.Cost). */
export function estimateCost(checked: CheckedExpression, sizeAt: SizeAt): SizeBounds {
  return new Estimate(checked, sizeAt).cost(checked.expression)
}

interface EntrySize {
  readonly isList: boolean
  readonly key: SizeBounds
  readonly value: SizeBounds
}

interface Local {
  readonly path: readonly string[] | undefined
  readonly size: SizeBounds | undefined
  readonly entry: EntrySize | undefined
}

class Estimate implements Sizes, ExpressionVisitor<SizeBounds> {
  private readonly checked: CheckedExpression
  private readonly sizeAt: SizeAt
  private readonly paths = new Map<Expression, readonly string[]>()
  private readonly sizes = new Map<Expression, SizeBounds>()
  private readonly entries = new Map<Expression, EntrySize>()
  private readonly locals = new Map<string, Local[]>()

  constructor(checked: CheckedExpression, sizeAt: SizeAt) {
    this.checked = checked
    this.sizeAt = sizeAt
  }

  cost(expression: Expression): SizeBounds {
    return visitExpression(expression, this)
  }

  literal(): SizeBounds {
    return nothing
  }

  /** Expressions that create objects are limited only by the budget at run time. */
  struct(): SizeBounds {
    return nothing
  }

  ident(ident: Ident): SizeBounds {
    this.paths.set(ident, this.local(ident.name)?.path ?? [ident.name])
    return one
  }

  typeOf(expression: Expression): CelType {
    return this.checked.typeOf(expression)
  }

  private local(name: string): Local | undefined {
    return this.locals.get(name)?.at(-1)
  }

  private pushLocal(name: string, local: Local): void {
    this.locals.set(name, [...(this.locals.get(name) ?? []), local])
  }

  private popLocal(name: string): void {
    this.locals.get(name)?.pop()
  }

  private pathOf(expression: Expression): readonly string[] | undefined {
    if (expression.kind === 'ident') {
      const local = this.local(expression.name)
      if (local !== undefined) return local.path
    }
    return this.paths.get(expression)
  }

  private extend(expression: Expression, step: string): readonly string[] {
    return [...(this.pathOf(expression) ?? []), step]
  }

  /** The size of a value, from the expression or the schema. */
  private size(expression: Expression): SizeBounds | undefined {
    const known = this.sizes.get(expression) ?? literalSize(expression)
    if (known !== undefined) return known
    const path = this.pathOf(expression)
    const found = path === undefined || path.length === 0 ? undefined : this.sizeAt(path)
    if (found !== undefined) {
      const size = { min: 0, max: found }
      this.sizes.set(expression, size)
      return size
    }
    if (isScalar(this.checked.typeOf(expression))) return one
    return expression.kind === 'ident' ? this.local(expression.name)?.size : undefined
  }

  of(expression: Expression): SizeBounds {
    return this.size(expression) ?? unknown
  }

  private entry(expression: Expression): EntrySize | undefined {
    return (
      this.entries.get(expression) ?? (expression.kind === 'ident' ? this.local(expression.name)?.entry : undefined)
    )
  }

  select(select: Select): SizeBounds {
    const operand = this.cost(select.operand)
    if (select.isTest) return operand
    const { kind } = this.checked.typeOf(select.operand)
    this.paths.set(select, this.extend(select.operand, select.field))
    return kind === 'map' || kind === 'object' ? sum(operand, one) : operand
  }

  list(list: ListLiteral): SizeBounds {
    let total = nothing
    let value: SizeBounds = { min: list.elements.length === 0 ? 0 : most, max: 0 }
    for (const element of list.elements) {
      total = sum(total, this.cost(element))
      value = union(value, this.of(element))
    }
    this.entries.set(list, { isList: true, key: one, value })
    return sum(total, fixed(perListLiteral))
  }

  map(map: MapLiteral): SizeBounds {
    let total = nothing
    const none: SizeBounds = { min: map.entries.length === 0 ? 0 : most, max: 0 }
    let key = none
    let value = none
    for (const entry of map.entries) {
      total = sum(total, sum(this.cost(entry.key), this.cost(entry.value)))
      key = union(key, this.of(entry.key))
      value = union(value, this.of(entry.value))
    }
    this.entries.set(map, { isList: false, key, value })
    return sum(total, fixed(perMapLiteral))
  }

  comprehension(fold: Comprehension): SizeBounds {
    const before = sum(this.cost(fold.range), this.cost(fold.initial))
    const isBinding = fold.accumulator !== accumulator
    this.pushLocal(fold.accumulator, {
      path: this.pathOf(fold.initial),
      size: this.size(fold.initial),
      entry: this.entry(fold.initial),
    })
    if (isBinding) {
      const result = this.cost(fold.result)
      this.popLocal(fold.accumulator)
      this.copySizes(fold, fold.result)
      return sum(before, result)
    }
    this.pushVariables(fold)
    const loop = sum(this.cost(fold.step), this.cost(fold.condition))
    this.popLocal(fold.variable)
    if (fold.second !== undefined) this.popLocal(fold.second)
    const result = this.cost(fold.result)
    this.popLocal(fold.accumulator)
    const count = this.of(fold.range)
    if (fold.initial.kind === 'literal') this.sizes.set(fold, this.of(fold.initial))
    else this.sizes.set(fold, count)
    const entry = this.entry(fold.step)
    if (entry !== undefined) this.entries.set(fold, entry)
    return sum(sum(before, result), product(count, loop))
  }

  private pushVariables({ range, variable, second }: Comprehension): void {
    const entry = this.entry(range)
    const isList = entry?.isList ?? this.checked.typeOf(range).kind === 'list'
    const key: Local = { path: this.extend(range, isList ? '@indices' : '@keys'), size: entry?.key, entry: undefined }
    const value: Local = {
      path: this.extend(range, isList ? '@items' : '@values'),
      size: entry?.value,
      entry: undefined,
    }
    if (second === undefined) {
      this.pushLocal(variable, isList ? value : key)
      return
    }
    this.pushLocal(variable, key)
    this.pushLocal(second, value)
  }

  private copySizes(to: Expression, from: Expression): void {
    const size = this.size(from)
    if (size !== undefined) this.sizes.set(to, size)
    const entry = this.entry(from)
    if (entry !== undefined) this.entries.set(to, entry)
  }

  call(call: FunctionCall): SizeBounds {
    const args = call.args.map((arg) => this.cost(arg))
    if (call.name === 'dyn') {
      this.copySizes(call, call.args[0] as Expression)
      return sum(one, args[0] as SizeBounds)
    }
    const qualified = this.checked.qualifiedName(call)
    const target = qualified === undefined ? call.target : undefined
    const before = target === undefined ? nothing : this.cost(target)
    const total = args.reduce(sum, nothing)
    let cost: SizeBounds = { min: most, max: 0 }
    let size: SizeBounds | undefined
    const overloads = this.checked.overloadsAt(call)
    if (overloads.length === 0) return sum(before, sum(total, one))
    for (const overload of overloads) {
      const found = this.overload(call, qualified ?? call.name, target, overload, args, total)
      cost = union(cost, found.cost)
      if (found.size !== undefined) size = size === undefined ? found.size : union(size, found.size)
      if (overload.id === 'index_list' || overload.id === 'index_map') {
        const container = call.args[0] as Expression
        size = this.entry(container)?.value
        this.paths.set(call, this.extend(container, overload.id === 'index_list' ? '@items' : '@values'))
      }
    }
    size ??= this.size(call)
    if (size !== undefined) this.sizes.set(call, size)
    return sum(before, cost)
  }

  private overload(
    call: FunctionCall,
    name: string,
    target: Expression | undefined,
    { id }: Overload,
    args: readonly SizeBounds[],
    total: SizeBounds,
  ): CallEstimate {
    const own = ownCall(this, name, id, target, call.args)
    if (own !== undefined) return { ...own, cost: sum(own.cost, total) }
    const [first, second, third] = call.args as [Expression, Expression, Expression]
    const plus = (cost: SizeBounds, size?: SizeBounds): CallEstimate => ({ cost: sum(cost, total), size })
    switch (id) {
      case 'logical_and':
      case 'logical_or': {
        const [a, b] = args as [SizeBounds, SizeBounds]
        return { cost: { min: a.min, max: sum(a, b).max } }
      }
      case 'conditional': {
        const [condition, yes, no] = args as [SizeBounds, SizeBounds, SizeBounds]
        const [a, b] = [this.entry(second), this.entry(third)]
        if (a !== undefined && b !== undefined) this.entries.set(call, entryUnion(a, b))
        return {
          cost: sum(condition, union(yes, no)),
          size: union(this.of(second), this.of(third)),
        }
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = sum(this.of(first), this.of(second))
        const [a, b] = [this.entry(first), this.entry(second)]
        if (a !== undefined && b !== undefined) this.entries.set(call, entryUnion(a, b))
        return plus(id === 'add_list' ? one : scaled(size, perCharacter), size)
      }
      case 'in_list':
        return plus(this.of(second))
      case 'starts_with_string':
      case 'ends_with_string':
        return plus(scaled(this.of(first), perCharacter))
      case 'string_to_bytes': {
        const size = this.of(first)
        return plus(scaled(size, perCharacter), { min: size.min, max: capped(size.max * 4) })
      }
      case 'bytes_to_string': {
        const size = this.of(first)
        return plus(scaled(size, perCharacter), { min: Math.floor(size.min / 4), max: size.max })
      }
      case 'strings_quote': {
        const size = this.of(first)
        return plus(scaled(size, perCharacter), { min: size.min + 2, max: capped(size.max * 2 + 2) })
      }
      case 'string_format':
        return target === undefined ? plus(one) : plus(scaled(this.of(target), perCharacter))
      case 'matches_string':
        return plus(patternCost(this.of(target ?? first), this.of(first)))
      case 'contains_string': {
        const whole = scaled(this.of(target ?? first), perCharacter)
        return plus(product(whole, scaled(this.of(first), perCharacter)))
      }
      case 'list_sets_contains_list':
      case 'list_sets_intersects_list':
      case 'list_sets_equivalent_list': {
        const pairs = product(this.of(first), this.of(second))
        return plus(sum(id === 'list_sets_equivalent_list' ? scaled(pairs, 2) : pairs, one))
      }
    }
    if (listCalls.has(name) && target !== undefined) return listCall(this, name, target, first, second, total)
    if (id === 'lists_range') {
      const size = fixed(first.kind === 'literal' && typeof first.value === 'bigint' ? Number(first.value) : most)
      return plus(sum(size, fixed(1 + perListLiteral)), size)
    }
    if (comparisons.has(id)) {
      const smaller = Math.min(this.of(first).max, this.of(second).max)
      return plus(scaled({ min: smaller > 0 ? 1 : 0, max: smaller }, perCharacter))
    }
    return plus(one)
  }

  ofElements(list: Expression): SizeBounds {
    const max = this.pathOf(list) === undefined ? undefined : this.sizeAt(this.extend(list, '@items'))
    return max === undefined ? unknown : { min: 0, max }
  }
}

const comparisons: ReadonlySet<string> = new Set([
  'equals',
  'not_equals',
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
])

function entryUnion(a: EntrySize, b: EntrySize): EntrySize {
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) }
}

function literalSize(expression: Expression): SizeBounds | undefined {
  if (expression.kind === 'literal') return fixed(sizeOf(expression.value) ?? 1)
  if (expression.kind === 'list') return fixed(expression.elements.length)
  return expression.kind === 'map' ? fixed(expression.entries.length) : undefined
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.element)
  return type.kind === 'simple' && ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.name)
}
