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
  let spec: Spec = { ...service.spec }
  if (type === 'ExternalName') {
    const { clusterIP: _, clusterIPs: __, ...rest } = spec
    return { ...service, spec: rest }
  }
  spec = withAddress(spec, before, context)
  if (spec['ipFamilies'] === undefined) spec = { ...spec, ipFamilies: ['IPv4'] }
  if (spec['ipFamilyPolicy'] === undefined) spec = { ...spec, ipFamilyPolicy: 'SingleStack' }
  if (spec.ports !== undefined && hasNodePorts(type) && spec['allocateLoadBalancerNodePorts'] !== false) {
    spec = { ...spec, ports: withNodePorts(spec.ports, before?.ports ?? [], context) }
  }
  return { ...service, spec }
}

function withAddress(spec: Spec, before: Spec | undefined, context: WriteContext): Spec {
  const own = spec.clusterIP ?? ''
  if (own !== '') return spec.clusterIPs === undefined ? { ...spec, clusterIPs: [own] } : spec
  const kept = before?.clusterIP
  const address = kept !== undefined && kept !== '' ? kept : freeAddress(context)
  return { ...spec, clusterIP: address, clusterIPs: [address] }
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
