import type { Event, Namespace, Service } from '../../api/objects/cluster.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { KubeObject, ObjectReference } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Job, ReplicaSet } from '../../api/objects/workloads.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Strategy } from './kind.ts'

type Readers<T> = Readonly<Record<string, (object: T) => string | undefined>>
type Selectable = NonNullable<Strategy['selectable']>

function fields<T extends KubeObject>(readers: Readers<T>): Selectable {
  const entries = Object.entries(readers).map(
    ([field, read]) => [field, (object: KubeObject) => read(object as T) ?? ''] as const,
  )
  return Object.fromEntries(entries)
}

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const

function regarding(prefix: string): Readers<Event> {
  const readers: Record<string, (event: Event) => string | undefined> = {}
  for (const field of referenceFields) {
    readers[`${prefix}.${field}`] = ({ involvedObject }) => (involvedObject as ObjectReference | undefined)?.[field]
  }
  return readers
}

const eventFields: Readers<Event> = {
  ...regarding('involvedObject'),
  reason: (event) => event.reason,
  reportingComponent: (event) => event.reportingComponent || event.source?.component,
  source: (event) => event.source?.component || event.reportingComponent,
  type: (event) => event.type,
}

/** Fields that selectors may use, by resource; they read stored objects. `metadata.name` needs no entry. */
const selectableFields = lookupTable<Selectable>({
  pods: fields<Pod>({
    'spec.nodeName': (pod) => pod.spec.nodeName,
    'spec.host': (pod) => pod.spec.nodeName,
    'spec.restartPolicy': (pod) => pod.spec.restartPolicy,
    'spec.schedulerName': (pod) => pod.spec.schedulerName,
    'spec.serviceAccountName': (pod) => pod.spec.serviceAccountName,
    'spec.hostNetwork': (pod) => String(pod.spec.hostNetwork === true),
    'status.phase': (pod) => pod.status?.phase,
    'status.podIP': (pod) => pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP,
    'status.podIPs': (pod) => pod.status?.podIPs?.[0]?.ip,
    'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName,
  }),
  nodes: fields<Node>({ 'spec.unschedulable': (node) => String(node.spec?.unschedulable === true) }),
  namespaces: fields<Namespace>({
    name: (namespace) => namespace.metadata.name,
    'status.phase': (namespace) => namespace.status?.phase,
  }),
  events: fields<Event>(eventFields),
  'events.events.k8s.io': fields<Event>({
    ...eventFields,
    ...regarding('regarding'),
    reportingController: (event) => event.reportingComponent || event.source?.component,
  }),
  services: fields<Service>({
    'spec.clusterIP': (service) => service.spec?.clusterIP,
    'spec.type': (service) => service.spec?.type,
  }),
  'resourceslices.resource.k8s.io': fields<ResourceSlice>({
    'spec.nodeName': (slice) => slice.spec.nodeName,
    'spec.driver': (slice) => slice.spec.driver,
  }),
  secrets: fields<KubeObject & { readonly type?: string }>({ type: (secret) => secret.type }),
  replicationcontrollers: fields<ReplicaSet>({ 'status.replicas': (rc) => String(rc.status?.replicas ?? 0) }),
  'certificatesigningrequests.certificates.k8s.io': fields<
    KubeObject & { readonly spec?: { readonly signerName?: string } }
  >({
    'spec.signerName': (request) => request.spec?.signerName,
  }),
  'jobs.batch': fields<Job>({ 'status.successful': (job) => String(job.status?.succeeded ?? 0) }),
})

const poolName = fields<ResourceSlice>({ 'spec.pool.name': (slice) => slice.spec.pool.name })

export function selectableFieldsOf(resource: string, release: KubernetesRelease): Selectable | undefined {
  const known = selectableFields[resource]
  return resource === 'resourceslices.resource.k8s.io' && atLeast(release, '1.37') ? { ...known, ...poolName } : known
}
