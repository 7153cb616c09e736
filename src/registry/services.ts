import { deepEqual } from '../api/equality.ts'
import type { Service } from '../api/objects/cluster.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { WriteContext } from './kind.ts'

type Spec = NonNullable<Service['spec']>
type Ports = NonNullable<Spec['ports']>

// kube-apiserver's own defaults: --service-cluster-ip-range and --service-node-port-range.
const addressPrefix = '10.0.0.'
const firstHost = 2
const lastHost = 254
const firstNodePort = 30_000
const nodePorts = 2768

const hasNodePorts = (type: string): boolean => type === 'NodePort' || type === 'LoadBalancer'

/** A service with the addresses and ports that the cluster gives it; those it names itself are kept. */
export function withAllocations(object: KubeObject, context: WriteContext, old?: KubeObject): Service {
  const service = object as Service
  const before = (old as Service | undefined)?.spec
  const type = service.spec?.type ?? 'ClusterIP'
  let spec = withoutLeftovers(withBothAddresses({ ...service.spec }, before), before)
  if (type === 'ExternalName') return { ...service, spec }
  if ((spec.clusterIP ?? '') === '' && (spec.clusterIPs ?? []).length === 0) {
    const kept = before?.type === 'ExternalName' ? undefined : before?.clusterIP
    const address = kept !== undefined && kept !== '' ? kept : freeAddress(context)
    spec = { ...spec, clusterIP: address, clusterIPs: [address] }
  }
  if (spec['ipFamilies'] === undefined) spec = { ...spec, ipFamilies: before?.['ipFamilies'] ?? ['IPv4'] }
  if (spec['ipFamilyPolicy'] === undefined) spec = { ...spec, ipFamilyPolicy: 'SingleStack' }
  if (spec.ports !== undefined && hasNodePorts(type) && spec['allocateLoadBalancerNodePorts'] !== false) {
    spec = { ...spec, ports: withNodePorts(spec.ports, before?.ports ?? [], context) }
  }
  return { ...service, spec }
}

/** The address and the list that came after it are kept alike for clients that know only one of them. */
function withBothAddresses(spec: Spec, before: Spec | undefined): Spec {
  const [single, all] = [spec.clusterIP ?? '', spec.clusterIPs ?? []]
  if (before === undefined) return single !== '' && all.length === 0 ? { ...spec, clusterIPs: [single] } : spec
  const [oldSingle, oldAll] = [before.clusterIP ?? '', before.clusterIPs ?? []]
  if (single === oldSingle) return all.length === 0 && oldAll.length > 0 ? { ...spec, clusterIPs: oldAll } : spec
  if (!deepEqual(all, oldAll)) return spec
  if (single !== '') return { ...spec, clusterIPs: [single] }
  const { clusterIPs: _, ...rest } = spec
  return rest
}

/** What only the type before could have goes with it, unless the client changed it, too. */
function withoutLeftovers(spec: Spec, before: Spec | undefined): Spec {
  const type = spec.type ?? 'ClusterIP'
  if (before === undefined || before.type === type) return spec
  const out: Record<string, unknown> = { ...spec }
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

function services(context: WriteContext): readonly Service[] {
  return context.store.list('services') as readonly Service[]
}

function freeAddress(context: WriteContext): string {
  const used = new Set(services(context).map(({ spec }) => spec?.clusterIP))
  const count = lastHost - firstHost + 1
  const start = context.random.stream('service-address').int(count)
  for (let i = 0; i < count; i++) {
    const address = `${addressPrefix}${firstHost + ((start + i) % count)}`
    if (!used.has(address)) return address
  }
  return ''
}

function withNodePorts(ports: Ports, before: Ports, context: WriteContext): Ports {
  const used = new Set(services(context).flatMap(({ spec }) => spec?.ports?.map(({ nodePort }) => nodePort) ?? []))
  return ports.map((port) => {
    if ((port.nodePort ?? 0) !== 0) return port
    const kept = before.find((one) => one.port === port.port && one.protocol === port.protocol)?.nodePort
    if (kept !== undefined) return { ...port, nodePort: kept }
    const start = context.random.stream('service-node-port').int(nodePorts)
    let nodePort = firstNodePort + start
    for (let i = 1; i < nodePorts && used.has(nodePort); i++) nodePort = firstNodePort + ((start + i) % nodePorts)
    used.add(nodePort)
    return { ...port, nodePort }
  })
}
