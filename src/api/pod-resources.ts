import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from './objects/pod.ts'
import { addQuantities, compareQuantities, type Quantity, quantity, quantitySign, zeroQuantity } from './quantity.ts'
import { isPodLevelResource } from './resource-names.ts'

/** Quantities by resource name. */
export type Quantities = ReadonlyMap<string, Quantity>

export interface PodResourcesOptions {
  /**
   * Counts what a running pod has as well as what its spec requests, as the scheduler does during a resize in place
   * (upstream UseStatusResources together with InPlacePodLevelResourcesVerticalScaling, both on in v1.36).
   */
  readonly useStatus?: boolean
  readonly excludeOverhead?: boolean
  /** Ignores pod-level requests and limits. */
  readonly skipPodLevel?: boolean
  /** Defaults for requests that a container does not set. Explicit zeros stay zero. */
  readonly containerDefaults?: Quantities
}

const noOptions: PodResourcesOptions = {}

/** The requests of the pod (v1.36, component-helpers/resource PodRequests). */
export function podRequests(pod: Pod, options: PodResourcesOptions = noOptions): Quantities {
  const total = sumContainers(pod, 'requests', options)
  const podLevel = pod.spec.resources?.requests
  if (options.skipPodLevel !== true && podLevel !== undefined && hasPodLevelRequests(pod)) {
    const effective =
      options.useStatus === true && pod.status?.resources !== undefined
        ? effectiveRequests(pod, podLevel, pod.status.resources, pod.status.allocatedResources)
        : toQuantities(podLevel)
    for (const name of Object.keys(podLevel)) {
      if (isPodLevelResource(name)) total.set(name, effective.get(name) ?? zeroQuantity)
    }
  }
  if (options.excludeOverhead !== true) addAll(total, toQuantities(pod.spec.overhead))
  return total
}

/** The limits of the pod (PodLimits). Overhead is added only to limits that are set. */
export function podLimits(pod: Pod, options: PodResourcesOptions = noOptions): Quantities {
  const total = sumContainers(pod, 'limits', options)
  const podLevel = pod.spec.resources?.limits
  if (options.skipPodLevel !== true && podLevel !== undefined) {
    const effective =
      options.useStatus === true && pod.status?.resources !== undefined
        ? effectiveLimits(pod, podLevel, pod.status.resources)
        : toQuantities(podLevel)
    for (const name of Object.keys(podLevel)) {
      if (isPodLevelResource(name)) total.set(name, effective.get(name) ?? zeroQuantity)
    }
  }
  if (options.excludeOverhead !== true) {
    for (const [name, overhead] of toQuantities(pod.spec.overhead)) {
      const limit = total.get(name)
      if (limit !== undefined && quantitySign(limit) !== 0) total.set(name, addQuantities(limit, overhead))
    }
  }
  return total
}

/** Whether the pod has pod-level resources that v1.36 supports. */
export function hasPodLevelRequests(pod: Pod): boolean {
  return Object.keys(pod.spec.resources?.requests ?? {}).some(isPodLevelResource)
}

/** Whether the kubelet has reported that the pending resize of this pod is infeasible. */
export function isResizeInfeasible(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible'
}

export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always'
}

type Side = 'requests' | 'limits'

/**
 * The sum of containers and sidecars, but at least the maximum while an init container runs: that container plus the
 * sidecars started before it.
 */
function sumContainers(pod: Pod, side: Side, options: PodResourcesOptions): Map<string, Quantity> {
  const statuses = options.useStatus === true ? statusesByName(pod) : undefined
  const total = new Map<string, Quantity>()
  for (const container of pod.spec.containers) addAll(total, resourcesOf(pod, container, side, statuses, options))

  const sidecars = new Map<string, Quantity>()
  const whileStarting = new Map<string, Quantity>()
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const own = resourcesOf(pod, container, side, statuses, options)
      addAll(total, own)
      addAll(sidecars, own)
      raiseAll(whileStarting, sidecars)
    } else {
      // The status of a finished init container no longer matters, so it is not read.
      const inUse = new Map(resourcesOf(pod, container, side, undefined, options))
      addAll(inUse, sidecars)
      raiseAll(whileStarting, inUse)
    }
  }
  raiseAll(total, whileStarting)
  return total
}

function resourcesOf(
  pod: Pod,
  container: Container,
  side: Side,
  statuses: ReadonlyMap<string, ContainerStatus> | undefined,
  options: PodResourcesOptions,
): Quantities {
  const spec = container.resources?.[side]
  const status = statuses?.get(container.name)
  let resources = toQuantities(spec)
  if (status?.resources !== undefined) {
    resources =
      side === 'requests'
        ? effectiveRequests(pod, spec, status.resources, status.allocatedResources)
        : effectiveLimits(pod, spec, status.resources)
  }
  if (side === 'limits' || options.containerDefaults === undefined) return resources
  const missing = [...options.containerDefaults].filter(([name]) => !resources.has(name))
  return missing.length === 0 ? resources : new Map([...resources, ...missing])
}

function statusesByName(pod: Pod): ReadonlyMap<string, ContainerStatus> | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  if (containerStatuses.length === 0 && initContainerStatuses.length === 0) return undefined
  const byName = new Map<string, ContainerStatus>()
  for (const status of containerStatuses) byName.set(status.name, status)
  for (const status of initContainerStatuses) byName.set(status.name, status)
  return byName
}

// During a resize, a pod counts with the maximum of what it requests, was allocated, and has. If the resize is
// infeasible, the request does not count.
function effectiveRequests(
  pod: Pod,
  spec: ResourceList | undefined,
  actuated: ResourceRequirements,
  allocated: ResourceList | undefined,
): Quantities {
  const most = new Map(isResizeInfeasible(pod) ? toQuantities(undefined) : toQuantities(spec))
  raiseAll(most, toQuantities(actuated.requests))
  raiseAll(most, toQuantities(allocated))
  return most
}

function effectiveLimits(pod: Pod, spec: ResourceList | undefined, actuated: ResourceRequirements): Quantities {
  if (isResizeInfeasible(pod)) return toQuantities(actuated.limits)
  const most = new Map(toQuantities(spec))
  raiseAll(most, toQuantities(actuated.limits))
  return most
}

const nothing: Quantities = new Map()

export function toQuantities(list: ResourceList | undefined): Quantities {
  if (list === undefined) return nothing
  const quantities = new Map<string, Quantity>()
  for (const name in list) quantities.set(name, quantity(list[name] as string))
  return quantities
}

function addAll(total: Map<string, Quantity>, more: Quantities): void {
  for (const [name, amount] of more) {
    const sum = total.get(name)
    total.set(name, sum === undefined ? amount : addQuantities(sum, amount))
  }
}

function raiseAll(total: Map<string, Quantity>, floor: Quantities): void {
  for (const [name, amount] of floor) {
    const now = total.get(name)
    if (now === undefined || compareQuantities(amount, now) > 0) total.set(name, amount)
  }
}
