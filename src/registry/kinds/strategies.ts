import { semanticEqual } from '../../api/equality.ts'
import type { Namespace } from '../../api/objects/cluster.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { PersistentVolume } from '../../api/objects/storage.ts'
import type { DaemonSet, Job } from '../../api/objects/workloads.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import {
  acceptDefinition,
  definitionsResource,
  definitionWarnings,
  terminatingDefinition,
  updateDefinition,
  withDefinitionDefaults,
} from '../custom/definition-strategy.ts'
import { withoutReservedLabel } from './budget-selector.ts'
import { templateGeneration } from './conversion.ts'
import { withDataSources } from './data-sources.ts'
import { deviceStrategies, ruleStrategy } from './devices/strategy.ts'
import { groupStrategies } from './groups/strategy.ts'
import type { Strategy, WriteContext } from './kind.ts'
import { withoutDisabledAt } from './pods/disabled-fields.ts'
import {
  podGraceSeconds,
  prepareEphemeralContainers,
  prepareNewPod,
  preparePodStatus,
  prepareResize,
  withKeptResources,
} from './pods/strategy.ts'
import { registrationStrategies } from './registrations.ts'
import { selectableFieldsOf } from './selectable-fields.ts'
import { serviceWrites } from './services/address-objects.ts'
import { withAllocations } from './services/strategy.ts'

const specCounted: Strategy = { generation: 'spec' }
const templateSpec = ['spec', 'template', 'spec']
/** A workload: the pod spec of its template is at this path. */
const templated = (path: readonly string[] = templateSpec): Strategy => ({
  generation: 'spec',
  prepareCreate: (object, context) => withoutDisabledAt(context, object, path),
  prepareUpdate: (object, old, context) => withoutDisabledAt(context, object, path, old),
})
const pathNamed: Strategy = { createOnUpdate: true, nameRule: 'path-segment' }
const versioned: Strategy = { needsVersion: true, returnsDeleted: true }

const ofKinds = lookupTable<Strategy>({
  pods: {
    generation: 'spec',
    returnsDeleted: true,
    prepareCreate: prepareNewPod,
    prepareUpdate: (object, old, context) =>
      withoutDisabledAt(context, withKeptResources(object as Pod, old as Pod, context.release), ['spec'], old),
    prepareSubresource: {
      status: preparePodStatus,
      ephemeralcontainers: prepareEphemeralContainers,
      resize: prepareResize,
    },
    graceSeconds: (object, asked) => podGraceSeconds(object as Pod, asked),
  },
  nodes: {
    createsStatus: true,
    // Fields of the removed dynamic kubelet configuration.
    prepareCreate: (object, { release }) => withoutNodeStatus(withoutSpecFields(object, ['configSource']), release),
    prepareUpdate: (object, old) => withoutSpecFields(object, ['configSource'], old),
    prepareSubresource: { status: withoutNodeConfig },
  },
  namespaces: {
    nameRule: 'label',
    returnsDeleted: true,
    prepareCreate: (object) => newNamespace(object as Namespace),
    prepareUpdate: (object, old) => ({ ...object, spec: (old as Namespace).spec ?? {} }) as Namespace,
    prepareSubresource: {
      finalize: (object, old) => ({ ...object, status: (old as Namespace).status ?? {} }) as Namespace,
    },
    isHeld: (object) => ((object as Namespace).spec?.finalizers?.length ?? 0) > 0,
    onMarked: (object) =>
      ({ ...object, status: { ...(object as Namespace).status, phase: 'Terminating' } }) as Namespace,
  },
  events: { createOnUpdate: true, dependents: 'unsupported', nameRule: 'path-segment' },
  'events.events.k8s.io': { createOnUpdate: true, dependents: 'unsupported' },
  services: {
    createOnUpdate: true,
    returnsDeleted: true,
    nameRule: 'label',
    allocate: withAllocations,
    sideWrites: serviceWrites,
  },
  replicationcontrollers: { ...templated(), dependents: 'orphan' },
  'jobs.batch': {
    ...templated(),
    dependents: 'orphan',
    prepareCreate: (object, context) => withJobSelector(withoutDisabledAt(context, object as Job, templateSpec)),
  },
  'cronjobs.batch': templated(['spec', 'jobTemplate', ...templateSpec]),
  'deployments.apps': { ...templated(), generation: 'spec-and-annotations', statusMetadata: 'keeps-labels' },
  'replicasets.apps': templated(),
  'statefulsets.apps': templated(),
  'daemonsets.apps': {
    generation: 'spec',
    prepareCreate: (object, context) => {
      const stated = Number(object.metadata.annotations?.[templateGeneration] ?? '0')
      return withTemplateGeneration(withoutDisabledAt(context, object, templateSpec), Math.max(stated, 1))
    },
    prepareUpdate: (object, old, context) =>
      nextTemplateGeneration(withoutDisabledAt(context, object, templateSpec, old) as DaemonSet, old as DaemonSet),
  },
  podtemplates: { ...templated(['template', 'spec']), generation: 'everything', returnsDeleted: true },
  'ingresses.networking.k8s.io': specCounted,
  'ingressclasses.networking.k8s.io': specCounted,
  'networkpolicies.networking.k8s.io': specCounted,
  'endpointslices.discovery.k8s.io': {
    generation: 'everything-and-labels',
    prepareCreate: (object) => withoutTopology(object),
    prepareUpdate: (object, old) => withoutTopology(object, old),
  },
  'priorityclasses.scheduling.k8s.io': { generation: 'once' },
  [definitionsResource]: {
    generation: 'spec',
    statusMetadata: 'keeps-all',
    default: withDefinitionDefaults,
    prepareCreate: acceptDefinition,
    prepareUpdate: updateDefinition,
    isHeld: ({ metadata }) => metadata.deletionTimestamp === undefined,
    onMarked: terminatingDefinition,
    warnings: definitionWarnings,
    returnsDeleted: true,
  },
  'poddisruptionbudgets.policy': {
    generation: 'spec',
    needsVersion: true,
    nameRule: 'path-segment',
    prepareCreate: (object) => withoutReservedLabel(object),
    prepareUpdate: withoutReservedLabel,
  },
  'leases.coordination.k8s.io': {
    createOnUpdate: true,
    needsVersion: true,
  },
  'runtimeclasses.node.k8s.io': { createOnUpdate: true, needsVersion: true },
  'csidrivers.storage.k8s.io': {
    generation: 'spec-once-changed',
    ...versioned,
  },
  'csinodes.storage.k8s.io': versioned,
  'csistoragecapacities.storage.k8s.io': { needsVersion: true },
  'volumeattachments.storage.k8s.io': { ...versioned, statusMetadata: 'keeps-all' },
  'storageclasses.storage.k8s.io': { returnsDeleted: true },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },
  resourcequotas: { returnsDeleted: true },
  persistentvolumes: {
    returnsDeleted: true,
    prepareCreate: (object, { now }) =>
      ({ ...object, status: { phase: 'Pending', lastPhaseTransitionTime: now } }) as PersistentVolume,
    prepareSubresource: {
      status: (object, old, context) => volumeStatus(object as PersistentVolume, old as PersistentVolume, context),
    },
  },
  persistentvolumeclaims: {
    returnsDeleted: true,
    prepareCreate: (object) => ({ ...withDataSources(object), status: { phase: 'Pending' } }) as KubeObject,
    prepareUpdate: withDataSources,
  },
  serviceaccounts: {
    returnsDeleted: true,
    prepareCreate: withSecretNames,
    prepareUpdate: (object) => withSecretNames(object),
  },
  limitranges: {
    createOnUpdate: true,
    prepareCreate: (object, { random }) => {
      if (object.metadata.name !== '') return object
      return { ...object, metadata: { ...object.metadata, name: random.stream('uid').uuid() } }
    },
  },
  endpoints: { createOnUpdate: true },
  'servicecidrs.networking.k8s.io': { statusGate: 'ServiceCIDRStatusFieldWiping' },
  ...deviceStrategies,
  ...groupStrategies,
  ...registrationStrategies,
  'roles.rbac.authorization.k8s.io': pathNamed,
  'rolebindings.rbac.authorization.k8s.io': pathNamed,
  'clusterroles.rbac.authorization.k8s.io': pathNamed,
  'clusterrolebindings.rbac.authorization.k8s.io': pathNamed,
})

const groupResource = /^(workloads|podgroups|compositepodgroups)\.scheduling\.k8s\.io$/

/** The changes of a release or a feature gate to the strategy of a kind. */
function ofRelease(resource: string, release: KubernetesRelease): Strategy {
  if (resource === 'horizontalpodautoscalers.autoscaling' && release.gates.has('HPAGeneration')) return specCounted
  return groupResource.test(resource) && atLeast(release, '1.37') ? { needsVersion: true } : {}
}

/** The strategies of the kinds. A resource without an entry has default behavior. */
export function strategyOf(resource: string, version: string, release: KubernetesRelease): Strategy {
  const own = { ...ofKinds[resource], ...ofRelease(resource, release) }
  const ofVersion = resource === 'devicetaintrules.resource.k8s.io' ? { ...own, ...ruleStrategy(version) } : own
  const selectable = selectableFieldsOf(resource, release)
  return selectable === undefined ? ofVersion : { ...ofVersion, selectable }
}

/** The status of a new node. Declared features are dropped here only: a write of the status keeps them without their gate. */
function withoutNodeStatus(node: KubeObject, { gates }: KubernetesRelease): KubeObject {
  const { status } = node as { readonly status?: Readonly<Record<string, unknown>> }
  if (status === undefined) return node
  const { config, declaredFeatures, ...rest } = status
  const isDropped = declaredFeatures !== undefined && !gates.has('NodeDeclaredFeatures')
  if (config === undefined && !isDropped) return node
  return {
    ...node,
    status: isDropped || declaredFeatures === undefined ? rest : { ...rest, declaredFeatures },
  } as KubeObject
}

/** Drops the fields of the removed dynamic kubelet configuration, unless the old object has them. */
function withoutNodeConfig(object: KubeObject, old: KubeObject): KubeObject {
  const statusOf = (from: KubeObject) => (from as { readonly status?: Readonly<Record<string, unknown>> }).status
  const given = statusOf(object)
  if (given?.['config'] === undefined || statusOf(old)?.['config'] !== undefined) return object
  const { config: _, ...status } = given
  return { ...object, status } as KubeObject
}

type SliceEndpoint = Readonly<Record<string, unknown>> & {
  readonly deprecatedTopology?: Readonly<Record<string, string>>
}

/** deprecatedTopology is dropped; an existing node name is kept (dropTopologyOnV1). */
function withoutTopology(object: KubeObject, old?: KubeObject): KubeObject {
  const endpointsOf = (from: KubeObject | undefined): readonly SliceEndpoint[] =>
    (from as { readonly endpoints?: readonly SliceEndpoint[] | null } | undefined)?.endpoints ?? []
  const endpoints = endpointsOf(object)
  if (old !== undefined && semanticEqual(endpoints, endpointsOf(old))) return object
  if (!endpoints.some((one) => one.deprecatedTopology !== undefined)) return object
  const hostname = 'kubernetes.io/hostname'
  const known = new Set(endpointsOf(old).map((one) => one.deprecatedTopology?.[hostname]))
  const cleaned = endpoints.map(({ deprecatedTopology, ...rest }) => {
    const node = deprecatedTopology?.[hostname]
    return node !== undefined && rest['nodeName'] === undefined && known.has(node) ? { ...rest, nodeName: node } : rest
  })
  return { ...object, endpoints: cleaned } as unknown as KubeObject
}

/** Keeps only the names of the secrets of a service account. */
function withSecretNames(object: KubeObject): KubeObject {
  const { secrets } = object as { readonly secrets?: readonly { readonly name?: string }[] | null }
  if (secrets === undefined || secrets === null) return object
  return {
    ...object,
    secrets: secrets.map(({ name }) => (name === undefined ? {} : { name })),
  } as unknown as KubeObject
}

function newNamespace(namespace: Namespace): Namespace {
  const finalizers = namespace.spec?.finalizers ?? []
  const held = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']
  return { ...namespace, spec: { ...namespace.spec, finalizers: held }, status: { phase: 'Active' } }
}

/** Drops fields that are not served, unless the old object has them. */
function withoutSpecFields(object: KubeObject, fields: readonly string[], old?: KubeObject): KubeObject {
  const specOf = (from: KubeObject | undefined) => (from as { spec?: Readonly<Record<string, unknown>> })?.spec ?? {}
  const spec = specOf(object)
  const dropped = fields.filter((field) => spec[field] !== undefined && specOf(old)[field] === undefined)
  if (dropped.length === 0) return object
  const kept = Object.fromEntries(Object.entries(spec).filter(([field]) => !dropped.includes(field)))
  return { ...object, spec: kept } as KubeObject
}

/** The selector of a Job uses its uid, unless the user sets manualSelector. */
function withJobSelector(job: Job): Job {
  const { spec, metadata } = job
  if (spec === undefined || spec.manualSelector === true) return job
  const { name, uid = '' } = metadata
  const labels = {
    'job-name': name,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    ...spec.template.metadata?.labels,
  }
  const template = { ...spec.template, metadata: { ...spec.template.metadata, labels } }
  const matchLabels = { 'batch.kubernetes.io/controller-uid': uid, ...spec.selector?.matchLabels }
  const prepared = { ...job, spec: { ...spec, template, selector: { ...spec.selector, matchLabels } } }
  // Defaulting copies the labels of the template: either as the same map, which then gets the same additions, or when
  // the Job is read back from storage, if there were no labels.
  const shared = metadata.labels === undefined || metadata.labels === spec.template.metadata?.labels
  return shared ? { ...prepared, metadata: { ...metadata, labels } } : prepared
}

function withTemplateGeneration(object: KubeObject, generation: number): KubeObject {
  const annotations = { ...object.metadata.annotations, [templateGeneration]: String(generation) }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

function nextTemplateGeneration(object: DaemonSet, old: DaemonSet): KubeObject {
  const present = Number(old.metadata.annotations?.[templateGeneration] ?? '1')
  const changed = !semanticEqual(object.spec?.template, old.spec?.template)
  return withTemplateGeneration(object, changed ? present + 1 : present)
}

function volumeStatus(volume: PersistentVolume, old: PersistentVolume, { now }: WriteContext): PersistentVolume {
  const { status } = volume
  const before = old.status?.lastPhaseTransitionTime
  const stated = status?.lastPhaseTransitionTime
  if (old.status?.phase === status?.phase) {
    if (stated !== undefined || before === undefined) return volume
    return { ...volume, status: { ...status, lastPhaseTransitionTime: before } }
  }
  if (stated !== undefined && stated !== before) return volume
  return { ...volume, status: { ...status, lastPhaseTransitionTime: now } }
}
