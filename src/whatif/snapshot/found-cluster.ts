import type { KubeObject } from '../../api/objects/meta.ts'
import type { Lease, Node } from '../../api/objects/node.ts'
import type { Pod, PriorityClass } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import { priorityClasses } from '../../api/well-known.ts'
import { createRandom } from '../../base/random.ts'
import { clusterCidrDefinition } from '../../registry/custom/cluster-cidr-definition.ts'
import { definitionsResource, establishedDefinition } from '../../registry/custom/definition-strategy.ts'
import type { Kind } from '../../registry/kind.ts'
import { createKindTable } from '../../registry/kinds.ts'
import { createStore } from '../../store/memory-store.ts'
import type { Note } from '../report/forecast.ts'
import { kindOfObject } from '../scenario/kind-names.ts'
import type { FoundCluster } from '../scenario/plan.ts'
import { agreedRevisions } from './found-revisions.ts'
import { snapshotResources } from './snapshot-resources.ts'

/** What was read, from a snapshot or from anything else that holds objects. */
export interface FoundObjects {
  readonly objects: Iterable<KubeObject>
  /** Absent: the newest time that any object tells of. */
  readonly takenAtMs?: number
  /** Resources that could not be read, and why. */
  readonly missing?: Readonly<Record<string, string>>
}

export interface Found {
  readonly cluster: FoundCluster
  /** Objects without an identity: manifests, to be created before time begins. */
  readonly manifests: readonly KubeObject[]
  readonly notes: readonly Note[]
  /** Controllers that would do harm for want of what is missing. */
  readonly without: readonly string[]
}

/** What was read is no cluster. The message says what would be one. */
export class NoClusterError extends Error {
  override readonly name = 'NoClusterError'
}

interface Shelf {
  readonly kind: Kind
  readonly byKey: Map<string, KubeObject>
}

/** Makes a store of objects that were found, and says what is missing and what that means. */
export function findCluster({ objects, takenAtMs, missing = {} }: FoundObjects): Found {
  const sorted = sortObjects(objects)
  const { shelves, manifests, newestMs } = sorted
  const nodes = shelves.get('nodes')?.byKey.size ?? 0
  const hasNodes = nodes > 0 || manifests.some(({ kind }) => kind === 'Node')
  if (sorted.count === 0)
    throw new NoClusterError('there is no object in it; a dump is made with: kubectl get nodes,pods,… -A -o json')
  if (!hasNodes)
    throw new NoClusterError(
      `there is no Node in it, only ${sorted.kinds.join(', ')}; include nodes: kubectl get nodes,pods -A -o json`,
    )
  const notes: Note[] = []
  supplyNamespaces(shelves)
  supplyPriorityClasses(shelves)
  supplyDefinitions(sorted)
  supplyRevisions(shelves)
  // Manifests say all there is; what was found may be part of more.
  if (nodes > 0) notes.push(...missingNotes(sorted, missing))
  const orphans = countOrphans(shelves)
  if (orphans > 0) {
    notes.push({
      kind: 'assumed',
      text: `the owners of ${orphans} objects are not in the snapshot: they are taken to exist, and garbage collection is left out`,
    })
  }
  if (sorted.unknown.size > 0) {
    notes.push({
      kind: 'assumed',
      text: `objects of ${[...sorted.unknown].sort().join(', ')} have no part in it and were left out`,
    })
  }
  let revision = 1
  const entries = [...shelves.values()].flatMap(({ kind, byKey }) =>
    [...byKey].map(([key, object]) => {
      revision = Math.max(revision, Number(object.metadata.resourceVersion) || 0)
      return { resource: kind.storage, key, object: complete(kind, object) }
    }),
  )
  const store = createStore({ initial: { revision: revision + 1, objects: entries } })
  // Every forecast begins on a fork with the lists that were made before it.
  for (const resource of store.resources()) store.list(resource)
  return {
    cluster: { store, takenAtMs: Math.floor((takenAtMs ?? newestMs ?? Date.UTC(2026, 0, 1)) / 1000) * 1000 },
    manifests,
    notes,
    without: orphans > 0 ? ['garbagecollector'] : [],
  }
}

interface Sorted {
  readonly shelves: Map<string, Shelf>
  readonly manifests: KubeObject[]
  readonly unknown: Set<string>
  readonly kinds: readonly string[]
  readonly count: number
  readonly newestMs: number | undefined
}

function sortObjects(objects: Iterable<KubeObject>): Sorted {
  const kinds = createKindTable()
  const known = new Map<string, Kind | undefined>()
  const shelves = new Map<string, Shelf>()
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
    if (IGNORED.has(kind.resource)) continue
    if (object.metadata.uid === undefined || object.metadata.uid === '') {
      manifests.push(object)
      continue
    }
    newest = later(newest, newestIn(object))
    let shelf = shelves.get(kind.resource)
    if (shelf === undefined) {
      shelf = { kind, byKey: new Map() }
      shelves.set(kind.resource, shelf)
    }
    const { namespace, name } = object.metadata
    shelf.byKey.set(kind.namespaced ? `${namespace ?? 'default'}/${name}` : name, object)
  }
  return {
    shelves,
    manifests,
    unknown,
    kinds: [...known.keys()].map((type) => type.split(' ')[1] ?? '').sort(),
    count,
    newestMs: parseTime(newest),
  }
}

// They have no part in what is forecast; events are many.
const IGNORED: ReadonlySet<string> = new Set([
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
 * The newest instant that an object tells of: what is written last in a cluster are the heartbeats of its nodes. Times are
 * compared as text, which is their order too: all are in UTC.
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

/** Stored objects always say what they are. */
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

function shelfOf(shelves: Map<string, Shelf>, resource: string): Shelf {
  let shelf = shelves.get(resource)
  if (shelf === undefined) {
    shelf = { kind: createKindTable().find(resource) as Kind, byKey: new Map() }
    shelves.set(resource, shelf)
  }
  return shelf
}

const random = () => createRandom('found').stream('uid')

/** A dump of pods does not hold their namespaces; they exist nevertheless. */
function supplyNamespaces(shelves: Map<string, Shelf>): void {
  const names = new Set<string>()
  for (const { kind, byKey } of shelves.values()) {
    if (kind.namespaced) for (const key of byKey.keys()) names.add(key.slice(0, key.indexOf('/')))
  }
  const { byKey } = shelfOf(shelves, 'namespaces')
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

const SYSTEM: ReadonlySet<string> = new Set(Object.values(priorityClasses).map(({ name }) => name))

/** Pods know what their class is worth; without the class nobody could make another such pod. */
function supplyPriorityClasses(shelves: Map<string, Shelf>): void {
  const { byKey } = shelfOf(shelves, 'priorityclasses.scheduling.k8s.io')
  const uids = random()
  for (const object of shelves.get('pods')?.byKey.values() ?? []) {
    const { priorityClassName: name, priority, preemptionPolicy } = (object as Pod).spec
    if (name === undefined || name === '' || priority === undefined || byKey.has(name) || SYSTEM.has(name)) continue
    byKey.set(name, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name, uid: uids.uuid(), resourceVersion: '1' },
      value: priority,
      preemptionPolicy: preemptionPolicy ?? 'PreemptLowerPriority',
    } as PriorityClass)
  }
}

function supplyRevisions(shelves: Map<string, Shelf>): void {
  const none: ReadonlyMap<string, KubeObject> = new Map()
  const of = (resource: string) => shelves.get(resource)?.byKey ?? none
  const revisions = of('controllerrevisions.apps')
  for (const revision of agreedRevisions(of('statefulsets.apps'), of('daemonsets.apps'), revisions)) {
    const { namespace, name } = revision.metadata
    shelfOf(shelves, 'controllerrevisions.apps').byKey.set(`${namespace}/${name}`, revision)
  }
}

/** A dump of ClusterCIDRs need not hold their definition. */
function supplyDefinitions({ shelves, manifests }: Sorted): void {
  const { name } = clusterCidrDefinition.metadata
  if (!shelves.has(name) && !manifests.some(({ kind }) => kind === 'ClusterCIDR')) return
  const { byKey } = shelfOf(shelves, definitionsResource)
  if (byKey.has(name)) return
  const definition = establishedDefinition(clusterCidrDefinition, '1970-01-01T00:00:00Z')
  byKey.set(name, { ...definition, metadata: { ...definition.metadata, uid: random().uuid(), resourceVersion: '1' } })
}

/** What is not there although something else shows that it exists, or that could not be read. */
function missingNotes({ shelves }: Sorted, missing: Readonly<Record<string, string>>): readonly Note[] {
  const owners = ownerKinds(shelves)
  const notes: Note[] = []
  for (const { resource, kind, without } of snapshotResources) {
    if (without === undefined) continue
    const why = missing[resource]
    const isThere = (shelves.get(resource)?.byKey.size ?? 0) > 0
    if (why !== undefined) notes.push({ kind: 'missing', text: `${kind}s could not be read (${why}): ${without}` })
    else if (!isThere && (owners.has(kind) || ALWAYS_THERE.has(kind)))
      notes.push({ kind: 'missing', text: `no ${kind} is in it: ${without}` })
  }
  return notes
}

/** Kinds of which every cluster has some, or that matter too much to be silent about. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(['Lease', 'PodDisruptionBudget'])

function ownerKinds(shelves: ReadonlyMap<string, Shelf>): ReadonlySet<string> {
  const kinds = new Set<string>()
  for (const resource of ['pods', 'replicasets.apps', 'jobs.batch']) {
    for (const object of shelves.get(resource)?.byKey.values() ?? []) {
      for (const { kind } of object.metadata.ownerReferences ?? []) kinds.add(kind)
    }
  }
  return kinds
}

function countOrphans(shelves: ReadonlyMap<string, Shelf>): number {
  const uids = new Set<string>()
  for (const { byKey } of shelves.values()) for (const object of byKey.values()) uids.add(object.metadata.uid ?? '')
  let orphans = 0
  for (const { byKey } of shelves.values()) {
    for (const { metadata } of byKey.values()) {
      if (metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true) orphans++
    }
  }
  return orphans
}
