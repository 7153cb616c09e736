import type { Container, Pod, PodSpec, ResourceList, ResourceRequirements } from '../../api/objects/pod.ts'
import { podLimits, podRequests } from '../../api/pod-resources.ts'
import { compareQuantities, formatQuantity, parseQuantity } from '../../api/quantity.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { isHugePagesResource, isPodLevelResource } from '../../api/resource-names.ts'
import { extended } from '../../base/extended.ts'
import { Recent } from '../../base/recent.ts'

const recent = new Recent<object, { readonly release: KubernetesRelease; readonly spec: PodSpec }>()

/**
 * Defaults of pods that pod templates do not have: requests from limits, host ports, pod-level resources
 * (SetDefaults_Pod).
 */
export function podDefaults(given: Record<string, unknown>, release: KubernetesRelease): Record<string, unknown> {
  const spec = given['spec'] as PodSpec | undefined
  if (spec === undefined) return given
  let known = recent.get(spec)
  if (known?.release !== release) {
    known = { release, spec: specDefaults(spec, release) }
    recent.set(spec, known)
  }
  return known.spec === spec ? given : { ...given, spec: known.spec }
}

function specDefaults(spec: PodSpec, release: KubernetesRelease): PodSpec {
  const hostNetwork = spec.hostNetwork === true
  const containers = each(spec.containers, hostNetwork)
  const initContainers = each(spec.initContainers, hostNetwork)
  let out: PodSpec = spec
  if (containers !== spec.containers) out = { ...out, containers: containers as readonly Container[] }
  if (initContainers !== spec.initContainers) out = { ...out, initContainers: initContainers as readonly Container[] }
  if (spec.resources !== undefined && !release.gates.has('PodLevelResourcesFixDefaulting')) {
    out = { ...out, resources: podLevelResources(out, spec.resources) }
  }
  const grace = spec.terminationGracePeriodSeconds
  if (grace !== undefined && grace < 0 && atLeast(release, '1.37')) out = { ...out, terminationGracePeriodSeconds: 1 }
  return out.enableServiceLinks === undefined ? extended(out, { enableServiceLinks: true }) : out
}

function each(containers: readonly Container[] | undefined, hostNetwork: boolean): readonly Container[] | undefined {
  if (!Array.isArray(containers)) return containers
  const filled = (containers as readonly Container[]).map((one) => containerDefaults(one, hostNetwork))
  return filled.every((one, i) => one === containers[i]) ? containers : filled
}

function containerDefaults(container: Container, hostNetwork: boolean): Container {
  const { resources, ports } = container
  let out = container
  const limits = resources?.limits
  if (limits !== undefined) {
    const requests = resources?.requests ?? {}
    const missing = Object.keys(limits).some((name) => !Object.hasOwn(requests, name))
    // The same list is put in order, validated and owned only once.
    const filled = Object.keys(requests).length === 0 ? limits : { ...limits, ...requests }
    if (missing) out = { ...out, resources: { ...resources, requests: filled } }
  }
  if (hostNetwork && ports?.some((port) => (port.hostPort ?? 0) === 0)) {
    out = {
      ...out,
      ports: ports.map((port) => ((port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port)),
    }
  }
  return out
}

/**
 * Sets the resources of a new or resized pod from the resources of its containers. With the gate
 * PodLevelResourcesFixDefaulting, this runs after admission, which may have changed the containers (api/pod
 * DefaultPodLevelResources).
 */
export function withPodLevelResources(spec: PodSpec, { gates }: KubernetesRelease): PodSpec {
  const given = spec.resources
  if (given === undefined || !gates.has('PodLevelResourcesFixDefaulting')) return spec
  if (isEmpty(given.requests) && isEmpty(given.limits)) return spec
  const filled = podLevelResources(spec, given)
  const limits = limitsFor(spec, filled)
  return { ...spec, resources: limits === undefined ? filled : { ...filled, limits } }
}

/** Limits of the resources that every container limits; at least the requests. */
function limitsFor(spec: PodSpec, { requests = {}, limits = {} }: ResourceRequirements): ResourceList | undefined {
  const containers: readonly Pick<Container, 'resources'>[] = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ]
  const missing = Object.keys(requests).filter(
    (name) =>
      isPodLevelResource(name) &&
      limits[name] === undefined &&
      containers.every(({ resources }) => resources?.limits?.[name] !== undefined),
  )
  if (missing.length === 0) return undefined
  const { resources: _, overhead: __, ...bare } = spec
  const summed = podLimits({ metadata: { name: '' }, spec: bare as PodSpec })
  const found: Record<string, string> = { ...limits }
  for (const name of missing) {
    const sum = summed.get(name)
    const request = parseQuantity(requests[name] ?? '0')
    if (sum === undefined || !request.ok) continue
    found[name] = formatQuantity(compareQuantities(request.value, sum) > 0 ? request.value : sum)
  }
  return found
}

function podLevelResources(spec: PodSpec, given: ResourceRequirements): ResourceRequirements {
  // Only the requests of containers; the pod-level resources would replace them.
  const { resources: _, overhead: __, ...bare } = spec
  const pod: Pod = { metadata: { name: '' }, spec: { ...bare, containers: spec.containers ?? [] } }
  const limits = hugePageLimits(pod, given)
  const requests = requestsFor(pod, given.requests, limits)
  return {
    ...given,
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
  }
}

function hugePageLimits(pod: Pod, given: ResourceRequirements): ResourceList | undefined {
  if (isEmpty(given.limits) && isEmpty(given.requests)) return given.limits
  const limits: Record<string, string> = { ...given.limits }
  for (const [name, amount] of podLimits(pod)) {
    if (!isHugePagesResource(name) || given.requests?.[name] !== undefined) continue
    limits[name] ??= formatQuantity(amount)
  }
  return isEmpty(limits) ? given.limits : limits
}

function requestsFor(
  pod: Pod,
  given: ResourceList | undefined,
  limits: ResourceList | undefined,
): ResourceList | undefined {
  if (limits === undefined || isEmpty(limits)) return given
  const requests: Record<string, string> = { ...given }
  for (const [name, amount] of podRequests(pod)) {
    if (isPodLevelResource(name) && !isHugePagesResource(name)) requests[name] ??= formatQuantity(amount)
  }
  for (const [name, amount] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= amount
  return isEmpty(requests) ? given : requests
}

function isEmpty(list: ResourceList | undefined): boolean {
  return list === undefined || Object.keys(list).length === 0
}
