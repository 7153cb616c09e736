import type { Failure } from '../../../api/call.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import { failure } from '../../../api/status.ts'
import { type FieldError, invalid } from '../../errors/field-error.ts'
import type { WriteContext } from '../kind.ts'
import { otherSpecs, refuse, type ServiceSpec } from './service-spec.ts'

type ServicePorts = NonNullable<ServiceSpec['ports']>

// kube-apiserver's default of --service-node-port-range.
const firstNodePort = 30_000
const lastNodePort = 32_767

const hasNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer'
const needsHealthCheck = (spec: ServiceSpec | undefined): boolean =>
  spec?.type === 'LoadBalancer' && spec['externalTrafficPolicy'] === 'Local'

/** The node ports that one request allocates. The service may keep its node ports. */
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

/** The service with its node ports, or why they cannot be allocated. */
export function withNodePorts(service: Service, before: Service | undefined, context: WriteContext): Service | Failure {
  let spec = service.spec as ServiceSpec
  const needs = needsHealthCheck(spec) && !needsHealthCheck(before?.spec)
  if (!hasNodePorts(spec) && !needs) return service
  const free = new NodePorts(otherSpecs(context, before), context)
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
