import type { LabelMatcher } from '../../../api/label-matcher.ts'
import type { DirtyRows } from '../../columns/dirty-rows.ts'
import type { PodCounter } from '../../columns/domain-counter.ts'
import type { LabelColumn } from '../../columns/table/label-column.ts'
import type { NodeTable } from '../../columns/table/node-table.ts'
import type { ParsedPod } from '../../contract/contract.ts'

export interface WorkloadSelector {
  /** Equal for pods with the same counts. */
  readonly key: string
  readonly namespace: string
  readonly selector: LabelMatcher
}

/** The counts of the domains of one label. */
interface LabelDomains {
  readonly label: LabelColumn
  readonly includes: (row: number) => boolean
  /** By row: the cached answer of `includes`. */
  inclusions: Uint8Array
  /** By value id of the label. */
  readonly counts: number[]
}

const included = 1
const excluded = 2

/**
 * Counts the pods of one workload at a time. A workload has pods on few nodes, so recounting for the next workload is
 * cheaper than counters per workload.
 */
export class RetargetedCounts implements PodCounter {
  private readonly table: NodeTable
  private readonly domains: readonly LabelDomains[]
  /** By row. */
  private counts: Int32Array
  /** The rows with a count, in the order in which they were counted. */
  private readonly rows: number[] = []
  private selected: WorkloadSelector | undefined
  private isOld = true

  constructor(table: NodeTable, domains: readonly Pick<LabelDomains, 'label' | 'includes'>[]) {
    const { capacity } = table
    this.table = table
    this.counts = new Int32Array(capacity)
    this.domains = domains.map(({ label, includes }) => ({
      label,
      includes,
      inclusions: new Uint8Array(capacity),
      counts: [],
    }))
  }

  /** The pods on a node. */
  countOn(row: number): number {
    return this.counts[row] ?? 0
  }

  /** The pods in a domain of the nth label. */
  countIn(n: number, domain: number): number {
    return this.domains[n]?.counts[domain] ?? 0
  }

  retarget(selected: WorkloadSelector, dirty: DirtyRows): void {
    if (!this.isOld && this.selected?.key === selected.key) return
    this.grow()
    this.clear(dirty)
    this.selected = selected
    this.isOld = false
    for (const { staying } of this.table.placed().selectedBy(selected.namespace, selected.selector, selected.key)) {
      for (const [row, pods] of staying) {
        this.add(row, pods)
        dirty.markClass(row)
      }
    }
  }

  podChanged(row: number, pod: ParsedPod, sign: 1 | -1): void {
    if (this.isOld || !this.isMeant(pod)) return
    this.grow()
    this.add(row, sign)
  }

  /** The domain of the node may have changed, and whether its pods count. */
  nodeChanged(row: number): void {
    this.isOld = true
    for (const { inclusions } of this.domains) if (row < inclusions.length) inclusions[row] = 0
  }

  private clear(dirty: DirtyRows): void {
    for (let i = 0; i < this.rows.length; i++) {
      const row = this.rows[i] as number
      dirty.markClass(row)
      this.counts[row] = 0
    }
    this.rows.length = 0
    for (const { counts } of this.domains) counts.fill(0)
  }

  private add(row: number, pods: number): void {
    const before = this.counts[row] as number
    const after = before + pods
    this.counts[row] = after
    if (before === 0) this.rows.push(row)
    else if (after === 0) this.rows.splice(this.rows.indexOf(row), 1)
    if (this.table.exists[row] !== 1) return
    for (let n = 0; n < this.domains.length; n++) {
      const one = this.domains[n] as LabelDomains
      const domain = one.label.ids[row] as number
      if (domain !== 0 && isIncluded(one, row)) one.counts[domain] = (one.counts[domain] ?? 0) + pods
    }
  }

  private isMeant(pod: ParsedPod): boolean {
    const { shape } = pod
    const { namespace, selector } = this.selected as WorkloadSelector
    return shape.namespace === namespace && selector.matches(shape.labels) && !pod.isTerminating
  }

  private grow(): void {
    const { capacity } = this.table
    if (capacity <= this.counts.length) return
    const counts = new Int32Array(capacity)
    counts.set(this.counts)
    this.counts = counts
    for (const one of this.domains) one.inclusions = new Uint8Array(capacity)
  }
}

function isIncluded({ inclusions, includes }: LabelDomains, row: number): boolean {
  if (inclusions[row] === 0) inclusions[row] = includes(row) ? included : excluded
  return inclusions[row] === included
}
