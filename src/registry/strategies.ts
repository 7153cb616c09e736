import type { Event, Namespace, Service } from '../api/objects/cluster.ts'
import type { KubeObject, ObjectReference } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { Job, ReplicaSet } from '../api/objects/workloads.ts'
import type { Strategy } from './kind.ts'

type Readers<T> = Readonly<Record<string, (object: T) => string | undefined>>

function fields<T extends KubeObject>(readers: Readers<T>): NonNullable<Strategy['selectable']> {
  const entries = Object.entries(readers).map(
    ([field, read]) => [field, (o: KubeObject) => read(o as T) ?? ''] as const,
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
  reason: (event) => event.reason,
  reportingComponent: (event) => event.reportingComponent ?? event.source?.component,
  source: (event) => (event.source?.component || event.reportingComponent) ?? '',
  type: (event) => event.type,
}

const podFields: Readers<Pod> = {
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
}

const counted: Strategy = { countsGenerations: true }

/** What is particular to a kind, by resource name. A resource that is absent here has nothing particular. */
export const strategies: Readonly<Record<string, Strategy>> = {
  pods: {
    countsGenerations: true,
    returnsDeleted: true,
    selectable: fields(podFields),
    graceSeconds: (object, asked) => podGraceSeconds(object as Pod, asked),
  },
  nodes: { selectable: fields<Node>({ 'spec.unschedulable': (node) => String(node.spec?.unschedulable === true) }) },
  namespaces: {
    nameRule: 'label',
    returnsDeleted: true,
    prepareCreate: (object) => newNamespace(object as Namespace),
    prepareUpdate: (object, old) => ({ ...object, spec: (old as Namespace).spec }) as Namespace,
    isHeld: (object) => ((object as Namespace).spec?.finalizers?.length ?? 0) > 0,
    onMarked: (object) =>
      ({ ...object, status: { ...(object as Namespace).status, phase: 'Terminating' } }) as Namespace,
    selectable: fields<Namespace>({ 'status.phase': (namespace) => namespace.status?.phase }),
  },
  events: {
    createOnUpdate: true,
    dependents: 'unsupported',
    selectable: fields({ ...eventFields, ...regarding('involvedObject') }),
  },
  'events.events.k8s.io': {
    createOnUpdate: true,
    selectable: fields({ ...eventFields, ...regarding('involvedObject'), ...regarding('regarding') }),
  },
  services: {
    createOnUpdate: true,
    returnsDeleted: true,
    selectable: fields<Service>({
      'spec.clusterIP': (service) => service.spec?.clusterIP,
      'spec.type': (service) => service.spec?.type,
    }),
  },
  secrets: { selectable: fields<KubeObject & { type?: string }>({ type: (secret) => secret.type }) },
  replicationcontrollers: {
    countsGenerations: true,
    selectable: fields<ReplicaSet>({ 'status.replicas': (rc) => String(rc.status?.replicas ?? 0) }),
  },
  'jobs.batch': {
    countsGenerations: true,
    selectable: fields<Job>({ 'status.successful': (job) => String(job.status?.succeeded ?? 0) }),
  },
  'cronjobs.batch': counted,
  'deployments.apps': counted,
  'replicasets.apps': counted,
  'statefulsets.apps': counted,
  'daemonsets.apps': counted,
  podtemplates: { countsGenerations: true, returnsDeleted: true },
  'ingresses.networking.k8s.io': counted,
  'ingressclasses.networking.k8s.io': counted,
  'networkpolicies.networking.k8s.io': counted,
  'endpointslices.discovery.k8s.io': counted,
  'priorityclasses.scheduling.k8s.io': counted,
  'customresourcedefinitions.apiextensions.k8s.io': counted,
  'poddisruptionbudgets.policy': { countsGenerations: true, needsVersion: true },
  'leases.coordination.k8s.io': { createOnUpdate: true, needsVersion: true },
  'runtimeclasses.node.k8s.io': { createOnUpdate: true, needsVersion: true },
  'csidrivers.storage.k8s.io': { needsVersion: true, returnsDeleted: true },
  'csinodes.storage.k8s.io': { needsVersion: true, returnsDeleted: true },
  'csistoragecapacities.storage.k8s.io': { needsVersion: true },
  'volumeattachments.storage.k8s.io': { needsVersion: true, returnsDeleted: true },
  'storageclasses.storage.k8s.io': { returnsDeleted: true },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },
  resourcequotas: { returnsDeleted: true },
  persistentvolumes: { returnsDeleted: true },
  persistentvolumeclaims: { returnsDeleted: true },
  serviceaccounts: { returnsDeleted: true },
  limitranges: { createOnUpdate: true },
  endpoints: { createOnUpdate: true },
  'roles.rbac.authorization.k8s.io': { createOnUpdate: true, nameRule: 'path-segment' },
  'rolebindings.rbac.authorization.k8s.io': { createOnUpdate: true, nameRule: 'path-segment' },
  'clusterroles.rbac.authorization.k8s.io': { createOnUpdate: true, nameRule: 'path-segment' },
  'clusterrolebindings.rbac.authorization.k8s.io': { createOnUpdate: true, nameRule: 'path-segment' },
}

function newNamespace(namespace: Namespace): Namespace {
  const finalizers = namespace.spec?.finalizers ?? []
  const held = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']
  return { ...namespace, spec: { ...namespace.spec, finalizers: held }, status: { phase: 'Active' } }
}

// A pod that no node has, or that is over, has nobody who could finish it: it goes at once (v1.36, pod strategy's
// CheckGracefulDelete).
function podGraceSeconds(pod: Pod, asked: number | undefined): number {
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return 0
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') return 0
  const seconds = asked ?? pod.spec.terminationGracePeriodSeconds ?? 0
  return seconds < 0 ? 1 : seconds
}
