import { forbidden, invalid, missing, notSupported, required } from '../errors/field-error.ts'
import { checkDescending } from './paths.ts'
import { child, type Errors, list, type Obj } from './reader.ts'
import { flag, text, textIfSet } from './scalars.ts'

type Volumes = ReadonlyMap<string, Obj>

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursions = ['Disabled', 'Enabled', 'IfPossible']

/** The volume mounts and volume devices of a container, which must not overlap. */
export function checkMounts(errors: Errors, container: Obj, volumes: Volumes, path: string): void {
  const mounts = list(container, 'volumeMounts')
  const devices = list(container, 'volumeDevices')
  if (mounts.length === 0 && devices.length === 0) return
  const mountsAt = `${path}.volumeMounts`
  const taken = new Set<string>()
  mounts.forEach((mount, i) => {
    const at = `${mountsAt}[${i}]`
    const name = text(mount, 'name')
    const mountPath = text(mount, 'mountPath')
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(missing(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`))
    if (taken.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, 'must be unique'))
    taken.add(mountPath)
    if (devices.some((device) => text(device, 'name') === name)) {
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'))
    }
    if (devices.some((device) => text(device, 'devicePath') === mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'))
    }
    checkSubPaths(errors, mount, at, mountsAt)
    checkPropagation(errors, mount, container, mountsAt)
  })
  checkDevices(errors, devices, mounts, volumes, `${path}.volumeDevices`)
}

// Upstream reports these errors on the list, not on its element.
function checkSubPaths(errors: Errors, mount: Obj, at: string, mountsAt: string): void {
  const subPath = text(mount, 'subPath')
  const expression = text(mount, 'subPathExpr')
  if (subPath !== '') checkDescending(errors, subPath, `${mountsAt}.subPath`)
  if (expression === '') return
  if (subPath !== '') {
    errors.push(invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'))
  }
  checkDescending(errors, expression, `${mountsAt}.subPathExpr`)
}

function checkPropagation(errors: Errors, mount: Obj, container: Obj, mountsAt: string): void {
  const propagation = textIfSet(mount, 'mountPropagation')
  if (propagation !== undefined) {
    const at = `${mountsAt}.mountPropagation`
    if (!propagations.includes(propagation)) errors.push(notSupported(at, propagation, propagations))
    if (propagation === 'Bidirectional' && !flag(child(container, 'securityContext'), 'privileged')) {
      errors.push(forbidden(at, 'Bidirectional mount propagation is available only to privileged containers'))
    }
  }
  const recursive = textIfSet(mount, 'recursiveReadOnly')
  if (recursive === undefined || recursive === 'Disabled') return
  const at = `${mountsAt}.recursiveReadOnly`
  if (!recursions.includes(recursive)) {
    errors.push(notSupported(at, recursive, recursions))
    return
  }
  if (!flag(mount, 'readOnly')) errors.push(forbidden(at, 'may only be specified when readOnly is true'))
  if (propagation !== undefined && propagation !== 'None') {
    errors.push(forbidden(at, 'may only be specified when mountPropagation is None or not specified'))
  }
}

function checkDevices(
  errors: Errors,
  devices: readonly Obj[],
  mounts: readonly Obj[],
  volumes: Volumes,
  path: string,
): void {
  if (devices.length === 0) return
  const names = new Set<string>()
  const paths = new Set<string>()
  devices.forEach((device, i) => {
    const at = `${path}[${i}]`
    const name = text(device, 'name')
    const devicePath = text(device, 'devicePath')
    const volume = volumes.get(name)
    if (name === '') errors.push(required(`${at}.name`))
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'))
    if (volume === undefined) errors.push(missing(`${at}.name`, name))
    else if (child(volume, 'persistentVolumeClaim') === undefined && child(volume, 'ephemeral') === undefined) {
      const why = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(invalid(`${at}.name`, name, why))
    }
    if (devicePath === '') errors.push(required(`${at}.devicePath`))
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, 'must be unique'))
    if (devicePath.split('/').includes('..')) {
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"))
    } else paths.add(devicePath)
    if (mounts.some((mount) => text(mount, 'name') === name)) {
      errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'))
    }
    if (mounts.some((mount) => text(mount, 'mountPath') === devicePath)) {
      errors.push(invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
  })
}
