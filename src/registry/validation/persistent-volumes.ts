import { semanticEqual } from '../../api/equality.ts'
import { labelNameProblems } from '../../api/name-problems.ts'
import type { Shape } from '../../api/schema/shape.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { equalAs } from '../decode/shaped-equality.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkAccessModes, checkClassName, volumeModes } from './claims.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkLabelName, checkSubdomain, push } from './names.ts'
import { checkNoBacksteps } from './paths.ts'
import { checkBasicResource, checkPositiveQuantity } from './quantities.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkNodeSelector } from './selectors.ts'
import { internalForm, sortedMap } from './shown.ts'
import { checkIscsi, checkStorageOsNames, commonSources, type SourceCheck } from './volume-sources.ts'
import { checkDriverName } from './volumes.ts'

const reclaimPolicies = ['Delete', 'Recycle', 'Retain']

const checkGlusterfs: SourceCheck = (errors, source, path, scope) => {
  commonSources.glusterfs(errors, source, path, scope)
  const namespace = textIfSet(source, 'endpointsNamespace')
  if (namespace === undefined) return
  const why = 'if the endpointnamespace is set, it must be a valid namespace name'
  const problems = namespace === '' ? [why] : labelNameProblems(namespace)
  push(errors, `${path}.endpointsNamespace`, namespace, problems)
}

const checkPlainIscsi: SourceCheck = (errors, source, path, scope) => {
  const portal = text(source, 'targetPortal')
  if (textIfSet(source, 'initiatorName') !== undefined && `${scope.volumeName}:${portal}`.length > 64) {
    const why =
      'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
    errors.push(invalid(`${path}.targetportal`, portal, why))
  }
  checkIscsi(errors, source, path, 'plain')
}

/** A reference that requires name and namespace. */
function checkReferenced(errors: Errors, source: Obj, path: string): void {
  const secret = child(source, 'secretRef')
  for (const field of secret === undefined ? [] : ['name', 'namespace']) {
    if (text(secret, field) === '') errors.push(required(`${path}.secretRef.${field}`))
  }
}

const checkCinder: SourceCheck = (errors, source, path) => {
  if (text(source, 'volumeID') === '') errors.push(required(`${path}.volumeID`))
  checkReferenced(errors, source, path)
}

const checkFlexVolume: SourceCheck = (errors, source, path) => {
  if (text(source, 'driver') === '') errors.push(required(`${path}.driver`))
  for (const key of Object.keys(strings(source, 'options'))) {
    const namespace = `.${(key.split('/')[0] ?? '').toLowerCase()}`
    if (!namespace.endsWith('.kubernetes.io') && !namespace.endsWith('.k8s.io')) continue
    const why = 'kubernetes.io and k8s.io namespaces are reserved'
    errors.push(invalid(`${path}.options[${key}]`, key, why))
  }
}

const checkAzureFile: SourceCheck = (errors, source, path, scope) => {
  commonSources.azureFile(errors, source, path, scope)
  if (textIfSet(source, 'secretNamespace') === '') errors.push(required(`${path}.secretNamespace`))
}

const checkLocal: SourceCheck = (errors, source, path) => {
  const at = `${path}.path`
  if (text(source, 'path') === '') errors.push(required(at))
  else checkNoBacksteps(errors, text(source, 'path'), at)
}

const checkStorageOs: SourceCheck = (errors, source, path) => {
  checkStorageOsNames(errors, source, path)
  checkReferenced(errors, source, path)
}

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
]

const checkCsi: SourceCheck = (errors, source, path) => {
  checkDriverName(errors, text(source, 'driver'), `${path}.driver`)
  if (text(source, 'volumeHandle') === '') errors.push(required(`${path}.volumeHandle`))
  for (const field of csiSecrets) {
    const secret = child(source, field)
    if (secret === undefined) continue
    const at = `${path}.${field}`
    const name = text(secret, 'name')
    const namespace = text(secret, 'namespace')
    if (name === '') errors.push(required(`${at}.name`))
    else checkSubdomain(errors, name, `${at}.name`)
    if (namespace === '') errors.push(required(`${at}.namespace`))
    else checkLabelName(errors, namespace, `${at}.namespace`)
  }
}

/** By field, in the order in which upstream checks them. */
const sources = lookupTable<SourceCheck>({
  hostPath: commonSources.hostPath,
  gcePersistentDisk: commonSources.gcePersistentDisk,
  awsElasticBlockStore: commonSources.awsElasticBlockStore,
  glusterfs: checkGlusterfs,
  flocker: commonSources.flocker,
  nfs: commonSources.nfs,
  rbd: commonSources.rbd,
  quobyte: commonSources.quobyte,
  cephfs: commonSources.cephfs,
  iscsi: checkPlainIscsi,
  cinder: checkCinder,
  fc: commonSources.fc,
  flexVolume: checkFlexVolume,
  azureFile: checkAzureFile,
  vsphereVolume: commonSources.vsphereVolume,
  photonPersistentDisk: commonSources.photonPersistentDisk,
  portworxVolume: commonSources.portworxVolume,
  azureDisk: commonSources.azureDisk,
  scaleIO: commonSources.scaleIO,
  local: checkLocal,
  storageos: checkStorageOs,
  csi: checkCsi,
})

// Fields that upstream's messages name differently.
const checkedAs = lookupTable<string>({ gcePersistentDisk: 'persistentDisk' })
const refusedAs = lookupTable<string>({ cephfs: 'cephFS' })

/** Of several sources, only the first is checked. */
function checkSources(errors: Errors, spec: Obj, name: string, path: string): void {
  let found = 0
  for (const [field, check] of Object.entries(sources)) {
    const source = child(spec, field)
    if (source === undefined) continue
    if (found > 0 && field !== 'flexVolume') {
      errors.push(forbidden(`${path}.${refusedAs[field] ?? field}`, 'may not specify more than 1 volume type'))
      continue
    }
    found++
    check(errors, source, `${path}.${checkedAs[field] ?? field}`, { volumeName: name, volumePath: path })
    if (field === 'local' && child(spec, 'nodeAffinity') === undefined) {
      errors.push(required(`${path}.nodeAffinity`, 'Local volume requires node affinity'))
    }
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'))
}

/** The volume spec in a VolumeAttachment, which allows only a few fields. */
export function checkInlineVolume(errors: Errors, spec: Obj, path: string): void {
  const inline = 'in the context of inline volumes'
  const refuse = (field: string): void => {
    errors.push(forbidden(`${path}.${field}`, `may not be specified ${inline}`))
  }
  if (child(spec, 'claimRef') !== undefined) refuse('claimRef')
  if (Object.keys(strings(spec, 'capacity')).length > 0) refuse('capacity')
  if (child(spec, 'csi') === undefined) errors.push(required(`${path}.csi`, `has to be specified ${inline}`))
  checkModes(errors, spec, path)
  const policy = text(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && policy !== 'Retain') {
    errors.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${inline}`))
  }
  if (child(spec, 'nodeAffinity') !== undefined) refuse('nodeAffinity')
  checkSources(errors, spec, '', path)
  if (text(spec, 'storageClassName') !== '') refuse('storageClassName')
  const mode = textIfSet(spec, 'volumeMode')
  if (mode !== undefined && mode !== 'Filesystem') {
    errors.push(forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${inline}`))
  }
}

function checkModes(errors: Errors, spec: Obj, path: string): void {
  const modes = texts(spec, 'accessModes')
  if (modes.length === 0) errors.push(required(`${path}.accessModes`))
  checkAccessModes(errors, modes, `${path}.accessModes`)
}

function checkCapacity(errors: Errors, spec: Obj): void {
  const capacity = strings(spec, 'capacity')
  const names = Object.keys(capacity)
  if (names.length === 0) errors.push(required('spec.capacity'))
  if (entryOf(capacity, 'storage') === undefined || names.length > 1) {
    errors.push(notSupported('spec.capacity', sortedMap(capacity), ['storage']))
  }
  for (const name of names) {
    checkBasicResource(errors, capacity[name] as string, `spec.capacity[${name}]`)
    checkPositiveQuantity(errors, capacity[name] as string, `spec.capacity[${name}]`)
  }
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options'
const mountable = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
]

/** ValidatePersistentVolume. */
function checkVolumeObject(errors: Errors, volume: Obj): void {
  checkMeta(errors, metaOf(volume), { namespaced: false, name: 'subdomain' })
  const spec = part(volume, 'spec')
  checkModes(errors, spec, 'spec')
  checkCapacity(errors, spec)
  const policy = text(spec, 'persistentVolumeReclaimPolicy')
  if (policy !== '' && !reclaimPolicies.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, reclaimPolicies))
  }
  const affinity = child(spec, 'nodeAffinity')
  if (affinity !== undefined) {
    const wanted = child(affinity, 'required')
    if (wanted !== undefined) checkNodeSelector(errors, wanted, 'spec.nodeAffinity.required')
    else errors.push(required('spec.nodeAffinity.required', 'must specify required node constraints'))
  }
  checkSources(errors, spec, text(metaOf(volume), 'name'), 'spec')
  const host = child(spec, 'hostPath')
  if (host !== undefined && policy === 'Recycle' && /^\/+$/.test(text(host, 'path'))) {
    const why = "may not be 'recycle' for a hostPath mount of '/'"
    errors.push(forbidden('spec.persistentVolumeReclaimPolicy', why))
  }
  checkClassName(errors, text(spec, 'storageClassName'), 'spec.storageClassName')
  const mode = textIfSet(spec, 'volumeMode')
  if (mode !== undefined && !volumeModes.includes(mode)) {
    errors.push(notSupported('spec.volumeMode', mode, volumeModes))
  }
  const attributes = textIfSet(spec, 'volumeAttributesClassName')
  if (attributes === undefined) return
  const at = 'spec.volumeAttributesClassName'
  if (attributes === '') errors.push(required(at, 'an empty string is disallowed'))
  else checkClassName(errors, attributes, at)
  if (child(spec, 'csi') === undefined) {
    errors.push(required('spec.csi', 'has to be specified when using volumeAttributesClassName'))
  }
}

export function checkVolume(errors: Errors, volume: Obj): void {
  checkVolumeObject(errors, volume)
  const spec = part(volume, 'spec')
  if (mountable.some((field) => child(spec, field) !== undefined)) return
  if (entryOf(strings(metaOf(volume), 'annotations'), mountOptions) === undefined) return
  const why = 'may not specify mount options for this volume type'
  errors.push(forbidden(`metadata.annotations.${mountOptions}`, why))
}

function sourcesOf(spec: Obj): Record<string, unknown> {
  const present = Object.keys(sources).filter((field) => child(spec, field) !== undefined)
  return Object.fromEntries(present.map((field) => [field, spec[field]]))
}

/** ValidatePersistentVolumeUpdate; the strategy also runs all rules of a create. */
export function checkVolumeUpdate(errors: Errors, volume: Obj, old: Obj): void {
  checkVolumeObject(errors, volume)
  const spec = part(volume, 'spec')
  const before = part(old, 'spec')
  const now = sourcesOf(spec)
  const csi = child(spec, 'csi')
  const oldCsi = child(before, 'csi')
  if (csi?.['controllerExpandSecretRef'] !== undefined && oldCsi !== undefined) {
    // The field can be set once.
    if (oldCsi['controllerExpandSecretRef'] === undefined) {
      const { controllerExpandSecretRef: _, ...rest } = csi
      now['csi'] = rest
    }
  }
  const volumeSpec = errors.release.api.types.get('core.PersistentVolumeSpec') as Shape
  if (!equalAs(volumeSpec, now, sourcesOf(before))) {
    const why = 'spec.persistentvolumesource is immutable after creation'
    errors.push(forbidden('spec.persistentvolumesource', why))
  }
  checkImmutable(errors, textIfSet(spec, 'volumeMode'), textIfSet(before, 'volumeMode'), 'volumeMode')
  if (!errors.release.gates.has('MutablePVNodeAffinity')) {
    checkKeptAffinity(errors, child(spec, 'nodeAffinity'), child(before, 'nodeAffinity'))
  }
  const had = textIfSet(before, 'volumeAttributesClassName') !== undefined
  if (had && textIfSet(spec, 'volumeAttributesClassName') === undefined) {
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'))
  }
}

// Labels whose names changed when they became stable. A volume may use the new name.
const renamed = lookupTable<string>({
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
})

function checkKeptAffinity(errors: Errors, affinity: Obj | undefined, before: Obj | undefined): void {
  if (before === undefined || semanticEqual(affinity, before)) return
  if (affinity !== undefined && semanticEqual(withKeysOf(before, affinity), before)) return
  const shown = internalForm(errors, 'core.VolumeNodeAffinity', affinity)
  errors.push(invalid('nodeAffinity', shown, `${immutable}, except for updating from beta label to GA`))
}

/**
 * Each requirement with its old key, if the new key may replace it. An empty key may replace any key that was not
 * renamed.
 */
function withKeysOf(before: Obj, affinity: Obj): Obj {
  const termsOf = (one: Obj) => list(part(one, 'required'), 'nodeSelectorTerms')
  const nodeSelectorTerms = termsOf(affinity).map((term, i) => {
    const masked = (['matchExpressions', 'matchFields'] as const).flatMap((field) => {
      const old = list(termsOf(before)[i], field)
      const keyed = list(term, field).map((requirement, j) => {
        const key = text(old[j], 'key')
        return (renamed[key] ?? '') === text(requirement, 'key') ? { ...requirement, key } : requirement
      })
      return Object.hasOwn(term, field) ? [[field, keyed] as const] : []
    })
    return { ...term, ...Object.fromEntries(masked) }
  })
  return { ...affinity, required: { ...part(affinity, 'required'), nodeSelectorTerms } } as unknown as Obj
}

export function checkVolumeStatus(errors: Errors, volume: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(volume), metaOf(old))
}
