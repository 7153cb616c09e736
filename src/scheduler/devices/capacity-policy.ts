import type { CapacityRequirements } from '../../api/objects/devices.ts'
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  milliQuantity,
  milliValueInt64,
  type Quantity,
  quantity,
  quantityOf,
  quantitySign,
  valueInt64,
} from '../../api/quantity.ts'
import type { DeviceFeatures } from './device-features.ts'
import type { ParsedCapacity, ParsedPolicy, PoolDevice } from './pool-device.ts'

export type ConsumedCapacity = ReadonlyMap<string, Quantity>

/** `fatal`: the request cannot be expressed, and the search ends. */
export type CapacityAnswer = 'fits' | 'exceeds' | { readonly fatal: string }

const maxInt64 = 2n ** 63n - 1n
const notRepresentable = "capacity request cannot be represented in the device's range arithmetic"

type Range = NonNullable<ParsedPolicy['validRange']>

/** Reports whether a device has enough capacity left for a request (v1.36, CmpRequestOverCapacity). */
export function fitsCapacity(
  device: PoolDevice,
  request: CapacityRequirements | undefined,
  used: readonly (ConsumedCapacity | undefined)[],
  features: DeviceFeatures,
): CapacityAnswer {
  const { capacity } = device
  const requests = request?.requests
  if (requests !== undefined && asksForUnknown(requests, capacity)) return 'exceeds'
  const consumed: Quantity[] = []
  for (const one of capacity) {
    const amount = consumedOf(one, requests, features)
    if ('fatal' in amount) return { fatal: `capacity ${JSON.stringify(one.name)}: ${amount.fatal}` }
    if (features.minor >= 37 && quantitySign(amount) < 0) {
      return { fatal: `capacity ${JSON.stringify(one.name)}: capacity value is negative` }
    }
    consumed.push(amount)
  }
  for (const [i, { name, value, policy }] of capacity.entries()) {
    let sum = consumed[i] as Quantity
    if (policy !== undefined && violates(sum, policy, features)) return 'exceeds'
    for (const map of used) {
      const more = map?.get(name)
      if (more !== undefined) sum = addQuantities(sum, more)
    }
    if (compareQuantities(sum, value) > 0) return 'exceeds'
  }
  return 'fits'
}

/** The capacity that a request consumes of a device that several requests share (GetConsumedCapacityFromRequest). */
export function consumedCapacity(
  device: PoolDevice,
  request: CapacityRequirements | undefined,
  features: DeviceFeatures,
): ConsumedCapacity {
  const consumed = new Map<string, Quantity>()
  for (const one of device.capacity) {
    const amount = consumedOf(one, request?.requests, features)
    if (!('fatal' in amount)) consumed.set(one.name, amount)
  }
  return consumed
}

function asksForUnknown(requests: Readonly<Record<string, string>>, capacity: readonly ParsedCapacity[]): boolean {
  return Object.keys(requests).some((name) => !capacity.some((one) => one.name === name))
}

function consumedOf(
  { name, value, policy }: ParsedCapacity,
  requests: Readonly<Record<string, string>> | undefined,
  features: DeviceFeatures,
): Quantity | { readonly fatal: string } {
  const text = requests !== undefined && Object.hasOwn(requests, name) ? requests[name] : undefined
  if (text === undefined) return policy?.default ?? value
  const wanted = quantity(text)
  if (policy === undefined) return wanted
  const { validRange, validValues } = policy
  if (validRange?.min !== undefined) return roundUp(wanted, validRange, validRange.min, features)
  if (validValues === undefined) return wanted
  return validValues.find((valid) => compareQuantities(wanted, valid) <= 0) ?? wanted
}

function roundUp(
  wanted: Quantity,
  range: Range,
  min: Quantity,
  features: DeviceFeatures,
): Quantity | { readonly fatal: string } {
  if (compareQuantities(wanted, min) < 0) return min
  const { step } = range
  if (step === undefined) return wanted
  if (usesMilli(range, features)) return roundUpMilli(wanted, min, step)
  if (features.minor >= 37 && compareQuantities(wanted, quantityOf(maxInt64)) > 0) {
    return { fatal: `${notRepresentable}: request ${formatQuantity(wanted)} exceeds MaxInt64` }
  }
  const [from, by] = [valueInt64(min), valueInt64(step)]
  const steps = stepsTo(valueInt64(wanted) - from, by)
  if (features.minor >= 37 && from >= 0n && steps > (maxInt64 - from) / by) {
    return {
      fatal: `${notRepresentable}: rounding request ${formatQuantity(wanted)} up to the next step passes MaxInt64`,
    }
  }
  const value = BigInt.asIntN(64, from + by * steps)
  return quantityOf(value, features.minor >= 37 ? step.format : 'BinarySI')
}

function roundUpMilli(wanted: Quantity, min: Quantity, step: Quantity): Quantity | { readonly fatal: string } {
  const milli = exactMilli(wanted)
  if (milli === undefined) {
    return { fatal: `${notRepresentable}: request ${formatQuantity(wanted)} is not a representable milli value` }
  }
  const [from, by] = [milliValueInt64(min), milliValueInt64(step)]
  const steps = stepsTo(milli - from, by)
  if (steps > (maxInt64 - from) / by) {
    return {
      fatal: `${notRepresentable}: rounding request ${formatQuantity(wanted)} up to the next step passes the milli-value range`,
    }
  }
  const value = from + by * steps
  return value % 1000n === 0n ? quantityOf(value / 1000n, step.format) : milliQuantity(value, step.format)
}

function stepsTo(distance: bigint, step: bigint): bigint {
  return distance / step + (distance % step === 0n ? 0n : 1n)
}

function violates(amount: Quantity, policy: ParsedPolicy, features: DeviceFeatures): boolean {
  if (policy.default !== undefined && isIdentical(amount, policy.default)) return false
  const { validRange, validValues } = policy
  if (validRange !== undefined) return violatesRange(amount, validRange, features)
  if (validValues === undefined || validValues.length === 0) return false
  return !validValues.some((valid) => compareQuantities(amount, valid) === 0)
}

function violatesRange(amount: Quantity, range: Range, features: DeviceFeatures): boolean {
  const { min, max, step } = range
  if (max !== undefined && compareQuantities(amount, max) > 0) return true
  if (step === undefined) return false
  if (usesMilli(range, features)) {
    const milli = exactMilli(amount)
    if (milli === undefined) return true
    return (milli - (min === undefined ? 0n : milliValueInt64(min))) % milliValueInt64(step) !== 0n
  }
  return (valueInt64(amount) - (min === undefined ? 0n : valueInt64(min))) % valueInt64(step) !== 0n
}

/** Reports whether a range is computed in thousandths (v1.37, useMilli). */
function usesMilli({ min, max, step }: Range, { fractionalCapacityRange }: DeviceFeatures): boolean {
  if (!fractionalCapacityRange) return false
  for (const one of [min, max, step]) if (one !== undefined && exactMilli(one) === undefined) return false
  return step === undefined || milliValueInt64(step) >= 1n
}

function exactMilli(amount: Quantity): bigint | undefined {
  const milli = milliValueInt64(amount)
  return compareQuantities(amount, milliQuantity(milli)) === 0 ? milli : undefined
}

/** Upstream compares the structs, so equal amounts in different notations differ. */
function isIdentical(a: Quantity, b: Quantity): boolean {
  return (
    a.format === b.format &&
    a.amount.kind === 'int64' &&
    b.amount.kind === 'int64' &&
    a.amount.unscaled === b.amount.unscaled &&
    a.amount.scale === b.amount.scale
  )
}
