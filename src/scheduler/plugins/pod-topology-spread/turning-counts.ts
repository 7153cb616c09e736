import type { LabelMatcher } from '../../../api/label-matcher.ts'
import type { LabelColumn } from '../../cache/label-column.ts'
import { isTerminating, type NodeTable } from '../../cache/node-table.ts'
import type { DirtyRows } from '../../framework/columnar/dirty-rows.ts'
import type { PodCounter } from '../../framework/columnar/domain-counter.ts'
import type { ParsedPod } from '../../framework/contract.ts'

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
  readonly counts: Map<number, number>
}

/**
 * Counts for one workload at a time. Few nodes have pods of a workload, so counting them anew for the next one is cheaper
 * than keeping counts of all nodes for each.
 */
export class TurningCounts implements PodCounter {
  private readonly table: NodeTable
  private readonly domains: readonly Domains[]
  private readonly counts = new Map<number, number>()
  private selected: Selected | undefined
  private isOld = true

  constructor(table: NodeTable, domains: readonly Pick<Domains, 'label' | 'includes'>[]) {
    this.table = table
    this.domains = domains.map((one) => ({ ...one, counts: new Map() }))
  }

  /** Pods counted on a node. */
  countOn(row: number): number {
    return this.counts.get(row) ?? 0
  }

  /** Pods counted in a domain of the nth label. */
  countIn(n: number, domain: number): number {
    return this.domains[n]?.counts.get(domain) ?? 0
  }

  turnTo(selected: Selected, dirty: DirtyRows): void {
    if (!this.isOld && this.selected?.key === selected.key) return
    for (const row of this.counts.keys()) dirty.mark(row)
    this.counts.clear()
    for (const { counts } of this.domains) counts.clear()
    this.selected = selected
    this.isOld = false
    const placed = this.table.placed()
    for (const shape of placed.selectedBy(selected.namespace, selected.selector, selected.key)) {
      for (const [row, pods] of placed.stayingOf(shape)) {
        this.counts.set(row, this.countOn(row) + pods)
        this.addToDomains(row, pods)
        dirty.mark(row)
      }
    }
  }

  podChanged(row: number, pod: ParsedPod, sign: 1 | -1): void {
    if (this.isOld || !this.isMeant(pod)) return
    const count = this.countOn(row) + sign
    if (count === 0) this.counts.delete(row)
    else this.counts.set(row, count)
    this.addToDomains(row, sign)
  }

  /** The node may be in another domain now, and its pods may count where they did not. */
  nodeChanged(): void {
    this.isOld = true
  }

  private addToDomains(row: number, count: number): void {
    if (this.table.exists[row] !== 1) return
    for (const { label, includes, counts } of this.domains) {
      const domain = label.ids[row] as number
      if (domain !== 0 && includes(row)) counts.set(domain, (counts.get(domain) ?? 0) + count)
    }
  }

  private isMeant(pod: ParsedPod): boolean {
    const { shape } = pod
    const { namespace, selector } = this.selected as Selected
    return shape.namespace === namespace && selector.matches(shape.labels) && !isTerminating(pod)
  }
}
