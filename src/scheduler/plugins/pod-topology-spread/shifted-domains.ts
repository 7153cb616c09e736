import { noDomain } from './spread-score.ts'

/** Matching pods per domain of one constraint. */
export interface DomainCounts {
  /** Domains in which pods are counted. */
  readonly size: number
  get(domain: string): number
  /** The lowest count of all domains but one; noDomain when there is no other. */
  leastExcept(domain: string | undefined): number
}

/** Counted once, node by node. */
export class CountedDomains implements DomainCounts {
  private readonly counts = new Map<string, number>()
  /** The two emptiest domains: enough, because only one domain is ever left out. */
  private emptiest: readonly (readonly [string, number])[] | undefined

  get size(): number {
    return this.counts.size
  }

  get(domain: string): number {
    return this.counts.get(domain) ?? 0
  }

  add(domain: string, count: number): void {
    this.counts.set(domain, this.get(domain) + count)
    this.emptiest = undefined
  }

  leastExcept(domain: string | undefined): number {
    this.emptiest ??= [...this.counts].sort(([, a], [, b]) => a - b).slice(0, 2)
    for (const [name, count] of this.emptiest) if (name !== domain) return count
    return noDomain
  }
}

/** The same with pods imagined to come to or leave one node, so that one domain has another count. */
export class ShiftedDomains {
  private readonly counts: DomainCounts
  private domain: string | undefined
  private shift = 0

  constructor(counts: DomainCounts) {
    this.counts = counts
  }

  get(domain: string): number {
    return this.counts.get(domain) + (domain === this.domain ? this.shift : 0)
  }

  /** Always of the same domain. */
  add(domain: string, delta: number): void {
    this.domain = domain
    this.shift += delta
  }

  /** The count of the emptiest domain; 0 when there are fewer domains than there should be. */
  least(minDomains: number): number {
    if (this.counts.size < minDomains) return 0
    const others = this.counts.leastExcept(this.domain)
    return this.domain === undefined ? others : Math.min(others, this.get(this.domain))
  }

  copy(): ShiftedDomains {
    const copy = new ShiftedDomains(this.counts)
    copy.domain = this.domain
    copy.shift = this.shift
    return copy
  }
}
