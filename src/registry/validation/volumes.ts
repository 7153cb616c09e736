import { subdomainProblems } from '../../api/name-problems.ts'
import { quantity, quantitySign } from '../../api/quantity.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { tokenProjection } from '../admission/token-projection.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkClaimTemplate } from './claims.ts'
import { checkLabelName, push } from './names.ts'
import { checkDescending, checkMode } from './paths.ts'
import { checkProjected } from './projections.ts'
import { child, type Errors, list, type Obj } from './reader.ts'
import { numberIfSet, text, textIfSet } from './scalars.ts'
import { checkDownwardFile, checkKeyToPath } from './volume-files.ts'
import { checkIscsi, commonSources, type SourceCheck } from './volume-sources.ts'

export interface VolumeScope {
  /** Absent for templates. */
  readonly podName?: string
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never']

export function checkPullPolicy(errors: Errors, policy: string, path: string): void {
  if (policy === '') errors.push(required(path))
  else if (!pullPolicies.includes(policy)) errors.push(notSupported(path, policy, pullPolicies))
}

function checkFiles(nameField: string): SourceCheck {
  return (errors, source, path) => {
    if (text(source, nameField) === '') errors.push(required(`${path}.${nameField}`))
    checkMode(errors, numberIfSet(source, 'defaultMode'), `${path}.defaultMode`)
    list(source, 'items').forEach((item, i) => {
      checkKeyToPath(errors, item, `${path}.items[${i}]`)
    })
  }
}

const checkDownward: SourceCheck = (errors, source, path) => {
  checkMode(errors, numberIfSet(source, 'defaultMode'), `${path}.defaultMode`)
  for (const file of list(source, 'items')) checkDownwardFile(errors, file, path)
}

const checkGitRepo: SourceCheck = (errors, source, path) => {
  if (text(source, 'repository') === '') errors.push(required(`${path}.repository`))
  checkDescending(errors, text(source, 'directory'), `${path}.directory`)
}

const checkCsi: SourceCheck = (errors, source, path) => {
  checkDriverName(errors, text(source, 'driver'), `${path}.driver`)
  const secret = child(source, 'nodePublishSecretRef')
  if (secret === undefined) return
  const name = text(secret, 'name')
  if (name === '') errors.push(required(`${path}.nodePublishSecretRef.name`))
  else push(errors, `${path}.name`, name, subdomainProblems(name))
}

export function checkDriverName(errors: Errors, name: string, path: string): void {
  if (name === '') {
    errors.push(required(path))
    if (atLeast(errors.release, '1.35')) return
  }
  if (Buffer.byteLength(name) > 63) {
    errors.push(tooLong(path, 63))
  }
  push(errors, path, name, subdomainProblems(name.toLowerCase()))
}

const checkEphemeral: SourceCheck = (errors, source, path, scope) => {
  const template = child(source, 'volumeClaimTemplate')
  if (template === undefined) errors.push(required(`${path}.volumeClaimTemplate`))
  else checkClaimTemplate(errors, template, `${path}.volumeClaimTemplate`)
  if (scope.podName === undefined || scope.podName === '' || scope.volumeName === '') return
  const claim = `${scope.podName}-${scope.volumeName}`
  for (const problem of subdomainProblems(claim)) {
    errors.push(invalid(`${scope.volumePath}.name`, scope.volumeName, `PVC name ${JSON.stringify(claim)}: ${problem}`))
  }
}

/** Sources in the order in which upstream checks them: only the first of a volume is checked. */
const sources: readonly (readonly [string, SourceCheck])[] = [
  ['hostPath', commonSources.hostPath],
  ['gitRepo', checkGitRepo],
  ['gcePersistentDisk', commonSources.gcePersistentDisk],
  ['awsElasticBlockStore', commonSources.awsElasticBlockStore],
  ['secret', checkFiles('secretName')],
  ['nfs', commonSources.nfs],
  ['iscsi', (errors, source, path) => checkIscsi(errors, source, path, 'starting')],
  ['glusterfs', commonSources.glusterfs],
  ['flocker', commonSources.flocker],
  [
    'persistentVolumeClaim',
    (errors, source, path) => {
      if (text(source, 'claimName') === '') errors.push(required(`${path}.claimName`))
    },
  ],
  ['rbd', commonSources.rbd],
  ['cinder', commonSources.cinder],
  ['cephfs', commonSources.cephfs],
  ['quobyte', commonSources.quobyte],
  ['downwardAPI', checkDownward],
  ['fc', commonSources.fc],
  ['flexVolume', commonSources.flexVolume],
  ['configMap', checkFiles('name')],
  ['azureFile', commonSources.azureFile],
  ['vsphereVolume', commonSources.vsphereVolume],
  ['photonPersistentDisk', commonSources.photonPersistentDisk],
  ['portworxVolume', commonSources.portworxVolume],
  ['azureDisk', commonSources.azureDisk],
  ['storageos', commonSources.storageos],
  ['projected', checkProjected],
  ['scaleIO', commonSources.scaleIO],
  ['csi', checkCsi],
  ['ephemeral', checkEphemeral],
  [
    'image',
    (errors, source, path, scope) => {
      if (scope.podName !== undefined && text(source, 'reference') === '') errors.push(required(`${path}.reference`))
      checkPullPolicy(errors, text(source, 'pullPolicy'), `${path}.pullPolicy`)
    },
  ],
]

// Upstream names these three differently when it rejects a second source.
const secondSourceNames = lookupTable<string>({ cephfs: 'cephFS', downwardAPI: 'downwarAPI' })
const pathNames = lookupTable<string>({ gcePersistentDisk: 'persistentDisk' })

function checkSources(errors: Errors, volume: Obj, path: string, scope: VolumeScope): void {
  // Admission added the volume, so it has no other source.
  if (volume['projected'] === tokenProjection) return
  const volumeName = text(volume, 'name')
  let found = 0
  const emptyDir = child(volume, 'emptyDir')
  if (emptyDir !== undefined) {
    found++
    const limit = textIfSet(emptyDir, 'sizeLimit')
    if (limit !== undefined && quantitySign(quantity(limit)) < 0) {
      errors.push(forbidden(`${path}.emptyDir.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
    }
  }
  for (const [name, check] of sources) {
    const source = child(volume, name)
    if (source === undefined) continue
    if (found++ > 0) {
      errors.push(forbidden(`${path}.${secondSourceNames[name] ?? name}`, 'may not specify more than 1 volume type'))
    } else check(errors, source, `${path}.${pathNames[name] ?? name}`, { ...scope, volumeName, volumePath: path })
    if (name === 'iscsi') checkIscsiLength(errors, source, volumeName, path)
  }
  if (found === 0) errors.push(required(path, 'must specify a volume type'))
}

function checkIscsiLength(errors: Errors, source: Obj, volumeName: string, path: string): void {
  if (textIfSet(source, 'initiatorName') === undefined) return
  if (`${volumeName}:${text(source, 'targetPortal')}`.length <= 64) return
  const why =
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'
  errors.push(invalid(`${path}.name`, volumeName, why))
}

/** Returns the volumes without errors, which containers may mount. */
export function checkVolumes(
  errors: Errors,
  volumes: readonly Obj[],
  path: string,
  scope: VolumeScope,
): ReadonlyMap<string, Obj> {
  const usable = new Map<string, Obj>()
  const madeClaims = new Set<string>()
  if (scope.podName !== undefined && scope.podName !== '') {
    for (const volume of volumes) {
      if (child(volume, 'ephemeral') !== undefined) madeClaims.add(`${scope.podName}-${text(volume, 'name')}`)
    }
  }
  volumes.forEach((volume, i) => {
    const at = `${path}[${i}]`
    const name = text(volume, 'name')
    const before = errors.length
    checkSources(errors, volume, at, scope)
    if (name === '') errors.push(required(`${at}.name`))
    else checkLabelName(errors, name, `${at}.name`)
    if (usable.has(name)) errors.push(duplicate(`${at}.name`, name))
    if (errors.length === before) usable.set(name, volume)
    const claim = text(child(volume, 'persistentVolumeClaim'), 'claimName')
    if (madeClaims.has(claim)) {
      const why = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, why))
    }
  })
  return usable
}
