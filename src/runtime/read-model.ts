import type { LabelMatcher } from '../api/label-matcher.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { KnownResource, ObjectOf } from '../api/objects/resources.ts'
import { controllerOf } from '../api/owner-references.ts'
import { labels } from '../api/well-known.ts'
import type { Change } from './controller.ts'
import type { View } from './view.ts'

/**
 * The View that drivers keep up to date. Arrays it hands out are never changed afterwards: a change drops the cached
 * array and the next reader gets a new one. Order is the order of arrival, so it is the same for the same history.
 * The indexes by namespace, owner and label are built when somebody first asks, and kept from then on.
 */
export interface ReadModel extends View {
  /** `revision`: everything up to it is now included, of all resources. Absent: only what the objects themselves say. */
  apply(changes: readonly Change[], revision?: number): void
  /** Everything of this resource up to `revision` is included, though no object may say so (bookmarks, deletions). */
  reached(resource: string, revision: number): void
  /** Forgets a resource: nobody watches it any more. */
  drop(resource: string): void
}

export function createReadModel(): ReadModel {
  return new Tables()
}

/** A keyed set that is mostly read as an array. */
class Bucket<T> {
  readonly byKey = new Map<string, T>()
  private array: readonly T[] | undefined

  set(key: string, value: T): void {
    this.byKey.set(key, value)
    this.array = undefined
  }

  delete(key: string): void {
    this.byKey.delete(key)
    this.array = undefined
  }

  list(): readonly T[] {
    if (this.array === undefined) this.array = [...this.byKey.values()]
    return this.array
  }
}

/**
 * The same for groups, of which there are thousands. Most are filled once and only read from then on, so what is in them is
 * a list until something of it changes or goes.
 */
class Group<T> {
  private keys: string[] | undefined = []
  private values: T[] = []
  private isShown = false
  private changing: Bucket<T> | undefined

  /** The key must be absent. */
  add(key: string, value: T): void {
    if (this.keys === undefined) {
      this.bucket().set(key, value)
      return
    }
    if (this.isShown) {
      this.values = this.values.slice()
      this.isShown = false
    }
    this.keys.push(key)
    this.values.push(value)
  }

  set(key: string, value: T): void {
    this.bucket().set(key, value)
  }

  delete(key: string): void {
    this.bucket().delete(key)
  }

  get isEmpty(): boolean {
    return (this.changing?.byKey.size ?? this.values.length) === 0
  }

  list(): readonly T[] {
    if (this.changing !== undefined) return this.changing.list()
    this.isShown = true
    return this.values
  }

  private bucket(): Bucket<T> {
    if (this.changing !== undefined) return this.changing
    const bucket = new Bucket<T>()
    const { keys = [], values } = this
    for (let at = 0; at < keys.length; at++) bucket.byKey.set(keys[at] as string, values[at] as T)
    this.keys = undefined
    this.values = []
    this.changing = bucket
    return bucket
  }
}

/** Groups by a value read off each object; objects without one are in no group. */
class Index<T extends KubeObject> {
  private readonly groups = new Map<string, Group<T>>()
  /** Objects of one group often come in a row. */
  private lastName: string | undefined
  private lastGroup: Group<T> | undefined
  private readonly groupOf: (object: T) => string | undefined

  constructor(groupOf: (object: T) => string | undefined, present?: Bucket<T>) {
    this.groupOf = groupOf
    present?.byKey.forEach((object, key) => {
      this.move(key, undefined, object)
    })
  }

  move(key: string, before: T | undefined, after: T | undefined): void {
    const from = before === undefined ? undefined : this.groupOf(before)
    const to = after === undefined ? undefined : this.groupOf(after)
    if (from !== undefined && from !== to) {
      const group = this.groups.get(from)
      group?.delete(key)
      if (group?.isEmpty === true) {
        this.groups.delete(from)
        this.lastName = undefined
      }
    }
    if (to === undefined) return
    const group = this.openGroup(to)
    if (from === to) group.set(key, after as T)
    else group.add(key, after as T)
  }

  list(value: string): readonly T[] {
    return this.groups.get(value)?.list() ?? NONE
  }

  private openGroup(name: string): Group<T> {
    if (name === this.lastName) return this.lastGroup as Group<T>
    let group = this.groups.get(name)
    if (group === undefined) {
      group = new Group<T>()
      this.groups.set(name, group)
    }
    this.lastName = name
    this.lastGroup = group
    return group
  }
}

const NONE: readonly never[] = []

class Table {
  readonly all = new Bucket<KubeObject>()
  readonly indexes: Index<KubeObject>[] = []
  private namespaces: Index<KubeObject> | undefined
  private controllers: Index<KubeObject> | undefined
  private readonly labelled = new Map<string, Index<KubeObject>>()

  byNamespace(): Index<KubeObject> {
    if (this.namespaces === undefined) this.namespaces = this.addIndex(namespaceOf)
    return this.namespaces
  }

  byController(): Index<KubeObject> {
    if (this.controllers === undefined) this.controllers = this.addIndex(controllerUid)
    return this.controllers
  }

  byLabel(key: string): Index<KubeObject> {
    let index = this.labelled.get(key)
    if (index === undefined) {
      index = this.addIndex(createLabelGroups(key))
      this.labelled.set(key, index)
    }
    return index
  }

  addIndex<T extends KubeObject>(groupOf: (object: T) => string | undefined): Index<T> {
    const index = new Index<T>(groupOf, this.all as unknown as Bucket<T>)
    this.indexes.push(index as unknown as Index<KubeObject>)
    return index
  }
}

type Owned = { readonly resource: string; readonly object: KubeObject }

class Tables implements ReadModel {
  private readonly tables = new Map<string, Table>()
  private readonly revisions = new Map<string, number>()
  private overallRevision = 0
  private podsByNode = new Index<Pod>((pod) => pod.spec?.nodeName || undefined)
  private nodesByZone = new Index<Node>((node) => node.metadata.labels?.[labels.zone] || undefined)
  private owned: Map<string, Bucket<Owned>> | undefined

  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined {
    return this.tables.get(resource)?.all.byKey.get(key) as ObjectOf<R> | undefined
  }

  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[] {
    const table = this.tables.get(resource)
    if (table === undefined) return NONE
    const found = namespace === undefined ? table.all.list() : table.byNamespace().list(namespace)
    return found as readonly ObjectOf<R>[]
  }

  count(resource: string): number {
    return this.tables.get(resource)?.all.byKey.size ?? 0
  }

  podsOn(node: string): readonly Pod[] {
    return this.podsByNode.list(node)
  }

  controlledBy<R extends KnownResource>(resource: R, ownerUid: string): readonly ObjectOf<R>[] {
    const found = this.tables.get(resource)?.byController().list(ownerUid) ?? NONE
    return found as readonly KubeObject[] as readonly ObjectOf<R>[]
  }

  ownedBy(ownerUid: string): readonly Owned[] {
    if (this.owned === undefined) {
      this.owned = new Map()
      for (const [resource, table] of this.tables) {
        for (const [key, object] of table.all.byKey) this.moveOwned(resource, key, undefined, object)
      }
    }
    return this.owned.get(ownerUid)?.list() ?? NONE
  }

  selectedBy<R extends KnownResource>(resource: R, namespace: string, selector: LabelMatcher): readonly ObjectOf<R>[] {
    const table = this.tables.get(resource)
    if (table === undefined || selector.nothing) return NONE
    let candidates: readonly KubeObject[] | undefined
    for (const { key, operator, values } of selector.requirements) {
      if (values.length !== 1 || (operator !== '=' && operator !== '==' && operator !== 'in')) continue
      const found = table.byLabel(key).list(labelGroup(namespace, values[0] as string))
      if (candidates === undefined || found.length < candidates.length) candidates = found
    }
    const all = candidates ?? table.byNamespace().list(namespace)
    return all.filter((object) => selector.matches(object.metadata.labels)) as KubeObject[] as ObjectOf<R>[]
  }

  nodesInZone(zone: string): readonly Node[] {
    return this.nodesByZone.list(zone)
  }

  revisionOf(resource: string): number {
    return Math.max(this.overallRevision, this.revisions.get(resource) ?? 0)
  }

  reached(resource: string, revision: number): void {
    this.table(resource)
    if (revision > (this.revisions.get(resource) ?? 0)) this.revisions.set(resource, revision)
  }

  drop(resource: string): void {
    const table = this.tables.get(resource)
    if (table === undefined) return
    for (const [key, object] of [...table.all.byKey]) this.put(table, resource, key, object, undefined)
    this.tables.delete(resource)
    this.revisions.delete(resource)
  }

  apply(changes: readonly Change[], revision?: number): void {
    let table: Table | undefined
    let resource = ''
    for (const change of changes) {
      if (table === undefined || change.resource !== resource) {
        resource = change.resource
        table = this.table(resource)
      }
      // What is held counts, not what the change says came before: the two differ after a gap in a watch.
      const before = table.all.byKey.get(change.key)
      const after: KubeObject | undefined = change.after
      this.put(table, change.resource, change.key, before, after)
      if (revision === undefined && after !== undefined) {
        this.reached(change.resource, Number(after.metadata.resourceVersion ?? 0))
      }
    }
    if (revision !== undefined && revision > this.overallRevision) this.overallRevision = revision
  }

  private put(
    table: Table,
    resource: string,
    key: string,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): void {
    if (after === undefined) table.all.delete(key)
    else table.all.set(key, after)
    for (const index of table.indexes) index.move(key, before, after)
    if (this.owned !== undefined) this.moveOwned(resource, key, before, after)
  }

  private moveOwned(
    resource: string,
    key: string,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): void {
    const owned = this.owned as Map<string, Bucket<Owned>>
    const place = `${resource}/${key}`
    const kept = after?.metadata.ownerReferences ?? NONE
    for (const { uid } of before?.metadata.ownerReferences ?? NONE) {
      if (kept.some((reference) => reference.uid === uid)) continue
      const bucket = owned.get(uid)
      bucket?.delete(place)
      if (bucket?.byKey.size === 0) owned.delete(uid)
    }
    for (const { uid } of kept) {
      let bucket = owned.get(uid)
      if (bucket === undefined) {
        bucket = new Bucket<Owned>()
        owned.set(uid, bucket)
      }
      bucket.set(place, { resource, object: after as KubeObject })
    }
  }

  private table(resource: string): Table {
    const known = this.tables.get(resource)
    if (known !== undefined) return known
    const table = new Table()
    this.tables.set(resource, table)
    if (resource === 'pods') table.indexes.push(this.podsByNode as unknown as Index<KubeObject>)
    if (resource === 'nodes') table.indexes.push(this.nodesByZone as unknown as Index<KubeObject>)
    return table
  }
}

/** The group of an object by one of its labels. Those of one workload come in a row, and may share their labels. */
function createLabelGroups(key: string): (object: KubeObject) => string | undefined {
  let last: KubeObject['metadata'] | undefined
  let lastGroup: string | undefined
  return ({ metadata }) => {
    const { labels, namespace } = metadata
    if (labels === undefined) return undefined
    if (last !== undefined && last.labels === labels && last.namespace === namespace) return lastGroup
    const value = labels[key]
    last = metadata
    lastGroup = value === undefined ? undefined : labelGroup(namespace, value)
    return lastGroup
  }
}

function labelGroup(namespace: string | undefined, value: string): string {
  return `${namespace ?? ''}/${value}`
}

function namespaceOf(object: KubeObject): string | undefined {
  return object.metadata.namespace || undefined
}

function controllerUid(object: KubeObject): string | undefined {
  return controllerOf(object)?.uid
}
