import type { ParsedPod, Profile } from '../contract/contract.ts'
import { DirtyRows } from './dirty-rows.ts'
import type { PodCounter } from './domain-counter.ts'
import type { ColumnSources, PluginColumn, RowClass } from './plugin-columns.ts'
import { RowBuckets } from './row-buckets.ts'
import { ERROR_STATUS } from './status-table.ts'
import { CHANGE } from './table/change-log.ts'
import type { NodeTable } from './table/node-table.ts'

/** Scores beyond this (enormous weights) would make long lists of empty buckets. */
const HIGHEST_OWN_SCORE = 20_000
const MOST_CLASSES = 1024
const NO_CLASS = -1
const NO_NODE = -1

interface FilterColumn {
  readonly filter: (row: number) => number
  readonly position: number
}

interface ClassFilter {
  readonly filter: NonNullable<PluginColumn['filterClass']>
  readonly position: number
  readonly at: number
}

interface ClassScore {
  readonly score: NonNullable<PluginColumn['scoreClasses']>
  readonly weight: number
  readonly at: number
}

/** Classes by their numbers, one level for each, so that a class is found without making a text of them. */
interface ClassBranch {
  readonly next: Map<number, ClassBranch>
  /** Of a class, at the last level. */
  readonly id: number
}

/** A class with its rows. `late` is the status its rows get from a filter that comes after those about classes. */
export class PlanClass implements RowClass {
  readonly parts: readonly number[]
  readonly rows: RowBuckets
  readonly late: number
  readonly lateAt: number
  /** 0 when feasible, else the status of all its rows. Set by each evaluation. */
  status = 0
  /** What the class adds to the score of each of its rows. */
  score = 0

  constructor(parts: readonly number[], positions: Int32Array, late: number, lateAt: number) {
    this.parts = parts
    this.rows = new RowBuckets(positions)
    this.late = late
    this.lateAt = lateAt
  }

  get size(): number {
    return this.rows.size
  }
}

/** The status of a row that the columns cannot judge, as one with nominated pods; undefined for all others. */
export type RowOverride = (row: number) => number | undefined

/**
 * Everything that is known of where pods of one shape can go, kept from pod to pod. Placing a pod changes one row, so
 * the next pod of the shape costs one row and a look at each class.
 */
export class Plan {
  readonly profile: Profile
  readonly table: NodeTable
  readonly classes: PlanClass[] = []
  /** By row: the status of a row-wide filter, 0 for rows that are in a class, -1 where there is no node. */
  statuses: Int32Array
  /** How many rows have each status. */
  readonly statusCounts: number[] = []
  /** Whether any filter looks beyond the row. */
  readonly hasClassFilters: boolean
  /** Grows when the count of a status may have changed. */
  version = 0
  readonly dirty: DirtyRows
  /** Rows that the columns could not judge. */
  readonly overridden = new Set<number>()
  /** Told of every row that was looked at again, or had a pod touched. */
  onRow: ((row: number) => void) | undefined
  private readonly columns: readonly PluginColumn[]
  private readonly currentChecks: readonly NonNullable<PluginColumn['isCurrent']>[]
  private readonly staleChecks: readonly NonNullable<PluginColumn['isStale']>[]
  private readonly counters: readonly PodCounter[]
  private readonly turning: readonly NonNullable<PluginColumn['turnTo']>[]
  private readonly rowFilters: readonly FilterColumn[]
  private readonly rowScores: readonly { readonly score: (row: number) => number; readonly weight: number }[]
  private readonly classFilters: readonly ClassFilter[]
  private readonly classScores: readonly ClassScore[]
  private readonly partColumns: readonly { readonly column: PluginColumn; readonly at: number }[]
  private readonly partCount: number
  private readonly classTree: ClassBranch = { next: new Map(), id: NO_CLASS }
  private readonly parts: number[]
  private rowClass: Int32Array
  private ownScores: Int32Array
  private positions: Int32Array
  private cursor = 0
  private readonly feasible: PlanClass[] = []
  private totals = new Float64Array(0)
  private scores = new Float64Array(0)
  /** Whether a filter that comes after those about classes ran into an error. */
  private lateError = false

  constructor(profile: Profile, sources: ColumnSources, columns: ReadonlyMap<string, PluginColumn>) {
    this.profile = profile
    this.table = sources.table
    this.columns = [...columns.values()]
    this.counters = this.columns.flatMap(({ counters }) => counters ?? [])
    this.turning = this.columns.flatMap(({ turnTo }) => turnTo ?? [])
    this.currentChecks = this.columns.flatMap(({ isCurrent }) => isCurrent ?? [])
    this.staleChecks = this.columns.flatMap(({ isStale }) => isStale ?? [])
    const { capacity } = this.table
    this.statuses = new Int32Array(capacity).fill(NO_NODE)
    this.rowClass = new Int32Array(capacity).fill(NO_CLASS)
    this.ownScores = new Int32Array(capacity)
    this.positions = new Int32Array(capacity)
    this.dirty = new DirtyRows(capacity)

    const offsets = new Map<PluginColumn, number>()
    let at = 0
    for (const column of this.columns) {
      offsets.set(column, at)
      at += column.parts ?? 0
    }
    this.partCount = at
    // One more for the status of a late filter.
    this.parts = new Array<number>(at + 1).fill(0)
    this.partColumns = this.columns.flatMap((column) =>
      column.partsOf === undefined ? [] : [{ column, at: offsets.get(column) ?? 0 }],
    )
    const filters = profile.filter.map(({ name }, position) => ({ column: columns.get(name), position }))
    this.rowFilters = filters.flatMap(({ column, position }) =>
      column?.filterRow === undefined ? [] : [{ filter: column.filterRow, position }],
    )
    this.classFilters = filters.flatMap(({ column, position }) =>
      column?.filterClass === undefined ? [] : [{ filter: column.filterClass, position, at: offsets.get(column) ?? 0 }],
    )
    this.hasClassFilters = this.classFilters.length > 0
    const scores = profile.score.map(({ plugin, weight }) => ({ column: columns.get(plugin.name), weight }))
    this.rowScores = scores.flatMap(({ column, weight }) =>
      column?.scoreRow === undefined ? [] : [{ score: column.scoreRow, weight }],
    )
    this.classScores = scores.flatMap(({ column, weight }) =>
      column?.scoreClasses === undefined ? [] : [{ score: column.scoreClasses, weight, at: offsets.get(column) ?? 0 }],
    )
  }

  /** Where the first and the last filter about classes stand in the profile; undefined when there is none. */
  get classFilterSpan(): { readonly first: number; readonly last: number } | undefined {
    const first = this.classFilters[0]?.position
    const last = this.classFilters[this.classFilters.length - 1]?.position
    return first === undefined || last === undefined ? undefined : { first, last }
  }

  /** Where the last filter about rows stands in the profile. */
  get lastRowFilter(): number {
    return this.rowFilters[this.rowFilters.length - 1]?.position ?? -1
  }

  static fits(profile: Profile): boolean {
    return profile.score.reduce((sum, { weight }) => sum + weight * 100, 0) <= HIGHEST_OWN_SCORE
  }

  /** Fills the plan from the table as it is. */
  fill(override: RowOverride | undefined, pod?: ParsedPod): void {
    this.cursor = this.table.log.follow()
    this.turnTo(pod)
    for (const row of this.table.rows) if (row?.exists === true) this.evaluate(row.row, override)
    this.version++
  }

  /** Brings the plan up to date. False when it must be made anew. */
  sync(override: RowOverride | undefined, pod?: ParsedPod): boolean {
    const { log } = this.table
    // Classes that have lost all their rows are kept in case they come back, but not without end.
    if (this.classes.length > Math.max(MOST_CLASSES, 2 * this.table.nodeCount)) return false
    if (!log.reaches(this.cursor) || !this.isCurrent()) return false
    if (this.statuses.length < this.table.capacity) this.grow()
    if (this.cursor < log.end) this.replay()
    this.turnTo(pod)
    if (this.isStale()) this.markAll()
    if (this.dirty.count > 0) {
      this.version++
      this.dirty.drain((row, classOnly) => {
        if (classOnly && override === undefined && !this.overridden.has(row)) this.reclassify(row)
        else this.evaluate(row, override)
      })
    }
    return true
  }

  private isCurrent(): boolean {
    for (let i = 0; i < this.currentChecks.length; i++) if (this.currentChecks[i]?.() === false) return false
    return true
  }

  private isStale(): boolean {
    for (let i = 0; i < this.staleChecks.length; i++) if (this.staleChecks[i]?.() === true) return true
    return false
  }

  private turnTo(pod: ParsedPod | undefined): void {
    if (pod === undefined) return
    for (let i = 0; i < this.turning.length; i++) this.turning[i]?.(pod, this.dirty)
  }

  private replay(): void {
    const { log } = this.table
    const { end } = log
    let nodes: Set<number> | undefined
    for (let at = this.cursor; at < end; at++) {
      if (log.kindAt(at) !== CHANGE.node) continue
      nodes ??= new Set()
      nodes.add(log.rowAt(at))
    }
    for (let at = this.cursor; at < end; at++) {
      const kind = log.kindAt(at)
      if (kind === CHANGE.node) continue
      const row = log.rowAt(at)
      if (kind === CHANGE.podTouched) {
        this.onRow?.(row)
        continue
      }
      const pod = log.podAt(at)
      this.dirty.mark(row)
      // Rows whose node changed are counted anew below, from the pods they have now.
      if (nodes?.has(row) === true) continue
      for (let i = 0; i < this.counters.length; i++) {
        ;(this.counters[i] as PodCounter).podChanged(row, pod, kind === CHANGE.podAdded ? 1 : -1, this.dirty)
      }
    }
    for (const row of nodes ?? []) {
      this.dirty.mark(row)
      for (const counter of this.counters) counter.nodeChanged(row, this.dirty)
    }
    this.cursor = end
  }

  /** Takes a row out for this pod alone; the next `sync` asks the columns about it again. */
  reject(row: number, status: number): void {
    this.take(row)
    this.setStatus(row, status)
    this.dirty.mark(row)
    this.version++
  }

  /** The classes whose rows will do, with what the class adds to their scores. */
  rank(): readonly PlanClass[] {
    const { feasible } = this
    feasible.length = 0
    this.lateError = false
    for (const one of this.classes) {
      if (one.rows.size === 0) continue
      one.status = this.classStatus(one)
      if (one.status === 0) feasible.push(one)
      else if (one.status === ERROR_STATUS) this.lateError = true
    }
    if (feasible.length > 0) {
      const totals = this.classTotals(feasible)
      for (let i = 0; i < feasible.length; i++) (feasible[i] as PlanClass).score = totals[i] as number
    }
    return feasible
  }

  /** The totals of some feasible rows, normalised among themselves. */
  scoreRows(rows: readonly number[]): Float64Array {
    const sizes = new Map<number, number>()
    for (const row of rows) {
      const id = this.rowClass[row] as number
      sizes.set(id, (sizes.get(id) ?? 0) + 1)
    }
    const ids = [...sizes.keys()]
    const classes = ids.map((id) => ({ parts: (this.classes[id] as PlanClass).parts, size: sizes.get(id) ?? 0 }))
    const totals = this.classTotals(classes)
    const byClass = new Map(ids.map((id, i) => [id, totals[i] as number]))
    return Float64Array.from(rows, (row) => (byClass.get(this.rowClass[row] as number) ?? 0) + this.ownScoreOf(row))
  }

  /** The status of a row as of the last `rank`. */
  statusOf(row: number): number {
    const own = this.statuses[row] as number
    if (own !== 0) return own
    return this.classes[this.rowClass[row] as number]?.status ?? 0
  }

  /** Whether a filter ran into an error on any node, as of the last `rank`. */
  get hasError(): boolean {
    return this.lateError || (this.statusCounts[ERROR_STATUS] ?? 0) > 0
  }

  /** The class a row is in. */
  classOf(row: number): PlanClass | undefined {
    return this.classes[this.rowClass[row] as number]
  }

  ownScoreOf(row: number): number {
    return this.ownScores[row] as number
  }

  /** How many nodes have each status as of the last `rank`. */
  histogram(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>()
    for (let id = 1; id < this.statusCounts.length; id++) {
      const count = this.statusCounts[id] ?? 0
      if (count > 0) counts.set(id, count)
    }
    for (const { status, rows } of this.classes) {
      if (status !== 0 && rows.size > 0) counts.set(status, (counts.get(status) ?? 0) + rows.size)
    }
    return counts
  }

  private classStatus(one: PlanClass): number {
    for (let i = 0; i < this.classFilters.length; i++) {
      const { filter, position, at } = this.classFilters[i] as ClassFilter
      if (one.late !== 0 && position > one.lateAt) break
      const status = filter(one, at)
      if (status !== 0) return status
    }
    return one.late
  }

  /** What each class adds to the scores of its rows; good until the next call, because most pods see as many classes. */
  private classTotals(classes: readonly RowClass[]): Float64Array {
    if (this.totals.length !== classes.length) {
      this.totals = new Float64Array(classes.length)
      this.scores = new Float64Array(classes.length)
    }
    const { totals, scores } = this
    totals.fill(0)
    scores.fill(0)
    for (const { score, weight, at } of this.classScores) {
      score(classes, at, scores)
      for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + weight * (scores[i] as number)
    }
    return totals
  }

  /** Asks the columns about a row, and moves it to where the answers put it. */
  private evaluate(row: number, override: RowOverride | undefined): void {
    this.take(row)
    this.onRow?.(row)
    this.overridden.delete(row)
    if (this.table.exists[row] !== 1) {
      this.statuses[row] = NO_NODE
      return
    }
    let status = 0
    let position = 0
    const overridden = override?.(row)
    if (overridden !== undefined) {
      status = overridden
      this.overridden.add(row)
    } else {
      for (let i = 0; i < this.rowFilters.length; i++) {
        const one = this.rowFilters[i] as FilterColumn
        status = one.filter(row)
        position = one.position
        if (status !== 0) break
      }
    }
    const late = status !== 0 && this.hasClassFilters && position > (this.classFilters[0] as ClassFilter).position
    if (status !== 0 && !late) {
      this.setStatus(row, status)
      return
    }
    this.statuses[row] = 0
    let score = 0
    for (let i = 0; i < this.rowScores.length; i++) {
      const one = this.rowScores[i] as { score: (row: number) => number; weight: number }
      score += one.weight * one.score(row)
    }
    this.ownScores[row] = score
    const id = this.classIdOf(row, late ? status : 0, late ? position : 0)
    this.rowClass[row] = id
    ;(this.classes[id] as PlanClass).rows.add(row, score)
  }

  /** As `evaluate`, of a row about which nothing but the numbers of its class can have changed. */
  private reclassify(row: number): void {
    this.onRow?.(row)
    const before = this.rowClass[row] as number
    if (before === NO_CLASS) return
    const { rows, late, lateAt } = this.classes[before] as PlanClass
    const score = this.ownScores[row] as number
    rows.remove(row, score)
    const id = this.classIdOf(row, late, lateAt)
    this.rowClass[row] = id
    ;(this.classes[id] as PlanClass).rows.add(row, score)
  }

  private setStatus(row: number, status: number): void {
    this.statuses[row] = status
    this.statusCounts[status] = (this.statusCounts[status] ?? 0) + 1
  }

  private take(row: number): void {
    const id = this.rowClass[row] as number
    if (id !== NO_CLASS) {
      ;(this.classes[id] as PlanClass).rows.remove(row, this.ownScores[row] as number)
      this.rowClass[row] = NO_CLASS
      return
    }
    const status = this.statuses[row] as number
    if (status > 0) this.statusCounts[status] = (this.statusCounts[status] as number) - 1
  }

  private classIdOf(row: number, late: number, lateAt: number): number {
    const { parts } = this
    for (let i = 0; i < this.partColumns.length; i++) {
      const { column, at } = this.partColumns[i] as { column: PluginColumn; at: number }
      column.partsOf?.(row, parts, at)
    }
    parts[this.partCount] = late
    let branch = this.classTree
    for (let i = 0; i <= this.partCount; i++) {
      const part = parts[i] as number
      let next = branch.next.get(part)
      if (next === undefined) {
        next = { next: new Map(), id: i === this.partCount ? this.classes.length : NO_CLASS }
        branch.next.set(part, next)
      }
      branch = next
    }
    if (branch.id === this.classes.length) this.classes.push(new PlanClass(parts.slice(), this.positions, late, lateAt))
    return branch.id
  }

  private markAll(): void {
    for (const row of this.table.rows) if (row?.exists === true) this.dirty.mark(row.row)
  }

  private grow(): void {
    const { capacity } = this.table
    this.statuses = resized(this.statuses, capacity, NO_NODE)
    this.rowClass = resized(this.rowClass, capacity, NO_CLASS)
    this.ownScores = resized(this.ownScores, capacity, 0)
    this.dirty.grow(capacity)
    // The classes share the positions, so they are built again on the larger array.
    this.positions = resized(this.positions, capacity, 0)
    for (const one of this.classes) one.rows.moveTo(this.positions)
  }
}

function resized(before: Int32Array, capacity: number, fill: number): Int32Array {
  const after = new Int32Array(capacity).fill(fill)
  after.set(before)
  return after
}
