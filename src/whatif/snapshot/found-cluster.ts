import type { NodeUsage } from '../../api/node-usage.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PriorityClass } from '../../api/objects/pod.ts'
import { clusterVersion, compareVersions } from '../../api/releases/cluster-version.ts'
import { defaultRelease, releaseOf } from '../../api/releases/release-of.ts'
import { priorityClasses } from '../../api/well-known.ts'
import { clusterCidrDefinition } from '../../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource, establishedDefinition } from '../../registry/custom/definition-strategy.ts'
import type { Kind } from '../../registry/kinds/kind.ts'
import { createKindTable } from '../../registry/kinds/kinds.ts'
import { createStore } from '../../store/memory-store.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { counted, listed } from '../report/phrases.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'
import { sizeNotes, supplyStatuses } from './assumed-statuses.ts'
import { componentOf, controlPlaneNotes, type FoundComponent } from './found-control-plane.ts'
import { derivedReplicaSets } from './found-replica-sets.ts'
import { agreedRevisions } from './found-revisions.ts'
import { type SuppliedIdentities, supplyIdentities, uidFor } from './identities.ts'
import { snapshotResources } from './snapshot-resources.ts'
import {
  type KindObjects,
  karpenterKinds,
  NoClusterError,
  type SortedObjects,
  sortEverything,
  sortObjects,
} from './sorted-objects.ts'
import { unforecastNotes, withoutUnforecast } from './unforecast-kinds.ts'

/** Objects of a cluster, from a snapshot, a dump or manifests. */
export interface FoundObjects {
  readonly objects: Iterable<KubeObject>
  /** Absent: the newest timestamp of any object. */
  readonly takenAtMs?: number
  /** The gitVersion of the API server, if it is known. */
  readonly kubernetes?: string
  /** Resources that could not be read, with the reason. */
  readonly missing?: Readonly<Record<string, string>>
  /** Additional objects to create, which are not part of the found objects. */
  readonly more?: readonly KubeObject[]
  /** Set if an API server wrote the objects, as in a snapshot. Their types are not checked. */
  readonly isServed?: true
  /** Also keeps objects that a forecast does not need: events, Secrets, and custom resources with a definition. */
  readonly keeps?: 'everything'
}

export interface ClusterInput {
  readonly kubernetes: FoundVersion
  readonly cluster: FoundCluster
  /** The usage of nodes, if the input contains it. */
  readonly usage: ReadonlyMap<string, NodeUsage>
  /** Objects that do not come from a running cluster. They are created before the start. */
  readonly manifests: readonly KubeObject[]
  readonly notes: readonly ForecastNote[]
  /** Controllers that must not run, because objects that they need are missing. */
  readonly without: readonly string[]
}

/** The release of a cluster, as far as it is known. */
export interface FoundVersion {
  /** In the form that `releaseOf` accepts; undefined if it is unknown. */
  readonly version?: string
  /** The version that the cluster reports, for example v1.33.4-eks-1a2b3c. */
  readonly said?: string
  /** The pods of its control plane, if it has them. */
  readonly components?: readonly FoundComponent[]
}

/** Builds a store from the objects, and notes missing objects and their effects on a forecast. */
export function findCluster({ takenAtMs, kubernetes, missing = {}, more = [], ...given }: FoundObjects): ClusterInput {
  const { objects, keeps, isServed = false } = given
  const sorted = keeps === undefined ? sortObjects(objects, { isServed }) : sortEverything([...objects], { isServed })
  const { byResource } = sorted
  refuseWithoutNodes(sorted, more)
  const { components, others } = takeComponents(sorted)
  const manifests = [...others, ...more]
  const nowMs = Math.floor((takenAtMs ?? sorted.newestMs ?? Date.UTC(2026, 0, 1)) / 1000) * 1000
  const found = versionOf(kubernetes, byResource, components)
  const unsized = sizeNotes([
    ...(byResource.get('nodes')?.byKey.values() ?? []),
    ...manifests.filter(({ kind }) => kind === 'Node'),
  ])
  const statuses = supplyStatuses(byResource, nowMs)
  const replicaSets = supplyReplicaSets(byResource)
  const identities = supplyIdentities(byResource)
  supplyNamespaces(byResource)
  supplyPriorityClasses(byResource)
  supplyDefinitions(byResource, manifests)
  supplyRevisions(byResource)
  const notes: readonly ForecastNote[] = [
    ...found.notes,
    // Manifests are complete. Objects of a running cluster may be only a part of it.
    ...(byResource.has('nodes') ? missingNotes({ ...sorted, manifests }, missing, replicaSets) : []),
    ...derivedNotes(replicaSets),
    ...unsized,
    ...statuses,
    ...assumedNotes({ ...sorted, ...identities }),
    ...unforecastNotes([...sorted.unknown, ...[...byResource.values()].map(({ kind }) => kind.kind)]),
  ]
  let revision = 1
  const entries = [...byResource.values()].flatMap(({ kind, byKey }) =>
    [...byKey].map(([key, object]) => {
      revision = Math.max(revision, Number(object.metadata.resourceVersion) || 0)
      return { resource: kind.storage, key, object: complete(kind, object) }
    }),
  )
  const store = createStore({ initial: { revision: revision + 1, objects: entries } })
  // Builds the lists once. Every run starts on a fork, which inherits them.
  for (const resource of store.resources()) store.list(resource)
  return {
    kubernetes: components.length === 0 ? found.kubernetes : { ...found.kubernetes, components },
    cluster: { store, takenAtMs: nowMs },
    usage: sorted.usage,
    manifests,
    notes,
    without: identities.orphans > 0 ? ['garbagecollector'] : [],
  }
}

function refuseWithoutNodes(sorted: SortedObjects, more: readonly KubeObject[]): void {
  const { byResource, count, kinds } = sorted
  const manifests = [...sorted.manifests, ...more]
  if (count === 0 && manifests.length === 0)
    throw new NoClusterError('no objects found; create a dump with: kubectl get nodes,pods,… -A -o json')
  if (!byResource.has('nodes') && !manifests.some(({ kind }) => kind === 'Node'))
    throw new NoClusterError(
      `no nodes found, only ${kinds.join(', ')}; include nodes: kubectl get nodes,pods,… -A -o json`,
    )
}

function assumedNotes({
  unknown,
  ambiguous,
  invalid,
  otherVersions,
  ...identities
}: SortedObjects & SuppliedIdentities): readonly ForecastNote[] {
  const { assigned, byName, orphans } = identities
  const texts: string[] = []
  if (assigned > 0) {
    const text = `${counted(assigned, 'object has', 'objects have')} no uid`
    texts.push(`${text}: identified by kind, namespace and name`)
  }
  if (byName > 0) {
    const text = `no object has the uid in the ownerReferences of ${counted(byName, 'object')}`
    texts.push(`${text}: the owner was found by name`)
  }
  if (orphans > 0) {
    const text = `the owners of ${counted(orphans, 'object')} are missing`
    texts.push(`${text}: they are assumed to exist, and garbage collection is disabled`)
  }
  for (const [type, version] of otherVersions) texts.push(`objects of ${type} are read as ${version}`)
  const unused = withoutUnforecast(unknown)
  if (unused.length > 0) texts.push(`objects of kind ${unused.join(', ')} do not affect the forecast and were ignored`)
  const doubts: string[] = []
  if (ambiguous.size > 0) {
    const names = listed([...ambiguous].sort(), 3)
    doubts.push(`the input has different versions of ${names}: the newest resourceVersion is used, else the last one`)
  }
  if (invalid.size > 0) {
    const [[object, error] = []] = invalid
    const others = invalid.size === 1 ? '' : `, and ${counted(invalid.size - 1, 'other object')}`
    doubts.push(`the API server would not accept ${object} (${error})${others}`)
  }
  return [
    ...doubts.map((text): ForecastNote => ({ kind: 'uncertain', text })),
    ...texts.map((text): ForecastNote => ({ kind: 'assumed', text })),
  ]
}

/**
 * Separates the components of the control plane from the other manifests. A manifest of a static pod, as in a
 * must-gather, is not created, because the pod already exists.
 */
function takeComponents({ byResource, manifests }: SortedObjects): {
  readonly components: readonly FoundComponent[]
  readonly others: readonly KubeObject[]
} {
  const components: FoundComponent[] = []
  const note = (object: KubeObject): boolean => {
    const component = componentOf(object)
    if (component !== undefined) components.push(component)
    return component !== undefined
  }
  for (const pod of byResource.get('pods')?.byKey.values() ?? []) note(pod)
  return { components, others: byResource.has('nodes') ? manifests.filter((one) => !note(one)) : manifests }
}

/**
 * The recorded version of the API server, or the version of the images of the control plane, or otherwise the newest
 * version of a kubelet, which is never newer than the API server.
 */
function versionOf(
  recorded: string | undefined,
  byResource: ReadonlyMap<string, KindObjects>,
  components: readonly FoundComponent[],
): { readonly kubernetes: FoundVersion; readonly notes: readonly ForecastNote[] } {
  const server = recorded ?? newestImage(components)
  const said = server ?? newestKubelet((byResource.get('nodes')?.byKey.values() ?? []) as Iterable<Node>)
  const known = said === undefined ? undefined : clusterVersion(said)
  if (said === undefined || known === undefined)
    return { kubernetes: {}, notes: controlPlaneNotes(components, defaultRelease) }
  const { version, instead } = known
  const notes: ForecastNote[] = []
  if (server === undefined) {
    const why = 'it is the newest version of a kubelet; if the control plane is newer, set --kubernetes-version'
    notes.push({ kind: 'assumed', text: `Kubernetes v${version} is assumed: ${why}` })
  }
  if (instead !== undefined) {
    notes.push({
      kind: 'assumed',
      text: `the cluster runs Kubernetes v${instead}, which berth does not support: v${version} is used`,
    })
  }
  const release = releaseOf(version)
  if (release.ok) notes.push(...controlPlaneNotes(components, release.value))
  return { kubernetes: { version, said }, notes }
}

/** The facts about the release in the objects of a cluster, as `findCluster` reads them. */
export function foundVersion(
  /** The gitVersion of the API server, if it is known. */
  recorded: string | undefined,
  nodes: Iterable<Node>,
  pods: Iterable<KubeObject>,
): FoundVersion {
  const components = [...pods].flatMap((pod) => componentOf(pod) ?? [])
  const said = recorded ?? newestImage(components) ?? newestKubelet(nodes)
  const version = clusterVersion(said ?? '')?.version
  return { ...(version === undefined || said === undefined ? {} : { version, said }), components }
}

/** No component is newer than the API server. */
function newestImage(components: readonly FoundComponent[]): string | undefined {
  const images = components.flatMap(({ version }) => (version === undefined ? [] : [`v${version}`]))
  return images.sort(compareVersionTexts).at(-1)
}

/** The newest version of a kubelet, as its node reports it. */
function newestKubelet(nodes: Iterable<Node>): string | undefined {
  const versions = [...nodes].flatMap(({ status }) => {
    const said = status?.nodeInfo?.['kubeletVersion'] as string | undefined
    return said === undefined || clusterVersion(said) === undefined ? [] : [said]
  })
  return versions.sort(compareVersionTexts).at(-1)
}

function compareVersionTexts(a: string, b: string): number {
  return compareVersions(a.replace(/^v/, '').replace(/[-+].*$/, ''), b.replace(/^v/, '').replace(/[-+].*$/, ''))
}

/** Stored objects always have apiVersion, kind and resourceVersion. */
function complete(kind: Kind, object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined && object.metadata.resourceVersion !== undefined) return object
  const { managedFields: _, ...metadata } = object.metadata
  return {
    ...object,
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...metadata, resourceVersion: metadata.resourceVersion ?? '1' },
  }
}

function objectsOf(byResource: Map<string, KindObjects>, resource: string): KindObjects {
  let entry = byResource.get(resource)
  if (entry === undefined) {
    entry = { kind: createKindTable().find(resource) as Kind, byKey: new Map() }
    byResource.set(resource, entry)
  }
  return entry
}

/** Adds the namespaces of objects if a dump does not contain them. */
function supplyNamespaces(byResource: Map<string, KindObjects>): void {
  const names = new Set<string>()
  for (const { kind, byKey } of byResource.values()) {
    if (kind.namespaced) for (const key of byKey.keys()) names.add(key.slice(0, key.indexOf('/')))
  }
  const { byKey } = objectsOf(byResource, 'namespaces')
  for (const name of [...names].sort()) {
    if (byKey.has(name)) continue
    byKey.set(name, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name,
        uid: uidFor('namespaces', name),
        resourceVersion: '1',
        labels: { 'kubernetes.io/metadata.name': name },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as KubeObject)
  }
}

const system: ReadonlySet<string> = new Set(Object.values(priorityClasses).map(({ name }) => name))

/** Adds missing PriorityClasses from the priority of pods. Without its class, a replacement could not be created. */
function supplyPriorityClasses(byResource: Map<string, KindObjects>): void {
  const resource = 'priorityclasses.scheduling.k8s.io'
  const { byKey } = objectsOf(byResource, resource)
  for (const object of byResource.get('pods')?.byKey.values() ?? []) {
    const { priorityClassName: name, priority, preemptionPolicy } = (object as Pod).spec
    if (name === undefined || name === '' || priority === undefined || byKey.has(name) || system.has(name)) continue
    byKey.set(name, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name, uid: uidFor(resource, name), resourceVersion: '1' },
      value: priority,
      preemptionPolicy: preemptionPolicy ?? 'PreemptLowerPriority',
    } as PriorityClass)
  }
}

function supplyRevisions(byResource: Map<string, KindObjects>): void {
  const none: ReadonlyMap<string, KubeObject> = new Map()
  const of = (resource: string) => byResource.get(resource)?.byKey ?? none
  const revisions = of('controllerrevisions.apps')
  for (const revision of agreedRevisions(of('statefulsets.apps'), of('daemonsets.apps'), revisions)) {
    const { namespace, name } = revision.metadata
    objectsOf(byResource, 'controllerrevisions.apps').byKey.set(`${namespace}/${name}`, revision)
  }
}

interface SuppliedReplicaSets {
  readonly supplied: number
  readonly isComplete: boolean
}

function supplyReplicaSets(byResource: Map<string, KindObjects>): SuppliedReplicaSets {
  const none: ReadonlyMap<string, KubeObject> = new Map()
  const of = (resource: string) => byResource.get(resource)?.byKey ?? none
  const { derived, isComplete } = derivedReplicaSets(of('deployments.apps'), of('replicasets.apps'), of('pods'))
  for (const replicaSet of derived) {
    const { namespace, name } = replicaSet.metadata
    objectsOf(byResource, 'replicasets.apps').byKey.set(`${namespace}/${name}`, replicaSet)
  }
  return { supplied: derived.length, isComplete }
}

function derivedNotes({ supplied }: SuppliedReplicaSets): readonly ForecastNote[] {
  if (supplied === 0) return []
  const text = `${counted(supplied, 'ReplicaSet is', 'ReplicaSets are')} missing`
  return [{ kind: 'assumed', text: `${text}: derived from the Deployments and their pods` }]
}

/** Adds the definition of ClusterCIDRs if a dump does not contain it. */
function supplyDefinitions(byResource: Map<string, KindObjects>, manifests: readonly KubeObject[]): void {
  for (const definition of [establishedDefinition(clusterCidrDefinition, '1970-01-01T00:00:00Z'), ...karpenterKinds]) {
    const { name } = definition.metadata
    const { kind: wanted } = (definition.spec as { readonly names: { readonly kind: string } }).names
    if (!byResource.has(name) && !manifests.some(({ kind }) => kind === wanted)) continue
    const { byKey } = objectsOf(byResource, definitionsResource)
    if (byKey.has(name)) continue
    const uid = uidFor(definitionsResource, name)
    byKey.set(name, { ...definition, metadata: { ...definition.metadata, uid, resourceVersion: '1' } })
  }
}

/** Notes on resources that could not be read, or that are missing although other objects refer to them. */
function missingNotes(
  { byResource, manifests }: SortedObjects,
  missing: Readonly<Record<string, string>>,
  replicaSets: SuppliedReplicaSets,
): readonly ForecastNote[] {
  const needed = neededKinds(byResource)
  const notes: ForecastNote[] = []
  for (const { resource, kind, without } of snapshotResources) {
    if (without === undefined) continue
    const isDerived = resource === 'replicasets.apps' && replicaSets.supplied > 0
    if (isDerived && replicaSets.isComplete) continue
    const why = missing[resource]
    const size = (byResource.get(resource)?.byKey.size ?? 0) - (isDerived ? replicaSets.supplied : 0)
    const isThere = size > 0 || manifests.some((each) => each.kind === kind)
    if (why !== undefined)
      notes.push({ kind: 'missing', about: kind, text: `${kind}s could not be read (${why}): ${without}` })
    else if (!isThere && (needed.has(kind) || alwaysThere.has(kind)))
      notes.push({ kind: 'missing', about: kind, text: `no ${kind} found: ${without}` })
  }
  return notes
}

/** Kinds that are reported as missing even if no object refers to them. */
const alwaysThere: ReadonlySet<string> = new Set(['Lease', 'PodDisruptionBudget'])

/** Kinds that objects of the cluster refer to: as owners, as volumes, or as devices. */
function neededKinds(byResource: ReadonlyMap<string, KindObjects>): ReadonlySet<string> {
  const kinds = new Set<string>()
  for (const pod of (byResource.get('pods')?.byKey.values() ?? []) as Iterable<Pod>) {
    if (pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined) === true) {
      for (const kind of ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass']) kinds.add(kind)
    }
    if ((pod.spec.resourceClaims?.length ?? 0) > 0) {
      for (const kind of ['ResourceClaim', 'ResourceSlice', 'DeviceClass']) kinds.add(kind)
    }
  }
  for (const resource of ['pods', 'replicasets.apps', 'jobs.batch']) {
    for (const object of byResource.get(resource)?.byKey.values() ?? []) {
      for (const { kind } of object.metadata.ownerReferences ?? []) kinds.add(kind)
    }
  }
  return kinds
}
