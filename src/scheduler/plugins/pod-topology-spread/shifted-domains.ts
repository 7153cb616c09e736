import { noDomain } from './spread-score.ts'

/** Matching pods per domain of one constraint. */
export interface DomainCounts {
  /** The number of domains. */
  readonly size: number
  get(domain: string): number
  /** The lowest count of all domains except one; noDomain without other domains. */
  leastExcept(domain: string | undefined): number
}

/** Domains that were counted node by node. */
export class CountedDomains implements DomainCounts {
  private readonly counts = new Map<string, number>()
  /** The two domains with the lowest counts. Two are enough, because at most one domain is excluded. */
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

/** Domain counts with pods added to or removed from one node, which changes the count of one domain. */
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

  /** The domain is the same in all calls. */
  add(domain: string, delta: number): void {
    this.domain = domain
    this.shift += delta
  }

  /** The lowest count of all domains; 0 with fewer than minDomains domains. */
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
