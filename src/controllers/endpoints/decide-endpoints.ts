import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import { canonicalIp, isIpv6 } from '../../api/ip-address.ts'
import type { Service } from '../../api/objects/cluster.ts'
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '../../api/objects/endpoints.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { repackSubsets } from './repack-subsets.ts'
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

/** v1.36, pkg/controller/endpoint: an Endpoints object has at most this many addresses. */
const maxAddresses = 1000
const headlessLabel = 'service.kubernetes.io/headless'
const managedByLabel = 'endpoints.kubernetes.io/managed-by'
const managedBy = 'endpoint-controller'
const overCapacityAnnotation = 'endpoints.kubernetes.io/over-capacity'

export interface EndpointsInput {
  readonly service: Service
  readonly pods: readonly Pod[]
  readonly present: Endpoints | undefined
  readonly triggeredAt: string | undefined
}

/** The wanted Endpoints of a service; undefined if they are up to date. */
export function decideEndpoints({ service, pods, present, triggeredAt }: EndpointsInput): Endpoints | undefined {
  const facts = factsOf(service)
  const subsets = repackSubsets(pods.flatMap((pod) => subsetsOf(service, facts, pod)))
  const { labels = {}, name, namespace } = service.metadata
  if (present !== undefined) {
    const isSame =
      deepEqual(comparable(present.subsets ?? []), comparable(subsets)) ||
      deepEqual(comparable(repackSubsets(present.subsets ?? [])), comparable(subsets))
    const hasCapacity =
      addressCount(present.subsets ?? []) <= maxAddresses &&
      present.metadata.annotations?.[overCapacityAnnotation] === undefined
    if (isSame && hasCapacity && hasLabels(present, labels)) return undefined
  }
  const isTruncated = addressCount(subsets) > maxAddresses
  const { [headlessLabel]: _, ...others } = labels
  const { [overCapacityAnnotation]: __, ...kept } = withTriggerTime(present?.metadata.annotations, triggeredAt)
  const annotations = isTruncated ? { ...kept, [overCapacityAnnotation]: 'truncated' } : kept
  const metadata = {
    ...(present?.metadata ?? { name, ...(namespace === undefined ? {} : { namespace }) }),
    labels: { ...others, ...(isHeadless(facts) ? { [headlessLabel]: '' } : {}), [managedByLabel]: managedBy },
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  }
  if (Object.keys(annotations).length === 0) delete metadata.annotations
  const fitting = isTruncated ? truncated(subsets) : subsets
  const object: Endpoints = { apiVersion: 'v1', kind: 'Endpoints', metadata }
  return fitting.length === 0 ? object : { ...object, subsets: fitting }
}

function subsetsOf(service: Service, facts: ServiceFacts, pod: Pod): readonly EndpointSubset[] {
  if (!hasEndpoint(pod, facts.publishesNotReady)) return []
  const address = addressOf(service, facts, pod)
  if (address === undefined) return []
  const isReady = facts.publishesNotReady || isPodReady(pod)
  const subset = (ports: readonly EndpointPort[]): EndpointSubset =>
    isReady ? { addresses: [address], ports } : { notReadyAddresses: [address], ports }
  if (facts.ports.length === 0) return facts.clusterIP === 'None' ? [subset([])] : []
  return facts.ports.flatMap((port) => {
    const number = findPort(pod, port)
    return number === undefined ? [] : [subset([endpointPort(port, number)])]
  })
}

/** The address of a pod in the family of the service. */
function addressOf(service: Service, facts: ServiceFacts, pod: Pod): EndpointAddress | undefined {
  const wantsIpv6 =
    facts.ipFamilies.length > 0 ? facts.ipFamilies[0] === 'IPv6' : !isHeadless(facts) && isIpv6(facts.clusterIP)
  const ips = pod.status?.podIPs ?? (pod.status?.podIP === undefined ? [] : [{ ip: pod.status.podIP }])
  const ip = ips.find(({ ip }) => isIpv6(ip) === wantsIpv6)?.ip
  if (ip === undefined) return undefined
  const { name, namespace, uid } = pod.metadata
  const hostname = hostnameOf(pod, service)
  const { nodeName = '' } = pod.spec
  return {
    ip: canonicalIp(ip),
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === '' ? {} : { nodeName }),
    targetRef: {
      kind: 'Pod',
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(uid === undefined ? {} : { uid }),
    },
  }
}

const addressCount = (subsets: readonly EndpointSubset[]): number =>
  subsets.reduce((sum, one) => sum + (one.addresses?.length ?? 0) + (one.notReadyAddresses?.length ?? 0), 0)

/** Subsets without the versions of the pods that they refer to, and without empty lists. */
const comparable = (subsets: readonly EndpointSubset[]) =>
  subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
    addresses: addresses.map(unversioned),
    notReadyAddresses: notReadyAddresses.map(unversioned),
    ports,
  }))

function unversioned(address: EndpointAddress): EndpointAddress {
  if (address.targetRef?.resourceVersion === undefined) return address
  const { resourceVersion: _, ...targetRef } = address.targetRef
  return { ...address, targetRef }
}

function hasLabels({ metadata }: Endpoints, wanted: Readonly<Record<string, string>>): boolean {
  const { [headlessLabel]: _, [managedByLabel]: manager, ...own } = metadata.labels ?? {}
  const { [headlessLabel]: __, [managedByLabel]: ___, ...others } = wanted
  return manager === managedBy && deepEqual(own, others)
}

/** Ready addresses come first; each subset gets its share, rounded up. */
function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const ready = subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0)
  const cutsReady = ready > maxAddresses
  const room = cutsReady ? maxAddresses : maxAddresses - ready
  const total = cutsReady ? ready : addressCount(subsets) - ready
  let left = room
  return subsets.map((subset) => {
    const all = (cutsReady ? subset.addresses : subset.notReadyAddresses) ?? []
    const kept = all.slice(0, Math.min(left, Math.ceil((all.length / total) * room)))
    left -= kept.length
    if (!cutsReady) return { ...subset, notReadyAddresses: kept }
    const { notReadyAddresses: _, ...rest } = subset
    return { ...rest, addresses: kept }
  })
}
