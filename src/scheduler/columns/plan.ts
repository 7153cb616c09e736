import type { ParsedPod, Profile } from '../contract/contract.ts'
import { type ClassFilter, ColumnLayout, type PartColumn, type RowFilter, type RowScore } from './column-layout.ts'
import { DirtyRows } from './dirty-rows.ts'
import type { PodCounter } from './domain-counter.ts'
import { ClassIndex, type PlanClass } from './plan-class.ts'
import { PlanMemory } from './plan-memory.ts'
import type { ColumnSources, PluginColumn, RowClass } from './plugin-columns.ts'
import { errorStatus } from './status-table.ts'
import { changeKinds } from './table/change-log.ts'
import type { NodeTable } from './table/node-table.ts'

/** Rows are kept in one bucket per score, so higher scores (very large weights) would create many empty buckets. */
const maxRowScore = 20_000
const maxEmptyClasses = 1024
const noClass = -1
const noNode = -1

/** The status of a row that columns cannot evaluate, such as one with nominated pods; undefined for other rows. */
export type RowOverride = (row: number) => number | undefined

/**
 * The feasibility and scores of all nodes for one kind of pod, kept from pod to pod. Placing a pod changes one row, so
 * the next pod costs the evaluation of one row and of each class.
 */
export class Plan {
  readonly table: NodeTable
  /** By row: the status of a row filter, 0 for rows in a class, -1 without a node. */
  statuses: Int32Array
  /** The number of rows with each status. */
  readonly statusCounts: number[] = []
  readonly dirty: DirtyRows
  /** Rows that columns could not evaluate. */
  readonly overridden = new Set<number>()
  /** Called for every row that is evaluated again or has a changed pod. */
  onRow: ((row: number) => void) | undefined
  readonly memory: PlanMemory
  private readonly layout: ColumnLayout
  private readonly index = new ClassIndex()
  private readonly parts: number[]
  private rowClass: Int32Array
  private rowScores: Int32Array
  private positions: Int32Array
  private cursor = 0
  private readonly feasible: PlanClass[] = []
  private totals = new Float64Array(0)
  private scores = new Float64Array(0)
  /** A filter that runs after the class filters failed. */
  private lateError = false

  constructor(profile: Profile, sources: ColumnSources, columns: ReadonlyMap<string, PluginColumn>) {
    this.table = sources.table
    this.memory = new PlanMemory(this, sources)
    this.layout = new ColumnLayout(profile, columns)
    const { capacity } = this.table
    this.statuses = new Int32Array(capacity).fill(noNode)
    this.rowClass = new Int32Array(capacity).fill(noClass)
    this.rowScores = new Int32Array(capacity)
    this.positions = new Int32Array(capacity)
    this.dirty = new DirtyRows(capacity)
    // The last part is the status of a late filter.
    this.parts = new Array<number>(this.layout.partCount + 1).fill(0)
  }

  static supports(profile: Profile): boolean {
    return profile.score.reduce((sum, { weight }) => sum + weight * 100, 0) <= maxRowScore
  }

  get classes(): readonly PlanClass[] {
    return this.index.classes
  }

  /** A filter reads more than the row. */
  get hasClassFilters(): boolean {
    return this.layout.classFilters.length > 0
  }

  get classFilterSpan(): ColumnLayout['classFilterSpan'] {
    return this.layout.classFilterSpan
  }

  get lastRowFilter(): number {
    return this.layout.lastRowFilter
  }

  /** Evaluates all rows. */
  fill(override: RowOverride | undefined, pod?: ParsedPod): void {
    this.cursor = this.table.log.follow()
    this.retarget(pod)
    for (const row of this.table.rows) if (row?.exists === true) this.evaluate(row.row, override)
  }

  /** Applies the changes since the last call. Returns false when the plan must be rebuilt. */
  sync(override: RowOverride | undefined, pod?: ParsedPod): boolean {
    const { log } = this.table
    if (this.classes.length > Math.max(maxEmptyClasses, 2 * this.table.nodeCount)) return false
    if (!log.reaches(this.cursor) || !this.isCurrent()) return false
    if (this.statuses.length < this.table.capacity) this.grow()
    if (this.cursor < log.end) this.replay()
    this.retarget(pod)
    if (this.isStale()) this.markAll()
    if (this.dirty.count > 0) {
      this.dirty.drain((row, classOnly) => {
        if (classOnly && override === undefined && !this.overridden.has(row)) this.reclassify(row)
        else this.evaluate(row, override)
      })
    }
    return true
  }

  /** Rejects a row for this pod only. The next `sync` evaluates the row again. */
  reject(row: number, status: number): void {
    this.removeRow(row)
    this.setStatus(row, status)
    this.dirty.mark(row)
  }

  /** Evaluates the classes. Returns the feasible classes with their scores. */
  rank(): readonly PlanClass[] {
    const { feasible } = this
    feasible.length = 0
    this.lateError = false
    for (const one of this.classes) {
      if (one.rows.size === 0) continue
      one.status = this.classStatus(one)
      if (one.status === 0) feasible.push(one)
      else if (one.status === errorStatus) this.lateError = true
    }
    if (feasible.length > 0) {
      const totals = this.classTotals(feasible)
      for (let i = 0; i < feasible.length; i++) (feasible[i] as PlanClass).score = totals[i] as number
    }
    return feasible
  }

  /** The totals of some feasible rows, normalized among these rows. */
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
    return Float64Array.from(
      rows,
      (row) => (byClass.get(this.rowClass[row] as number) ?? 0) + (this.rowScores[row] as number),
    )
  }

  /** The status of a row as of the last `rank`. */
  statusOf(row: number): number {
    const own = this.statuses[row] as number
    if (own !== 0) return own
    return this.classes[this.rowClass[row] as number]?.status ?? 0
  }

  /** A filter failed on a node, as of the last `rank`. */
  get hasError(): boolean {
    return this.lateError || (this.statusCounts[errorStatus] ?? 0) > 0
  }

  /** The number of nodes with each status, as of the last `rank`. */
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

  private isCurrent(): boolean {
    const { currentChecks } = this.layout
    for (let i = 0; i < currentChecks.length; i++) if (currentChecks[i]?.() === false) return false
    return true
  }

  private isStale(): boolean {
    const { staleChecks } = this.layout
    for (let i = 0; i < staleChecks.length; i++) if (staleChecks[i]?.() === true) return true
    return false
  }

  private retarget(pod: ParsedPod | undefined): void {
    if (pod === undefined) return
    const { retargets } = this.layout
    for (let i = 0; i < retargets.length; i++) retargets[i]?.(pod, this.dirty)
  }

  /** Applies the change log to the counters and marks the changed rows. */
  private replay(): void {
    const { log } = this.table
    const { counters } = this.layout
    const { end } = log
    let nodes: Set<number> | undefined
    for (let at = this.cursor; at < end; at++) {
      if (log.kindAt(at) !== changeKinds.node) continue
      nodes ??= new Set()
      nodes.add(log.rowAt(at))
    }
    for (let at = this.cursor; at < end; at++) {
      const kind = log.kindAt(at)
      if (kind === changeKinds.node) continue
      const row = log.rowAt(at)
      if (kind === changeKinds.podTouched) {
        this.onRow?.(row)
        continue
      }
      const pod = log.podAt(at)
      this.dirty.mark(row)
      // Rows with a changed node are recounted below, from their current pods.
      if (nodes?.has(row) === true) continue
      for (let i = 0; i < counters.length; i++) {
        ;(counters[i] as PodCounter).podChanged(row, pod, kind === changeKinds.podAdded ? 1 : -1, this.dirty)
      }
    }
    for (const row of nodes ?? []) {
      this.dirty.mark(row)
      for (const counter of counters) counter.nodeChanged(row, this.dirty)
    }
    this.cursor = end
  }

  private classStatus(one: PlanClass): number {
    const { classFilters } = this.layout
    for (let i = 0; i < classFilters.length; i++) {
      const { filter, position, at } = classFilters[i] as ClassFilter
      if (one.late !== 0 && position > one.lateAt) break
      const status = filter(one, at)
      if (status !== 0) return status
    }
    return one.late
  }

  /** The score of each class. The array is reused by the next call, because most pods have the same classes. */
  private classTotals(classes: readonly RowClass[]): Float64Array {
    if (this.totals.length !== classes.length) {
      this.totals = new Float64Array(classes.length)
      this.scores = new Float64Array(classes.length)
    }
    const { totals, scores } = this
    totals.fill(0)
    scores.fill(0)
    for (const { score, weight, at } of this.layout.classScores) {
      score(classes, at, scores)
      for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + weight * (scores[i] as number)
    }
    return totals
  }

  /** Evaluates a row with the columns and moves it to its class. */
  private evaluate(row: number, override: RowOverride | undefined): void {
    this.removeRow(row)
    this.onRow?.(row)
    this.overridden.delete(row)
    if (this.table.exists[row] !== 1) {
      this.statuses[row] = noNode
      return
    }
    const { rowFilters, classFilters, rowScores } = this.layout
    let status = 0
    let position = 0
    const overridden = override?.(row)
    if (overridden !== undefined) {
      status = overridden
      this.overridden.add(row)
    } else {
      for (let i = 0; i < rowFilters.length; i++) {
        const one = rowFilters[i] as RowFilter
        status = one.filter(row)
        position = one.position
        if (status !== 0) break
      }
    }
    const late = status !== 0 && classFilters.length > 0 && position > (classFilters[0] as ClassFilter).position
    if (status !== 0 && !late) {
      this.setStatus(row, status)
      return
    }
    this.statuses[row] = 0
    let score = 0
    for (let i = 0; i < rowScores.length; i++) {
      const one = rowScores[i] as RowScore
      score += one.weight * one.score(row)
    }
    this.rowScores[row] = score
    const id = this.classIdOf(row, late ? status : 0, late ? position : 0)
    this.rowClass[row] = id
    ;(this.classes[id] as PlanClass).rows.add(row, score)
  }

  /** Moves a row of which only the parts may have changed to its class. */
  private reclassify(row: number): void {
    this.onRow?.(row)
    const before = this.rowClass[row] as number
    if (before === noClass) return
    const { rows, late, lateAt } = this.classes[before] as PlanClass
    const score = this.rowScores[row] as number
    rows.remove(row, score)
    const id = this.classIdOf(row, late, lateAt)
    this.rowClass[row] = id
    ;(this.classes[id] as PlanClass).rows.add(row, score)
  }

  private setStatus(row: number, status: number): void {
    this.statuses[row] = status
    this.statusCounts[status] = (this.statusCounts[status] ?? 0) + 1
  }

  private removeRow(row: number): void {
    const id = this.rowClass[row] as number
    if (id !== noClass) {
      ;(this.classes[id] as PlanClass).rows.remove(row, this.rowScores[row] as number)
      this.rowClass[row] = noClass
      return
    }
    const status = this.statuses[row] as number
    if (status > 0) this.statusCounts[status] = (this.statusCounts[status] as number) - 1
  }

  private classIdOf(row: number, late: number, lateAt: number): number {
    const { parts } = this
    const { partColumns, partCount } = this.layout
    for (let i = 0; i < partColumns.length; i++) {
      const { column, at } = partColumns[i] as PartColumn
      column.partsOf?.(row, parts, at)
    }
    parts[partCount] = late
    return this.index.idOf(parts, this.positions, late, lateAt)
  }

  private markAll(): void {
    for (const row of this.table.rows) if (row?.exists === true) this.dirty.mark(row.row)
  }

  private grow(): void {
    const { capacity } = this.table
    this.statuses = resized(this.statuses, capacity, noNode)
    this.rowClass = resized(this.rowClass, capacity, noClass)
    this.rowScores = resized(this.rowScores, capacity, 0)
    this.dirty.grow(capacity)
    // All classes share the positions.
    this.positions = resized(this.positions, capacity, 0)
    for (const one of this.classes) one.rows.moveTo(this.positions)
  }
}

function resized(before: Int32Array, capacity: number, fill: number): Int32Array {
  const after = new Int32Array(capacity).fill(fill)
  after.set(before)
  return after
}
