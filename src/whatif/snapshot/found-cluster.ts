import type { KubeObject } from '../../api/objects/meta.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod, PriorityClass } from '../../api/objects/pod.ts'
import { clusterVersion, compareVersions } from '../../api/releases/cluster-version.ts'
import { defaultRelease, releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import { parseTime } from '../../api/time.ts'
import { priorityClasses } from '../../api/well-known.ts'
import { karpenterDefinitions } from '../../autoscalers/karpenter/definitions.ts'
import { createRandom } from '../../base/random.ts'
import { must } from '../../base/result.ts'
import { clusterCidrDefinition } from '../../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource, establishedDefinition } from '../../registry/custom/definition-strategy.ts'
import type { Kind, KindTable } from '../../registry/kinds/kind.ts'
import { createKindTable } from '../../registry/kinds/kinds.ts'
import { createStore } from '../../store/memory-store.ts'
import type { ForecastNote } from '../report/forecast.ts'
import type { FoundCluster } from '../scenario/forecast-plan.ts'
import { kindOfObject } from '../scenario/kind-names.ts'
import { componentOf, controlPlaneNotes, type FoundComponent } from './found-control-plane.ts'
import { agreedRevisions } from './found-revisions.ts'
import { snapshotResources } from './snapshot-resources.ts'

/** Objects of a cluster, from a snapshot, a dump or manifests. */
export interface FoundObjects {
  readonly objects: Iterable<KubeObject>
  /** Absent: the newest timestamp of any object. */
  readonly takenAtMs?: number
  /** The gitVersion of the API server, if it is known. */
  readonly kubernetes?: string
  /** Resources that could not be read, and why. */
  readonly missing?: Readonly<Record<string, string>>
  /** Keeps also what a forecast does not need: events, Secrets, and custom resources whose definition is there. */
  readonly keeps?: 'everything'
}

export interface ClusterInput {
  readonly kubernetes: FoundVersion
  readonly cluster: FoundCluster
  /** Objects without a uid: manifests, which are created before the start. */
  readonly manifests: readonly KubeObject[]
  readonly notes: readonly ForecastNote[]
  /** Controllers that must not run, because objects that they need are missing. */
  readonly without: readonly string[]
}

/** The release of a cluster, as far as it is known. */
export interface FoundVersion {
  /** In the form that `releaseOf` accepts; undefined when nothing says it. */
  readonly version?: string
  /** What the cluster itself said, for example v1.33.4-eks-1a2b3c. */
  readonly said?: string
  /** The pods of its control plane, if it has them. */
  readonly components?: readonly FoundComponent[]
}

/** The objects do not form a cluster. The message says what is missing. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError'
}

interface KindObjects {
  readonly kind: Kind
  readonly byKey: Map<string, KubeObject>
}

/** Builds a store from the objects, and notes what is missing and what that means for a forecast. */
export function findCluster({ objects, takenAtMs, kubernetes, missing = {}, keeps }: FoundObjects): ClusterInput {
  const sorted = keeps === undefined ? sortObjects(objects) : sortEverything([...objects])
  const { byResource, manifests, newestMs } = sorted
  const nodes = byResource.get('nodes')?.byKey.size ?? 0
  const hasNodes = nodes > 0 || manifests.some(({ kind }) => kind === 'Node')
  if (sorted.count === 0)
    throw new NoClusterError('no objects found; create a dump with: kubectl get nodes,pods,… -A -o json')
  if (!hasNodes)
    throw new NoClusterError(
      `no nodes found, only ${sorted.kinds.join(', ')}; include nodes: kubectl get nodes,pods,… -A -o json`,
    )
  const components = takeComponents(sorted, nodes > 0)
  const found = versionOf(kubernetes, byResource, components)
  const notes: ForecastNote[] = [...found.notes]
  supplyNamespaces(byResource)
  supplyPriorityClasses(byResource)
  supplyDefinitions(sorted)
  supplyRevisions(byResource)
  // Manifests are complete; objects of a running cluster may be only a part of it.
  if (nodes > 0) notes.push(...missingNotes(sorted, missing))
  const orphans = countOrphans(byResource)
  if (orphans > 0) {
    notes.push({
      kind: 'assumed',
      text: `the owners of ${orphans} objects are missing: they are assumed to exist, and garbage collection is disabled`,
    })
  }
  if (sorted.unknown.size > 0) {
    notes.push({
      kind: 'assumed',
      text: `objects of kind ${[...sorted.unknown].sort().join(', ')} do not affect the forecast and were ignored`,
    })
  }
  let revision = 1
  const entries = [...byResource.values()].flatMap(({ kind, byKey }) =>
    [...byKey].map(([key, object]) => {
      revision = Math.max(revision, Number(object.metadata.resourceVersion) || 0)
      return { resource: kind.storage, key, object: complete(kind, object) }
    }),
  )
  const store = createStore({ initial: { revision: revision + 1, objects: entries } })
  // Builds the lists once: every run starts on a fork, which inherits them.
  for (const resource of store.resources()) store.list(resource)
  return {
    kubernetes: components.length === 0 ? found.kubernetes : { ...found.kubernetes, components },
    cluster: { store, takenAtMs: Math.floor((takenAtMs ?? newestMs ?? Date.UTC(2026, 0, 1)) / 1000) * 1000 },
    manifests,
    notes,
    without: orphans > 0 ? ['garbagecollector'] : [],
  }
}

/**
 * The components of the control plane. A manifest of a static pod, as a must-gather has it, is not a pod to create: the
 * pod exists already.
 */
function takeComponents({ byResource, manifests }: SortedObjects, isRunning: boolean): readonly FoundComponent[] {
  const found: FoundComponent[] = []
  const note = (object: KubeObject): boolean => {
    const component = componentOf(object)
    if (component !== undefined) found.push(component)
    return component !== undefined
  }
  for (const pod of byResource.get('pods')?.byKey.values() ?? []) note(pod)
  if (isRunning) manifests.splice(0, manifests.length, ...manifests.filter((manifest) => !note(manifest)))
  return found
}

/**
 * The recorded version of the API server, or of the images of the control plane, else the newest version of a kubelet,
 * which is never newer than it.
 */
function versionOf(
  recorded: string | undefined,
  byResource: ReadonlyMap<string, KindObjects>,
  components: readonly FoundComponent[],
): { readonly kubernetes: FoundVersion; readonly notes: readonly ForecastNote[] } {
  // No component is newer than the API server.
  const images = components.flatMap(({ version }) => (version === undefined ? [] : [`v${version}`]))
  const server = recorded ?? images.sort(compareVersionTexts).at(-1)
  const said = server ?? newestKubelet((byResource.get('nodes')?.byKey.values() ?? []) as Iterable<Node>)
  const known = said === undefined ? undefined : clusterVersion(said)
  if (said === undefined || known === undefined)
    return { kubernetes: {}, notes: controlPlaneNotes(components, defaultRelease) }
  const { version, instead } = known
  const notes: ForecastNote[] = []
  if (server === undefined) {
    const why = 'the newest version of a kubelet; the control plane may be newer: set --kubernetes-version'
    notes.push({ kind: 'assumed', text: `Kubernetes v${version} is assumed: ${why}` })
  }
  if (instead !== undefined) {
    notes.push({
      kind: 'assumed',
      text: `the cluster runs Kubernetes v${instead}, which is not known: v${version} is used`,
    })
  }
  const release = releaseOf(version)
  if (release.ok) notes.push(...controlPlaneNotes(components, release.value))
  return { kubernetes: { version, said }, notes }
}

/** The newest version of a kubelet, as its node reports it. */
export function newestKubelet(nodes: Iterable<Node>): string | undefined {
  const versions = [...nodes].flatMap(({ status }) => {
    const said = status?.nodeInfo?.['kubeletVersion'] as string | undefined
    return said === undefined || clusterVersion(said) === undefined ? [] : [said]
  })
  return versions.sort(compareVersionTexts).at(-1)
}

function compareVersionTexts(a: string, b: string): number {
  return compareVersions(a.replace(/^v/, '').replace(/[-+].*$/, ''), b.replace(/^v/, '').replace(/[-+].*$/, ''))
}

interface SortedObjects {
  readonly byResource: Map<string, KindObjects>
  readonly manifests: KubeObject[]
  readonly unknown: Set<string>
  readonly kinds: readonly string[]
  readonly count: number
  readonly newestMs: number | undefined
}

/** With the custom resources that the objects themselves define. */
function sortEverything(objects: readonly KubeObject[]): SortedObjects {
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition')
  const shipped = createKindTable()
  const defined = createKindTable({ list: () => definitions, count: () => definitions.length })
  const kinds = {
    ...shipped,
    findKind: (group: string, name: string) => defined.findKind(group, name) ?? shipped.findKind(group, name),
  }
  return sortObjects(objects, kinds, new Set())
}

/** A cluster that has pod groups has their gate on. */
const withGroups = must(withFeatureGates(defaultRelease, new Map([['GenericWorkload', true]])))

/** The kinds of Kubernetes, and those of Karpenter. */
function knownKinds(): Pick<KindTable, 'findKind'> {
  const shipped = createKindTable()
  const karpenter = createKindTable({ list: () => karpenterKinds, count: () => karpenterKinds.length } as never)
  const gated = createKindTable(undefined, withGroups)
  return {
    findKind: (group, name) =>
      shipped.findKind(group, name) ?? karpenter.findKind(group, name) ?? gated.findKind(group, name),
  }
}

const karpenterKinds = karpenterDefinitions.map((each) => establishedDefinition(each, '1970-01-01T00:00:00Z'))

function sortObjects(objects: Iterable<KubeObject>, kinds = knownKinds(), ignored = ignoredKinds): SortedObjects {
  const known = new Map<string, Kind | undefined>()
  const byResource = new Map<string, KindObjects>()
  const manifests: KubeObject[] = []
  const unknown = new Set<string>()
  let count = 0
  let newest: string | undefined
  for (const object of objects) {
    count++
    const type = `${object.apiVersion} ${object.kind}`
    let kind = known.get(type)
    if (kind === undefined && !known.has(type)) {
      kind = kindOfObject(kinds, object)
      known.set(type, kind)
    }
    if (kind === undefined || kind.ephemeral === true) {
      unknown.add(object.kind ?? 'unknown')
      continue
    }
    if (ignored.has(kind.resource)) continue
    if (object.metadata.uid === undefined || object.metadata.uid === '') {
      manifests.push(object)
      continue
    }
    newest = later(newest, newestIn(object))
    let entry = byResource.get(kind.resource)
    if (entry === undefined) {
      entry = { kind, byKey: new Map() }
      byResource.set(kind.resource, entry)
    }
    const { namespace, name } = object.metadata
    entry.byKey.set(kind.namespaced ? `${namespace ?? 'default'}/${name}` : name, object)
  }
  return {
    byResource,
    manifests,
    unknown,
    kinds: [...known.keys()].map((type) => type.split(' ')[1] ?? '').sort(),
    count,
    newestMs: parseTime(newest),
  }
}

// These kinds do not affect a forecast, and clusters have many events.
const ignoredKinds: ReadonlySet<string> = new Set([
  'events',
  'events.events.k8s.io',
  'secrets',
  'endpoints',
  'endpointslices.discovery.k8s.io',
])

function later(a: string | undefined, b: string | undefined): string | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a
}

/**
 * The newest timestamp of an object. The last writes in a cluster are usually the heartbeats of its nodes. Timestamps are
 * compared as strings, which gives the right order because all are in UTC.
 */
function newestIn(object: KubeObject): string | undefined {
  let newest = object.metadata.creationTimestamp
  if (object.kind === 'Node') {
    for (const { lastHeartbeatTime } of (object as Node).status?.conditions ?? [])
      newest = later(newest, lastHeartbeatTime)
  }
  if (object.kind === 'Lease') newest = later(newest, (object as Lease).spec?.renewTime)
  if (object.kind === 'Pod') {
    for (const { lastTransitionTime } of (object as Pod).status?.conditions ?? [])
      newest = later(newest, lastTransitionTime)
  }
  return newest
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

const random = () => createRandom('found').stream('uid')

/** Adds the namespaces of objects if a dump does not contain them. */
function supplyNamespaces(byResource: Map<string, KindObjects>): void {
  const names = new Set<string>()
  for (const { kind, byKey } of byResource.values()) {
    if (kind.namespaced) for (const key of byKey.keys()) names.add(key.slice(0, key.indexOf('/')))
  }
  const { byKey } = objectsOf(byResource, 'namespaces')
  const uids = random()
  for (const name of [...names].sort()) {
    if (byKey.has(name)) continue
    byKey.set(name, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, uid: uids.uuid(), resourceVersion: '1', labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    } as KubeObject)
  }
}

const system: ReadonlySet<string> = new Set(Object.values(priorityClasses).map(({ name }) => name))

/** Adds missing PriorityClasses from the priority of pods; without its class a replacement could not be created. */
function supplyPriorityClasses(byResource: Map<string, KindObjects>): void {
  const { byKey } = objectsOf(byResource, 'priorityclasses.scheduling.k8s.io')
  const uids = random()
  for (const object of byResource.get('pods')?.byKey.values() ?? []) {
    const { priorityClassName: name, priority, preemptionPolicy } = (object as Pod).spec
    if (name === undefined || name === '' || priority === undefined || byKey.has(name) || system.has(name)) continue
    byKey.set(name, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name, uid: uids.uuid(), resourceVersion: '1' },
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

/** Adds the definition of ClusterCIDRs if a dump does not contain it. */
function supplyDefinitions({ byResource, manifests }: SortedObjects): void {
  for (const definition of [establishedDefinition(clusterCidrDefinition, '1970-01-01T00:00:00Z'), ...karpenterKinds]) {
    const { name } = definition.metadata
    const { kind: wanted } = (definition.spec as { readonly names: { readonly kind: string } }).names
    if (!byResource.has(name) && !manifests.some(({ kind }) => kind === wanted)) continue
    const { byKey } = objectsOf(byResource, definitionsResource)
    if (byKey.has(name)) continue
    byKey.set(name, { ...definition, metadata: { ...definition.metadata, uid: random().uuid(), resourceVersion: '1' } })
  }
}

/** Notes on resources that could not be read, or that are missing although other objects refer to them. */
function missingNotes(
  { byResource }: SortedObjects,
  missing: Readonly<Record<string, string>>,
): readonly ForecastNote[] {
  const needed = neededKinds(byResource)
  const notes: ForecastNote[] = []
  for (const { resource, kind, without } of snapshotResources) {
    if (without === undefined) continue
    const why = missing[resource]
    const isThere = (byResource.get(resource)?.byKey.size ?? 0) > 0
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

function countOrphans(byResource: ReadonlyMap<string, KindObjects>): number {
  const uids = new Set<string>()
  for (const { byKey } of byResource.values()) for (const object of byKey.values()) uids.add(object.metadata.uid ?? '')
  let orphans = 0
  for (const { byKey } of byResource.values()) {
    for (const { metadata } of byKey.values()) {
      if (metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true) orphans++
    }
  }
  return orphans
}
