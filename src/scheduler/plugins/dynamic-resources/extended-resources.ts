import type { DeviceRequest, ResourceClaim } from '../../../api/objects/devices.ts'
import type { Container, ContainerExtendedResourceRequest, Pod } from '../../../api/objects/pod.ts'
import { isSidecar } from '../../../api/pod-resources.ts'
import { compareQuantities, quantity, quantityOf, valueInt64 } from '../../../api/quantity.ts'
import { isExtendedResource } from '../../../api/resource-names.ts'
import type { NodeState, ParsedPod } from '../../contract/contract.ts'
import type { DeviceCatalog } from '../../devices/device-catalog.ts'

/** The name of a claim that exists only in memory. It is not a valid name, so no stored claim has it. */
export const inMemoryName = '<extended-resources>'

export const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim'

/** Reports whether a device class provides an extended resource that the pod requests. */
export function usesDeviceClasses({ shape }: ParsedPod, catalog: DeviceCatalog): boolean {
  const { scalars } = shape.requests
  if (scalars.size === 0 || !catalog.hasExtendedResources) return false
  for (const [name, amount] of scalars) if (amount > 0 && catalog.classFor(name) !== undefined) return true
  return false
}

/** One claim for all extended resources of the pod. Its requests depend on the node. */
export function inMemoryClaim(pod: Pod): ResourceClaim {
  const { namespace, name, uid = '' } = pod.metadata
  return {
    metadata: {
      ...(namespace === undefined ? {} : { namespace }),
      name: inMemoryName,
      uid: `extended-resources-of-${uid}`,
      generateName: `${name}-extended-resources-`,
      annotations: { [extendedClaimAnnotation]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: {},
  }
}

/** The extended resources that devices must provide on a node, or undefined when the pod cannot fit there. */
export function resourcesFromDevices(
  { shape }: ParsedPod,
  node: NodeState,
  catalog: DeviceCatalog,
): ReadonlySet<string> | undefined {
  const found = new Set<string>()
  for (const [name, amount] of shape.requests.scalars) {
    if (amount === 0 || !isDeviceResource(name)) continue
    const allocatable = node.allocatable.scalars.get(name)
    if (catalog.classFor(name) !== undefined && (allocatable ?? 0) === 0) found.add(name)
    else if (allocatable === undefined) return undefined
  }
  return found
}

/** Extended resources, and the implicit resources of device classes. */
function isDeviceResource(name: string): boolean {
  return name.startsWith('deviceclass.resource.kubernetes.io/') || isExtendedResource(name)
}

export interface ExtendedRequests {
  readonly requests: readonly DeviceRequest[]
  readonly mappings: readonly ContainerExtendedResourceRequest[]
}

interface IndexedContainer {
  readonly container: Container
  readonly index: number
}

interface CountedRequest {
  readonly name: string
  readonly className: string
  readonly count: bigint
}

/**
 * The requests for the extended resources of all containers. Init containers use the devices of the containers that run
 * after them, and share what they need beyond that (v1.36, createRequestsAndMappings).
 */
export function extendedRequests(
  { spec }: Pod,
  resources: ReadonlySet<string>,
  catalog: DeviceCatalog,
): ExtendedRequests {
  const containers = [...(spec.initContainers ?? []), ...spec.containers].map((container, index) => ({
    container,
    index,
  }))
  const initCount = spec.initContainers?.length ?? 0
  const isShortLived = ({ container, index }: IndexedContainer): boolean => index < initCount && !isSidecar(container)
  const requests: CountedRequest[] = []
  const mappings: ContainerExtendedResourceRequest[] = []
  for (const resource of [...resources].sort()) {
    const className = catalog.classFor(resource)?.metadata.name
    if (className === undefined) continue
    const long = new Map<number, CountedRequest>()
    for (const one of containers.filter((container) => !isShortLived(container))) {
      const found = requestOf(one, resource, className, [])
      if (found.request !== undefined) long.set(one.index, found.request)
      mappings.push(...found.mappings)
    }
    const short = shortLived(containers.filter(isShortLived), resource, className, long)
    if (short.request !== undefined) requests.push(short.request)
    requests.push(...long.values())
    mappings.push(...short.mappings)
  }
  requests.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { requests: requests.map(toDeviceRequest), mappings }
}

/** Containers that do not run at the same time share the largest of their requests. */
function shortLived(
  containers: readonly IndexedContainer[],
  resource: string,
  className: string,
  long: ReadonlyMap<number, CountedRequest>,
): { readonly request: CountedRequest | undefined; readonly mappings: readonly ContainerExtendedResourceRequest[] } {
  let largest: CountedRequest | undefined
  const names = new Set<string>()
  const mappings: ContainerExtendedResourceRequest[] = []
  for (const one of containers) {
    const reusable = [...long].filter(([index]) => index >= one.index).map(([, request]) => request)
    const found = requestOf(one, resource, className, reusable)
    if (found.request !== undefined) {
      names.add(found.request.name)
      if (largest === undefined || largest.count < found.request.count) largest = found.request
    }
    mappings.push(...found.mappings)
  }
  const shared = largest?.name
  const renamed = mappings.map((mapping) =>
    shared !== undefined && names.has(mapping.requestName) ? { ...mapping, requestName: shared } : mapping,
  )
  return { request: largest, mappings: renamed }
}

/** The request of a container for a resource, beyond the requests that it can reuse. */
function requestOf(
  { container, index }: IndexedContainer,
  resource: string,
  className: string,
  reusable: readonly CountedRequest[],
): { readonly request?: CountedRequest; readonly mappings: readonly ContainerExtendedResourceRequest[] } {
  const requested = container.resources?.requests ?? {}
  const text = Object.hasOwn(requested, resource) ? requested[resource] : undefined
  const wanted = text === undefined ? 0n : wholeAmount(String(text))
  if (wanted === 0n) return { mappings: [] }
  const mapTo = (requestName: string): ContainerExtendedResourceRequest => ({
    containerName: container.name,
    resourceName: resource,
    requestName,
  })
  const mappings: ContainerExtendedResourceRequest[] = []
  let sum = 0n
  for (const { name, count } of reusable) {
    sum += count
    mappings.push(mapTo(name))
    if (sum >= wanted) return { mappings }
  }
  const position = Object.keys(requested).sort().indexOf(resource)
  const name = `container-${index}-request-${position}`
  return { request: { name, className, count: wanted - sum }, mappings: [...mappings, mapTo(name)] }
}

function wholeAmount(text: string): bigint {
  const amount = quantity(text)
  const whole = valueInt64(amount)
  return compareQuantities(quantityOf(whole), amount) === 0 ? whole : 0n
}

function toDeviceRequest({ name, className, count }: CountedRequest): DeviceRequest {
  return { name, exactly: { deviceClassName: className, allocationMode: 'ExactCount', count: Number(count) } }
}
