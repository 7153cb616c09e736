import type { LabelMatcher } from '../../../api/label-matcher.ts'
import type { DirtyRows } from '../../columns/dirty-rows.ts'
import type { PodCounter } from '../../columns/domain-counter.ts'
import type { LabelColumn } from '../../columns/table/label-column.ts'
import type { NodeTable } from '../../columns/table/node-table.ts'
import type { ParsedPod } from '../../contract/contract.ts'

/** What pods of a workload are counted by. */
export interface Selected {
  /** Equal for pods that count the same. */
  readonly key: string
  readonly namespace: string
  readonly selector: LabelMatcher
}

/** The counts of one label's domains. */
interface Domains {
  readonly label: LabelColumn
  readonly includes: (row: number) => boolean
  /** By row, what `includes` said: it is asked about a node once, until that changes. */
  inclusions: Uint8Array
  /** By value number of the label. */
  readonly counts: number[]
}

const included = 1
const excluded = 2

/**
 * Counts for one workload at a time. Few nodes have pods of a workload, so counting them anew for the next one is cheaper
 * than keeping counts of all nodes for each.
 */
export class RetargetedCounts implements PodCounter {
  private readonly table: NodeTable
  private readonly domains: readonly Domains[]
  /** By row. */
  private counts: Int32Array
  /** Those with a count, in the order in which they came to it. */
  private readonly rows: number[] = []
  private selected: Selected | undefined
  private isOld = true

  constructor(table: NodeTable, domains: readonly Pick<Domains, 'label' | 'includes'>[]) {
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

  /** Pods counted on a node. */
  countOn(row: number): number {
    return this.counts[row] ?? 0
  }

  /** Pods counted in a domain of the nth label. */
  countIn(n: number, domain: number): number {
    return this.domains[n]?.counts[domain] ?? 0
  }

  retarget(selected: Selected, dirty: DirtyRows): void {
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

  /** The node may be in another domain now, and its pods may count where they did not. */
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
      const one = this.domains[n] as Domains
      const domain = one.label.ids[row] as number
      if (domain !== 0 && isIncluded(one, row)) one.counts[domain] = (one.counts[domain] ?? 0) + pods
    }
  }

  private isMeant(pod: ParsedPod): boolean {
    const { shape } = pod
    const { namespace, selector } = this.selected as Selected
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

function isIncluded({ inclusions, includes }: Domains, row: number): boolean {
  if (inclusions[row] === 0) inclusions[row] = includes(row) ? included : excluded
  return inclusions[row] === included
}
