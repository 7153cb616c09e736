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
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, required, tooMany } from '../errors/field-error.ts'
import { child, type Errors, type Obj, texts } from './reader.ts'
import { textIfSet } from './scalars.ts'

const maxValidValues = 10

/** validateRequestPolicy: which quantities of a capacity may be requested. */
export function checkCapacityPolicy(errors: Errors, policy: Obj, capacity: string, path: string): void {
  const values = texts(policy, 'validValues')
  const range = child(policy, 'validRange')
  if (values.length > 0 && range !== undefined) {
    const why = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'
    errors.push(forbidden(path, why))
    return
  }
  const kind = values.length > 0 ? 'validValues' : range === undefined ? undefined : 'validRange'
  if (kind === undefined) return
  const preset = textIfSet(policy, 'default')
  if (preset === undefined) errors.push(required(`${path}.default`, `required when ${kind} is defined`))
  else if (range === undefined) checkValues(errors, values, quantity(preset), quantity(capacity), `${path}.validValues`)
  else checkRange(errors, range, quantity(preset), quantity(capacity), `${path}.validRange`)
}

function checkValues(
  errors: Errors,
  texts: readonly string[],
  preset: Quantity,
  capacity: Quantity,
  path: string,
): void {
  const values = texts.map(quantity)
  values.forEach((value, i) => {
    const before = values[i - 1]
    if (before === undefined || compareQuantities(before, value) <= 0) return
    errors.push(invalid(`${path}[${i}]`, formatQuantity(value), 'values must be sorted in ascending order'))
  })
  let isPresetValid = false
  if (values.length > maxValidValues) errors.push(tooMany(path, values.length, maxValidValues))
  else {
    values.forEach((value, i) => {
      if (compareQuantities(value, capacity) > 0) {
        const why = `option is larger than capacity value: ${formatQuantity(capacity)}`
        errors.push(invalid(`${path}[${i}]`, formatQuantity(value), why))
      }
      if (compareQuantities(value, preset) === 0) isPresetValid = true
    })
    const seen = new Set<string>()
    values.forEach((value, i) => {
      // Upstream compares integers, rounded up, unless the gate for fractions is on.
      const hasFractions = errors.release.gates.has('DRAFractionalCapacityRange')
      const key = hasFractions ? formatQuantity(value) : String(valueInt64(value))
      if (seen.has(key)) errors.push(duplicate(`${path}[${i}]`, key))
      seen.add(key)
    })
  }
  if (isPresetValid) return
  errors.push(invalid(path, formatQuantity(preset), 'default value is not valid according to the requestPolicy'))
}

function checkRange(errors: Errors, range: Obj, preset: Quantity, capacity: Quantity, path: string): void {
  const minText = textIfSet(range, 'min')
  if (minText === undefined) {
    errors.push(required(`${path}.min`, 'required when validRange is defined'))
    return
  }
  const min = quantity(minText)
  const max = quantityIfSet(range, 'max')
  const step = quantityIfSet(range, 'step')
  const ofCapacity = `capacity value: ${formatQuantity(capacity)}`
  const wrong: Refuse = (field, value, why) => {
    errors.push(invalid(`${path}.${field}`, formatQuantity(value), why))
  }
  const isNewer = atLeast(errors.release, '1.37')
  // The default is not a field of the range. Up to v1.36, errors name the limit that the default exceeds.
  const presetIn = (limit: string): string => (isNewer ? 'default' : limit)
  if (compareQuantities(min, capacity) > 0) wrong('min', min, `min is larger than ${ofCapacity}`)
  if (compareQuantities(preset, min) < 0) {
    wrong(presetIn('min'), preset, `default is less than min: ${formatQuantity(min)}`)
  }
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) wrong('max', min, `min is larger than max: ${formatQuantity(max)}`)
    if (compareQuantities(max, capacity) > 0) wrong('max', max, `max is larger than ${ofCapacity}`)
    if (compareQuantities(preset, max) > 0) {
      wrong(presetIn('max'), preset, `default is more than max: ${formatQuantity(max)}`)
    }
  }
  const bounds = { default: preset, min, max, step }
  const unit = unitOf(errors, bounds)
  if (
    isNewer &&
    unit === 'milli' &&
    !areExact(bounds, isInMilli, 'value cannot be represented as a milli value', wrong)
  ) {
    return
  }
  if (step === undefined) return
  if (isNewer && quantitySign(step) <= 0) {
    wrong('step', step, 'must be greater than zero')
    return
  }
  const first = addQuantities(min, step)
  if (compareQuantities(first, capacity) > 0) {
    wrong('step', step, `one step ${formatQuantity(first)} is larger than ${ofCapacity}`)
  }
  if (isNewer && unit === 'whole' && !areInInt64(bounds, wrong)) return
  checkSteps(bounds, unit, step, wrong)
}

type Refuse = (field: string, value: Quantity, why: string) => void

interface Bounds {
  readonly default: Quantity
  readonly min: Quantity
  readonly max: Quantity | undefined
  readonly step: Quantity | undefined
}

const quantityIfSet = (from: Obj, field: string): Quantity | undefined => {
  const given = textIfSet(from, field)
  return given === undefined ? undefined : quantity(given)
}

const isWhole = (q: Quantity): boolean => compareQuantities(q, quantityOf(valueInt64(q))) === 0
const isInMilli = (q: Quantity): boolean => compareQuantities(q, milliQuantity(milliValueInt64(q))) === 0

/** Counts steps in thousandths if a bound is a fraction and the gate for fractions is on. */
function unitOf({ release }: Errors, bounds: Bounds): 'whole' | 'milli' {
  if (!release.gates.has('DRAFractionalCapacityRange')) return 'whole'
  return Object.values(bounds).every((q) => q === undefined || isWhole(q)) ? 'whole' : 'milli'
}

function areExact(bounds: Bounds, isExact: (q: Quantity) => boolean, why: string, wrong: Refuse): boolean {
  const inexact = Object.entries(bounds).filter(([, q]) => q !== undefined && !isExact(q))
  for (const [field, q] of inexact) wrong(field, q as Quantity, why)
  return inexact.length === 0
}

const maxInt64 = quantityOf(9223372036854775807n)

/** validateInt64Range: the bounds that 64 bits can hold. */
function areInInt64(bounds: Bounds, wrong: Refuse): boolean {
  const isNotNegative = (q: Quantity): boolean => quantitySign(q) >= 0
  const isInRange = (q: Quantity): boolean => !isNotNegative(q) || compareQuantities(q, maxInt64) <= 0
  const areNotNegative = areExact(bounds, isNotNegative, 'must be greater than or equal to 0', wrong)
  return areExact(bounds, isInRange, 'must not be larger than 9223372036854775807', wrong) && areNotNegative
}

function checkSteps(bounds: Bounds, unit: 'whole' | 'milli', step: Quantity, wrong: Refuse): void {
  const { default: preset, min, max } = bounds
  const amount = unit === 'milli' ? milliValueInt64 : valueInt64
  for (const value of max === undefined ? [preset] : [preset, max]) {
    if (isSteps(amount(value) - amount(min), amount(step))) continue
    const why = `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`
    wrong('step', value, why)
  }
}

/** Up to v1.36, upstream divides by zero when the step is zero, and responds with an internal error. */
const isSteps = (distance: bigint, step: bigint): boolean => step !== 0n && distance % step === 0n
