import { type Cidr, formatCidr } from '../api/cidr.ts'
import { deepEqual } from '../api/equality.ts'
import { formatIp } from '../api/ip-address.ts'
import type { Service } from '../api/objects/cluster.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { ServiceCIDR } from '../api/objects/service-addresses.ts'
import { formatTime } from '../api/time.ts'
import { assert } from '../base/assert.ts'
import type { Registry } from '../registry/contract.ts'
import { addressObject, clusterAddresses, ipAddresses } from '../registry/kinds/services/address-objects.ts'
import {
  defaultServiceCidr,
  familyOfRange,
  serviceCidrs,
  usableAddresses,
} from '../registry/kinds/services/address-ranges.ts'

/** The Service of the API server, at the first address of the first range. */
export function kubernetesService([range]: readonly Cidr[]): KubeObject {
  assert(range !== undefined, 'the cluster has no service range')
  const ip = firstServiceAddress(range)
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: ip,
      clusterIPs: [ip],
      ipFamilies: [familyOfRange(range)],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      sessionAffinity: 'None',
    },
  } as KubeObject
}

function firstServiceAddress(range: Cidr): string {
  return formatIp({ family: range.family, bits: usableAddresses(range).first })
}

/** The ranges that the server was started with (controlplane/controller/defaultservicecidr). */
export function serviceCidrOf(ranges: readonly Cidr[]): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    metadata: { name: defaultServiceCidr },
    spec: { cidrs: ranges.map(formatCidr) },
  } as KubeObject
}

/**
 * Updates the ServiceCIDR `kubernetes` and the IPAddress objects to match the flags and the services: adds a second
 * family, sets the condition Ready, and creates the IPAddress objects that an older data directory does not have.
 */
export function settleServiceRanges(registry: Registry, ranges: readonly Cidr[], now: number): void {
  const { store } = registry
  const target = { resource: serviceCidrs, name: defaultServiceCidr, fieldManager: 'kube-apiserver' } as const
  const stored = store.get(serviceCidrs, defaultServiceCidr) as ServiceCIDR
  const wanted = ranges.map(formatCidr)
  const current = stored.spec?.cidrs ?? []
  if (wanted.length === 2 && current.length === 1 && current[0] === wanted[0]) {
    registry.call({ ...target, verb: 'patch', patch: { kind: 'merge', patch: { spec: { cidrs: wanted } } } })
  } else if (deepEqual(current, wanted) && stored.status?.conditions === undefined) {
    const message = 'Kubernetes default Service CIDR is ready'
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: formatTime(now), reason: '', message }
    const patch = { kind: 'merge', patch: { status: { conditions: [condition] } } } as const
    registry.call({ ...target, verb: 'patch', subresource: 'status', patch })
  }
  for (const service of store.list('services') as readonly Service[]) {
    for (const ip of clusterAddresses(service)) {
      if (store.get(ipAddresses, ip) !== undefined) continue
      const object = addressObject(ip, service)
      registry.call({ verb: 'create', resource: ipAddresses, object, fieldManager: 'kube-apiserver' })
    }
  }
}
