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
 * The View that drivers keep up to date. Returned arrays are never modified: a change drops the cached array, and the
 * next reader gets a new array. The order is the order of arrival, so it is the same for the same history. The indexes
 * by namespace, owner and label are built on first use and then kept up to date.
 */
export interface ReadModel extends View {
  /** `revision`: everything up to it is now included, of all resources. Absent: use the revisions of the objects. */
  apply(changes: readonly Change[], revision?: number): void
  /**
   * Everything of this resource up to `revision` is included, even if no object has that revision (bookmarks,
   * deletions).
   */
  reached(resource: string, revision: number): void
  /** Removes a resource that is no longer watched. */
  drop(resource: string): void
}

export function createReadModel(): ReadModel {
  return new Tables()
}

/** A keyed set that is mostly read as an array. */
class KeyedArray<T> {
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
 * Holds the current version of one object. A new version is stored in the same cell, which is looked up once; the
 * groups that contain the cell see the new version through it.
 */
interface Cell {
  object: KubeObject
  /** The group of the cell in each index, by position of the index in its table. */
  readonly groups: (IndexGroup | undefined)[]
}

/** Cells in the order of arrival. Above this size, removal uses a set instead of a scan. */
const scanned = 64

class IndexGroup {
  private cells: Cell[] | Set<Cell> = []
  private array: readonly KubeObject[] | undefined

  add(cell: Cell): void {
    if (Array.isArray(this.cells)) this.cells.push(cell)
    else this.cells.add(cell)
    this.array = undefined
  }

  /** A cell of the group holds a new version. */
  changed(): void {
    this.array = undefined
  }

  delete(cell: Cell): void {
    if (Array.isArray(this.cells) && this.cells.length > scanned) this.cells = new Set(this.cells)
    if (Array.isArray(this.cells)) this.cells.splice(this.cells.indexOf(cell), 1)
    else this.cells.delete(cell)
    this.array = undefined
  }

  get isEmpty(): boolean {
    return (Array.isArray(this.cells) ? this.cells.length : this.cells.size) === 0
  }

  list(): readonly KubeObject[] {
    if (this.array === undefined) this.array = objectsIn(this.cells)
    return this.array
  }
}

function objectsIn(cells: Iterable<Cell>): readonly KubeObject[] {
  const objects: KubeObject[] = []
  for (const { object } of cells) objects.push(object)
  return objects
}

/** The key by which objects are grouped. Objects without a key are in no group. */
interface Grouping {
  readonly name: (object: KubeObject) => string | undefined
  /** The value on which `name` depends. If it is identical in two versions of an object, both are in the same group. */
  readonly reads: (object: KubeObject) => unknown
}

class Index {
  private readonly groups = new Map<string, IndexGroup>()
  /** Objects of one group often arrive in sequence. */
  private lastName: string | undefined
  private lastGroup: IndexGroup | undefined
  private readonly grouping: Grouping
  private readonly place: number

  constructor(grouping: Grouping, place: number) {
    this.grouping = grouping
    this.place = place
  }

  add(cell: Cell): void {
    const name = this.grouping.name(cell.object)
    const group = name === undefined ? undefined : this.openGroup(name)
    group?.add(cell)
    cell.groups[this.place] = group
  }

  /** The cell still holds the previous version. */
  change(cell: Cell, after: KubeObject): void {
    const { name, reads } = this.grouping
    const before = cell.object
    if (reads(before) !== reads(after)) {
      const from = name(before)
      const to = name(after)
      if (from !== to) {
        this.leave(cell, from)
        const group = to === undefined ? undefined : this.openGroup(to)
        group?.add(cell)
        cell.groups[this.place] = group
        return
      }
    }
    cell.groups[this.place]?.changed()
  }

  remove(cell: Cell): void {
    this.leave(cell, this.grouping.name(cell.object))
  }

  list(name: string): readonly KubeObject[] {
    return this.groups.get(name)?.list() ?? none
  }

  private leave(cell: Cell, name: string | undefined): void {
    const group = cell.groups[this.place]
    if (group === undefined || name === undefined) return
    group.delete(cell)
    if (!group.isEmpty) return
    this.groups.delete(name)
    this.lastName = undefined
  }

  private openGroup(name: string): IndexGroup {
    if (name === this.lastName) return this.lastGroup as IndexGroup
    let group = this.groups.get(name)
    if (group === undefined) {
      group = new IndexGroup()
      this.groups.set(name, group)
    }
    this.lastName = name
    this.lastGroup = group
    return group
  }
}

const none: readonly never[] = []

/** The objects of one resource. */
class ResourceTable {
  readonly cells = new Map<string, Cell>()
  private array: readonly KubeObject[] | undefined
  private readonly indexes: Index[] = []
  private namespaces: Index | undefined
  private controllers: Index | undefined
  private readonly labeled = new Map<string, Index>()

  get count(): number {
    return this.cells.size
  }

  get(key: string): KubeObject | undefined {
    return this.cells.get(key)?.object
  }

  list(): readonly KubeObject[] {
    if (this.array === undefined) this.array = objectsIn(this.cells.values())
    return this.array
  }

  /**
   * Returns the object held before. The caller must use it instead of the change's `before`: the two differ after a gap
   * in a watch.
   */
  put(key: string, after: KubeObject | undefined): KubeObject | undefined {
    const cell = this.cells.get(key)
    this.array = undefined
    if (cell === undefined) {
      if (after !== undefined) this.insert(key, after)
      return undefined
    }
    const before = cell.object
    if (after === undefined) {
      this.cells.delete(key)
      for (const index of this.indexes) index.remove(cell)
    } else {
      for (const index of this.indexes) index.change(cell, after)
      cell.object = after
    }
    return before
  }

  byNamespace(): Index {
    if (this.namespaces === undefined) this.namespaces = this.addIndex(byNamespace)
    return this.namespaces
  }

  byController(): Index {
    if (this.controllers === undefined) this.controllers = this.addIndex(byController)
    return this.controllers
  }

  byLabel(key: string): Index {
    let index = this.labeled.get(key)
    if (index === undefined) {
      index = this.addIndex(createLabelGrouping(key))
      this.labeled.set(key, index)
    }
    return index
  }

  addIndex(grouping: Grouping): Index {
    const index = new Index(grouping, this.indexes.length)
    this.indexes.push(index)
    for (const cell of this.cells.values()) index.add(cell)
    return index
  }

  private insert(key: string, object: KubeObject): void {
    // Preallocated for the indexes of pods: an array that grows from empty allocates 17 slots.
    const cell: Cell = { object, groups: [undefined, undefined, undefined, undefined] }
    this.cells.set(key, cell)
    for (const index of this.indexes) index.add(cell)
  }
}

type Owned = { readonly resource: string; readonly object: KubeObject }

class Tables implements ReadModel {
  private readonly tables = new Map<string, ResourceTable>()
  private readonly revisions = new Map<string, number>()
  private overallRevision = 0
  private podsByNode: Index | undefined
  private nodesByZone: Index | undefined
  private owned: Map<string, KeyedArray<Owned>> | undefined

  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined {
    return this.tables.get(resource)?.get(key) as ObjectOf<R> | undefined
  }

  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[] {
    const table = this.tables.get(resource)
    if (table === undefined) return none
    const found = namespace === undefined ? table.list() : table.byNamespace().list(namespace)
    return found as readonly ObjectOf<R>[]
  }

  count(resource: string): number {
    return this.tables.get(resource)?.count ?? 0
  }

  podsOn(node: string): readonly Pod[] {
    return (this.podsByNode?.list(node) ?? none) as readonly Pod[]
  }

  controlledBy<R extends KnownResource>(resource: R, ownerUid: string): readonly ObjectOf<R>[] {
    const found = this.tables.get(resource)?.byController().list(ownerUid) ?? none
    return found as readonly KubeObject[] as readonly ObjectOf<R>[]
  }

  ownedBy(ownerUid: string): readonly Owned[] {
    if (this.owned === undefined) {
      this.owned = new Map()
      for (const [resource, table] of this.tables) {
        for (const [key, { object }] of table.cells) this.moveOwned(resource, key, undefined, object)
      }
    }
    return this.owned.get(ownerUid)?.list() ?? none
  }

  selectedBy<R extends KnownResource>(resource: R, namespace: string, selector: LabelMatcher): readonly ObjectOf<R>[] {
    const table = this.tables.get(resource)
    if (table === undefined || selector.nothing) return none
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
    return (this.nodesByZone?.list(zone) ?? none) as readonly Node[]
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
    if (this.owned !== undefined) {
      for (const [key, { object }] of table.cells) this.moveOwned(resource, key, object, undefined)
    }
    this.tables.delete(resource)
    if (resource === 'pods') this.podsByNode = undefined
    if (resource === 'nodes') this.nodesByZone = undefined
    this.revisions.delete(resource)
  }

  apply(changes: readonly Change[], revision?: number): void {
    let table: ResourceTable | undefined
    let resource = ''
    for (const change of changes) {
      if (table === undefined || change.resource !== resource) {
        resource = change.resource
        table = this.table(resource)
      }
      const after: KubeObject | undefined = change.after
      const before = table.put(change.key, after)
      if (this.owned !== undefined) this.moveOwned(change.resource, change.key, before, after)
      if (revision === undefined && after !== undefined) {
        this.reached(change.resource, Number(after.metadata.resourceVersion ?? 0))
      }
    }
    if (revision !== undefined && revision > this.overallRevision) this.overallRevision = revision
  }

  private moveOwned(
    resource: string,
    key: string,
    before: KubeObject | undefined,
    after: KubeObject | undefined,
  ): void {
    const owned = this.owned as Map<string, KeyedArray<Owned>>
    const place = `${resource}/${key}`
    const kept = after?.metadata.ownerReferences ?? none
    for (const { uid } of before?.metadata.ownerReferences ?? none) {
      if (kept.some((reference) => reference.uid === uid)) continue
      const bucket = owned.get(uid)
      bucket?.delete(place)
      if (bucket?.byKey.size === 0) owned.delete(uid)
    }
    for (const { uid } of kept) {
      let bucket = owned.get(uid)
      if (bucket === undefined) {
        bucket = new KeyedArray<Owned>()
        owned.set(uid, bucket)
      }
      bucket.set(place, { resource, object: after as KubeObject })
    }
  }

  private table(resource: string): ResourceTable {
    const known = this.tables.get(resource)
    if (known !== undefined) return known
    const table = new ResourceTable()
    this.tables.set(resource, table)
    if (resource === 'pods') this.podsByNode = table.addIndex(byNode)
    if (resource === 'nodes') this.nodesByZone = table.addIndex(byZone)
    return table
  }
}

const byNode: Grouping = {
  name: (pod) => (pod as Pod).spec?.nodeName || undefined,
  reads: (pod) => (pod as Pod).spec?.nodeName,
}

const byZone: Grouping = {
  name: (node) => node.metadata.labels?.[labels.zone] || undefined,
  reads: (node) => node.metadata.labels,
}

const byNamespace: Grouping = {
  name: (object) => object.metadata.namespace || undefined,
  // The namespace is part of the key.
  reads: () => undefined,
}

const byController: Grouping = {
  name: (object) => controllerOf(object)?.uid,
  reads: (object) => object.metadata.ownerReferences,
}

/** Objects of one workload arrive in sequence and may share their labels. */
function createLabelGrouping(key: string): Grouping {
  let last: KubeObject['metadata'] | undefined
  let lastName: string | undefined
  return {
    name({ metadata }) {
      const { labels, namespace } = metadata
      if (labels === undefined) return undefined
      if (last !== undefined && last.labels === labels && last.namespace === namespace) return lastName
      const value = labels[key]
      last = metadata
      lastName = value === undefined ? undefined : labelGroup(namespace, value)
      return lastName
    },
    reads: ({ metadata }) => metadata.labels,
  }
}

function labelGroup(namespace: string | undefined, value: string): string {
  return `${namespace ?? ''}/${value}`
}
