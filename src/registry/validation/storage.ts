import { deepEqual, semanticEqual } from '../../api/equality.ts'
import type { Json } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, checkNonnegative, immutable, metaOf } from './meta.ts'
import { checkQualifiedName, checkSubdomain, maxInt32, rangeProblem } from './names.ts'
import { checkInlineVolume } from './persistent-volumes.ts'
import { checkNonnegativeQuantity } from './quantities.ts'
import { child, type Errors, list, type Obj, part, repeatedAt, strings, texts } from './reader.ts'
import { flagIfSet, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { inOrder, internalForm, sortedMap } from './shown.ts'
import { checkDriverName } from './volumes.ts'

const clusterMeta = { namespaced: false, name: 'subdomain' } as const
const maxParameters = 512
const maxParameterBytes = 256 * 1024

function checkProvisioner(errors: Errors, name: string, path: string): void {
  if (name === '') errors.push(required(path))
  else checkQualifiedName(errors, name.toLowerCase(), path)
}

function checkParameters(errors: Errors, owner: Obj): void {
  const parameters = strings(owner, 'parameters')
  const keys = Object.keys(parameters)
  if (keys.length > maxParameters) {
    errors.push(tooLong('parameters', maxParameters))
    return
  }
  if (keys.includes('')) errors.push(invalid('parameters', '', 'field can not be empty.'))
  if (sizeOf(parameters) > maxParameterBytes) errors.push(tooLong('parameters', maxParameterBytes))
}

function sizeOf(map: Readonly<Record<string, string>>): number {
  let size = 0
  for (const key in map) size += Buffer.byteLength(key) + Buffer.byteLength(map[key] ?? '')
  return size
}

const bindingModes = ['Immediate', 'WaitForFirstConsumer']
const reclaimPolicies = ['Delete', 'Retain']

export function checkStorageClass(errors: Errors, storageClass: Obj): void {
  checkMeta(errors, metaOf(storageClass), clusterMeta)
  checkProvisioner(errors, text(storageClass, 'provisioner'), 'provisioner')
  checkParameters(errors, storageClass)
  const policy = text(storageClass, 'reclaimPolicy')
  if (policy !== '' && !reclaimPolicies.includes(policy)) {
    errors.push(notSupported('reclaimPolicy', policy, reclaimPolicies))
  }
  const mode = textIfSet(storageClass, 'volumeBindingMode')
  if (mode === undefined) errors.push(required('volumeBindingMode'))
  else if (!bindingModes.includes(mode)) errors.push(notSupported('volumeBindingMode', mode, bindingModes))
  checkTopologies(errors, list(storageClass, 'allowedTopologies'))
}

function checkTopologies(errors: Errors, terms: readonly Obj[]): void {
  // Upstream first compares with empty terms, so a term without requirements never equals another one.
  const seen: Readonly<Record<string, readonly string[]>>[] = terms.map(() => ({}))
  terms.forEach((term, i) => {
    const at = `allowedTopologies[${i}].matchLabelExpressions`
    const raw: Record<string, readonly string[]> = {}
    list(term, 'matchLabelExpressions').forEach((requirement, j) => {
      const path = `${at}[${j}]`
      const key = text(requirement, 'key')
      const values = texts(requirement, 'values')
      if (values.length === 0) errors.push(required(`${path}.values`))
      const repeated = repeatedAt(values)
      values.forEach((value, k) => {
        if (repeated.has(k)) errors.push(duplicate(`${path}.values[${k}]`, value))
      })
      checkQualifiedName(errors, key, `${path}.key`)
      if (Object.hasOwn(raw, key)) errors.push(duplicate(`${path}.key`, key))
      setOwn(raw as Record<string, Json>, key, [...new Set(values)].sort())
    })
    for (const other of seen) if (deepEqual(raw, other)) errors.push(duplicate(at, ''))
    seen.push(raw)
  })
}

export function checkStorageClassUpdate(errors: Errors, storageClass: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(storageClass), metaOf(old))
  const parameters = (from: Obj): unknown => sortedMap(strings(from, 'parameters'))
  if (!atLeast(errors.release, '1.36')) {
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy']) {
      const is = field === 'parameters' ? parameters(storageClass) : storageClass[field]
      const was = field === 'parameters' ? parameters(old) : old[field]
      if (!deepEqual(is, was)) errors.push(forbidden(field, `updates to ${field} are forbidden.`))
    }
    checkImmutable(errors, storageClass['volumeBindingMode'], old['volumeBindingMode'], 'volumeBindingMode')
    return
  }
  checkImmutable(errors, parameters(storageClass), parameters(old), 'parameters')
  for (const field of ['provisioner', 'reclaimPolicy', 'volumeBindingMode']) {
    checkImmutable(errors, storageClass[field], old[field], field)
  }
}

export function checkAttributesClass(errors: Errors, attributes: Obj): void {
  checkMeta(errors, metaOf(attributes), clusterMeta)
  checkProvisioner(errors, text(attributes, 'driverName'), 'driverName')
  checkParameters(errors, attributes)
  if (Object.keys(strings(attributes, 'parameters')).length === 0) {
    errors.push(required('parameters', 'must contain at least one key/value pair'))
  }
}

export function checkAttributesClassUpdate(errors: Errors, attributes: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(attributes), metaOf(old))
  if (text(attributes, 'driverName') !== text(old, 'driverName')) {
    errors.push(forbidden('driverName', 'updates to driverName are forbidden.'))
  }
  if (!deepEqual(strings(attributes, 'parameters'), strings(old, 'parameters'))) {
    errors.push(forbidden('parameters', 'updates to parameters are forbidden.'))
  }
  checkAttributesClass(errors, attributes)
}

/** ValidateVolumeAttachment. */
export function checkNewAttachment(errors: Errors, attachment: Obj): void {
  checkAttachment(errors, attachment)
  if (!atLeast(errors.release, '1.36')) checkAttachmentNames(errors, attachment)
}

/** Before v1.36, only the names of new attachments are checked, after everything else. */
function checkAttachmentNames(errors: Errors, attachment: Obj): void {
  const spec = part(attachment, 'spec')
  checkDriverName(errors, text(spec, 'attacher'), 'spec.attacher')
  const volume = textIfSet(part(spec, 'source'), 'persistentVolumeName')
  if (volume !== undefined) checkSubdomain(errors, volume, 'spec.source.persistentVolumeName')
}

function checkAttachment(errors: Errors, attachment: Obj): void {
  checkMeta(errors, metaOf(attachment), clusterMeta)
  const spec = part(attachment, 'spec')
  const checksNames = atLeast(errors.release, '1.36')
  if (checksNames) checkDriverName(errors, text(spec, 'attacher'), 'spec.attacher')
  else if (text(spec, 'attacher') === '') errors.push(required('spec.attacher'))
  const source = part(spec, 'source')
  const inline = child(source, 'inlineVolumeSpec')
  const volume = textIfSet(source, 'persistentVolumeName')
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inline === undefined && volume === undefined) errors.push(required('spec.source', one))
  else if (inline !== undefined && volume !== undefined) errors.push(forbidden('spec.source', one))
  else if (volume === '') {
    errors.push(required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName'))
  } else if (inline !== undefined) checkInlineVolume(errors, inline, 'spec.source.inlineVolumeSpec')
  checkSubdomain(errors, text(spec, 'nodeName'), 'spec.nodeName')
  const status = part(attachment, 'status')
  if (sizeOf(strings(status, 'attachmentMetadata')) > maxParameterBytes) {
    errors.push(tooLong('status.attachmentMetadata', maxParameterBytes))
  }
  for (const field of ['attachError', 'detachError']) checkVolumeError(errors, child(status, field), `status.${field}`)
  if (checksNames && volume !== undefined) checkSubdomain(errors, volume, 'spec.source.persistentVolumeName')
}

function checkVolumeError(errors: Errors, error: Obj | undefined, path: string): void {
  // Upstream's limit and the limit in its message differ.
  if (Buffer.byteLength(text(error, 'message')) > 1024) errors.push(tooLong(`${path}.message`, maxParameterBytes))
  const code = numberIfSet(error, 'errorCode')
  if (code !== undefined && code < 0) errors.push(invalid(`${path}.errorCode`, code, rangeProblem(0, maxInt32)))
}

export function checkAttachmentUpdate(errors: Errors, attachment: Obj, old: Obj): void {
  if (!atLeast(errors.release, '1.35')) checkAttachment(errors, attachment)
  checkAttachment(errors, attachment)
  if (semanticEqual(part(attachment, 'spec'), part(old, 'spec'))) return
  errors.push(
    invalid('spec', internalForm(errors, 'storage.VolumeAttachmentSpec', part(attachment, 'spec')), immutable),
  )
}

/** ValidateCSINode. */
export function checkCsiNode(errors: Errors, node: Obj): void {
  checkMeta(errors, metaOf(node), clusterMeta)
  const seen = new Set<string>()
  list(part(node, 'spec'), 'drivers').forEach((driver, i) => {
    const at = `spec.drivers[${i}]`
    const name = text(driver, 'name')
    const id = text(driver, 'nodeID')
    checkDriverName(errors, name, `${at}.name`)
    if (id === '') errors.push(required(`${at}.nodeID`))
    if (id.length > 256) errors.push(invalid(`${at}.nodeID`, id, 'must be 256 characters or less'))
    const count = numberIfSet(child(driver, 'allocatable'), 'count')
    if (count !== undefined) checkNonnegative(errors, count, `${at}.allocatable.count`)
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name))
    seen.add(name)
    const keys = texts(driver, 'topologyKeys')
    const repeated = repeatedAt(keys)
    keys.forEach((key, j) => {
      if (key === '') errors.push(required(at))
      if (repeated.has(j)) errors.push(duplicate(at, key))
      checkQualifiedName(errors, key, at)
    })
  })
}

export function checkCsiNodeUpdate(errors: Errors, node: Obj, old: Obj): void {
  checkCsiNode(errors, node)
  const drivers = list(part(node, 'spec'), 'drivers')
  const isCountMutable = errors.release.gates.has('MutableCSINodeAllocatableCount')
  for (const { allocatable: countBefore, ...before } of list(part(old, 'spec'), 'drivers')) {
    for (const { allocatable: countNow, ...now } of drivers) {
      if (now['name'] !== before['name']) continue
      if (semanticEqual(now, before) && (isCountMutable || semanticEqual(countNow, countBefore))) continue
      const keys = texts(now, 'topologyKeys')
      const shown = {
        Name: text(now, 'name'),
        NodeID: text(now, 'nodeID'),
        TopologyKeys: keys.length === 0 ? null : keys,
        Allocatable: isCountMutable || countNow === undefined ? null : shownCount(countNow as Obj),
      }
      errors.push(invalid('spec.drivers', shown, immutable))
    }
  }
}

const shownCount = (allocatable: Obj) => ({ Count: numberIfSet(allocatable, 'count') ?? null })

const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType']
const lifecycleModes = ['Persistent', 'Ephemeral']
const minTokenSeconds = 600

/** ValidateCSIDriver. */
export function checkCsiDriver(errors: Errors, driver: Obj): void {
  checkMeta(errors, metaOf(driver), clusterMeta)
  checkDriverSpec(errors, part(driver, 'spec'))
}

function checkDriverSpec(errors: Errors, spec: Obj): void {
  // The field name that upstream reports for attachRequired.
  if (flagIfSet(spec, 'attachRequired') === undefined) errors.push(required('spec.attachedRequired'))
  for (const field of ['podInfoOnMount', 'storageCapacity']) {
    if (flagIfSet(spec, field) === undefined) errors.push(required(`spec.${field}`))
  }
  const policy = textIfSet(spec, 'fsGroupPolicy')
  if (policy !== undefined && !groupPolicies.includes(policy)) {
    errors.push(notSupported('spec.fsGroupPolicy', policy, groupPolicies))
  }
  const requests = list(spec, 'tokenRequests')
  checkTokenRequests(errors, requests)
  for (const mode of texts(spec, 'volumeLifecycleModes')) {
    if (!lifecycleModes.includes(mode)) errors.push(notSupported('spec.volumeLifecycleModes', mode, lifecycleModes))
  }
  if (flagIfSet(spec, 'seLinuxMount') === undefined) errors.push(required('spec.seLinuxMount'))
  const period = numberIfSet(spec, 'nodeAllocatableUpdatePeriodSeconds')
  if (period !== undefined && period < 10) {
    const why = 'must be greater than or equal to 10 seconds'
    errors.push(invalid('spec.nodeAllocatableUpdatePeriodSeconds', period, why))
  }
  const inSecrets = flagIfSet(spec, 'serviceAccountTokenInSecrets')
  if (inSecrets !== undefined && requests.length === 0) {
    const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.push(invalid('spec.serviceAccountTokenInSecrets', inSecrets, why))
  }
}

function checkTokenRequests(errors: Errors, requests: readonly Obj[]): void {
  const seen = new Set<string>()
  requests.forEach((request, i) => {
    const at = `spec.tokenRequests[${i}]`
    const audience = text(request, 'audience')
    if (seen.has(audience)) {
      errors.push(duplicate(`${at}.audience`, audience))
      return
    }
    seen.add(audience)
    const seconds = numberIfSet(request, 'expirationSeconds')
    if (seconds === undefined) return
    if (seconds < minTokenSeconds) {
      errors.push(invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes'))
    }
    if (seconds > 2 ** 32) {
      errors.push(invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds'))
    }
  })
}

export function checkCsiDriverUpdate(errors: Errors, driver: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(driver), metaOf(old))
  const spec = part(driver, 'spec')
  const before = part(old, 'spec')
  checkDriverSpec(errors, spec)
  checkImmutable(errors, spec['attachRequired'], before['attachRequired'], 'spec.attachedRequired')
  checkImmutable(errors, spec['volumeLifecycleModes'], before['volumeLifecycleModes'], 'spec.volumeLifecycleModes')
}

/** ValidateCSIStorageCapacity. */
export function checkStorageCapacity(errors: Errors, capacity: Obj): void {
  checkMeta(errors, metaOf(capacity), { namespaced: true, name: 'subdomain' })
  checkLabelSelector(errors, child(capacity, 'nodeTopology'), 'nodeTopology')
  checkSubdomain(errors, text(capacity, 'storageClassName'), 'storageClassName')
  const amount = textIfSet(capacity, 'capacity')
  if (amount !== undefined) checkNonnegativeQuantity(errors, amount, 'capacity')
}

export function checkStorageCapacityUpdate(errors: Errors, capacity: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(capacity), metaOf(old))
  if (!semanticEqual(capacity['nodeTopology'], old['nodeTopology'])) {
    errors.push(
      invalid('nodeTopology', inOrder(errors, 'meta.LabelSelector', child(capacity, 'nodeTopology')), immutable),
    )
  }
  checkImmutable(errors, text(capacity, 'storageClassName'), text(old, 'storageClassName'), 'storageClassName')
}
