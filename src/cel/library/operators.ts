import {
  compare,
  Duration,
  EvaluationError,
  elementKey,
  equals,
  GrowingList,
  ListValue,
  MapValue,
  noOverload,
  Timestamp,
  Uint,
  type Value,
} from '../value.ts'
import type { Library } from './implementation.ts'

const minInt = -(2n ** 63n)
const maxInt = 2n ** 63n - 1n
const maxUint = 2n ** 64n - 1n

export function checkedInt(value: bigint, what = 'integer overflow'): bigint {
  if (value < minInt || value > maxInt) throw new EvaluationError(what)
  return value
}

export function checkedUint(value: bigint, what = 'unsigned integer overflow'): Uint {
  if (value < 0n || value > maxUint) throw new EvaluationError(what)
  return new Uint(value)
}

// Times are limited as in Go: years 1 to 9999.
const minTime = -62_135_596_800n * 1_000_000_000n
const maxTime = 253_402_300_799n * 1_000_000_000n + 999_999_999n

export function checkedTime(nanos: bigint): Timestamp {
  if (nanos < minTime || nanos > maxTime) throw new EvaluationError('timestamp overflow')
  return new Timestamp(nanos)
}

export function checkedDuration(nanos: bigint): Duration {
  if (nanos < minInt || nanos > maxInt) throw new EvaluationError('duration overflow')
  return new Duration(nanos)
}

type Arithmetic = {
  readonly ints: (a: bigint, b: bigint) => bigint
  readonly doubles?: (a: number, b: number) => number
}

/** Applies an arithmetic operator to two numbers of one type. */
function arithmetic({ ints, doubles }: Arithmetic, a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(ints(a, b))
  if (typeof a === 'number' && typeof b === 'number' && doubles !== undefined) return doubles(a, b)
  if (a instanceof Uint && b instanceof Uint) return checkedUint(ints(a.value, b.value))
  throw noOverload()
}

function add(a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (a instanceof ListValue && b instanceof ListValue) return addLists(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Uint8Array.from([...a, ...b])
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos + b.nanos)
  if (a instanceof Timestamp && b instanceof Duration) return checkedTime(a.nanos + b.nanos)
  if (a instanceof Duration && b instanceof Timestamp) return checkedTime(a.nanos + b.nanos)
  return arithmetic({ ints: (x, y) => x + y, doubles: (x, y) => x + y }, a, b)
}

/** Sets and lists with keys contain each element once: elements of the right side replace elements or are appended. */
function addLists(a: ListValue, b: ListValue): ListValue {
  if (a instanceof GrowingList) return a.append(b)
  const { order } = a
  if (order.kind === 'set') {
    const more = b.items.filter((one) => !a.items.some((other) => equals(one, other)))
    return new ListValue([...a.items, ...more], order)
  }
  if (order.kind === 'map') {
    const merged = new Map(a.items.map((one) => [elementKey(one, order.keys), one]))
    for (const one of b.items) merged.set(elementKey(one, order.keys), one)
    return new ListValue([...merged.values()], order)
  }
  return new ListValue([...a.items, ...b.items])
}

function subtract(a: Value, b: Value): Value {
  if (a instanceof Duration && b instanceof Duration) return checkedDuration(a.nanos - b.nanos)
  if (a instanceof Timestamp && b instanceof Duration) return checkedTime(a.nanos - b.nanos)
  if (a instanceof Timestamp && b instanceof Timestamp) return checkedDuration(a.nanos - b.nanos)
  return arithmetic({ ints: (x, y) => x - y, doubles: (x, y) => x - y }, a, b)
}

function divide(a: Value, b: Value): Value {
  return arithmetic({ ints: (x, y) => byZero(y, 'division by zero') || x / y, doubles: (x, y) => x / y }, a, b)
}

function byZero(divisor: bigint, why: string): 0n {
  if (divisor === 0n) throw new EvaluationError(why)
  return 0n
}

const ordered = (holds: (order: number) => boolean) => (args: readonly Value[]) => {
  const [a, b] = args as [Value, Value]
  const order = compare(a, b)
  if (order !== undefined) return holds(order)
  // NaN is neither less nor greater than any number.
  if (typeof a === 'number' || typeof b === 'number') return false
  throw noOverload()
}

const pair = (work: (a: Value, b: Value) => Value) => (args: readonly Value[]) => {
  const [a, b] = args as [Value, Value]
  return work(a, b)
}

export const operators: Library = {
  '_+_': pair(add),
  '_-_': pair(subtract),
  '_*_': pair((a, b) => arithmetic({ ints: (x, y) => x * y, doubles: (x, y) => x * y }, a, b)),
  '_/_': pair(divide),
  '_%_': pair((a, b) => arithmetic({ ints: (x, y) => byZero(y, 'modulus by zero') || x % y }, a, b)),
  '-_': ([value]) => {
    if (typeof value === 'bigint') return checkedInt(-value)
    if (typeof value === 'number') return -value
    throw noOverload()
  },
  '!_': ([value]) => {
    if (typeof value !== 'boolean') throw noOverload()
    return !value
  },
  '_==_': pair(equals),
  '_!=_': pair((a, b) => !equals(a, b)),
  '_<_': ordered((order) => order < 0),
  '_<=_': ordered((order) => order <= 0),
  '_>_': ordered((order) => order > 0),
  '_>=_': ordered((order) => order >= 0),
  '@in': pair((value, container) => {
    if (container instanceof ListValue) return container.items.some((one) => equals(one, value))
    if (container instanceof MapValue) return container.has(value)
    throw noOverload()
  }),
  'cel.@mapInsert': ([target, ...rest]) => {
    if (!(target instanceof MapValue)) throw noOverload()
    const [key, value] = rest
    const entries = value === undefined && key instanceof MapValue ? [...key.entries.values()] : [{ key, value }]
    for (const entry of entries) {
      if (target.get(entry.key as Value) !== undefined) {
        throw new EvaluationError(`insert failed: key ${String(entry.key)} already exists`)
      }
      target.insert(entry.key as Value, entry.value as Value)
    }
    return target
  },
}
