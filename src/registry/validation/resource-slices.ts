import { semanticEqual } from '../../api/equality.ts'
import { subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { forbidden, invalid, required, tooLong } from '../errors/field-error.ts'
import { checkCapacityPolicy } from './capacity-policies.ts'
import { checkConsumedCounters, checkCounterSets } from './device-counters.ts'
import {
  checkAttributeName,
  checkBindingConditions,
  checkDeviceTaint,
  checkItems,
  checkMap,
  checkPoolName,
  checkSet,
  maxAttributeKey,
  unlimited,
} from './device-parts.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { checkLabelName, push } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { flag, flagIfSet, number, text, textIfSet } from './scalars.ts'
import { checkNodeSelector } from './selectors.ts'
import { internalForm } from './shown.ts'
import { checkDriverName } from './volumes.ts'

const maxDevices = 128
/** The limit for slices whose devices have taints, counters or list attributes. */
const maxAdvancedDevices = 64
const maxTaints = 16
const maxOldTaints = 4
const maxAttributes = 32
const maxAttributeValues = 48
const maxAttributeBytes = 64
const listFields = ['bools', 'ints', 'strings', 'versions'] as const

/** ValidateResourceSlice. */
export function checkResourceSlice(errors: Errors, slice: Obj): void {
  checkMeta(errors, metaOf(slice), { namespaced: false, name: 'subdomain' })
  checkSliceSpec(errors, part(slice, 'spec'), undefined)
}

export function checkResourceSliceUpdate(errors: Errors, slice: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(slice), metaOf(old))
  checkSliceSpec(errors, part(slice, 'spec'), part(old, 'spec'))
}

function checkSliceSpec(errors: Errors, spec: Obj, old: Obj | undefined): void {
  checkDriverName(errors, text(spec, 'driver'), 'spec.driver')
  checkPool(errors, part(spec, 'pool'))
  if (old !== undefined) {
    checkImmutable(errors, text(part(spec, 'pool'), 'name'), text(part(old, 'pool'), 'name'), 'spec.pool.name')
    checkImmutable(errors, text(spec, 'driver'), text(old, 'driver'), 'spec.driver')
    checkImmutable(errors, spec['nodeName'], old['nodeName'], 'spec.nodeName')
  }
  checkSliceNodes(errors, spec)
  const devices = list(spec, 'devices')
  const isOld = !atLeast(errors.release, '1.35')
  if (!isOld && isGiven(spec['sharedCounters']) && isGiven(spec['devices'])) {
    errors.push(invalid('spec', '', 'only one of `sharedCounters` or `devices` is allowed'))
  }
  const sets = list(spec, 'sharedCounters')
  const before = new Map(list(old, 'devices').map((device) => [text(device, 'name'), device]))
  const isPerDevice = flag(spec, 'perDeviceNodeSelection')
  const check = (found: Errors, device: Obj, at: string): void =>
    checkDevice(found, device, before.get(text(device, 'name')), at, { isPerDevice, sets })
  const max = !isOld && devices.some(isAdvanced) ? maxAdvancedDevices : maxDevices
  checkSet(errors, devices, max, check, (device) => text(device, 'name'), 'spec.devices', { field: 'name' })
  checkCounterSets(errors, sets, devices)
}

function checkPool(errors: Errors, pool: Obj): void {
  checkPoolName(errors, text(pool, 'name'), 'spec.pool.name')
  const count = number(pool, 'resourceSliceCount')
  if (count <= 0) errors.push(invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero'))
  const generation = number(pool, 'generation')
  if (generation < 0) {
    errors.push(invalid('spec.pool.generation', generation, 'must be greater than or equal to zero'))
  }
}

const isAdvanced = (device: Obj): boolean =>
  list(device, 'taints').length > 0 ||
  list(device, 'consumesCounters').length > 0 ||
  Object.values(part(device, 'attributes')).some((attribute) =>
    listFields.some((field) => isGiven((attribute as Obj)[field])),
  )

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const onlyTrue = 'must be either unset or set to true'

function checkSliceNodes(errors: Errors, spec: Obj): void {
  const given: string[] = []
  const node = textIfSet(spec, 'nodeName')
  if (node === '') {
    errors.push(invalid('spec.nodeName', node, 'must be either unset or set to a non-empty string'))
  } else if (node !== undefined) {
    given.push('`nodeName`')
    push(errors, 'spec.nodeName', node, subdomainProblems(node))
  }
  const selector = child(spec, 'nodeSelector')
  if (selector !== undefined) {
    given.push('`nodeSelector`')
    checkNodeSelector(errors, selector, 'spec.nodeSelector')
    if (list(selector, 'nodeSelectorTerms').length !== 1) {
      const shown = (internalForm(errors, 'core.NodeSelector', selector) as Obj)['NodeSelectorTerms']
      const why = 'must have exactly one node selector term'
      errors.push(invalid('spec.nodeSelector.nodeSelectorTerms', shown, why))
    }
  }
  for (const field of ['allNodes', 'perDeviceNodeSelection']) {
    const value = flagIfSet(spec, field)
    if (value === true) given.push(`\`${field}\``)
    else if (value === false) errors.push(invalid(`spec.${field}`, value, onlyTrue))
  }
  const one = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'
  if (given.length === 0) errors.push(required('spec', one))
  else if (given.length > 1) {
    errors.push(invalid('spec', `{${given.join(', ')}}`, `${one}, but multiple fields are set`))
  }
}

interface SliceOfDevice {
  readonly isPerDevice: boolean
  /** The shared counters of the slice. */
  readonly sets: readonly Obj[]
}

function checkDevice(errors: Errors, device: Obj, old: Obj | undefined, path: string, slice: SliceOfDevice): void {
  checkLabelName(errors, text(device, 'name'), `${path}.name`)
  const attributes = part(device, 'attributes') as Readonly<Record<string, Obj>>
  const capacity = part(device, 'capacity') as Readonly<Record<string, Obj>>
  const entries = Object.keys(attributes).length + Object.keys(capacity).length
  if (entries > maxAttributes) {
    errors.push(
      invalid(path, entries, `the total number of attributes and capacities must not exceed ${maxAttributes}`),
    )
  }
  const values = Object.values(attributes).reduce((sum, attribute) => sum + valuesIn(attribute), 0)
  if (values > maxAttributeValues) {
    errors.push(invalid(path, values, `the total number of attribute values must not exceed ${maxAttributeValues}`))
  }
  const attributesAt = `${path}.attributes`
  checkMap(errors, attributes, unlimited, checkAttributeName, checkAttribute, attributesAt, maxAttributeKey)
  const isShared = flag(device, 'allowMultipleAllocations')
  const checkCapacity = (found: Errors, one: Obj, at: string): void => {
    const policy = child(one, 'requestPolicy')
    if (policy === undefined) return
    if (isShared) checkCapacityPolicy(found, policy, text(one, 'value'), `${at}.requestPolicy`)
    else found.push(forbidden(`${at}.requestPolicy`, 'allowMultipleAllocations must be true'))
  }
  // From v1.37 on, capacities that were accepted before are not checked again.
  const isKnown = atLeast(errors.release, '1.37') && old !== undefined && semanticEqual(part(old, 'capacity'), capacity)
  if (!isKnown) {
    checkMap(errors, capacity, unlimited, checkAttributeName, checkCapacity, `${path}.capacity`, maxAttributeKey)
  }
  const isOld = !atLeast(errors.release, '1.35')
  if (isOld || old === undefined || !semanticEqual(list(old, 'taints'), list(device, 'taints'))) {
    checkItems(errors, list(device, 'taints'), isOld ? maxOldTaints : maxTaints, checkDeviceTaint, `${path}.taints`)
  }
  checkConsumedCounters(errors, device, slice.sets, path)
  checkDeviceNodes(errors, device, path, slice.isPerDevice)
  checkBindingConditions(errors, device, path)
}

/** The number of values of an attribute: each element of a list is a value. */
function valuesIn(attribute: Obj): number {
  const inLists = listFields.reduce((sum, field) => sum + texts(attribute, field).length, 0)
  return inLists === 0 ? 1 : inLists
}

const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/

function checkVersion(errors: Errors, value: string, path: string): void {
  if (!semver.test(value)) errors.push(invalid(path, value, 'must be a string compatible with semver.org spec 2.0.0'))
  checkValueLength(errors, value, path)
}

function checkValueLength(errors: Errors, value: string, path: string): void {
  if (Buffer.byteLength(value) > maxAttributeBytes) errors.push(tooLong(path, maxAttributeBytes))
}

function checkAttribute(errors: Errors, attribute: Obj, path: string): void {
  const given = ['bool', 'int', 'string', 'version', ...listFields].filter((field) => isGiven(attribute[field]))
  const string = textIfSet(attribute, 'string')
  if (string !== undefined) checkValueLength(errors, string, `${path}.string`)
  const version = textIfSet(attribute, 'version')
  if (version !== undefined) checkVersion(errors, version, `${path}.version`)
  for (const field of listFields) {
    const values = texts(attribute, field)
    if (isGiven(attribute[field]) && values.length === 0) {
      errors.push(invalid(`${path}.${field}`, [], 'must not be empty if specified'))
    }
    const check = field === 'strings' ? checkValueLength : field === 'versions' ? checkVersion : undefined
    values.forEach((value, i) => {
      check?.(errors, value, `${path}.${field}[${i}]`)
    })
  }
  if (given.length === 1) return
  if (given.length === 0 && !atLeast(errors.release, '1.35')) {
    errors.push(required(path, 'exactly one value must be specified'))
    return
  }
  const shown = given.length === 0 ? '' : internalForm(errors, 'resource.DeviceAttribute', attribute)
  errors.push(invalid(path, shown, 'exactly one value must be specified'))
}

function checkDeviceNodes(errors: Errors, device: Obj, path: string, isPerDevice: boolean): void {
  const node = textIfSet(device, 'nodeName')
  const selector = child(device, 'nodeSelector')
  const all = flagIfSet(device, 'allNodes')
  if (!isPerDevice) {
    if (node === undefined && selector === undefined && all === undefined) return
    const why =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
    errors.push(invalid(path, null, why))
    return
  }
  const given: string[] = []
  if (node === '') errors.push(invalid(`${path}.nodeName`, node, 'must not be empty'))
  else if (node !== undefined) {
    given.push('`nodeName`')
    push(errors, `${path}.nodeName`, node, subdomainProblems(node))
  }
  if (selector !== undefined) {
    given.push('`nodeSelector`')
    checkNodeSelector(errors, selector, `${path}.nodeSelector`)
  }
  if (all === true) given.push('`allNodes`')
  else if (all === false) errors.push(invalid(`${path}.allNodes`, all, onlyTrue))
  const one =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
  if (given.length === 0) errors.push(required(path, one))
  else if (given.length > 1) errors.push(invalid(path, `{${given.join(', ')}}`, one))
}
