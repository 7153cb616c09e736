import type { Cidr } from '../../api/cidr.ts'
import { done, type Result } from '../../base/result.ts'
import type { CidrSet } from './cidr-set.ts'
import type { RangeMeter } from './range-meter.ts'

/**
 * `marked`: a block is used or free, and any release frees it, as upstream does. `counted`: a block with several users
 * is free after all of them released it; every `occupy` needs its own `release`.
 */
export type Accounting = 'marked' | 'counted'

/** A CIDR set with its metrics. */
export class BlockPool {
  readonly set: CidrSet
  private readonly meter: RangeMeter
  private readonly accounting: Accounting
  /** The number of additional users of blocks with more than one user. */
  private readonly more = new Map<number, number>()

  constructor(set: CidrSet, meter: RangeMeter, accounting: Accounting) {
    this.set = set
    this.meter = meter
    this.accounting = accounting
  }

  take(): Cidr | undefined {
    const allocation = this.set.allocateNext()
    if (allocation === undefined) return undefined
    this.meter.allocated(1)
    this.meter.tried(allocation.tries)
    this.tell()
    return allocation.cidr
  }

  /** Returns how many of the blocks were free. */
  occupy(cidr: Cidr): Result<number> {
    return this.change(
      cidr,
      (place) => {
        if (this.set.mark(place)) return true
        if (this.accounting === 'counted') this.more.set(place, (this.more.get(place) ?? 0) + 1)
        return false
      },
      this.meter.allocated,
    )
  }

  /** Returns how many of the blocks became free. */
  release(cidr: Cidr): Result<number> {
    return this.change(
      cidr,
      (place) => {
        const others = this.more.get(place)
        if (others === undefined) return this.set.unmark(place)
        if (others === 1) this.more.delete(place)
        else this.more.set(place, others - 1)
        return false
      },
      this.meter.released,
    )
  }

  forget(): void {
    this.meter.forget()
  }

  private change(cidr: Cidr, one: (place: number) => boolean, count: (blocks: number) => void): Result<number> {
    const span = this.set.spanOf(cidr)
    if (!span.ok) return span
    let changed = 0
    for (let place = span.value.first; place <= span.value.last; place++) if (one(place)) changed++
    count(changed)
    this.tell()
    return done(changed)
  }

  private tell(): void {
    this.meter.usage(this.set.used, this.set.max)
  }
}
