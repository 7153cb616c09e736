import { isLabelKey } from './label-syntax.ts'
import { resourceNames } from './well-known.ts'

/** Whether a resource is in the kubernetes.io namespace. Names without a slash are in it implicitly. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes(resourceNames.nativePrefix)
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(resourceNames.requestsPrefix)) return false
  // Quotas use the name with the prefix, so both together must be a label key: the subdomain has at most 253
  // characters.
  return isLabelKey(name) && name.indexOf('/') + resourceNames.requestsPrefix.length <= 253
}

export function isHugePagesResource(name: string): boolean {
  return name.startsWith(resourceNames.hugePagesPrefix)
}

const scalars = new Map<string, boolean>()

/**
 * Whether the scheduler counts this resource in addition to cpu, memory, storage and pods; it ignores other names
 * (v1.36, pkg/scheduler/util IsScalarResourceName).
 */
export function isScalarResource(name: string): boolean {
  let scalar = scalars.get(name)
  if (scalar === undefined) {
    scalar =
      isHugePagesResource(name) ||
      name.startsWith(resourceNames.attachableVolumesPrefix) ||
      name.includes(resourceNames.nativePrefix) ||
      isExtendedResource(name)
    // Names come from users. The limit prevents a hostile cluster from filling the memory.
    if (scalars.size < 4096) scalars.set(name, scalar)
  }
  return scalar
}

/** Whether a resource can be requested at pod level. */
export function isPodLevelResource(name: string): boolean {
  return name === resourceNames.cpu || name === resourceNames.memory || isHugePagesResource(name)
}
