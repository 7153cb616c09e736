import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Store } from '../../store/contract.ts'
import { clusterCidrDefinition } from '../custom/cluster-cidr-definition.ts'
import { customKinds, type Definition } from '../custom/custom-kind.ts'
import { definitionsResource, establishedDefinition } from '../custom/definition-strategy.ts'
import { autoscalerFromStorage, autoscalerToStorage } from './autoscaler-versions.ts'
import { eventFromStorage, eventToStorage } from './events.ts'
import type { Kind, KindTable, ResourceVerb, Subresource } from './kind.ts'
import { strategyOf } from './strategies.ts'

const fullVerbs: readonly ResourceVerb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]
const noCollectionVerbs = fullVerbs.filter((verb) => verb !== 'deletecollection')
const rewriteVerbs: readonly ResourceVerb[] = ['get', 'patch', 'update']
const proxyVerbs: readonly ResourceVerb[] = ['create', 'delete', 'get', 'patch', 'update']
const streamVerbs: readonly ResourceVerb[] = ['create', 'get']

interface Row {
  readonly kind: string
  readonly plural: string
  readonly singular?: string
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly cluster?: true
  readonly verbs?: readonly ResourceVerb[]
  /** Names of subresources: `status`, `scale`, or a full definition. */
  readonly sub?: readonly (string | Subresource)[]
  readonly storage?: string
  readonly ephemeral?: true
  /** The feature gate of the kind. */
  readonly gate?: string
}

const all = ['all']
const deviceTaintRule: Row = {
  kind: 'DeviceTaintRule',
  plural: 'devicetaintrules',
  cluster: true,
  sub: ['status'],
  gate: 'DRADeviceTaintRules',
}
const workload: Row = { kind: 'Workload', plural: 'workloads', gate: 'GenericWorkload' }
const podGroup: Row = { kind: 'PodGroup', plural: 'podgroups', sub: ['status'], gate: 'GenericWorkload' }
const compositePodGroup: Row = {
  kind: 'CompositePodGroup',
  plural: 'compositepodgroups',
  sub: ['status'],
  gate: 'CompositePodGroup',
}
const review = { cluster: true, verbs: ['create'], ephemeral: true } as const

const extension = { cluster: true, categories: ['api-extensions'] } as const
const autoscaler: Row = {
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  short: ['hpa'],
  categories: all,
  sub: ['status'],
}

const podSubresources: readonly (string | Subresource)[] = [
  { name: 'attach', kind: 'PodAttachOptions', verbs: streamVerbs },
  { name: 'binding', kind: 'Binding', verbs: ['create'] },
  { name: 'ephemeralcontainers', kind: 'Pod', verbs: rewriteVerbs },
  { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  { name: 'exec', kind: 'PodExecOptions', verbs: streamVerbs },
  { name: 'log', kind: 'Pod', verbs: ['get'] },
  { name: 'portforward', kind: 'PodPortForwardOptions', verbs: streamVerbs },
  { name: 'proxy', kind: 'PodProxyOptions', verbs: proxyVerbs },
  { name: 'resize', kind: 'Pod', verbs: rewriteVerbs },
  'status',
]

/** Every built-in kind, by group and version (v1.36, api/discovery). */
const table = lookupTable<readonly Row[]>({
  v1: [
    { kind: 'Binding', plural: 'bindings', verbs: ['create'], ephemeral: true },
    { kind: 'ComponentStatus', plural: 'componentstatuses', short: ['cs'], cluster: true, verbs: ['get', 'list'] },
    { kind: 'ConfigMap', plural: 'configmaps', short: ['cm'] },
    { kind: 'Endpoints', plural: 'endpoints', singular: 'endpoints', short: ['ep'] },
    { kind: 'Event', plural: 'events', short: ['ev'] },
    { kind: 'LimitRange', plural: 'limitranges', short: ['limits'] },
    {
      kind: 'Namespace',
      plural: 'namespaces',
      short: ['ns'],
      cluster: true,
      verbs: noCollectionVerbs,
      sub: [{ name: 'finalize', kind: 'Namespace', verbs: ['update'] }, 'status'],
    },
    {
      kind: 'Node',
      plural: 'nodes',
      short: ['no'],
      cluster: true,
      sub: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: proxyVerbs }, 'status'],
    },
    { kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', short: ['pvc'], sub: ['status'] },
    { kind: 'PersistentVolume', plural: 'persistentvolumes', short: ['pv'], cluster: true, sub: ['status'] },
    { kind: 'Pod', plural: 'pods', short: ['po'], categories: all, sub: podSubresources },
    { kind: 'PodTemplate', plural: 'podtemplates' },
    {
      kind: 'ReplicationController',
      plural: 'replicationcontrollers',
      short: ['rc'],
      categories: all,
      sub: ['scale', 'status'],
    },
    { kind: 'ResourceQuota', plural: 'resourcequotas', short: ['quota'], sub: ['status'] },
    { kind: 'Secret', plural: 'secrets' },
    {
      kind: 'ServiceAccount',
      plural: 'serviceaccounts',
      short: ['sa'],
      sub: [{ name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] }],
    },
    {
      kind: 'Service',
      plural: 'services',
      short: ['svc'],
      categories: all,
      sub: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: proxyVerbs }, 'status'],
    },
  ],
  'apps/v1': [
    { kind: 'ControllerRevision', plural: 'controllerrevisions' },
    { kind: 'DaemonSet', plural: 'daemonsets', short: ['ds'], categories: all, sub: ['status'] },
    { kind: 'Deployment', plural: 'deployments', short: ['deploy'], categories: all, sub: ['scale', 'status'] },
    { kind: 'ReplicaSet', plural: 'replicasets', short: ['rs'], categories: all, sub: ['scale', 'status'] },
    { kind: 'StatefulSet', plural: 'statefulsets', short: ['sts'], categories: all, sub: ['scale', 'status'] },
  ],
  'batch/v1': [
    { kind: 'CronJob', plural: 'cronjobs', short: ['cj'], categories: all, sub: ['status'] },
    { kind: 'Job', plural: 'jobs', categories: all, sub: ['status'] },
  ],
  'policy/v1': [{ kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', short: ['pdb'], sub: ['status'] }],
  'autoscaling/v2': [autoscaler],
  'autoscaling/v1': [autoscaler],
  'admissionregistration.k8s.io/v1': [
    { kind: 'MutatingAdmissionPolicy', plural: 'mutatingadmissionpolicies', ...extension },
    { kind: 'MutatingAdmissionPolicyBinding', plural: 'mutatingadmissionpolicybindings', ...extension },
    { kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', ...extension },
    { kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', ...extension, sub: ['status'] },
    { kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', ...extension },
    { kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations', ...extension },
  ],
  'apiregistration.k8s.io/v1': [{ kind: 'APIService', plural: 'apiservices', ...extension, sub: ['status'] }],
  'certificates.k8s.io/v1': [
    {
      kind: 'CertificateSigningRequest',
      plural: 'certificatesigningrequests',
      short: ['csr'],
      cluster: true,
      sub: [{ name: 'approval', kind: 'CertificateSigningRequest', verbs: rewriteVerbs }, 'status'],
    },
  ],
  'flowcontrol.apiserver.k8s.io/v1': [
    { kind: 'FlowSchema', plural: 'flowschemas', cluster: true, sub: ['status'] },
    { kind: 'PriorityLevelConfiguration', plural: 'prioritylevelconfigurations', cluster: true, sub: ['status'] },
  ],
  'scheduling.k8s.io/v1': [{ kind: 'PriorityClass', plural: 'priorityclasses', short: ['pc'], cluster: true }],
  'coordination.k8s.io/v1': [{ kind: 'Lease', plural: 'leases' }],
  'storage.k8s.io/v1': [
    { kind: 'CSIDriver', plural: 'csidrivers', cluster: true },
    { kind: 'CSINode', plural: 'csinodes', cluster: true },
    { kind: 'CSIStorageCapacity', plural: 'csistoragecapacities' },
    { kind: 'StorageClass', plural: 'storageclasses', short: ['sc'], cluster: true },
    { kind: 'VolumeAttachment', plural: 'volumeattachments', cluster: true, sub: ['status'] },
    { kind: 'VolumeAttributesClass', plural: 'volumeattributesclasses', short: ['vac'], cluster: true },
  ],
  'events.k8s.io/v1': [{ kind: 'Event', plural: 'events', short: ['ev'], storage: 'events' }],
  'discovery.k8s.io/v1': [{ kind: 'EndpointSlice', plural: 'endpointslices' }],
  'networking.k8s.io/v1': [
    { kind: 'IngressClass', plural: 'ingressclasses', cluster: true },
    { kind: 'Ingress', plural: 'ingresses', short: ['ing'], sub: ['status'] },
    { kind: 'IPAddress', plural: 'ipaddresses', short: ['ip'], cluster: true },
    { kind: 'NetworkPolicy', plural: 'networkpolicies', short: ['netpol'] },
    { kind: 'ServiceCIDR', plural: 'servicecidrs', cluster: true, sub: ['status'] },
  ],
  'resource.k8s.io/v1': [
    { kind: 'DeviceClass', plural: 'deviceclasses', cluster: true },
    { kind: 'ResourceClaim', plural: 'resourceclaims', sub: ['status'] },
    { kind: 'ResourceClaimTemplate', plural: 'resourceclaimtemplates' },
    { kind: 'ResourceSlice', plural: 'resourceslices', cluster: true },
    // Since v1.37.
    deviceTaintRule,
  ],
  'resource.k8s.io/v1beta2': [deviceTaintRule],
  // v1.36 and v1.37.
  'scheduling.k8s.io/v1alpha2': [podGroup, workload],
  'scheduling.k8s.io/v1beta1': [podGroup, workload],
  'scheduling.k8s.io/v1alpha3': [podGroup, workload, compositePodGroup],
  'node.k8s.io/v1': [{ kind: 'RuntimeClass', plural: 'runtimeclasses', cluster: true }],
  'rbac.authorization.k8s.io/v1': [
    { kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', cluster: true },
    { kind: 'ClusterRole', plural: 'clusterroles', cluster: true },
    { kind: 'RoleBinding', plural: 'rolebindings' },
    { kind: 'Role', plural: 'roles' },
  ],
  'authentication.k8s.io/v1': [
    { kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', ...review },
    { kind: 'TokenReview', plural: 'tokenreviews', ...review },
  ],
  'authorization.k8s.io/v1': [
    { kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews', verbs: ['create'], ephemeral: true },
    { kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', ...review },
    { kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', ...review },
    { kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', ...review },
  ],
  'apiextensions.k8s.io/v1': [
    {
      kind: 'CustomResourceDefinition',
      plural: 'customresourcedefinitions',
      short: ['crd', 'crds'],
      categories: ['api-extensions'],
      cluster: true,
      sub: ['status'],
    },
  ],
})

/** The conversions of a kind whose objects are stored as another kind or version. */
function viewsOf(resource: string, version: string): Partial<Kind> {
  if (resource === 'events.events.k8s.io') return { toStorage: eventToStorage, fromStorage: eventFromStorage }
  if (resource === 'podgroups.scheduling.k8s.io' || resource === 'workloads.scheduling.k8s.io')
    return groupView(version)
  if (resource !== 'horizontalpodautoscalers.autoscaling') return {}
  if (version === 'v2') return { isVersioned: true }
  return { isVersioned: true, toStorage: autoscalerToStorage, fromStorage: autoscalerFromStorage }
}

/** The versions of v1.37 differ only in their names. */
function groupView(version: string): Partial<Kind> {
  if (version === 'v1alpha2') return {}
  if (version === 'v1beta1') return { isVersioned: true }
  const named = (name: string) => (object: KubeObject) => ({ ...object, apiVersion: `scheduling.k8s.io/${name}` })
  return { isVersioned: true, toStorage: named('v1beta1'), fromStorage: named(version) }
}

/**
 * Whether a version is served. A version that is off by default is served if a gate that is off by default is turned
 * on.
 */
function isServed(release: KubernetesRelease, group: string, version: string, { gate }: Row): boolean {
  if (gate !== undefined && !release.gates.has(gate)) return false
  return release.api.isServed(group, version) || (gate !== undefined && release.featureGates[gate]?.on === false)
}

function toKind(release: KubernetesRelease, apiVersion: string, row: Row): Kind | undefined {
  const slash = apiVersion.indexOf('/')
  const group = slash < 0 ? '' : apiVersion.slice(0, slash)
  const resource = group === '' ? row.plural : `${row.plural}.${group}`
  const subresources = (row.sub ?? []).map((sub): Subresource => {
    if (typeof sub !== 'string') return sub
    if (sub === 'scale') return { name: sub, kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: rewriteVerbs }
    return { name: sub, kind: row.kind, verbs: rewriteVerbs }
  })
  const version = apiVersion.slice(slash + 1)
  const shape = release.api.shapeOfKind(group, version, row.kind)
  if (shape === undefined || !isServed(release, group, version, row)) return undefined
  return {
    resource,
    group,
    version,
    apiVersion,
    kind: row.kind,
    listKind: `${row.kind}List`,
    plural: row.plural,
    singular: row.singular ?? row.kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced: row.cluster !== true,
    verbs: row.verbs ?? fullVerbs,
    subresources,
    storage: row.storage ?? resource,
    ...(row.ephemeral === true ? { ephemeral: true } : {}),
    shape,
    ...viewsOf(resource, version),
    strategy: strategyOf(resource, version, release),
    release,
  }
}

interface BuiltinKinds {
  readonly all: readonly Kind[]
  readonly byResource: ReadonlyMap<string, Kind>
  readonly byPath: ReadonlyMap<string, Kind>
}

const known = new WeakMap<KubernetesRelease, BuiltinKinds>()

/** The kinds of a release, computed once for each. */
function kindsOf(release: KubernetesRelease): BuiltinKinds {
  let kinds = known.get(release)
  if (kinds === undefined) {
    const all = Object.entries(table).flatMap(([apiVersion, rows]) =>
      rows.flatMap((row) => toKind(release, apiVersion, row) ?? []),
    )
    // Of several versions, the kind table has the stored one.
    const stored = all.filter((kind) => kind.resource !== kind.storage || kind.fromStorage === undefined)
    kinds = {
      all,
      byResource: new Map(stored.map((kind) => [kind.resource, kind])),
      byPath: new Map(all.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind])),
    }
    known.set(release, kinds)
  }
  return kinds
}

/** The built-in kinds that berth serves in a release. */
export const builtinKindsOf = (release: KubernetesRelease): readonly Kind[] => kindsOf(release).all

/** Custom resources whose definition is included in berth; a cluster serves them if it defines them. */
const shippedKinds = (release: KubernetesRelease): readonly Kind[] =>
  customKinds(establishedDefinition(clusterCidrDefinition, ''), release)

/** The built-in kinds and the currently defined custom resources; without a store, those included in berth. */
export function createKindTable(
  store?: Pick<Store, 'list' | 'count'>,
  release: KubernetesRelease = defaultRelease,
): KindTable {
  const builtin = kindsOf(release)
  let seen: readonly KubeObject[] = []
  let custom: readonly Kind[] = store === undefined ? shippedKinds(release) : []
  // Definitions are few and rarely change; changes are detected by identity.
  const customNow = (): readonly Kind[] => {
    if (store === undefined) return custom
    if (store.count(definitionsResource) === 0) return []
    const definitions = store.list(definitionsResource)
    if (definitions.length === seen.length && definitions.every((one, i) => one === seen[i])) return custom
    seen = [...definitions]
    custom = definitions.flatMap((definition) => customKinds(definition as Definition, release))
    return custom
  }
  return {
    all: () => [...builtin.all, ...customNow()],
    find: (resource) => builtin.byResource.get(resource) ?? customNow().find((kind) => kind.resource === resource),
    findKind: (group, name) => [...builtin.all, ...customNow()].find((one) => one.group === group && one.kind === name),
    served: (group, version, plural) =>
      builtin.byPath.get(`${group}/${version}/${plural}`) ??
      customNow().find((one) => one.plural === plural && one.group === group && one.version === version),
  }
}
