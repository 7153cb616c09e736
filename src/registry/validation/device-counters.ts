import { atLeast } from '../../api/releases/at-least.ts'
import { invalid, required } from '../errors/field-error.ts'
import { checkMap, checkSet, unlimited } from './device-parts.ts'
import { checkLabelName } from './names.ts'
import { type Errors, list, type Obj, part } from './reader.ts'
import { text } from './scalars.ts'

const maxSets = 8
const maxConsumedSets = 2
const maxCounters = 32
const labelLength = 63
/** The limit for all devices of a slice together, in v1.34. */
const maxDeviceCounters = 1024

// In v1.34 a slice has the counters of its devices, and the limits apply to the whole slice. In later releases, slices
// with counters have no devices.
const areOwn = ({ release }: Errors): boolean => !atLeast(release, '1.35')

const countersOf = (owners: readonly Obj[]): number =>
  owners.reduce((sum, owner) => sum + Object.keys(part(owner, 'counters')).length, 0)

const consumedBy = (device: Obj): readonly Obj[] => list(device, 'consumesCounters')

/** The shared counters of a slice. */
export function checkCounterSets(errors: Errors, sets: readonly Obj[], devices: readonly Obj[]): void {
  const path = 'spec.sharedCounters'
  if (areOwn(errors)) {
    const consumed = countersOf(devices.flatMap(consumedBy))
    const most = (what: string, max: number) => `the total number of ${what} must not exceed ${max}`
    if (consumed > maxDeviceCounters) {
      errors.push(invalid('spec.devices', consumed, most('counters in devices', maxDeviceCounters)))
    }
    const shared = countersOf(sets)
    if (shared > maxCounters) errors.push(invalid(path, shared, most('shared counters', maxCounters)))
  }
  const max = areOwn(errors) ? unlimited : maxSets
  checkSet(errors, sets, max, checkCounterSet, (set) => text(set, 'name'), path, { field: 'name' })
}

function checkCounterSet(errors: Errors, set: Obj, path: string): void {
  checkCounterName(errors, text(set, 'name'), `${path}.name`)
  checkCounters(errors, set, path)
}

function checkCounterName(errors: Errors, name: string, path: string): void {
  if (name === '') errors.push(required(path))
  else checkLabelName(errors, name, path)
}

function checkCounters(errors: Errors, owner: Obj, path: string): void {
  const counters = part(owner, 'counters')
  if (Object.keys(counters).length === 0) {
    errors.push(required(`${path}.counters`))
    return
  }
  const max = areOwn(errors) ? unlimited : maxCounters
  checkMap(errors, counters, max, checkLabelName, () => {}, `${path}.counters`, labelLength)
}

/** The counters that a device uses; `sets` are the counter sets of its slice. */
export function checkConsumedCounters(errors: Errors, device: Obj, sets: readonly Obj[], path: string): void {
  const consumed = consumedBy(device)
  const at = `${path}.consumesCounters`
  const max = areOwn(errors) ? unlimited : maxConsumedSets
  checkSet(errors, consumed, max, checkConsumption, (one) => text(one, 'counterSet'), at, { field: 'counterSet' })
  if (!areOwn(errors)) return
  const count = countersOf(consumed)
  if (count > maxCounters) {
    errors.push(invalid(path, count, `the total number of counters must not exceed ${maxCounters}`))
  }
  consumed.forEach((one, i) => {
    const name = text(one, 'counterSet')
    const set = sets.findLast((known) => text(known, 'name') === name)
    if (set === undefined) {
      const why = 'must reference a counterSet defined in the ResourceSlice sharedCounters'
      errors.push(invalid(`${at}[${i}].counterSet`, name, why))
      return
    }
    for (const counter in part(one, 'counters')) {
      if (Object.hasOwn(part(set, 'counters'), counter)) continue
      const why = 'must reference a counter defined in the ResourceSlice sharedCounters'
      errors.push(invalid(`${at}[${i}].counters`, counter, why))
    }
  })
}

function checkConsumption(errors: Errors, consumption: Obj, path: string): void {
  const set = text(consumption, 'counterSet')
  if (!areOwn(errors)) checkCounterName(errors, set, `${path}.counterSet`)
  else if (set === '') errors.push(required(`${path}.counterSet`))
  checkCounters(errors, consumption, path)
}
