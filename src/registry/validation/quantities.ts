import {
  compareQuantities,
  formatQuantity,
  milliValueInt64,
  parseQuantity,
  quantity,
  quantitySign,
  valueInt64,
} from '../../api/quantity.ts'
import { isExtendedResource, isHugePagesResource, isNativeResource } from '../../api/resource-names.ts'
import { duplicate, forbidden, invalid, missing, notSupported, required } from '../errors/field-error.ts'
import { negative, notPositive } from './meta.ts'
import { checkLabelName, checkQualifiedName } from './names.ts'
import { type Errors, entryOf, list, type Obj, type Strings, strings } from './reader.ts'
import { text } from './scalars.ts'

const countedResources = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const quotaResources = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  ...countedResources,
])
const standardResources = new Set([...quotaResources, 'storage'])
const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])

const isQuotaHugePages = (name: string): boolean =>
  name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')

export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePagesResource(name)

/** Rules for resource names, each stricter than the previous one. */
export function checkResourceName(errors: Errors, name: string, path: string): boolean {
  const before = errors.length
  checkQualifiedName(errors, name, path)
  if (errors.length > before) return false
  if (name.includes('/') || standardResources.has(name) || isQuotaHugePages(name)) return true
  errors.push(invalid(path, name, 'must be a standard resource type or fully qualified'))
  return false
}

export function checkContainerResourceName(errors: Errors, name: string, path: string): void {
  checkResourceName(errors, name, path)
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePagesResource(name)) {
      errors.push(invalid(path, name, 'must be a standard resource for containers'))
    }
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"))
  }
}

export function checkPodResourceName(errors: Errors, name: string, path: string): void {
  if (!checkResourceName(errors, name, path)) return
  if (name === 'cpu' || name === 'memory' || isHugePagesResource(name)) return
  errors.push(notSupported(path, name, ['cpu', 'hugepages-', 'memory']))
}

/** Whether the resource is a standard resource of quotas. */
export const isQuotaResource = (name: string): boolean => quotaResources.has(name) || isQuotaHugePages(name)

export function checkQuotaResourceName(errors: Errors, name: string, path: string): void {
  checkResourceName(errors, name, path)
  if (name.includes('/') || isQuotaResource(name)) return
  errors.push(invalid(path, name, 'must be a standard resource for quota'))
}

export function checkNonnegativeQuantity(errors: Errors, value: string, path: string): void {
  const parsed = quantity(value)
  if (quantitySign(parsed) < 0) errors.push(invalid(path, formatQuantity(parsed), negative))
}

export function checkPositiveQuantity(errors: Errors, value: string, path: string): boolean {
  const parsed = quantity(value)
  if (quantitySign(parsed) > 0) return true
  errors.push(invalid(path, formatQuantity(parsed), notPositive))
  return false
}

export function checkBasicResource(errors: Errors, value: string, path: string): boolean {
  const amount = valueInt64(quantity(value))
  if (amount >= 0n) return true
  errors.push(invalid(path, Number(amount), 'must be a valid resource quantity'))
  return false
}

/** ValidateResourceQuantityValue: not negative, and an integer if the resource is counted. */
export function checkResourceQuantity(errors: Errors, name: string, value: string, path: string): void {
  checkNonnegativeQuantity(errors, value, path)
  if (!countedResources.includes(name) && !isExtendedResource(name)) return
  const parsed = quantity(value)
  if (milliValueInt64(parsed) % 1000n !== 0n) errors.push(invalid(path, formatQuantity(parsed), 'must be an integer'))
}

function checkHugePages(errors: Errors, name: string, value: string, path: string): void {
  const pageSize = parseQuantity(name.slice('hugepages-'.length))
  const parsed = quantity(value)
  const divisible =
    pageSize.ok &&
    quantitySign(pageSize.value) > 0 &&
    milliValueInt64(pageSize.value) % 1000n === 0n &&
    valueInt64(parsed) % valueInt64(pageSize.value) === 0n
  if (divisible) return
  const shown = formatQuantity(parsed)
  errors.push(invalid(path, shown, `${shown} is not positive integer multiple of ${name}`))
}

type NameCheck = (errors: Errors, name: string, path: string) => void

/** ValidateContainerResourceRequirements, and the same for pod-level resources with another rule for names. */
export function checkRequirements(
  errors: Errors,
  requirements: Obj,
  claimNames: readonly string[],
  path: string,
  checkName: NameCheck = checkContainerResourceName,
): void {
  const limits = strings(requirements, 'limits')
  const requests = strings(requirements, 'requests')
  let computes = false
  let hugePages = false
  const each = (name: string, value: string, at: string): void => {
    checkName(errors, name, at)
    checkResourceQuantity(errors, name, value, at)
    if (name === 'cpu' || name === 'memory') computes = true
    if (!isHugePagesResource(name)) return
    hugePages = true
    checkHugePages(errors, name, value, at)
  }
  const before = errors.length
  for (const name in limits) each(name, limits[name] as string, `${path}.limits[${name}]`)
  // By default, requests are the limits, and equally valid.
  const areLimits = requests === limits && errors.length === before
  for (const name in areLimits ? {} : requests) {
    each(name, requests[name] as string, `${path}.requests[${name}]`)
    checkAgainstLimit(errors, name, requests[name] as string, limits, path)
  }
  if (hugePages && !computes) errors.push(forbidden(path, 'HugePages require cpu or memory'))
  checkClaims(errors, list(requirements, 'claims'), claimNames, `${path}.claims`)
}

function checkAgainstLimit(errors: Errors, name: string, request: string, limits: Strings, path: string): void {
  const limit = entryOf(limits, name)
  const overcommit = isOvercommitAllowed(name)
  if (limit === undefined) {
    if (!overcommit) errors.push(required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
    return
  }
  const asked = quantity(request)
  const allowed = quantity(limit)
  const order = compareQuantities(asked, allowed)
  const shown = formatQuantity(asked)
  if (order !== 0 && !overcommit) {
    errors.push(invalid(`${path}.requests`, shown, `must be equal to ${name} limit of ${formatQuantity(allowed)}`))
  } else if (order > 0) {
    const why = `must be less than or equal to ${name} limit of ${formatQuantity(allowed)}`
    errors.push(invalid(`${path}.requests`, shown, why))
  }
}

function checkClaims(errors: Errors, claims: readonly Obj[], podClaims: readonly string[], path: string): void {
  if (claims.length === 0) return
  const seen = new Set<string>()
  claims.forEach((claim, i) => {
    const at = `${path}[${i}]`
    const name = text(claim, 'name')
    const request = text(claim, 'request')
    if (name === '') {
      errors.push(required(at))
      return
    }
    if (seen.has(name)) errors.push(duplicate(at, name))
    else {
      if (request !== '') checkLabelName(errors, request, `${at}.request`)
      const key = request === '' ? name : `${name}/${request}`
      if (seen.has(key)) errors.push(duplicate(at, key))
      else if (request === '') {
        for (const other of seen) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name))
      }
      seen.add(key)
    }
    if (podClaims.includes(name)) return
    const known = podClaims.length === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`
    errors.push(missing(at, name, `must be one of the names in pod.spec.resourceClaims${known}`))
  })
}

export const isLessThan = (a: string | undefined, b: string | undefined): boolean =>
  compareQuantities(quantity(a ?? '0'), quantity(b ?? '0')) < 0
