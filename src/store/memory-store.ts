import type { KubeObject } from '../api/objects/meta.ts'
import type {
  CommitResult,
  ForkOptions,
  Store,
  StoreChange,
  StoreKey,
  StoreRange,
  StoreRangeOptions,
  StoreRefusal,
  StoreWatcher,
  StoreWrite,
} from './contract.ts'
import { History } from './history.ts'
import { stamp } from './stamp.ts'
import { PastTable, Table } from './table.ts'
import { differenceOf, type StoreLimits, Usage } from './usage.ts'
import { Watchers } from './watchers.ts'

/** The reports of a journal to the store that writes to it. */
export interface JournalOwner {
  /** Receives groups of changes in order, once they are on disk. */
  landed(changes: readonly StoreChange[]): void
  /** Receives all changes that are not on disk, in order, after the disk failed. */
  lost(changes: readonly StoreChange[]): void
  /** Receives the first of the lost changes that were found on disk. Nothing was appended in between. */
  found(changes: readonly StoreChange[]): void
}

/**
 * The destination of the changes of a store before it shows them. Appending is synchronous; waiting for the disk is
 * not.
 */
export interface Journal {
  /** Called once, before anything is appended. */
  attach(owner: JournalOwner): void
  /** Why the journal cannot append changes at the moment. */
  readonly trouble: string | undefined
  /** Why these writes cannot be accepted now. */
  refuses(writes: readonly StoreWrite[]): Pick<StoreRefusal, 'kind' | 'message'> | undefined
  /** Throws if the objects cannot be encoded; then nothing is appended. */
  append(changes: readonly StoreChange[]): void
  /** Resolves after `landed` was called with `revision`; rejects with `StoreUnavailable` after `lost` was. */
  durable(revision: number): Promise<void>
}

export interface StoreOptions {
  readonly journal?: Journal
  /** The number of changes that are kept for watches and for ranges of the past. */
  readonly historyLimit?: number
  /**
   * The estimated bytes of replaced and deleted objects that are kept for them. The estimate takes time on every write,
   * so it is made only if this or a limit is set. Forks have no such limit.
   */
  readonly historyBytes?: number
  readonly limits?: StoreLimits
  /** The initial state; the objects keep their resourceVersion. The history starts after it. */
  readonly initial?: {
    readonly revision: number
    readonly objects: Iterable<StoreKey & { readonly object: KubeObject }>
  }
}

export const defaultHistoryLimit = 100_000

const landed = Promise.resolve()

export function createStore(options: StoreOptions = {}): Store {
  const tables = new Map<string, Table>()
  const store = new MemoryStore(tables, options.initial?.revision ?? 0, options)
  if (options.initial !== undefined) store.load(options.initial.objects)
  return store
}

class MemoryStore implements Store {
  private readonly tables: Map<string, Table>
  private readonly options: StoreOptions
  private readonly journal: Journal | undefined
  private readonly history: History
  private readonly watchers: Watchers
  private readonly usage: Usage | undefined
  /** The last requested state of the past, per resource: a long list is read in pages of one revision. */
  private readonly remembered = new Map<string, PastTable>()
  private currentRevision: number

  constructor(tables: Map<string, Table>, revision: number, options: StoreOptions, usage?: Usage) {
    this.tables = tables
    this.currentRevision = revision
    this.options = options
    this.journal = options.journal
    this.history = new History(options.historyLimit ?? defaultHistoryLimit, revision, options.historyBytes)
    this.watchers = new Watchers(revision)
    const isCounted = options.limits !== undefined || options.historyBytes !== undefined
    this.usage = usage ?? (isCounted ? new Usage(options.limits ?? {}) : undefined)
    this.journal?.attach({
      landed: (changes) => this.watchers.show(changes),
      lost: (changes) => this.takeBack(changes),
      found: (changes) => this.redo(changes),
    })
  }

  get revision(): number {
    return this.currentRevision
  }

  get durableRevision(): number {
    return this.journal === undefined ? this.currentRevision : this.watchers.shown
  }

  get trouble(): string | undefined {
    return this.journal?.trouble
  }

  get usedBytes(): number | undefined {
    return this.usage?.bytes
  }

  get compactedRevision(): number {
    return this.history.compacted
  }

  load(objects: Iterable<StoreKey & { readonly object: KubeObject }>): void {
    for (const { resource, key, object } of objects) {
      this.table(resource).add(key, object)
      this.usage?.count(differenceOf(undefined, object))
    }
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.tables.get(resource)?.get(key)
  }

  list(resource: string, options?: { readonly namespace?: string }): readonly KubeObject[] {
    const table = this.tables.get(resource)
    if (table === undefined) return []
    return options?.namespace === undefined ? table.list() : table.listNamespace(options.namespace)
  }

  count(resource: string): number {
    return this.tables.get(resource)?.count ?? 0
  }

  resources(): readonly string[] {
    return [...this.tables.keys()].filter((resource) => this.count(resource) > 0).sort()
  }

  range(resource: string, { namespace, from, revision }: StoreRangeOptions = {}): StoreRange | 'compacted' {
    const present = this.tables.get(resource)
    if (revision === undefined || revision >= this.currentRevision)
      return (present ?? new Table()).range(namespace, from)
    if (revision < this.history.compacted) return 'compacted'
    let past = this.remembered.get(resource)
    if (past?.revision !== revision) {
      past = new PastTable(revision, present, this.history.since(resource, revision))
      this.remembered.set(resource, past)
    }
    return past.range(namespace, from)
  }

  commit(writes: readonly StoreWrite[]): CommitResult {
    if (writes.length === 0) return { ok: true, changes: [] }
    const refused = this.journal?.refuses(writes)
    if (refused !== undefined) return { ok: false, refusal: { ...refused, write: writes[0] as StoreWrite } }
    let changes: StoreChange[] | undefined
    for (let i = 0; i < writes.length; i++) {
      const write = writes[i] as StoreWrite
      const change = this.apply(write)
      if ('kind' in change) {
        if (changes !== undefined) this.undo(changes)
        const current = this.get(write.resource, write.key)
        return { ok: false, refusal: current === undefined ? change : { ...change, current } }
      }
      // Most transactions are one write, and an array with spare capacity would stay with the change.
      if (changes === undefined) changes = [change]
      else changes.push(change)
    }
    return this.land(changes as StoreChange[])
  }

  private land(changes: readonly StoreChange[]): CommitResult {
    if (this.journal !== undefined) this.append(this.journal, changes)
    for (let i = 0; i < changes.length; i++) this.history.push(changes[i] as StoreChange)
    if (this.remembered.size > 0) this.forget()
    if (this.journal === undefined) this.watchers.show(changes)
    return { ok: true, changes }
  }

  watch(watcher: StoreWatcher, from = this.currentRevision): { readonly cancel: () => void } | 'compacted' {
    if (from < this.history.compacted) return 'compacted'
    return this.watchers.add(watcher, from, this.history.between(from, this.watchers.shown))
  }

  durable(revision = this.currentRevision): Promise<void> {
    return this.journal === undefined ? landed : this.journal.durable(revision)
  }

  compact(revision: number): void {
    this.history.compact(revision)
    this.forget()
  }

  fork({ historyLimit }: ForkOptions = {}): Store {
    const tables = new Map<string, Table>()
    for (const [resource, table] of this.tables) tables.set(resource, table.fork())
    const { journal: _, initial: __, historyBytes: ___, ...rest } = this.options
    const options = historyLimit === undefined ? rest : { ...rest, historyLimit }
    return new MemoryStore(tables, this.currentRevision, options, this.usage?.fork())
  }

  private table(resource: string): Table {
    let table = this.tables.get(resource)
    if (table === undefined) {
      table = new Table()
      this.tables.set(resource, table)
    }
    return table
  }

  private apply(write: StoreWrite): StoreChange | StoreRefusal {
    const { resource } = write
    const table = this.table(resource)
    const before = table.get(write.key)
    const key = table.keyOf(write.key) ?? write.key
    if (write.kind === 'create') {
      if (before !== undefined) return { kind: 'exists', write }
    } else {
      if (before === undefined) return { kind: 'missing', write }
      if (write.expect !== undefined && write.expect !== before.metadata.resourceVersion) {
        return { kind: 'conflict', write }
      }
    }
    const revision = this.currentRevision + 1
    const stamped =
      write.kind === 'delete'
        ? stamp(before as KubeObject, revision, false)
        : stamp(write.object, revision, write.isOwn === true)
    const after = write.kind === 'delete' ? undefined : stamped
    const difference = this.usage === undefined ? undefined : differenceOf(before, after)
    if (difference !== undefined) {
      const message = this.usage?.refuses(difference, after)
      if (message !== undefined) return { kind: 'full', write, message }
      this.usage?.count(difference)
    }
    this.currentRevision = revision
    if (before === undefined) {
      table.add(key, stamped)
      if (difference === undefined) return { resource, key, revision, after: stamped }
      return { resource, key, revision, after: stamped, removedBytes: difference.removedBytes }
    }
    if (after === undefined) {
      table.remove(key)
      if (difference === undefined) return { resource, key, revision, before, last: stamped }
      return { resource, key, revision, before, last: stamped, removedBytes: difference.removedBytes }
    }
    table.replace(key, after)
    if (difference === undefined) return { resource, key, revision, before, after }
    return { resource, key, revision, before, after, removedBytes: difference.removedBytes }
  }

  private append(journal: Journal, changes: readonly StoreChange[]): void {
    try {
      journal.append(changes)
    } catch (error) {
      this.undo(changes)
      throw error
    }
  }

  private undo(changes: readonly StoreChange[]): void {
    for (const { resource, key, before, after } of changes.toReversed()) {
      const table = this.table(resource)
      if (before === undefined) table.remove(key)
      else if (after === undefined) table.add(key, before)
      else table.replace(key, before)
      this.usage?.count(differenceOf(after, before))
    }
    this.currentRevision -= changes.length
  }

  private takeBack(changes: readonly StoreChange[]): void {
    this.undo(changes)
    this.history.retract(this.currentRevision)
    for (const [resource, { revision }] of this.remembered) {
      if (revision > this.currentRevision) this.remembered.delete(resource)
    }
  }

  private redo(changes: readonly StoreChange[]): void {
    for (const change of changes) {
      const { resource, key, before, after } = change
      const table = this.table(resource)
      if (after === undefined) table.remove(key)
      else if (before === undefined) table.add(key, after)
      else table.replace(key, after)
      this.usage?.count(differenceOf(before, after))
      this.currentRevision = change.revision
      this.history.push(change)
    }
    this.watchers.show(changes)
  }

  /** Lists of revisions that the history has dropped would keep their objects alive without use. */
  private forget(): void {
    for (const [resource, { revision }] of this.remembered) {
      if (revision < this.history.compacted) this.remembered.delete(resource)
    }
  }
}
