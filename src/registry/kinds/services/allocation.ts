import type { Failure } from '../../../api/call.ts'
import { containsIp, parseCidr } from '../../../api/cidr.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import { failure } from '../../../api/status.ts'
import { type FieldError, invalid, invalidObject } from '../../errors/field-error.ts'
import { noErrors } from '../../validation/reader.ts'
import { checkClusterIps } from '../../validation/services.ts'
import type { WriteContext } from '../kind.ts'

export type ServiceSpec = NonNullable<Service['spec']>
type ServicePorts = NonNullable<ServiceSpec['ports']>

// kube-apiserver's defaults: --service-cluster-ip-range and --service-node-port-range.
const serviceRange = '10.0.0.0/24'
const addressPrefix = '10.0.0.'
const firstHost = 2
const lastHost = 254
const firstNodePort = 30_000
const lastNodePort = 32_767
const clusterFamilies = ['IPv4']

const list = (spec: ServiceSpec | undefined, field: string): readonly string[] =>
  (spec?.[field] as readonly string[] | undefined) ?? []
const policyOf = (spec: ServiceSpec | undefined): string | undefined => spec?.['ipFamilyPolicy'] as string | undefined
const isHeadless = (spec: ServiceSpec): boolean => spec.clusterIP === 'None' || list(spec, 'clusterIPs')[0] === 'None'

const refuse = (service: Service, errors: readonly FieldError[]): Failure =>
  invalidObject('Service', 'services', service.metadata.name, errors)

/**
 * The service with its families, addresses and ports, or why they cannot be allocated. Runs before validation (v1.36,
 * registry/core/service/storage, Allocators).
 */
export function withAddresses(service: Service, before: Service | undefined, context: WriteContext): Service | Failure {
  const settled = withFamilies(service, before?.spec, context)
  if (Array.isArray(settled)) return refuse(service, settled)
  const addressed = withClusterIps(settled as ServiceSpec, before, context)
  if ('reason' in addressed) return refuse(service, [addressed as FieldError])
  return withPorts({ ...service, spec: addressed as ServiceSpec }, before, context)
}

function withFamilies(
  service: Service,
  before: ServiceSpec | undefined,
  { release }: WriteContext,
): ServiceSpec | readonly FieldError[] {
  let spec: ServiceSpec = { ...service.spec }
  if (spec.type === 'ExternalName') {
    // A policy without effect is not kept; an invalid one is reported first.
    const { internalTrafficPolicy, ...rest } = spec
    return internalTrafficPolicy === 'Cluster' || internalTrafficPolicy === 'Local' ? rest : spec
  }
  const isBare = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0
  const policy = policyOf(spec) ?? policyOf(before) ?? (isBare ? 'RequireDualStack' : 'SingleStack')
  spec = { ...spec, ipFamilyPolicy: policy }
  const errors = noErrors(release)
  checkClusterIps(errors, spec, list(before, 'clusterIPs'))
  if (errors.length > 0) return errors
  const ips = list(spec, 'clusterIPs')
  const families = [...list(spec, 'ipFamilies')]
  if (policy === 'SingleStack') {
    const why = (what: string): string =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`
    if (ips.length === 2) errors.push(invalid('spec.ipFamilyPolicy', policy, why('cluster IPs')))
    if (families.length === 2) errors.push(invalid('spec.ipFamilyPolicy', policy, why('IP families')))
  }
  for (const [i, ip] of ips.entries()) {
    if (ip === 'None') break
    if (i < families.length) continue
    const family = ip.includes(':') ? 'IPv6' : 'IPv4'
    if (clusterFamilies.includes(family)) families.push(family)
    else errors.push(invalid(`spec.clusterIPs[${i}]`, ips, `${family} is not configured on this cluster`))
  }
  if (errors.length > 0) return errors
  if (isBare) {
    if (families.length === 0) families.push('IPv4')
    if (families.length < 2 && policy !== 'SingleStack') families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4')
    return { ...spec, ipFamilies: families }
  }
  if (policy === 'RequireDualStack') {
    errors.push(invalid('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'))
  }
  families.forEach((family, i) => {
    if (clusterFamilies.includes(family)) return
    errors.push(invalid(`spec.ipFamilies[${i}]`, family, 'not configured on this cluster'))
  })
  if (errors.length > 0) return errors
  return { ...spec, ipFamilies: families.length === 0 ? ['IPv4'] : families }
}

function others(context: WriteContext, service: Service | undefined): readonly ServiceSpec[] {
  const uid = service?.metadata.uid
  const all = context.store.list('services') as readonly Service[]
  return all.filter((one) => uid === undefined || one.metadata.uid !== uid).map(({ spec }) => spec ?? {})
}

function withClusterIps(
  spec: ServiceSpec,
  before: Service | undefined,
  context: WriteContext,
): ServiceSpec | FieldError {
  if (spec.type === 'ExternalName' || isHeadless(spec)) return spec
  // An address is allocated once; validation checks that a service keeps its own.
  if (before !== undefined && before.spec?.type !== 'ExternalName') return spec
  // A dry run allocates nothing, so existing allocations do not matter.
  const taken = context.dryRun ? [] : others(context, before)
  const used = new Set(taken.flatMap((one) => list(one, 'clusterIPs')))
  const ips = list(spec, 'clusterIPs')
  const [asked = ''] = ips
  if (asked === '') {
    const address = freeAddress(used, context)
    return { ...spec, clusterIP: address, clusterIPs: [address] }
  }
  const refused = addressProblem(asked, used)
  if (refused !== undefined) return invalid('spec.clusterIPs', ips, `failed to allocate IP ${asked}: ${refused}`)
  return { ...spec, clusterIP: asked }
}

function addressProblem(ip: string, used: ReadonlySet<string>): string | undefined {
  const range = parseCidr(serviceRange)
  const isEdge = ip === `${addressPrefix}0` || ip === `${addressPrefix}255`
  if (range === undefined || !containsIp(range, ip) || isEdge) {
    return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${serviceRange}`
  }
  return used.has(ip) ? 'provided IP is already allocated' : undefined
}

function freeAddress(used: ReadonlySet<string>, context: WriteContext): string {
  const count = lastHost - firstHost + 1
  const start = context.random.stream('service-address').int(count)
  for (let i = 0; i < count; i++) {
    const address = `${addressPrefix}${firstHost + ((start + i) % count)}`
    if (!used.has(address)) return address
  }
  return ''
}

const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer'
const needsHealthCheck = (spec: ServiceSpec | undefined): boolean =>
  spec?.type === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local'

/** The node ports that one request allocates; it may use its own again. */
class NodePorts {
  private readonly used: Set<number>
  private readonly context: WriteContext

  constructor(specs: readonly ServiceSpec[], context: WriteContext) {
    this.context = context
    this.used = new Set()
    for (const spec of specs) {
      for (const { nodePort } of spec.ports ?? []) if (nodePort) this.used.add(nodePort)
      const check = spec['healthCheckNodePort'] as number | undefined
      if (check) this.used.add(check)
    }
  }

  problem(port: number): string | undefined {
    if (!this.context.dryRun && (port < firstNodePort || port > lastNodePort)) {
      return `provided port is not in the valid range. The range of valid ports is ${firstNodePort}-${lastNodePort}`
    }
    if (this.used.has(port)) return 'provided port is already allocated'
    this.used.add(port)
    return undefined
  }

  next(): number {
    const count = lastNodePort - firstNodePort + 1
    const start = this.context.random.stream('service-node-port').int(count)
    let port = firstNodePort + start
    for (let i = 1; i < count && this.used.has(port); i++) port = firstNodePort + ((start + i) % count)
    this.used.add(port)
    return port
  }
}

function withPorts(service: Service, before: Service | undefined, context: WriteContext): Service | Failure {
  let spec = service.spec as ServiceSpec
  const needs = needsHealthCheck(spec) && !needsHealthCheck(before?.spec)
  if (!hasNodePorts(spec) && !needs) return service
  const free = new NodePorts(others(context, before ?? undefined), context)
  if (hasNodePorts(spec) && spec.ports !== undefined && spec.ports !== null) {
    const ports = before === undefined ? newPorts(spec, free) : changedPorts(spec, before.spec, free)
    if (!Array.isArray(ports)) return refuse(service, [ports as FieldError])
    spec = { ...spec, ports }
  }
  if (!needs) return { ...service, spec }
  const asked = (spec['healthCheckNodePort'] as number | undefined) ?? 0
  const problem = asked === 0 ? undefined : free.problem(asked)
  if (problem !== undefined) {
    const why = `failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`
    return failure('InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] })
  }
  return { ...service, spec: { ...spec, healthCheckNodePort: asked === 0 ? free.next() : asked } }
}

const allocates = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || spec['allocateLoadBalancerNodePorts'] !== false

const portProblem = (i: number, port: number, why: string): FieldError =>
  invalid(`spec.ports[${i}].nodePort`, port, why)

/** Ports of the same number share a node port, for all protocols. */
function newPorts(spec: ServiceSpec, free: NodePorts): ServicePorts | FieldError {
  const given = new Map<number, number>()
  const out: ServicePorts[number][] = []
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const own = port.nodePort ?? 0
    const shared = given.get(port.port)
    if (own === 0 && !allocates(spec)) out.push(port)
    else if (shared === undefined) {
      const asked = spec.ports?.find((one) => one.port === port.port && (one.nodePort ?? 0) !== 0)?.nodePort
      const problem = asked === undefined ? undefined : free.problem(asked)
      if (asked !== undefined && problem !== undefined) return portProblem(i, asked, problem)
      const nodePort = asked ?? free.next()
      given.set(port.port, nodePort)
      out.push({ ...port, nodePort })
    } else if (own === 0) out.push({ ...port, nodePort: shared })
    else {
      const problem = own === shared ? undefined : free.problem(own)
      if (problem !== undefined) return portProblem(i, own, problem)
      out.push(port)
    }
  }
  return out
}

function changedPorts(spec: ServiceSpec, before: ServiceSpec | undefined, free: NodePorts): ServicePorts | FieldError {
  const kept = new Set((before?.ports ?? []).map(({ nodePort }) => nodePort))
  const taken = new Set<number>()
  const out: ServicePorts[number][] = []
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const own = port.nodePort ?? 0
    if (own === 0) {
      out.push(allocates(spec) ? { ...port, nodePort: free.next() } : port)
      continue
    }
    const problem = kept.has(own) || taken.has(own) ? undefined : free.problem(own)
    if (problem !== undefined) return portProblem(i, own, problem)
    taken.add(own)
    out.push(port)
  }
  return out
}
