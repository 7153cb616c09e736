import type { Failure } from '../api/call.ts'
import { deepEqual } from '../api/equality.ts'
import type { Service } from '../api/objects/cluster.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { WriteContext } from './kind.ts'
import { withAddresses } from './service-allocation.ts'

type Spec = NonNullable<Service['spec']>

const hasNodePorts = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer'

const needsHealthCheck = (spec: Spec): boolean =>
  spec.type === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local'

/** A service with the addresses and ports that the cluster gives it, or why it cannot have what it asks for. */
export function withAllocations(object: KubeObject, context: WriteContext, old?: KubeObject): Service | Failure {
  const service = object as Service
  const before = old as Service | undefined
  const patched = withKeptValues({ ...service.spec }, before?.spec)
  const spec = withoutLeftovers(withBothAddresses(patched, before?.spec), before?.spec)
  return withAddresses({ ...service, spec }, before, context)
}

/** What a client left out and the service has already (patchAllocatedValues). */
function withKeptValues(spec: Spec, before: Spec | undefined): Spec {
  const type = spec.type ?? 'ClusterIP'
  if (before === undefined || type === 'ExternalName' || before.type === 'ExternalName') return spec
  let next = spec
  if ((spec.clusterIP ?? '') === '') {
    const { clusterIP } = before
    const clusterIPs = (spec.clusterIPs ?? []).length === 0 ? before.clusterIPs : undefined
    next = {
      ...next,
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ...(clusterIPs === undefined ? {} : { clusterIPs }),
    }
  }
  if (hasNodePorts(type) && hasNodePorts(before.type ?? '') && spec.ports !== undefined && spec.ports !== null) {
    const used = new Set(spec.ports.map(({ nodePort }) => nodePort))
    const ports = spec.ports.map((port) => {
      if ((port.nodePort ?? 0) !== 0) return port
      const match = before.ports?.find((one) => one.port === port.port && one.protocol === port.protocol)
      const nodePort = match?.nodePort
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

/** The address and the list that came after it are kept alike for clients that know only one of them. */
function withBothAddresses(spec: Spec, before: Spec | undefined): Spec {
  const [single, all] = [spec.clusterIP ?? '', spec.clusterIPs ?? []]
  if (before === undefined) return single !== '' && all.length === 0 ? { ...spec, clusterIPs: [single] } : spec
  const [oldSingle, oldAll] = [before.clusterIP ?? '', before.clusterIPs ?? []]
  if (single === oldSingle) return all.length === 0 && oldAll.length > 0 ? { ...spec, clusterIPs: oldAll } : spec
  if (all.length === 0 && single !== '') return { ...spec, clusterIPs: [single] }
  if (!deepEqual(all, oldAll)) return spec
  if (single !== '') return { ...spec, clusterIPs: [single] }
  const { clusterIPs: _, ...rest } = spec
  return rest
}

/** What only the type before could have goes with it, unless the client changed it, too. */
function withoutLeftovers(spec: Spec, before: Spec | undefined): Spec {
  const type = spec.type ?? 'ClusterIP'
  if (before === undefined) return spec
  const out: Record<string, unknown> = { ...spec }
  if (needsHealthCheck(before) && !needsHealthCheck(spec)) {
    if (spec['healthCheckNodePort'] === before['healthCheckNodePort']) delete out['healthCheckNodePort']
  }
  if (before.type === type) return out as Spec
  if (type === 'ExternalName' && deepEqual(spec.clusterIPs, before.clusterIPs)) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) delete out[field]
  }
  if (hasNodePorts(before.type ?? '') && !hasNodePorts(type)) {
    out['ports'] = spec.ports?.map((port) => {
      const wasThere = before.ports?.some(({ nodePort }) => nodePort === port.nodePort) === true
      if (!wasThere) return port
      const { nodePort: _, ...rest } = port
      return rest
    })
    if (spec['externalTrafficPolicy'] === before['externalTrafficPolicy']) delete out['externalTrafficPolicy']
  }
  for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass', 'healthCheckNodePort']) {
    if (before.type === 'LoadBalancer' && out[field] === before[field]) delete out[field]
  }
  return out as Spec
}
