import { formatIp, parseIp } from '../../../api/ip-address.ts'
import type { Service } from '../../../api/objects/cluster.ts'
import type { KubeObject } from '../../../api/objects/meta.ts'
import { addressFamilyLabel, addressManagerLabel, serviceAllocator } from '../../../api/objects/service-addresses.ts'
import { atLeast } from '../../../api/releases/at-least.ts'
import type { StoreWrite } from '../../../store/contract.ts'
import { type Backend, inProcessCaller, storedForm, writeContextOf } from '../../backend.ts'
import { isFailure } from '../../errors/is-failure.ts'
import { assignIdentity } from '../../write/identity.ts'
import { recordManagers } from '../../write/managers.ts'
import type { Kind, SideWrites } from '../kind.ts'
import { familyOfText, serviceCidrs } from './address-ranges.ts'

export const ipAddresses = 'ipaddresses.networking.k8s.io'

/**
 * The IPAddress objects that a change of a service creates and deletes. Upstream creates them before it writes the
 * service, and deletes them afterwards; here all of it is one transaction. A cluster without ServiceCIDRs, as in a
 * forecast, has no IPAddress objects.
 */
function addressWrites(after: KubeObject | undefined, before: KubeObject | undefined, backend: Backend): SideWrites {
  const { store, kinds } = backend
  if (store.count(serviceCidrs) === 0) return noWrites
  const kind = kinds.find(ipAddresses)
  if (kind === undefined) return noWrites
  const [held, wanted] = [clusterAddresses(before as Service), clusterAddresses(after as Service)]
  const isStored = (ip: string): boolean => store.get(ipAddresses, ip) !== undefined
  return {
    first: wanted
      .filter((ip) => !held.includes(ip) && !isStored(ip))
      .map((ip) => creation(ip, after as Service, kind, backend)),
    last: held
      .filter((ip) => !wanted.includes(ip) && isStored(ip))
      .map((key) => ({ kind: 'delete', resource: ipAddresses, key })),
  }
}

const noWrites: SideWrites = { first: [], last: [] }

/**
 * The other objects that a write of a service changes: its addresses, and up to v1.36 the Endpoints of a deleted
 * service.
 */
export function serviceWrites(
  after: KubeObject | undefined,
  before: KubeObject | undefined,
  backend: Backend,
): SideWrites {
  const writes = addressWrites(after, before, backend)
  if (after !== undefined || before === undefined || atLeast(backend.release, '1.37')) return writes
  const { name, namespace = '' } = before.metadata
  const key = `${namespace}/${name}`
  if (backend.store.get('endpoints', key) === undefined) return writes
  return { ...writes, last: [...writes.last, { kind: 'delete', resource: 'endpoints', key }] }
}

/** The cluster IPs in canonical form, which is the form of the names of IPAddress objects. */
export function clusterAddresses(service: Service | undefined): readonly string[] {
  const { type, clusterIPs = [] } = service?.spec ?? {}
  if (type === 'ExternalName') return []
  return (clusterIPs as readonly string[]).flatMap((text) => {
    const ip = text === 'None' ? undefined : parseIp(text)
    return ip === undefined ? [] : [formatIp(ip)]
  })
}

/** The IPAddress of a service, without identity. */
export function addressObject(ip: string, { metadata: { name, namespace = '' } }: Service): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: ip,
      labels: { [addressFamilyLabel]: familyOfText(ip), [addressManagerLabel]: serviceAllocator },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  } as KubeObject
}

function creation(ip: string, service: Service, kind: Kind, backend: Backend): StoreWrite {
  const context = writeContextOf(backend, inProcessCaller, { verb: 'create', fieldManager: 'kube-apiserver' })
  const object = assignIdentity(kind, addressObject(ip, service), undefined, context)
  if (isFailure(object)) throw new Error(`cannot create IPAddress ${ip}: ${object.status.message}`)
  const stored = storedForm(backend, kind, recordManagers(kind, object, undefined, context))
  return { kind: 'create', resource: ipAddresses, key: ip, object: stored, isOwn: true }
}
