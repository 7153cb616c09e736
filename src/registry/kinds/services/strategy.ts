import type { Failure } from '../../../api/call.ts'
import { deepEqual } from '../../../api/equality.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { isFailure } from '../../errors/is-failure.ts'
import type { WriteContext } from '../kind.ts'
import { withAddresses } from './allocation.ts'
import { type ServiceSpec, texts } from './service-spec.ts'

const hasNodePorts = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer'

/** Whether node ports are allocated by default. */
const drawsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false)

const needsHealthCheck = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local'

/** A service with its allocated addresses and ports, or why they cannot be allocated. */
export function withAllocations(object: KubeObject, context: WriteContext, old?: KubeObject): Service | Failure {
  const service = object as Service
  const before = old as Service | undefined
  const patched = withKeptValues({ ...service.spec }, before?.spec)
  const spec = withBothAddresses(patched, before?.spec)
  const allocated = withAddresses({ ...service, spec, ...balancerStatus(service, spec) }, before, context)
  if (isFailure(allocated) || before === undefined) return allocated
  return { ...allocated, spec: withoutLeftovers(allocated.spec ?? {}, before.spec) }
}

/** A service that is no longer of type LoadBalancer loses its load balancer status. */
function balancerStatus(service: Service, spec: ServiceSpec): { readonly status?: object } {
  const status = service.status as { readonly loadBalancer?: { readonly ingress?: unknown } } | undefined
  if (spec.type === 'LoadBalancer' || status?.loadBalancer?.ingress === undefined) return {}
  return { status: { ...status, loadBalancer: {} } }
}

/** Keeps allocated values that a client omitted (patchAllocatedValues). */
function withKeptValues(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  const type = spec.type ?? 'ClusterIP'
  if (before === undefined || type === 'ExternalName' || before.type === 'ExternalName') return spec
  let next = spec
  if ((spec.clusterIP ?? '') === '' && before.clusterIP !== undefined) next = { ...next, clusterIP: before.clusterIP }
  if (texts(spec, 'clusterIPs').length === 0 && texts(before, 'clusterIPs').length > 0) {
    next = { ...next, clusterIPs: texts(before, 'clusterIPs') }
  }
  if (drawsNodePorts(spec) && drawsNodePorts(before) && spec.ports !== undefined && spec.ports !== null) {
    const used = new Set(spec.ports.map(({ nodePort }) => nodePort))
    // The last port with a name counts, because names identify ports.
    const known = new Map(before.ports?.map(({ name = '', nodePort }) => [name, nodePort]))
    const ports = spec.ports.map((port) => {
      const nodePort = (port.nodePort ?? 0) === 0 ? known.get(port.name ?? '') : undefined
      return nodePort === undefined || used.has(nodePort) ? port : { ...port, nodePort }
    })
    next = { ...next, ports }
  }
  const check = before['healthCheckNodePort'] as number | undefined
  if (type === 'LoadBalancer' && before.type === 'LoadBalancer' && !spec['healthCheckNodePort'] && check) {
    next = { ...next, healthCheckNodePort: check }
  }
  return next
}

/** clusterIP and clusterIPs are kept equal, for clients that know only one of them (normalizeClusterIPs). */
function withBothAddresses(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  const single = spec.clusterIP ?? ''
  const all = texts(spec, 'clusterIPs')
  if (before === undefined) return single !== '' && all.length === 0 ? { ...spec, clusterIPs: [single] } : spec
  const oldSingle = before.clusterIP ?? ''
  const oldAll = texts(before, 'clusterIPs')
  if (single === oldSingle) return all.length === 0 && oldAll.length > 0 ? { ...spec, clusterIPs: oldAll } : spec
  if (!deepEqual(all, oldAll)) return spec
  if (single !== '') return { ...spec, clusterIPs: [single] }
  const { clusterIPs: _, ...rest } = spec
  return rest
}

/**
 * Drops fields that the type of the service does not allow, unless the client changed them (dropTypeDependentFields).
 */
function withoutLeftovers(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  if (before === undefined) return spec
  const type = spec.type ?? 'ClusterIP'
  const oldType = before.type ?? 'ClusterIP'
  const out: Record<string, unknown> = { ...spec }
  const dropSame = (...fields: readonly string[]): void => {
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete out[field]
  }
  if (oldType !== 'ExternalName' && type === 'ExternalName') {
    if (deepEqual(texts(spec, 'clusterIPs'), texts(before, 'clusterIPs'))) {
      delete out['clusterIP']
      delete out['clusterIPs']
    }
    dropSame('ipFamilies', 'ipFamilyPolicy')
  }
  if (hasNodePorts(oldType) && !hasNodePorts(type) && !hasNewNodePort(spec, before)) {
    out['ports'] = spec.ports?.map(({ nodePort: _, ...port }) => port)
  }
  if (needsHealthCheck(before) && !needsHealthCheck(spec)) dropSame('healthCheckNodePort')
  if (oldType === 'LoadBalancer' && type !== 'LoadBalancer') {
    dropSame('allocateLoadBalancerNodePorts', 'loadBalancerClass')
  }
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) dropSame('externalTrafficPolicy')
  return out as ServiceSpec
}

function hasNewNodePort(spec: ServiceSpec, before: ServiceSpec): boolean {
  const known = new Set(before.ports?.map(({ nodePort }) => nodePort))
  return spec.ports?.some(({ nodePort = 0 }) => nodePort !== 0 && !known.has(nodePort)) === true
}

function isReachedFromOutside({ type = 'ClusterIP', externalIPs }: ServiceSpec): boolean {
  return hasNodePorts(type) || (type === 'ClusterIP' && ((externalIPs ?? []) as readonly string[]).length > 0)
}
