import { limitedIncludes } from '../declarations.ts'
import {
  compare,
  Duration,
  EvaluationError,
  equals,
  ListValue,
  MapValue,
  none,
  noOverload,
  Optional,
  Uint,
  type Value,
} from '../value.ts'
import { int, type Library, list, optional } from './implementation.ts'
import { operators } from './operators.ts'

function inOrder(a: Value, b: Value): number {
  const order = compare(a, b)
  if (order === undefined) throw noOverload()
  return order
}

const extreme = (name: string, sign: 1 | -1) => (args: readonly Value[]) => {
  const [first, ...rest] = list(args[0]).items
  if (first === undefined) throw new EvaluationError(`${name} called on empty list`)
  return rest.reduce((best, one) => (inOrder(one, best) * sign > 0 ? one : best), first)
}

function sum(args: readonly Value[]): Value {
  const [first, ...rest] = list(args[0]).items
  if (first === undefined) return 0n
  if (
    typeof first !== 'bigint' &&
    typeof first !== 'number' &&
    !(first instanceof Uint) &&
    !(first instanceof Duration)
  ) {
    throw noOverload()
  }
  const add = operators['_+_'] as (pair: readonly Value[], isMember: boolean) => Value
  return rest.reduce((total: Value, one) => add([total, one], false), first)
}

function sortedBy(items: readonly Value[], keys: readonly Value[]): ListValue {
  if (items.length !== keys.length) throw noOverload()
  const pairs = items.map((item, i) => ({ item, key: keys[i] as Value }))
  pairs.sort((a, b) => inOrder(a.key, b.key))
  return new ListValue(pairs.map(({ item }) => item))
}

function flatten(items: readonly Value[], depth: number): readonly Value[] {
  return items.flatMap((one) => (one instanceof ListValue && depth > 0 ? flatten(one.items, depth - 1) : [one]))
}

/** resource.k8s.io/v1, ResourceSliceMaxAttributeValuesPerDevice. */
export const maxIncluded = 48

/** Reports whether an attribute of a device is the value, or a list with it (v1.36, dynamic-resource-allocation/cel). */
function limited(target: Value, value: Value): boolean {
  if (!(target instanceof ListValue)) return equals(target, value)
  const at = target.items.findIndex((one) => equals(one, value))
  if (at >= 0 && at < maxIncluded) return true
  if (target.items.length <= maxIncluded) return false
  throw new EvaluationError(`'includes' function cannot be applied to lists longer than ${maxIncluded} values`)
}

const has = (items: readonly Value[], value: Value): boolean => items.some((one) => equals(one, value))

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof ListValue) return value.items.length === 0
  if (value instanceof MapValue) return value.entries.size === 0
  if (value instanceof Duration) return value.nanos === 0n
  return value instanceof Optional && value.value === undefined
}

const maxRange = 1_000_000

export const lists: Library = {
  isSorted: ([value]) => {
    const { items } = list(value)
    return items.every((one, i) => i === 0 || inOrder(items[i - 1] as Value, one) <= 0)
  },
  sum,
  max: extreme('max', 1),
  min: extreme('min', -1),
  sort: ([value]) => sortedBy(list(value).items, list(value).items),
  '@sortByAssociatedKeys': ([value, keys]) => sortedBy(list(value).items, list(keys).items),
  reverse: ([value]) => new ListValue([...list(value).items].reverse()),
  distinct: ([value]) => {
    const kept: Value[] = []
    for (const one of list(value).items) if (!has(kept, one)) kept.push(one)
    return new ListValue(kept)
  },
  slice: ([value, from, to]) => {
    const { items } = list(value)
    const [begin, end] = [int(from), int(to)]
    if (begin < 0n || end < 0n) {
      throw new EvaluationError(`cannot slice(${begin}, ${end}), negative indexes not supported`)
    }
    if (begin > end) {
      throw new EvaluationError(`cannot slice(${begin}, ${end}), start index must be less than or equal to end index`)
    }
    if (end > BigInt(items.length)) {
      throw new EvaluationError(`cannot slice(${begin}, ${end}), list is length ${items.length}`)
    }
    return new ListValue(items.slice(Number(begin), Number(end)))
  },
  flatten: ([value, depth]) => {
    const levels = depth === undefined ? 1n : int(depth)
    if (levels < 0n) throw new EvaluationError('level must be non-negative')
    return new ListValue(flatten(list(value).items, Number(levels)))
  },
  includes: ([target, value]) =>
    target instanceof ListValue ? has(target.items, value as Value) : equals(target as Value, value as Value),
  [limitedIncludes]: ([target, value]) => limited(target as Value, value as Value),
  'lists.range': ([count]) => {
    const length = int(count)
    if (length < 0n) throw new EvaluationError('lists.range: size must be non-negative')
    if (length > maxRange) throw new EvaluationError('lists.range: size is too large')
    return new ListValue(Array.from({ length: Number(length) }, (_, i) => BigInt(i)))
  },
  'sets.contains': ([a, b]) => list(b).items.every((one) => has(list(a).items, one)),
  'sets.equivalent': ([a, b]) => {
    const [x, y] = [list(a).items, list(b).items]
    return x.every((one) => has(y, one)) && y.every((one) => has(x, one))
  },
  'sets.intersects': ([a, b]) => list(a).items.some((one) => has(list(b).items, one)),
  'optional.of': ([value]) => new Optional(value),
  'optional.ofNonZeroValue': ([value]) => (isZero(value as Value) ? none : new Optional(value)),
  'optional.none': () => none,
  value: ([value]) => {
    const found = optional(value).value
    if (found === undefined) throw new EvaluationError('optional.none() dereference')
    return found
  },
  hasValue: ([value]) => optional(value).value !== undefined,
  first: ([value]) => new Optional(list(value).items[0]),
  last: ([value]) => new Optional(list(value).items.at(-1)),
  'optional.unwrap': ([value]) => unwrap(value),
  unwrapOpt: ([value]) => unwrap(value),
}

function unwrap(value: Value | undefined): ListValue {
  return new ListValue(list(value).items.flatMap((one) => optional(one).value ?? []))
}
