import type { CelType } from './cel-type.ts'
import type { CheckedExpression } from './checker.ts'
import type { Overload } from './declarations.ts'
import type { Comprehension, Expression, FunctionCall, ListLiteral, MapLiteral, Select } from './expression.ts'
import { accumulator } from './macros.ts'
import { perCharacter, perListLiteral, perMapLiteral, perPatternCharacter } from './runtime-cost.ts'
import { sizeOf } from './value.ts'

/** From least to most. Sums and products stop at what 64 bits can hold. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

const most = 2 ** 64
const capped = (value: number): number => Math.min(value, most)
const fixed = (value: number): Bounds => ({ min: value, max: value })
const unknown: Bounds = { min: 0, max: most }
const one = fixed(1)
const nothing = fixed(0)
const sum = (a: Bounds, b: Bounds): Bounds => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) })
const product = (a: Bounds, b: Bounds): Bounds => ({ min: times(a.min, b.min), max: times(a.max, b.max) })
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : capped(a * b))
const scaled = (a: Bounds, factor: number): Bounds => ({
  min: capped(Math.ceil(a.min * factor)),
  max: capped(Math.ceil(a.max * factor)),
})
const union = (a: Bounds, b: Bounds): Bounds => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) })

/** How large the value at a path from a variable can be: fields by name, `@items`, `@values`, `@keys`. */
export type SizeAt = (path: readonly string[]) => number | undefined

/** The least and the most that working out an expression can cost (cel-go, checker.Cost). */
export function estimateCost(checked: CheckedExpression, sizeAt: SizeAt): Bounds {
  return new Estimate(checked, sizeAt).cost(checked.expression)
}

interface EntrySize {
  readonly isList: boolean
  readonly key: Bounds
  readonly value: Bounds
}

interface Local {
  readonly path: readonly string[] | undefined
  readonly size: Bounds | undefined
  readonly entry: EntrySize | undefined
}

interface CallEstimate {
  readonly cost: Bounds
  readonly size?: Bounds | undefined
}

class Estimate {
  private readonly checked: CheckedExpression
  private readonly sizeAt: SizeAt
  private readonly paths = new Map<Expression, readonly string[]>()
  private readonly sizes = new Map<Expression, Bounds>()
  private readonly entries = new Map<Expression, EntrySize>()
  private readonly locals = new Map<string, Local[]>()

  constructor(checked: CheckedExpression, sizeAt: SizeAt) {
    this.checked = checked
    this.sizeAt = sizeAt
  }

  cost(expression: Expression): Bounds {
    switch (expression.kind) {
      case 'literal':
      case 'struct':
        return nothing
      case 'ident':
        this.paths.set(expression, this.local(expression.name)?.path ?? [expression.name])
        return one
      case 'select':
        return this.select(expression)
      case 'call':
        return this.call(expression)
      case 'list':
        return this.list(expression)
      case 'map':
        return this.map(expression)
      case 'comprehension':
        return this.comprehension(expression)
    }
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
  private size(expression: Expression): Bounds | undefined {
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

  private sizeOrUnknown(expression: Expression): Bounds {
    return this.size(expression) ?? unknown
  }

  private entry(expression: Expression): EntrySize | undefined {
    return (
      this.entries.get(expression) ?? (expression.kind === 'ident' ? this.local(expression.name)?.entry : undefined)
    )
  }

  private select(select: Select): Bounds {
    const operand = this.cost(select.operand)
    if (select.isTest) return operand
    const { kind } = this.checked.typeOf(select.operand)
    this.paths.set(select, this.extend(select.operand, select.field))
    return kind === 'map' || kind === 'object' ? sum(operand, one) : operand
  }

  private list(list: ListLiteral): Bounds {
    let total = nothing
    let value: Bounds = { min: list.elements.length === 0 ? 0 : most, max: 0 }
    for (const element of list.elements) {
      total = sum(total, this.cost(element))
      value = union(value, this.sizeOrUnknown(element))
    }
    this.entries.set(list, { isList: true, key: one, value })
    return sum(total, fixed(perListLiteral))
  }

  private map(map: MapLiteral): Bounds {
    let total = nothing
    const none: Bounds = { min: map.entries.length === 0 ? 0 : most, max: 0 }
    let key = none
    let value = none
    for (const entry of map.entries) {
      total = sum(total, sum(this.cost(entry.key), this.cost(entry.value)))
      key = union(key, this.sizeOrUnknown(entry.key))
      value = union(value, this.sizeOrUnknown(entry.value))
    }
    this.entries.set(map, { isList: false, key, value })
    return sum(total, fixed(perMapLiteral))
  }

  private comprehension(fold: Comprehension): Bounds {
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
    const count = this.sizeOrUnknown(fold.range)
    if (fold.initial.kind === 'literal') this.sizes.set(fold, this.sizeOrUnknown(fold.initial))
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

  private call(call: FunctionCall): Bounds {
    const args = call.args.map((arg) => this.cost(arg))
    if (call.name === 'dyn') {
      this.copySizes(call, call.args[0] as Expression)
      return sum(one, args[0] as Bounds)
    }
    const qualified = this.checked.qualifiedName(call)
    const target = qualified === undefined ? call.target : undefined
    const before = target === undefined ? nothing : this.cost(target)
    const total = args.reduce(sum, nothing)
    let cost: Bounds = { min: most, max: 0 }
    let size: Bounds | undefined
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
    args: readonly Bounds[],
    total: Bounds,
  ): CallEstimate {
    const own = this.kubernetes(name, id, target, call.args)
    if (own !== undefined) return { ...own, cost: sum(own.cost, total) }
    const [first, second, third] = call.args as [Expression, Expression, Expression]
    const plus = (cost: Bounds, size?: Bounds): CallEstimate => ({ cost: sum(cost, total), size })
    switch (id) {
      case 'logical_and':
      case 'logical_or': {
        const [a, b] = args as [Bounds, Bounds]
        return { cost: { min: a.min, max: sum(a, b).max } }
      }
      case 'conditional': {
        const [condition, yes, no] = args as [Bounds, Bounds, Bounds]
        const [a, b] = [this.entry(second), this.entry(third)]
        if (a !== undefined && b !== undefined) this.entries.set(call, entryUnion(a, b))
        return {
          cost: sum(condition, union(yes, no)),
          size: union(this.sizeOrUnknown(second), this.sizeOrUnknown(third)),
        }
      }
      case 'add_string':
      case 'add_bytes':
      case 'add_list': {
        const size = sum(this.sizeOrUnknown(first), this.sizeOrUnknown(second))
        const [a, b] = [this.entry(first), this.entry(second)]
        if (a !== undefined && b !== undefined) this.entries.set(call, entryUnion(a, b))
        return plus(id === 'add_list' ? one : scaled(size, perCharacter), size)
      }
      case 'in_list':
        return plus(this.sizeOrUnknown(second))
      case 'starts_with_string':
      case 'ends_with_string':
        return plus(scaled(this.sizeOrUnknown(first), perCharacter))
      case 'string_to_bytes': {
        const size = this.sizeOrUnknown(first)
        return plus(scaled(size, perCharacter), { min: size.min, max: capped(size.max * 4) })
      }
      case 'bytes_to_string': {
        const size = this.sizeOrUnknown(first)
        return plus(scaled(size, perCharacter), { min: Math.floor(size.min / 4), max: size.max })
      }
      case 'strings_quote': {
        const size = this.sizeOrUnknown(first)
        return plus(scaled(size, perCharacter), { min: size.min + 2, max: capped(size.max * 2 + 2) })
      }
      case 'string_format':
        return target === undefined ? plus(one) : plus(scaled(this.sizeOrUnknown(target), perCharacter))
      case 'matches_string':
        return plus(this.patternCost(this.sizeOrUnknown(target ?? first), this.sizeOrUnknown(first)))
      case 'contains_string': {
        const whole = scaled(this.sizeOrUnknown(target ?? first), perCharacter)
        return plus(product(whole, scaled(this.sizeOrUnknown(first), perCharacter)))
      }
      case 'list_sets_contains_list':
      case 'list_sets_intersects_list':
      case 'list_sets_equivalent_list': {
        const pairs = product(this.sizeOrUnknown(first), this.sizeOrUnknown(second))
        return plus(sum(id === 'list_sets_equivalent_list' ? scaled(pairs, 2) : pairs, one))
      }
    }
    if (listCalls.has(name) && target !== undefined) return this.listCall(name, target, first, second, total)
    if (id === 'lists_range') {
      const size = fixed(first.kind === 'literal' && typeof first.value === 'bigint' ? Number(first.value) : most)
      return plus(sum(size, fixed(1 + perListLiteral)), size)
    }
    if (comparisons.has(id)) {
      const smaller = Math.min(this.sizeOrUnknown(first).max, this.sizeOrUnknown(second).max)
      return plus(scaled({ min: smaller > 0 ? 1 : 0, max: smaller }, perCharacter))
    }
    return plus(one)
  }

  /** Calls that make a list of a list. */
  private listCall(
    name: string,
    target: Expression,
    first: Expression | undefined,
    second: Expression | undefined,
    total: Bounds,
  ): CallEstimate {
    const literal = (arg: Expression | undefined, otherwise: number): number =>
      arg?.kind === 'literal' && typeof arg.value === 'bigint' ? Math.max(0, Number(arg.value)) : otherwise
    const whole = this.sizeOrUnknown(name === '@sortByAssociatedKeys' && first !== undefined ? first : target)
    const base = fixed(1 + perListLiteral)
    const made = (size: Bounds, factor: number): CallEstimate => ({
      cost: sum(sum(scaled(size, factor), base), total),
      size,
    })
    switch (name) {
      case 'slice':
        return made(fixed(literal(second, whole.max) - literal(first, 0)), 1)
      case 'reverse':
        return made(whole, 1)
      case 'flatten':
        return made(whole, first === undefined ? 1 : literal(first, most))
      case 'distinct':
        return made(product(whole, whole), 2)
      default: {
        const type = this.checked.typeOf(name === 'sort' || first === undefined ? target : first)
        const isText = type.kind === 'list' && type.element.kind === 'simple' && /string|bytes/.test(type.element.name)
        return made(product(whole, whole), isText ? 2 + perCharacter : 2)
      }
    }
  }

  private patternCost(text: Bounds, pattern: Bounds): Bounds {
    return product(scaled(sum(text, one), perCharacter), scaled(pattern, perPatternCharacter))
  }

  /** Kubernetes' own functions, and those it prices itself (v1.36, apiserver/pkg/cel/library/cost.go). */
  private kubernetes(
    name: string,
    id: string,
    target: Expression | undefined,
    args: readonly Expression[],
  ): CallEstimate | undefined {
    const [first, second] = args
    const ofFirst = (): Bounds => (first === undefined ? unknown : this.sizeOrUnknown(first))
    const traversed = (size: Bounds): CallEstimate => ({ cost: scaled(size, perCharacter) })
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf':
        return target === undefined ? undefined : this.walk(target)
      case 'url':
        return { ...traversed(ofFirst()), size: ofFirst() }
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim': {
        const size = target === undefined ? unknown : this.sizeOrUnknown(target)
        return { ...traversed(size), size }
      }
      case 'replace':
        if (target === undefined || first === undefined || second === undefined) return undefined
        return this.replacement(this.sizeOrUnknown(target), this.sizeOrUnknown(first), this.sizeOrUnknown(second))
      case 'split': {
        const size = target === undefined ? unknown : this.sizeOrUnknown(target)
        const limit = second?.kind === 'literal' && typeof second.value === 'bigint' ? Number(second.value) : size.max
        return { cost: scaled(size, 2 * perCharacter), size: { min: 0, max: limit } }
      }
      case 'join':
        return target === undefined ? undefined : this.joined(target, first)
      case 'find':
      case 'findAll': {
        const size = target === undefined ? unknown : this.sizeOrUnknown(target)
        return { cost: this.patternCost(size, ofFirst()), size: { min: 0, max: size.max } }
      }
      case 'cidr':
      case 'isIP':
      case 'isCIDR':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return traversed(ofFirst())
      case 'ip':
        return id === 'cidr_ip' ? { cost: one } : traversed(ofFirst())
      case 'ip.isCanonical':
        return { cost: scaled(ofFirst(), 2 * perCharacter) }
      case 'containsIP':
      case 'containsCIDR':
        return this.containing(name, id, ofFirst())
      case 'validate':
        return { cost: scaled(scaled(ofFirst(), perCharacter), 128 * perPatternCharacter) }
    }
    return undefined
  }

  private containing(name: string, id: string, other: Bounds): CallEstimate {
    const bytes: Bounds = { min: 4, max: 16 }
    let cost = scaled(sum(bytes, bytes), perCharacter)
    if (name === 'containsCIDR') cost = sum(sum(cost, scaled(bytes, perCharacter)), one)
    return { cost: id.endsWith('_string') ? sum(cost, scaled(other, perCharacter)) : cost }
  }

  /** Every element once. */
  private walk(target: Expression): CallEstimate {
    const type = this.checked.typeOf(target)
    const size = this.sizeOrUnknown(target)
    if (type.kind !== 'list') return { cost: scaled(size, perCharacter) }
    const isText = type.element.kind === 'simple' && (type.element.name === 'string' || type.element.name === 'bytes')
    const each = isText ? sum(one, scaled(this.elementSize(target), perCharacter)) : one
    return { cost: product(size, each) }
  }

  private elementSize(list: Expression): Bounds {
    const max = this.pathOf(list) === undefined ? undefined : this.sizeAt(this.extend(list, '@items'))
    return max === undefined ? unknown : { min: 0, max }
  }

  private joined(target: Expression, separator: Expression | undefined): CallEstimate {
    const count = this.sizeOrUnknown(target)
    let size = product(count, this.elementSize(target))
    if (separator !== undefined) {
      const between: Bounds = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
      size = sum(size, product(this.sizeOrUnknown(separator), between))
    }
    return { cost: scaled(size, perCharacter), size }
  }

  private replacement(whole: Bounds, old: Bounds, fresh: Bounds): CallEstimate {
    let [countMax, keptMax, countMin, keptMin] = [0, 0, 0, 0]
    if (old.min === 0) [countMax, keptMax] = [capped(whole.max + 1), whole.max]
    else if (fresh.max <= old.min) keptMax = whole.max
    else countMax = Math.ceil(whole.max / old.min)
    if (old.max === 0) [countMin, keptMin] = [whole.min + 1, whole.min]
    else if (old.max <= fresh.min) keptMin = whole.min
    else countMin = Math.ceil(whole.min / old.max)
    const size = sum(product({ min: countMin, max: countMax }, fresh), { min: keptMin, max: keptMax })
    return { cost: scaled(whole, 2 * perCharacter), size }
  }
}

const listCalls: ReadonlySet<string> = new Set([
  'slice',
  'reverse',
  'flatten',
  'distinct',
  'sort',
  '@sortByAssociatedKeys',
])

const comparisons: ReadonlySet<string> = new Set([
  'equals',
  'not_equals',
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((name) => [`${name}_string`, `${name}_bytes`]),
])

function entryUnion(a: EntrySize, b: EntrySize): EntrySize {
  return { isList: a.isList, key: union(a.key, b.key), value: union(a.value, b.value) }
}

function literalSize(expression: Expression): Bounds | undefined {
  if (expression.kind === 'literal') return fixed(sizeOf(expression.value) ?? 1)
  if (expression.kind === 'list') return fixed(expression.elements.length)
  return expression.kind === 'map' ? fixed(expression.entries.length) : undefined
}

function isScalar(type: CelType): boolean {
  if (type.kind === 'optional') return isScalar(type.element)
  return type.kind === 'simple' && ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.name)
}
