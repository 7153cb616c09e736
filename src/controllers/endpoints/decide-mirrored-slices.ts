import { deepEqual } from '../../api/equality.ts'
import { parseIp } from '../../api/ip-address.ts'
import type {
  AddressType,
  Endpoint,
  EndpointAddress,
  EndpointPort,
  EndpointSlice,
  Endpoints,
} from '../../api/objects/endpoints.ts'
import { controllerReference } from '../../api/owner-references.ts'
import { repackSubsets } from './repack-subsets.ts'
import { triggerTimeAnnotation } from './service-pods.ts'
import {
  managedByLabel,
  portsKey,
  recycled,
  type SliceChanges,
  serviceNameLabel,
  slicePrefix,
  slicesBy,
} from './slice-changes.ts'

export const mirroringController = 'endpointslicemirroring-controller.k8s.io'
/** v1.36, --mirroring-max-endpoints-per-subset. */
const maxPerSubset = 1000
const notMirrored = [triggerTimeAnnotation, 'kubectl.kubernetes.io/last-applied-configuration']

export interface MirrorDecision {
  readonly changes: SliceChanges
  readonly invalidAddresses: number
  readonly skippedAddresses: number
}

interface Group {
  readonly type: AddressType
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Endpoint[]
}

/** The EndpointSlices that mirror Endpoints which users write (v1.36, pkg/controller/endpointslicemirroring). */
export function decideMirroredSlices(endpoints: Endpoints, present: readonly EndpointSlice[]): MirrorDecision {
  const { groups, invalidAddresses, skippedAddresses } = groupsOf(endpoints)
  const create: EndpointSlice[] = []
  const update: EndpointSlice[] = []
  const remove: EndpointSlice[] = []
  const byKey = slicesBy(present, ({ addressType, ports }) => `${addressType}-${portsKey(ports)}`)
  for (const [key, group] of groups) {
    const [first, ...rest] = byKey.get(key) ?? []
    byKey.delete(key)
    remove.push(...rest)
    if (group.endpoints.length === 0) {
      if (first !== undefined) remove.push(first)
      continue
    }
    const wanted = mirrorOf(endpoints, group)
    if (first === undefined) create.push(wanted)
    else if (!isMirror(first, wanted))
      update.push({ ...wanted, metadata: { ...wanted.metadata, ...identityOf(first) } })
  }
  for (const slices of byKey.values()) remove.push(...slices)
  const isDeleted = endpoints.metadata.deletionTimestamp !== undefined
  const changes = recycled({ create, update, remove }, () => true)
  return { changes: isDeleted ? { ...changes, create: [] } : changes, invalidAddresses, skippedAddresses }
}

function groupsOf(endpoints: Endpoints) {
  const groups = new Map<string, Group>()
  let [invalidAddresses, skippedAddresses] = [0, 0]
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(endpoints.subsets ?? [])) {
    const slicePorts = ports.map(({ name = '', ...port }) => ({ name, ...port }))
    const of = (type: AddressType): Group => {
      const key = `${type}-${portsKey(slicePorts)}`
      const group = groups.get(key) ?? { type, ports: slicePorts, endpoints: [] }
      groups.set(key, group)
      return group
    }
    const families = { IPv4: of('IPv4'), IPv6: of('IPv6') }
    let added = 0
    const all = [
      ...addresses.map((one) => [one, true] as const),
      ...notReadyAddresses.map((one) => [one, false] as const),
    ]
    for (const [address, ready] of all) {
      if (added >= maxPerSubset) break
      const ip = parseIp(address.ip)
      if (ip === undefined) {
        invalidAddresses++
        continue
      }
      families[ip.family === 6 ? 'IPv6' : 'IPv4'].endpoints.push(endpointOf(address, ready))
      added++
    }
    skippedAddresses += all.length - added
  }
  return { groups, invalidAddresses, skippedAddresses }
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined || hostname === '' ? {} : { hostname }),
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
  }
}

const identityOf = ({ metadata: { name, uid, resourceVersion } }: EndpointSlice) => ({
  name,
  ...(uid === undefined ? {} : { uid }),
  ...(resourceVersion === undefined ? {} : { resourceVersion }),
})

function mirrorOf(endpoints: Endpoints, { type, ports, endpoints: mirrored }: Group): EndpointSlice {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata
  const kept = Object.entries(annotations).filter(([key]) => !notMirrored.includes(key))
  const metadata = {
    generateName: slicePrefix(name),
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirroringController },
    ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    ownerReferences: [controllerReference(endpoints, { apiVersion: 'v1', kind: 'Endpoints' })],
  } as unknown as EndpointSlice['metadata']
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: type,
    endpoints: mirrored.slice(0, maxPerSubset),
    ports,
  }
}

function isMirror(slice: EndpointSlice, wanted: EndpointSlice): boolean {
  const sorted = (list: readonly Endpoint[] | null) => [...(list ?? [])].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  const key = (endpoint: Endpoint) => JSON.stringify([endpoint.addresses, endpoint.targetRef?.uid])
  return (
    deepEqual(sorted(slice.endpoints), sorted(wanted.endpoints)) &&
    deepEqual(slice.metadata.labels, wanted.metadata.labels) &&
    deepEqual(slice.metadata.annotations ?? {}, wanted.metadata.annotations ?? {}) &&
    portsKey(slice.ports) === portsKey(wanted.ports)
  )
}
