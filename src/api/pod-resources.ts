import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from './objects/pod.ts'
import { addQuantities, compareQuantities, type Quantity, quantity, quantitySign, zeroQuantity } from './quantity.ts'
import { atLeast } from './releases/at-least.ts'
import type { KubernetesRelease } from './releases/kubernetes-release.ts'
import { isPodLevelResource } from './resource-names.ts'

/** Quantities by resource name. */
export type Quantities = ReadonlyMap<string, Quantity>

/**
 * How the status of a pod counts during an in-place resize: by container, or since v1.37 by the sums of requested,
 * allocated and actual resources over all containers; with or without the pod-level status.
 */
export type StatusCounting = 'containers' | 'containers-and-pod' | 'sums' | 'sums-and-pod'

/** How the scheduler of a release counts the status of pods. */
export function statusCountingOf(release: KubernetesRelease): StatusCounting {
  const podLevel = release.gates.has('InPlacePodLevelResourcesVerticalScaling')
  if (atLeast(release, '1.37')) return podLevel ? 'sums-and-pod' : 'sums'
  return podLevel ? 'containers-and-pod' : 'containers'
}

export interface PodResourcesOptions {
  /** Also counts the resources in the status of a running pod (upstream UseStatusResources). */
  readonly useStatus?: StatusCounting
  readonly excludeOverhead?: boolean
  /** Ignores pod-level requests and limits. */
  readonly skipPodLevel?: boolean
  /** Defaults for requests that a container does not set. Explicit zeros stay zero. */
  readonly containerDefaults?: Quantities
}

const noOptions: PodResourcesOptions = {}

/** The requests of the pod (component-helpers/resource PodRequests). */
export function podRequests(pod: Pod, options: PodResourcesOptions = noOptions): Quantities {
  const total = sumContainers(pod, 'requests', options)
  if (options.skipPodLevel !== true && hasPodLevelRequests(pod)) applyPodLevel(total, pod, 'requests', options)
  if (options.excludeOverhead !== true) addAll(total, toQuantities(pod.spec.overhead))
  return total
}

/** The limits of the pod (PodLimits). Overhead is added only to limits that are set. */
export function podLimits(pod: Pod, options: PodResourcesOptions = noOptions): Quantities {
  const total = sumContainers(pod, 'limits', options)
  const podLevel = pod.spec.resources?.limits
  if (options.skipPodLevel !== true && podLevel !== undefined && Object.keys(podLevel).some(isPodLevelResource))
    applyPodLevel(total, pod, 'limits', options)
  if (options.excludeOverhead !== true) {
    for (const [name, overhead] of toQuantities(pod.spec.overhead)) {
      const limit = total.get(name)
      if (limit !== undefined && quantitySign(limit) !== 0) total.set(name, addQuantities(limit, overhead))
    }
  }
  return total
}

/** Replaces the sum of the containers by pod-level resources. */
function applyPodLevel(total: Map<string, Quantity>, pod: Pod, side: Side, { useStatus }: PodResourcesOptions): void {
  const spec = pod.spec.resources?.[side] ?? {}
  const { status } = pod
  const resized =
    status?.resources === undefined
      ? undefined
      : side === 'requests'
        ? effectiveRequests(pod, spec, status.resources, status.allocatedResources)
        : effectiveLimits(pod, spec, status.resources)
  if (resized !== undefined && useStatus === 'sums-and-pod') {
    for (const [name, amount] of resized) if (isPodLevelResource(name)) total.set(name, amount)
    return
  }
  const effective = resized !== undefined && useStatus === 'containers-and-pod' ? resized : toQuantities(spec)
  for (const name of Object.keys(spec)) {
    if (isPodLevelResource(name)) total.set(name, effective.get(name) ?? zeroQuantity)
  }
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

function sumContainers(pod: Pod, side: Side, options: PodResourcesOptions): Map<string, Quantity> {
  const { useStatus } = options
  const bySum = useStatus === 'sums' || useStatus === 'sums-and-pod'
  const defaults = side === 'requests' ? options.containerDefaults : undefined
  const spec = (container: Container) => toQuantities(container.resources?.[side])
  const statuses = useStatus === undefined ? undefined : statusesByName(pod, bySum)
  const hasSums = useStatus === 'sums-and-pod' && hasStatusSums(pod, side)
  if (statuses === undefined && !hasSums && !(bySum && isResizeInfeasible(pod))) return aggregate(pod, spec, defaults)
  if (bySum) {
    return largestSum(pod, side, hasSums ? undefined : (statuses ?? new Map()), defaults)
  }
  return aggregate(
    pod,
    (container, isInit) => {
      // The status of a finished init container no longer matters, so it is not read.
      const status = isInit ? undefined : statuses?.get(container.name)
      if (status?.resources === undefined) return spec(container)
      const requested = container.resources?.[side]
      return side === 'requests'
        ? effectiveRequests(pod, requested, status.resources, status.allocatedResources)
        : effectiveLimits(pod, requested, status.resources)
    },
    defaults,
  )
}

/** Since v1.37 the kubelet reports the sums over all containers, even for pods without pod-level resources. */
function hasStatusSums({ status }: Pod, side: Side): boolean {
  if (side === 'limits') return status?.resources?.limits !== undefined
  return status?.allocatedResources !== undefined && status.resources?.requests !== undefined
}

/**
 * The maximum of the sums of requested, allocated and actual resources. If the resize is infeasible, requested
 * resources do not count. Without `statuses`, the status of the pod has the sums.
 */
function largestSum(
  pod: Pod,
  side: Side,
  statuses: ReadonlyMap<string, ContainerStatus> | undefined,
  defaults: Quantities | undefined,
): Map<string, Quantity> {
  const infeasible = isResizeInfeasible(pod)
  const spec = (container: Container): ResourceList | undefined => container.resources?.[side]
  const fallback = (container: Container) => (infeasible ? undefined : spec(container))
  const sum = (
    of: (container: Container, status: ContainerStatus | undefined) => ResourceList | undefined,
  ): Quantities => aggregate(pod, (container) => toQuantities(of(container, statuses?.get(container.name))), defaults)
  const most = infeasible ? new Map<string, Quantity>() : new Map(sum(spec))
  if (statuses === undefined) {
    raiseAll(most, toQuantities(pod.status?.resources?.[side]))
    if (side === 'requests') raiseAll(most, toQuantities(pod.status?.allocatedResources))
    return most
  }
  if (side === 'limits') {
    raiseAll(
      most,
      sum((container, status) => status?.resources?.limits ?? fallback(container)),
    )
    return most
  }
  raiseAll(
    most,
    sum((container, status) => status?.allocatedResources ?? fallback(container)),
  )
  raiseAll(
    most,
    sum((container, status) => status?.resources?.requests ?? status?.allocatedResources ?? fallback(container)),
  )
  return most
}

/**
 * The sum of containers and sidecars, but at least the maximum while an init container runs: that container plus the
 * sidecars started before it.
 */
function aggregate(
  pod: Pod,
  resourcesOf: (container: Container, isInit: boolean) => Quantities,
  defaults: Quantities | undefined,
): Map<string, Quantity> {
  const total = new Map<string, Quantity>()
  for (const container of pod.spec.containers) addAll(total, withDefaults(resourcesOf(container, false), defaults))
  const sidecars = new Map<string, Quantity>()
  const whileStarting = new Map<string, Quantity>()
  for (const container of pod.spec.initContainers ?? []) {
    const own = withDefaults(resourcesOf(container, !isSidecar(container)), defaults)
    if (isSidecar(container)) {
      addAll(total, own)
      addAll(sidecars, own)
      raiseAll(whileStarting, sidecars)
    } else {
      const inUse = new Map(own)
      addAll(inUse, sidecars)
      raiseAll(whileStarting, inUse)
    }
  }
  raiseAll(total, whileStarting)
  return total
}

function withDefaults(resources: Quantities, defaults: Quantities | undefined): Quantities {
  if (defaults === undefined) return resources
  const missing = [...defaults].filter(([name]) => !resources.has(name))
  return missing.length === 0 ? resources : new Map([...resources, ...missing])
}

/** Of several statuses with one name, the last one counts; since v1.37 the first one. */
function statusesByName(pod: Pod, firstCounts: boolean): ReadonlyMap<string, ContainerStatus> | undefined {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  if (containerStatuses.length === 0 && initContainerStatuses.length === 0) return undefined
  const byName = new Map<string, ContainerStatus>()
  for (const status of [...containerStatuses, ...initContainerStatuses]) {
    if (!firstCounts || !byName.has(status.name)) byName.set(status.name, status)
  }
  return byName
}

// During a resize, a pod counts with the maximum of its requested, allocated and actual resources. If the resize is
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
