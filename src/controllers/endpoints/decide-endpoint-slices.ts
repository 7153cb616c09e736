import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import { canonicalIp, isIpv6 } from '../../api/ip-address.ts'
import type { Service } from '../../api/objects/cluster.ts'
import type { AddressType, Endpoint, EndpointPort, EndpointSlice } from '../../api/objects/endpoints.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerReference } from '../../api/owner-references.ts'
import {
  endpointPort,
  factsOf,
  findPort,
  hasEndpoint,
  hostnameOf,
  isHeadless,
  type ServiceFacts,
  withTriggerTime,
} from './service-pods.ts'
import {
  headlessLabel,
  managedByLabel,
  portsKey,
  recycled,
  type SliceChanges,
  serviceNameLabel,
  slicePrefix,
  slicesBy,
} from './slice-changes.ts'
import { type HintEvent, isTopologyAware, withTopologyHints } from './topology-hints.ts'
import { withHints } from './traffic-hints.ts'

export const sliceController = 'endpointslice-controller.k8s.io'
/** v1.36, --max-endpoints-per-slice. */
const maxEndpoints = 100
const reserved = [serviceNameLabel, managedByLabel, headlessLabel]

export interface SliceInput {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly node: (name: string) => Node | undefined
  /** The share of each zone in the CPU of all zones, for services with hints by topology. */
  readonly cpuShares?: () => ReadonlyMap<string, number> | undefined
  /** The slices of this controller with the name of the service. */
  readonly present: readonly EndpointSlice[]
  readonly triggeredAt: string | undefined
}

export interface SliceDecision {
  readonly changes: SliceChanges
  /** A pod is on a node that does not exist yet. */
  readonly isIncomplete: boolean
  readonly events: readonly HintEvent[]
}

/** The EndpointSlices of a service (v1.36, k8s.io/endpointslice, Reconciler). */
export function decideEndpointSlices(input: SliceInput): SliceDecision {
  const facts = factsOf(input.service)
  const types = addressTypes(facts)
  const remove = input.present.filter(({ addressType }) => !types.includes(addressType))
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  const removed: EndpointSlice[] = []
  const events: HintEvent[] = []
  let isIncomplete = false
  for (const type of types) {
    const one = decideFamily(
      { ...input, present: input.present.filter((slice) => slice.addressType === type) },
      facts,
      type,
    )
    isIncomplete ||= one.isIncomplete
    events.push(...one.events)
    create.push(...one.changes.create)
    update.push(...one.changes.update)
    removed.push(...one.changes.remove)
  }
  const isDeleted = input.service.metadata.deletionTimestamp !== undefined
  const changes = { create: isDeleted ? [] : create, update, remove: [...removed, ...remove] }
  return { changes, isIncomplete, events }
}

function addressTypes({ ipFamilies, clusterIP }: ServiceFacts): readonly AddressType[] {
  const found = ipFamilies.filter((family): family is AddressType => family === 'IPv4' || family === 'IPv6')
  if (found.length > 0) return found
  if (clusterIP !== '' && clusterIP !== 'None') return [isIpv6(clusterIP) ? 'IPv6' : 'IPv4']
  return ['IPv4', 'IPv6']
}

interface WantedSlice {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Map<string, Endpoint>
}

function decideFamily(input: SliceInput, facts: ServiceFacts, type: AddressType): SliceDecision {
  const { service, present, triggeredAt } = input
  const isOwned = (slice: EndpointSlice) =>
    (slice.metadata.ownerReferences ?? []).some(({ uid, kind }) => uid === service.metadata.uid && kind === 'Service')
  const { wanted, isIncomplete } = wantedEndpoints(input, facts, type)
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  let remove = present.filter((slice) => !isOwned(slice))
  const byPorts = slicesBy(present.filter(isOwned), ({ ports }) => portsKey(ports))
  for (const [key, one] of wanted) {
    const changes = decidePorts(service, facts, byPorts.get(key) ?? [], one, type)
    create.push(...changes.create)
    update.push(...changes.update)
    remove.push(...changes.remove)
  }
  for (const [key, slices] of byPorts) if (!wanted.has(key)) remove.push(...slices)
  // A service without endpoints has an empty slice.
  if (remove.length === present.length && create.length === 0) {
    const placeholder = newSlice(service, facts, [], type)
    const [only] = remove
    if (remove.length === 1 && only !== undefined && isPlaceholder(only, placeholder)) remove = []
    else create.push(placeholder)
  }
  const unhinted = { create, update, remove }
  const hinted = isTopologyAware(service)
    ? withTopologyHints(unhinted, present, input.cpuShares?.(), type)
    : { changes: withHints(service, unhinted, present), events: [] }
  const final = recycled(hinted.changes, isOwned)
  const stamped = (slice: EndpointSlice): EndpointSlice => {
    const annotations = withTriggerTime(slice.metadata.annotations, triggeredAt)
    const { annotations: _, ...metadata } = slice.metadata
    return { ...slice, metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations } }
  }
  const changes = { create: final.create.map(stamped), update: final.update.map(stamped), remove: final.remove }
  return { changes, isIncomplete, events: hinted.events }
}

const isPlaceholder = (slice: EndpointSlice, empty: EndpointSlice): boolean =>
  (slice.endpoints ?? []).length === 0 &&
  (slice.ports ?? []).length === 0 &&
  deepEqual(slice.metadata.labels, empty.metadata.labels) &&
  deepEqual(slice.metadata.ownerReferences, empty.metadata.ownerReferences)

function wantedEndpoints({ service, pods, node }: SliceInput, facts: ServiceFacts, type: AddressType) {
  const wanted = new Map<string, WantedSlice>()
  let isIncomplete = false
  for (const pod of pods) {
    if (!hasEndpoint(pod, true)) continue
    const ports = facts.ports.flatMap((port) => {
      const number = findPort(pod, port)
      return number === undefined ? [] : [endpointPort(port, number)]
    })
    const key = portsKey(ports)
    const one = wanted.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() }
    wanted.set(key, one)
    const home = node(pod.spec.nodeName ?? '')
    if (home === undefined && !facts.publishesNotReady) {
      isIncomplete = true
      continue
    }
    const endpoint = endpointOf(service, facts, pod, home, type)
    if (endpoint.addresses.length > 0) one.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return { wanted, isIncomplete }
}

/** Endpoints with the same addresses, host name and pod are equal, whatever their conditions are. */
const endpointKey = ({ addresses, hostname = '', targetRef }: Endpoint): string =>
  JSON.stringify([[...addresses].sort(), hostname, targetRef?.namespace, targetRef?.name, targetRef?.uid])

function endpointOf(
  service: Service,
  facts: ServiceFacts,
  pod: Pod,
  node: Node | undefined,
  type: AddressType,
): Endpoint {
  const serving = isPodReady(pod)
  const terminating = pod.metadata.deletionTimestamp !== undefined
  const ips = pod.status?.podIPs ?? (pod.status?.podIP === undefined ? [] : [{ ip: pod.status.podIP }])
  const hostname = hostnameOf(pod, service)
  const { name, namespace, uid } = pod.metadata
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'] ?? ''
  const { nodeName = '' } = pod.spec
  return {
    addresses: ips.filter(({ ip }) => isIpv6(ip) === (type === 'IPv6')).map(({ ip }) => canonicalIp(ip)),
    conditions: { ready: facts.publishesNotReady || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: {
      kind: 'Pod',
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(uid === undefined ? {} : { uid }),
    },
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === '' ? {} : { zone }),
  }
}

function sliceLabels(service: Service, facts: ServiceFacts): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.includes(key))
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(facts) ? { [headlessLabel]: '' } : {}),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: sliceController,
  }
}

function newSlice(
  service: Service,
  facts: ServiceFacts,
  ports: readonly EndpointPort[],
  addressType: AddressType,
): EndpointSlice {
  const { name, namespace } = service.metadata
  const metadata = {
    generateName: slicePrefix(name),
    ...(namespace === undefined ? {} : { namespace }),
    labels: sliceLabels(service, facts),
    ownerReferences: [controllerReference(service, { apiVersion: 'v1', kind: 'Service' })],
  } as unknown as EndpointSlice['metadata']
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, endpoints: [], ports }
}

/** Compares endpoints without hints, because hints are decided afterwards. */
function isCurrent(endpoint: Endpoint, wanted: Endpoint): boolean {
  const { hints: _, ...rest } = endpoint
  return deepEqual(rest, wanted)
}

/**
 * The slices of one set of ports. Endpoints stay in their slice, and changed slices are filled first
 * (reconcileByPortMapping).
 */
function decidePorts(
  service: Service,
  facts: ServiceFacts,
  present: readonly EndpointSlice[],
  { ports, endpoints: missing }: WantedSlice,
  type: AddressType,
): SliceChanges {
  const labels = sliceLabels(service, facts)
  const update: EndpointSlice[] = []
  const remove: EndpointSlice[] = []
  const unchanged: EndpointSlice[] = []
  for (const slice of present) {
    const before = slice.endpoints ?? []
    const kept = before.flatMap((endpoint) => {
      const found = missing.get(endpointKey(endpoint))
      missing.delete(endpointKey(endpoint))
      if (found === undefined) return []
      return [isCurrent(endpoint, found) ? endpoint : found]
    })
    const isChanged = kept.length !== before.length || kept.some((one, i) => one !== before[i])
    if (isChanged && kept.length === 0) remove.push(slice)
    else if (isChanged || !deepEqual(slice.metadata.labels, labels)) {
      update.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: kept })
    } else unchanged.push(slice)
  }
  const rest = [...missing.values()]
  update.sort((a, b) => (b.endpoints?.length ?? 0) - (a.endpoints?.length ?? 0))
  const filled = update.map((slice) => {
    const room = maxEndpoints - (slice.endpoints?.length ?? 0)
    return rest.length === 0 || room <= 0
      ? slice
      : { ...slice, endpoints: [...(slice.endpoints ?? []), ...rest.splice(0, room)] }
  })
  const create: EndpointSlice[] = []
  while (rest.length > 0) {
    const fitting = rest.length < maxEndpoints ? closest(unchanged, rest.length) : undefined
    if (fitting === undefined)
      create.push({ ...newSlice(service, facts, ports, type), endpoints: rest.splice(0, maxEndpoints) })
    else filled.push({ ...fitting, endpoints: [...(fitting.endpoints ?? []), ...rest.splice(0)] })
  }
  return { create, update: filled, remove }
}

/** The slice that is closest to full when `count` endpoints are added. */
function closest(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  let found: EndpointSlice | undefined
  let least = maxEndpoints
  for (const slice of slices) {
    const room = maxEndpoints - count - (slice.endpoints?.length ?? 0)
    if (room < 0 || room >= least) continue
    least = room
    found = slice
  }
  return found
}
