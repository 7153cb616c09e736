import { RegularExpression } from '../../base/regexp/regular-expression.ts'
import { invalid, notSupported, required } from '../errors/field-error.ts'
import { checkLabelName, rangeProblem } from './names.ts'
import { checkNoBacksteps } from './paths.ts'
import { child, type Errors, type Obj, strings, texts } from './reader.ts'
import { flag, number, numberIfSet, text, textIfSet } from './scalars.ts'

export interface SourceScope {
  readonly podName?: string
  readonly volumeName: string
  readonly volumePath: string
}

export type SourceCheck = (errors: Errors, source: Obj, path: string, scope: SourceScope) => void

function needs(...fields: readonly string[]): SourceCheck {
  return (errors, source, path) => {
    for (const field of fields) {
      const value = source[field] as string | readonly unknown[] | undefined | null
      if (value === undefined || value === null || value.length === 0) errors.push(required(`${path}.${field}`))
    }
  }
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

const checkHostPath: SourceCheck = (errors, source, path) => {
  const hostPath = text(source, 'path')
  if (hostPath === '') {
    errors.push(required(`${path}.path`))
    return
  }
  checkNoBacksteps(errors, hostPath, `${path}.path`)
  const type = textIfSet(source, 'type')
  if (type !== undefined && !hostPathTypes.includes(type)) {
    errors.push(notSupported(`${path}.type`, type, hostPathTypes))
  }
}

function checkDisk(nameField: string): SourceCheck {
  return (errors, source, path) => {
    if (text(source, nameField) === '') errors.push(required(`${path}.${nameField}`))
    const partition = number(source, 'partition')
    if (partition < 0 || partition > 255) {
      errors.push(invalid(`${path}.partition`, partition, rangeProblem(1, 255)))
    }
  }
}

const checkNfs: SourceCheck = (errors, source, path) => {
  needs('server', 'path')(errors, source, path, noScope)
  if (!text(source, 'path').startsWith('/')) {
    errors.push(invalid(`${path}.path`, text(source, 'path'), 'must be an absolute path'))
  }
}

const noScope: SourceScope = { volumeName: '', volumePath: '' }

const initiatorFormats: readonly (readonly [string, Pick<RegExp, 'test'>])[] = [
  // Matches anywhere in the name. The JavaScript engine would restart at every position.
  ['iqn', new RegularExpression('iqn\\.\\d{4}-\\d{2}\\.([A-Za-z0-9.-]+)(:[^,;*&$|\\s]+)$')],
  ['eui', /^eui.[A-Za-z0-9]{16}$/],
  ['naa', /^naa.[A-Za-z0-9]{32}$/],
]

function checkInitiator(errors: Errors, name: string, path: string, unknown: string): void {
  const format = initiatorFormats.find(([prefix]) => name.startsWith(prefix))
  if (format === undefined) errors.push(invalid(path, name, unknown))
  else if (!format[1].test(name)) errors.push(invalid(path, name, 'must be valid format'))
}

/** The messages for pods name the required prefix; the messages for persistent volumes do not. */
export function checkIscsi(errors: Errors, source: Obj, path: string, words: 'starting' | 'plain'): void {
  const unknown = words === 'starting' ? 'must be valid format starting with iqn, eui, or naa' : 'must be valid format'
  if (text(source, 'targetPortal') === '') errors.push(required(`${path}.targetPortal`))
  const iqn = text(source, 'iqn')
  if (iqn === '') errors.push(required(`${path}.iqn`))
  else checkInitiator(errors, iqn, `${path}.iqn`, unknown)
  const lun = number(source, 'lun')
  if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, rangeProblem(0, 255)))
  const secret = child(source, 'secretRef')
  if ((flag(source, 'chapAuthDiscovery') || flag(source, 'chapAuthSession')) && secret === undefined) {
    errors.push(required(`${path}.secretRef`))
  }
  if (words === 'plain' && secret !== undefined && text(secret, 'name') === '') {
    errors.push(required(`${path}.secretRef.name`))
  }
  const initiator = textIfSet(source, 'initiatorName')
  if (initiator !== undefined) checkInitiator(errors, initiator, `${path}.initiatorname`, unknown)
}

const checkFlocker: SourceCheck = (errors, source, path) => {
  const name = text(source, 'datasetName')
  const uuid = text(source, 'datasetUUID')
  if (name === '' && uuid === '') errors.push(required(path, 'one of datasetName and datasetUUID is required'))
  if (name !== '' && uuid !== '') {
    errors.push(invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'))
  }
  if (name.includes('/')) errors.push(invalid(`${path}.datasetName`, name, "must not contain '/'"))
}

const checkCinder: SourceCheck = (errors, source, path) => {
  needs('volumeID')(errors, source, path, noScope)
  const secret = child(source, 'secretRef')
  if (secret !== undefined && text(secret, 'name') === '') errors.push(required(`${path}.secretRef.name`))
}

const checkQuobyte: SourceCheck = (errors, source, path) => {
  const registry = text(source, 'registry')
  const why = 'must be a host:port pair or multiple pairs separated by commas'
  if (registry === '') errors.push(required(`${path}.registry`, why))
  else if (text(source, 'tenant').length >= 65) {
    errors.push(required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'))
  } else {
    for (const pair of registry.split(',')) {
      if (!/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair)) errors.push(invalid(`${path}.registry`, registry, why))
    }
  }
  if (text(source, 'volume') === '') errors.push(required(`${path}.volume`))
}

const checkFc: SourceCheck = (errors, source, path) => {
  const wwns = texts(source, 'targetWWNs')
  const wwids = texts(source, 'wwids')
  if (wwns.length === 0 && wwids.length === 0) {
    errors.push(required(`${path}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both'))
  }
  if (wwns.length === 0) return
  if (wwids.length > 0) {
    errors.push(invalid(`${path}.targetWWNs`, wwns, 'targetWWNs and wwids can not be specified simultaneously'))
  }
  const lun = numberIfSet(source, 'lun')
  if (lun === undefined) errors.push(required(`${path}.lun`, 'lun is required if targetWWNs is specified'))
  else if (lun < 0 || lun > 255) errors.push(invalid(`${path}.lun`, lun, rangeProblem(0, 255)))
}

const checkFlex: SourceCheck = (errors, source, path) => {
  needs('driver')(errors, source, path, noScope)
  for (const key in strings(source, 'options')) {
    const domain = `.${(key.split('/')[0] ?? '').toLowerCase()}`
    if (!domain.endsWith('.kubernetes.io') && !domain.endsWith('.k8s.io')) continue
    errors.push(invalid(`${path}.options[${key}]`, key, 'kubernetes.io and k8s.io namespaces are reserved'))
  }
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite']
const diskKinds = ['Dedicated', 'Managed', 'Shared']
const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}'
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd'

const checkAzureDisk: SourceCheck = (errors, source, path) => {
  needs('diskName', 'diskURI')(errors, source, path, noScope)
  const caching = textIfSet(source, 'cachingMode')
  if (caching !== undefined && !cachingModes.includes(caching)) {
    errors.push(notSupported(`${path}.cachingMode`, caching, cachingModes))
  }
  const kind = textIfSet(source, 'kind')
  if (kind === undefined) return
  if (!diskKinds.includes(kind)) errors.push(notSupported(`${path}.kind`, kind, diskKinds))
  const uri = text(source, 'diskURI')
  if (kind === 'Managed' && !uri.startsWith('/subscriptions/')) {
    errors.push(notSupported(`${path}.diskURI`, uri, [managedUri]))
  }
  if (kind !== 'Managed' && !uri.startsWith('https://')) errors.push(notSupported(`${path}.diskURI`, uri, [blobUri]))
}

export function checkStorageOsNames(errors: Errors, source: Obj, path: string): void {
  const name = text(source, 'volumeName')
  if (name === '') errors.push(required(`${path}.volumeName`))
  else checkLabelName(errors, name, `${path}.volumeName`)
  const namespace = text(source, 'volumeNamespace')
  if (namespace !== '') checkLabelName(errors, namespace, `${path}.volumeNamespace`)
}

const checkStorageOs: SourceCheck = (errors, source, path) => {
  checkStorageOsNames(errors, source, path)
  const secret = child(source, 'secretRef')
  if (secret !== undefined && text(secret, 'name') === '') errors.push(required(`${path}.secretRef.name`))
}

/** Sources that pods and persistent volumes share, with small differences. */
export const commonSources = {
  hostPath: checkHostPath,
  gcePersistentDisk: checkDisk('pdName'),
  awsElasticBlockStore: checkDisk('volumeID'),
  nfs: checkNfs,
  glusterfs: needs('endpoints', 'path'),
  flocker: checkFlocker,
  rbd: needs('monitors', 'image'),
  cinder: checkCinder,
  cephfs: needs('monitors'),
  quobyte: checkQuobyte,
  fc: checkFc,
  flexVolume: checkFlex,
  azureFile: needs('secretName', 'shareName'),
  vsphereVolume: needs('volumePath'),
  photonPersistentDisk: needs('pdID'),
  portworxVolume: needs('volumeID'),
  azureDisk: checkAzureDisk,
  storageos: checkStorageOs,
  scaleIO: needs('gateway', 'system', 'volumeName'),
} as const satisfies Readonly<Record<string, SourceCheck>>
