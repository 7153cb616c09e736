import type { ParsedPod, PodShape } from '../contract/parsed-pod.ts'
import type { DirtyRows } from './dirty-rows.ts'
import type { LabelColumn } from './table/label-column.ts'
import type { NodeTable } from './table/node-table.ts'

export interface CounterOptions {
  readonly topologyKey: string
  /** The weight of a placed pod of this shape; 0 for pods that do not count. */
  readonly weigh: (shape: PodShape) => number
  /** Reports whether pods on the row count for their domain. Absent: on every node with the label. */
  readonly includes?: (row: number) => boolean
  /** Terminating pods count. */
  readonly countsTerminating: boolean
  /** A change of the count of a domain changes the parts of its rows, so these rows must be evaluated again. */
  readonly marksDomain: boolean
  /** `least` is used. */
  readonly tracksLeast?: boolean
}

/** Labels with more values than this classify rows by count and not by domain. */
export const fewDomains = 64

const notCounted = -1

/** A counter that follows changes of pods and nodes. */
export interface PodCounter {
  podChanged(row: number, pod: ParsedPod, sign: 1 | -1, dirty: DirtyRows): void
  nodeChanged(row: number, dirty: DirtyRows): void
}

/** Counts pods per node and per domain of a label, and follows changes of pods and nodes. */
export class DomainCounter implements PodCounter {
  readonly label: LabelColumn
  /** By row: the count of the node. */
  rowCounts: Float64Array
  /** By value id of the label. */
  domainCounts: number[] = []
  /** The sum of all domain counts. */
  total = 0
  /** The number of domains with a non-zero count. */
  nonZeroDomains = 0
  private readonly table: NodeTable
  private readonly options: CounterOptions
  /** The domain to which the count of a row was added. */
  private rowDomains: Int32Array
  /** The number of rows per domain. */
  private domainRows: number[] = []
  /** The number of domains with each count. */
  private readonly domainsAt = new Map<number, number>()
  private leastKnown: number | undefined
  private presentDomains = 0
  /** By shape id: the weight of a pod of the shape. */
  private readonly weights: (number | undefined)[] = []

  constructor(table: NodeTable, options: CounterOptions) {
    this.table = table
    this.options = options
    this.label = table.label(options.topologyKey)
    this.rowCounts = new Float64Array(table.capacity)
    this.rowDomains = new Int32Array(table.capacity).fill(notCounted)
    const placed = table.placed()
    const rows = new Set<number>()
    for (const shape of placed.shapes()) {
      if (this.weigh(shape) !== 0) for (const row of placed.rowsOf(shape)) rows.add(row)
    }
    for (const row of rows) this.rowCounts[row] = this.recount(row)
    for (const row of table.rows) if (row !== undefined) this.enter(row.row)
  }

  /** The number of domains with at least one row. */
  get domains(): number {
    return this.presentDomains
  }

  /** The lowest count of all domains; infinite without domains. */
  get least(): number {
    if (this.leastKnown === undefined) {
      let least = Number.POSITIVE_INFINITY
      for (const count of this.domainsAt.keys()) if (count < least) least = count
      this.leastKnown = least
    }
    return this.leastKnown
  }

  /** The lowest count of all domains except one. */
  leastExcept(domain: number): number {
    const { least } = this
    if ((this.domainRows[domain] ?? 0) === 0 || this.countIn(domain) !== least) return least
    if ((this.domainsAt.get(least) ?? 0) > 1) return least
    let next = Number.POSITIVE_INFINITY
    for (const count of this.domainsAt.keys()) if (count > least && count < next) next = count
    return next
  }

  countOn(row: number): number {
    return this.rowCounts[row] as number
  }

  countIn(domain: number): number {
    return this.domainCounts[domain] ?? 0
  }

  podChanged(row: number, pod: ParsedPod, sign: 1 | -1, dirty: DirtyRows): void {
    const weight = this.weightOf(pod)
    if (weight === 0) return
    this.grow()
    this.rowCounts[row] = (this.rowCounts[row] as number) + sign * weight
    const domain = this.rowDomains[row] as number
    if (domain !== notCounted) this.add(domain, sign * weight, dirty)
  }

  nodeChanged(row: number, dirty: DirtyRows): void {
    this.grow()
    const before = this.rowDomains[row] as number
    if (before !== notCounted) this.leave(row, before, dirty)
    // A row that was freed and reused by another node starts from its current pods.
    this.rowCounts[row] = this.recount(row)
    const after = this.enter(row)
    if (after !== notCounted && this.options.marksDomain) this.markDomain(after, dirty)
  }

  private recount(row: number): number {
    let count = 0
    for (const pod of this.table.rows[row]?.pods ?? []) count += this.weightOf(pod)
    return count
  }

  private weigh(shape: PodShape): number {
    let weight = this.weights[shape.id]
    if (weight === undefined) {
      weight = this.options.weigh(shape)
      this.weights[shape.id] = weight
    }
    return weight
  }

  private weightOf(pod: ParsedPod): number {
    const weight = this.weigh(pod.shape)
    return weight !== 0 && !this.options.countsTerminating && pod.isTerminating ? 0 : weight
  }

  private enter(row: number): number {
    const domain = this.label.ids[row] as number
    const counts = domain !== 0 && this.table.exists[row] === 1 && (this.options.includes?.(row) ?? true)
    if (!counts) {
      this.rowDomains[row] = notCounted
      return notCounted
    }
    this.rowDomains[row] = domain
    const rows = this.domainRows[domain] ?? 0
    this.domainRows[domain] = rows + 1
    const before = this.countIn(domain)
    if (rows === 0) {
      this.presentDomains++
      this.shiftAt(before, 1)
    }
    const count = this.rowCounts[row] as number
    if (count !== 0) this.setCount(domain, before + count)
    return domain
  }

  private leave(row: number, domain: number, dirty: DirtyRows): void {
    const count = this.rowCounts[row] as number
    if (count !== 0) this.add(domain, -count, dirty)
    const rows = (this.domainRows[domain] as number) - 1
    this.domainRows[domain] = rows
    if (rows === 0) {
      this.presentDomains--
      this.shiftAt(this.countIn(domain), -1)
    }
    this.rowDomains[row] = notCounted
  }

  private add(domain: number, delta: number, dirty: DirtyRows): void {
    this.setCount(domain, this.countIn(domain) + delta)
    if (this.options.marksDomain) this.markDomain(domain, dirty)
  }

  private setCount(domain: number, count: number): void {
    const before = this.countIn(domain)
    this.domainCounts[domain] = count
    this.total += count - before
    if (before === 0 && count !== 0) this.nonZeroDomains++
    else if (before !== 0 && count === 0) this.nonZeroDomains--
    this.shiftAt(before, -1)
    this.shiftAt(count, 1)
  }

  private shiftAt(count: number, delta: 1 | -1): void {
    if (this.options.tracksLeast !== true) return
    this.leastKnown = undefined
    const domains = (this.domainsAt.get(count) ?? 0) + delta
    if (domains === 0) this.domainsAt.delete(count)
    else this.domainsAt.set(count, domains)
  }

  private markDomain(domain: number, dirty: DirtyRows): void {
    const rows = this.label.rowsOf(domain)
    for (let i = 0; i < rows.length; i++) dirty.mark(rows[i] as number)
  }

  private grow(): void {
    const { capacity } = this.table
    if (capacity <= this.rowCounts.length) return
    const counts = new Float64Array(capacity)
    counts.set(this.rowCounts)
    this.rowCounts = counts
    const domains = new Int32Array(capacity).fill(notCounted)
    domains.set(this.rowDomains)
    this.rowDomains = domains
  }
}
