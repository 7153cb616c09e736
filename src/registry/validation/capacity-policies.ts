import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
  quantity,
  valueInt64,
} from '../../api/quantity.ts'
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
      // Upstream compares integers, rounded up.
      const key = String(valueInt64(value))
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
  const maxText = textIfSet(range, 'max')
  const max = maxText === undefined ? undefined : quantity(maxText)
  const ofCapacity = `capacity value: ${formatQuantity(capacity)}`
  const wrong = (field: string, value: Quantity, why: string): void => {
    errors.push(invalid(`${path}.${field}`, formatQuantity(value), why))
  }
  if (compareQuantities(min, capacity) > 0) wrong('min', min, `min is larger than ${ofCapacity}`)
  if (compareQuantities(preset, min) < 0) wrong('min', preset, `default is less than min: ${formatQuantity(min)}`)
  if (max !== undefined) {
    if (compareQuantities(min, max) > 0) wrong('max', min, `min is larger than max: ${formatQuantity(max)}`)
    if (compareQuantities(max, capacity) > 0) wrong('max', max, `max is larger than ${ofCapacity}`)
    if (compareQuantities(preset, max) > 0) wrong('max', preset, `default is more than max: ${formatQuantity(max)}`)
  }
  const stepText = textIfSet(range, 'step')
  if (stepText === undefined) return
  const step = quantity(stepText)
  const first = addQuantities(min, step)
  if (compareQuantities(first, capacity) > 0) {
    wrong('step', step, `one step ${formatQuantity(first)} is larger than ${ofCapacity}`)
  }
  for (const value of max === undefined ? [preset] : [preset, max]) {
    if (isSteps(valueInt64(value) - valueInt64(min), valueInt64(step))) continue
    const why = `value is not a multiple of a given step (${formatQuantity(step)}) from (${formatQuantity(min)})`
    wrong('step', value, why)
  }
}

/** Upstream divides by zero when the step is zero, and answers with an internal error. */
const isSteps = (distance: bigint, step: bigint): boolean => step !== 0n && distance % step === 0n
