import type { Event } from '../../api/objects/cluster.ts'
import type { KubeObject, StringMap } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { EventRow, LabelSet, NodeRow, PodRow, Transition } from '../../wire/console-wire.ts'
import type { NodeFigures } from './node-figures.ts'
import { eventRow, nodeRow, podRow, sameRow } from './rows.ts'
import { SmallTablesBoard } from './small-tables.ts'
import type { ConsoleChange, ConsoleSource } from './source.ts'

export interface BoardLimits {
  readonly transitions: number
  readonly events: number
  /** The time for which history is kept. */
  readonly keepMs: number
}

export interface BoardOptions extends Partial<BoardLimits> {
  readonly release?: KubernetesRelease
  readonly figures?: NodeFigures
}

const defaultLimits: BoardLimits = { transitions: 60_000, events: 5_000, keepMs: 3_600_000 }

/** The changes since the last call of `takeChanges`. */
export interface BoardChanges {
  readonly labels: readonly LabelSet[]
  readonly nodes: readonly NodeRow[]
  readonly pods: readonly PodRow[]
  readonly goneNodes: readonly string[]
  readonly gonePods: readonly string[]
  readonly events: readonly EventRow[]
}

/** The rows of one kind. */
interface RowTable<Row, T> {
  readonly name: 'n' | 'p'
  readonly rows: Map<string, Row>
  /** The number of the label set of a row. */
  readonly labelsOf: (row: Row) => number
  readonly rowOf: (object: T, labels: number) => Row
}

/**
 * The cluster as rows, updated with every change, and the history of the last hour. It costs one row for each node and
 * pod and a bounded history, whether or not a console is open.
 */
export class ConsoleBoard {
  readonly nodes = new Map<string, NodeRow>()
  readonly pods = new Map<string, PodRow>()
  readonly small: SmallTablesBoard
  private readonly nodeTable: RowTable<NodeRow, Node>
  private readonly podTable: RowTable<PodRow, Pod>
  private readonly labelSets = new LabelSets()
  private readonly limits: BoardLimits
  private readonly now: () => number
  private readonly transitions: Ring<Transition>
  private readonly recorded: Ring<EventRow>
  private readonly touchedNodes = new Set<string>()
  private readonly touchedPods = new Set<string>()
  private freshEvents: EventRow[] = []
  private isWatched = false
  private seq = 0
  private readonly beganAt: number
  private readonly stop: () => void

  constructor(
    source: ConsoleSource,
    now: () => number,
    { release = defaultRelease, figures, ...limits }: BoardOptions = {},
  ) {
    this.nodeTable = { name: 'n', rows: this.nodes, labelsOf: (row) => row[8], rowOf: nodeRow }
    this.podTable = {
      name: 'p',
      rows: this.pods,
      labelsOf: (row) => row[7],
      rowOf: (pod, labels) => podRow(pod, labels, release),
    }
    this.small = new SmallTablesBoard(source, figures)
    this.limits = { ...defaultLimits, ...limits }
    this.now = now
    this.beganAt = now()
    this.transitions = new Ring(this.limits.transitions)
    this.recorded = new Ring(this.limits.events)
    for (const node of source.list('nodes')) this.put(this.nodeTable, node.metadata.name, node)
    for (const pod of source.list('pods'))
      this.put(this.podTable, `${pod.metadata.namespace}/${pod.metadata.name}`, pod)
    for (const event of source.list('events')) this.recorded.push(eventRow(event, now()))
    this.stop = source.watch((changes) => this.take(changes))
  }

  close(): void {
    this.stop()
  }

  /** The number of the last transition. */
  get sequence(): number {
    return this.seq
  }

  get labels(): Iterable<LabelSet> {
    return this.labelSets.all()
  }

  /** The last N transitions before a number, in order, and the number from which the history is complete. */
  history(
    before = Number.POSITIVE_INFINITY,
    most = Number.POSITIVE_INFINITY,
  ): { readonly completeSince: number; readonly transitions: readonly Transition[] } {
    const since = Math.max(this.beganAt, this.now() - this.limits.keepMs)
    const kept = this.transitions.filter(([seq, at]) => seq < before && at >= since)
    const transitions = kept.length > most ? kept.slice(-most) : kept
    const isCut = kept.length > most || this.transitions.hasDropped
    return { completeSince: isCut ? (transitions[0]?.[1] ?? since) : since, transitions }
  }

  historyOf(table: 'n' | 'p', key: string): readonly Transition[] {
    return this.transitions.filter((one) => one[2] === table && one[3] === key)
  }

  events(): readonly EventRow[] {
    const since = this.now() - this.limits.keepMs
    return this.recorded.filter(([at]) => at >= since)
  }

  /** Starts or stops collecting changes for `takeChanges`, so that they do not accumulate without a reader. */
  gather(isWatched: boolean): void {
    this.isWatched = isWatched
    this.touchedNodes.clear()
    this.touchedPods.clear()
    this.freshEvents = []
    this.labelSets.takeFresh()
    this.small.gather(isWatched)
  }

  /** Returns and clears the changes since the last call. */
  takeChanges(): BoardChanges | undefined {
    const labels = this.labelSets.takeFresh()
    if (this.touchedNodes.size + this.touchedPods.size + this.freshEvents.length === 0) return undefined
    const nodes = split(this.touchedNodes, this.nodes)
    const pods = split(this.touchedPods, this.pods)
    const events = this.freshEvents
    this.freshEvents = []
    return { labels, nodes: nodes.rows, goneNodes: nodes.gone, pods: pods.rows, gonePods: pods.gone, events }
  }

  private take(changes: readonly ConsoleChange[]): void {
    for (const { resource, key, after } of changes) {
      if (resource === 'pods') this.put(this.podTable, key, after as Pod | undefined, this.now())
      else if (resource === 'nodes') this.put(this.nodeTable, key, after as Node | undefined, this.now())
      else if (resource === 'events' && after !== undefined) this.note(eventRow(after as Event, this.now()))
      else this.small.put(resource, key, after)
    }
  }

  private note(row: EventRow): void {
    this.recorded.push(row)
    if (!this.isWatched) return
    this.freshEvents.push(row)
    // In a large burst, only the newest events are kept.
    if (this.freshEvents.length > 1_000) this.freshEvents = this.freshEvents.slice(-500)
  }

  private put<Row extends NodeRow | PodRow, T extends KubeObject>(
    { name, rows, labelsOf, rowOf }: RowTable<Row, T>,
    key: string,
    object: T | undefined,
    at?: number,
  ): void {
    const before = rows.get(key)
    if (object === undefined) {
      if (before === undefined) return
      rows.delete(key)
      this.labelSets.release(labelsOf(before))
      this.record(at, name, key, before, null)
      return
    }
    const labels = this.labelSets.take(object.metadata.labels)
    if (before !== undefined) this.labelSets.release(labelsOf(before))
    const row = rowOf(object, labels)
    if (before !== undefined && sameRow(before, row)) return
    rows.set(key, row)
    this.record(at, name, key, before ?? null, row)
  }

  /** An object without a time existed from the start, so this is not an event. */
  private record(
    at: number | undefined,
    table: 'n' | 'p',
    key: string,
    before: NodeRow | PodRow | null,
    after: NodeRow | PodRow | null,
  ): void {
    if (at === undefined) return
    this.seq++
    if (this.isWatched) (table === 'n' ? this.touchedNodes : this.touchedPods).add(key)
    this.transitions.push([this.seq, at, table, key, before, after] as Transition)
  }
}

function split<Row>(touched: Set<string>, table: ReadonlyMap<string, Row>): { rows: Row[]; gone: string[] } {
  const rows: Row[] = []
  const gone: string[] = []
  for (const key of touched) {
    const row = table.get(key)
    if (row === undefined) gone.push(key)
    else rows.push(row)
  }
  touched.clear()
  return { rows, gone }
}

/** The last N items of a sequence. */
class Ring<T> {
  private readonly size: number
  private items: T[] = []
  hasDropped = false

  constructor(size: number) {
    this.size = size
  }

  push(item: T): void {
    this.items.push(item)
    // Dropping items one by one would be slow, so up to half of the size is kept in addition.
    if (this.items.length <= this.size * 1.5) return
    this.items = this.items.slice(-this.size)
    this.hasDropped = true
  }

  filter(wanted: (item: T) => boolean): readonly T[] {
    const from = Math.max(0, this.items.length - this.size)
    const found: T[] = []
    for (let at = from; at < this.items.length; at++) if (wanted(this.items[at] as T)) found.push(this.items[at] as T)
    return found
  }
}

interface CountedSet {
  readonly id: number
  readonly labels: StringMap
  readonly text: string
  users: number
}

const noLabels: StringMap = {}

/** Label sets by number: thousands of pods share a few. A set without users is removed. */
class LabelSets {
  private readonly byText = new Map<string, CountedSet>()
  private readonly byId = new Map<number, CountedSet>()
  private fresh: CountedSet[] = []
  private nextId = 1

  take(labels: StringMap = noLabels): number {
    const text = textOf(labels)
    let set = this.byText.get(text)
    if (set === undefined) {
      set = { id: this.nextId++, labels, text, users: 0 }
      this.byText.set(text, set)
      this.byId.set(set.id, set)
      this.fresh.push(set)
      if (this.fresh.length > 10_000) this.fresh = this.fresh.filter(({ users }) => users > 0)
    }
    set.users++
    return set.id
  }

  release(id: number): void {
    const set = this.byId.get(id)
    if (set === undefined || --set.users > 0) return
    this.byId.delete(id)
    this.byText.delete(set.text)
  }

  takeFresh(): readonly LabelSet[] {
    const fresh = this.fresh.filter(({ users }) => users > 0)
    this.fresh = []
    return fresh.map(({ id, labels }) => [id, labels])
  }

  *all(): Iterable<LabelSet> {
    for (const { id, labels } of this.byId.values()) yield [id, labels]
  }
}

const texts = new WeakMap<StringMap, string>()

function textOf(labels: StringMap): string {
  let text = texts.get(labels)
  if (text === undefined) {
    text = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    texts.set(labels, text)
  }
  return text
}
