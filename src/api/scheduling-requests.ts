import type { Container, Pod, ResourceList } from './objects/pod.ts'
import {
  hasPodLevelRequests,
  isResizeInfeasible,
  type PodResourcesOptions,
  podRequests,
  type Quantities,
  type StatusCounting,
} from './pod-resources.ts'
import {
  intValue,
  milliQuantity,
  milliValue,
  type Quantity,
  quantityInt,
  quantityMilli,
  quantityOf,
} from './quantity.ts'
import { isScalarResource } from './resource-names.ts'

/** The requests of a pod, in the units of the scheduler. */
export interface SchedulingRequests {
  readonly cpuMilli: number
  readonly memoryBytes: number
  readonly ephemeralStorageBytes: number
  /** Extended resources, huge pages and similar resources; empty for most pods. */
  readonly scalars: ReadonlyMap<string, number>
  /** Includes the defaults below for containers without requests. Scores are computed from these values. */
  readonly nonZeroCpuMilli: number
  readonly nonZeroMemoryBytes: number
}

/** The default usage of a container without requests when nodes are scored, so that such pods spread too. */
export const defaultCpuMilli = 100
export const defaultMemoryBytes = 200 * 1024 * 1024

const defaultCpu = milliQuantity(defaultCpuMilli)
const defaultMemory = quantityOf(defaultMemoryBytes)
const containerDefaults: Quantities = new Map([
  ['cpu', defaultCpu],
  ['memory', defaultMemory],
])
const noScalars: ReadonlyMap<string, number> = new Map()

// Pods are immutable, so a sum over containers is cached with its pod. Reading the list of a single container is faster
// than a lookup.
const known: Readonly<Record<StatusCounting, WeakMap<Pod, SchedulingRequests>>> = {
  containers: new WeakMap(),
  'containers-and-pod': new WeakMap(),
  sums: new WeakMap(),
  'sums-and-pod': new WeakMap(),
}

/**
 * The requests of a pod as the scheduler counts them (framework PodInfo.CalculateResource); by default as the newest
 * release does.
 */
export function schedulingRequests(pod: Pod, counting: StatusCounting = 'sums-and-pod'): SchedulingRequests {
  if (isPlain(pod)) return plainRequests(pod.spec.containers[0]?.resources?.requests)
  let requests = known[counting].get(pod)
  if (requests === undefined) {
    requests = summedRequests(pod, counting)
    known[counting].set(pod, requests)
  }
  return requests
}

/** Whether a pod has one container and no other requests, so that the sum is the list of the container. */
function isPlain(pod: Pod): boolean {
  const { containers, initContainers, overhead, resources } = pod.spec
  if (containers.length !== 1 || overhead !== undefined || resources !== undefined) return false
  if (initContainers !== undefined && initContainers.length > 0) return false
  const { status } = pod
  if (status === undefined) return true
  if (status.resources !== undefined || status.allocatedResources !== undefined || isResizeInfeasible(pod)) return false
  const statuses = status.containerStatuses
  return (
    statuses === undefined ||
    statuses.every((one) => one.resources === undefined && one.allocatedResources === undefined)
  )
}

function plainRequests(list: ResourceList | undefined): SchedulingRequests {
  const cpu = list?.cpu
  const memory = list?.memory
  const cpuMilli = milliValue(cpu)
  const memoryBytes = intValue(memory)
  let scalars: Map<string, number> | undefined
  for (const name in list) {
    if (isOwnColumn(name) || !isScalarResource(name)) continue
    scalars ??= new Map()
    scalars.set(name, intValue(list[name]))
  }
  return {
    cpuMilli,
    memoryBytes,
    ephemeralStorageBytes: intValue(list?.['ephemeral-storage']),
    scalars: scalars ?? noScalars,
    nonZeroCpuMilli: cpu === undefined ? defaultCpuMilli : cpuMilli,
    nonZeroMemoryBytes: memory === undefined ? defaultMemoryBytes : memoryBytes,
  }
}

function summedRequests(pod: Pod, counting: StatusCounting): SchedulingRequests {
  const options: PodResourcesOptions = { useStatus: counting }
  const requests = podRequests(pod, options)
  const defaults = missingDefaults(pod, requests)
  const nonZero = isComplete(pod, defaults, counting)
    ? requests
    : podRequests(pod, { ...options, containerDefaults: defaults })
  let scalars: Map<string, number> | undefined
  for (const [name, amount] of requests) {
    if (isOwnColumn(name) || !isScalarResource(name)) continue
    scalars ??= new Map()
    scalars.set(name, quantityInt(amount))
  }
  return {
    cpuMilli: milliOf(requests.get('cpu')),
    memoryBytes: intOf(requests.get('memory')),
    ephemeralStorageBytes: intOf(requests.get('ephemeral-storage')),
    scalars: scalars ?? noScalars,
    nonZeroCpuMilli: milliOf(nonZero.get('cpu')),
    nonZeroMemoryBytes: intOf(nonZero.get('memory')),
  }
}

/** A pod with pod-level requests has defaults only for resources that neither it nor its containers request. */
function missingDefaults(pod: Pod, requests: Quantities): Quantities {
  if (!hasPodLevelRequests(pod)) return containerDefaults
  return new Map([...containerDefaults].filter(([name]) => !requests.has(name)))
}

/** Whether every container requests all of these resources, so that defaults have no effect. */
function isComplete(pod: Pod, defaults: Quantities, counting: StatusCounting): boolean {
  if (defaults.size === 0) return true
  // The sums of allocated and of actual resources have separate defaults.
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const isBySum = counting === 'sums' || counting === 'sums-and-pod'
  if (isBySum && containerStatuses.length + initContainerStatuses.length > 0) return false
  const { containers, initContainers = [] } = pod.spec
  const asksForAll = ({ resources }: Container): boolean => {
    for (const name of defaults.keys()) if (resources?.requests?.[name] === undefined) return false
    return true
  }
  return containers.every(asksForAll) && initContainers.every(asksForAll)
}

function isOwnColumn(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name === 'pods'
}

function milliOf(q: Quantity | undefined): number {
  return q === undefined ? 0 : quantityMilli(q)
}

function intOf(q: Quantity | undefined): number {
  return q === undefined ? 0 : quantityInt(q)
}
