import type { Container, Pod, PodSpec, ResourceList, ResourceRequirements } from '../../api/objects/pod.ts'
import { podLimits, podRequests } from '../../api/pod-resources.ts'
import { formatQuantity } from '../../api/quantity.ts'
import { isHugePagesResource, isPodLevelResource } from '../../api/resource-names.ts'
import { extended } from '../../base/extended.ts'
import { Recent } from '../../base/recent.ts'

const recent = new Recent<object, PodSpec>()

/** What a pod has and a pod template does not: requests from limits, host ports, pod-level resources (SetDefaults_Pod). */
export function podDefaults(given: Record<string, unknown>): Record<string, unknown> {
  const spec = given['spec'] as PodSpec | undefined
  if (spec === undefined) return given
  let filled = recent.get(spec)
  if (filled === undefined) {
    filled = specDefaults(spec)
    recent.set(spec, filled)
  }
  return filled === spec ? given : { ...given, spec: filled }
}

function specDefaults(spec: PodSpec): PodSpec {
  const hostNetwork = spec.hostNetwork === true
  const containers = each(spec.containers, hostNetwork)
  const initContainers = each(spec.initContainers, hostNetwork)
  let out: PodSpec = spec
  if (containers !== spec.containers) out = { ...out, containers: containers as readonly Container[] }
  if (initContainers !== spec.initContainers) out = { ...out, initContainers: initContainers as readonly Container[] }
  if (spec.resources !== undefined) out = { ...out, resources: podLevelResources(out, spec.resources) }
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
    if (missing) out = { ...out, resources: { ...resources, requests: { ...limits, ...requests } } }
  }
  if (hostNetwork && ports?.some((port) => (port.hostPort ?? 0) === 0)) {
    out = {
      ...out,
      ports: ports.map((port) => ((port.hostPort ?? 0) === 0 ? { ...port, hostPort: port.containerPort } : port)),
    }
  }
  return out
}

function podLevelResources(spec: PodSpec, given: ResourceRequirements): ResourceRequirements {
  // Only what the containers ask for; the pod's own resources would stand in for theirs.
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
