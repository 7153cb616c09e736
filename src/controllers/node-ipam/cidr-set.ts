import { type Cidr, cidrsOverlap, formatCidr, lastAddress, nthSubnet } from '../../api/cidr.ts'
import { bitLength, formatIp } from '../../api/ip-address.ts'
import { BitSet } from '../../base/bit-set.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** The first and the last block of a range that a CIDR covers. Empty if the last comes before the first. */
export interface Span {
  readonly first: number
  readonly last: number
}

export interface CidrAllocation {
  readonly cidr: Cidr
  /** The number of examined blocks that were used. */
  readonly tries: number
}

// v1.36, nodeipam/ipam/cidrset, clusterSubnetMaxDiff: the limit applies to IPv6 ranges only.
const maxIpv6Difference = 16
// One bit per block: at most 2 MiB. Upstream has no limit here, but needs no larger sets.
const maxDifference = 24

export const noBlockLeft = 'CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range'

/**
 * A range divided into blocks of one size, each free or used. The search starts after the last allocated block, so that
 * a released block is reused as late as possible (v1.36, nodeipam/ipam/cidrset).
 */
export class CidrSet {
  readonly range: Cidr
  readonly maskSize: number
  /** The number of blocks. */
  readonly max: number
  private readonly bits = new BitSet()
  private taken = 0
  private next: number

  /** `startAt`: where the search for the first block starts, for example in the middle of a large range. */
  static create(range: Cidr, maskSize: number, { startAt }: { readonly startAt?: Cidr } = {}): Result<CidrSet> {
    const difference = maskSize - range.prefix
    if (range.family === 6 && difference > maxIpv6Difference) {
      return failed('New CIDR set failed; the node CIDR size is too big')
    }
    if (difference > maxDifference || maskSize > bitLength(range.family)) {
      return failed(`a /${range.prefix} cannot be cut into blocks of /${maskSize}`)
    }
    const set = new CidrSet(range, maskSize)
    const span = startAt === undefined ? undefined : set.spanOf(startAt)
    if (span?.ok === true) set.next = span.value.first
    return done(set)
  }

  private constructor(range: Cidr, maskSize: number) {
    this.range = range
    this.maskSize = maskSize
    // A range that is smaller than one block has no blocks.
    this.max = maskSize < range.prefix ? 0 : 2 ** (maskSize - range.prefix)
    this.next = 0
  }

  get used(): number {
    return this.taken
  }

  get free(): number {
    return this.max - this.taken
  }

  /** The block at which the next search starts. */
  get nextPlace(): number {
    return this.next
  }

  /** Undefined if no block is free. */
  allocateNext(): CidrAllocation | undefined {
    const place = this.firstFree()
    if (place === undefined) return undefined
    const tries = (place - this.next + this.max) % this.max
    this.next = (place + 1) % this.max
    this.mark(place)
    return { cidr: this.blockAt(place), tries }
  }

  /** Marks every block that the CIDR overlaps as used. Returns the number of blocks that were free. */
  occupy(cidr: Cidr): Result<number> {
    return this.change(cidr, (place) => this.mark(place))
  }

  /** Marks every block that the CIDR overlaps as free. Returns the number of blocks that were used. */
  release(cidr: Cidr): Result<number> {
    return this.change(cidr, (place) => this.unmark(place))
  }

  has(place: number): boolean {
    return this.bits.has(place)
  }

  /** Returns whether the block was free. */
  mark(place: number): boolean {
    if (this.bits.has(place)) return false
    this.bits.set(place)
    this.taken++
    return true
  }

  /** Returns whether the block was used. */
  unmark(place: number): boolean {
    if (!this.bits.has(place)) return false
    this.bits.clear(place)
    this.taken--
    return true
  }

  blockAt(place: number): Cidr {
    return nthSubnet(this.range, this.maskSize, place)
  }

  spanOf(cidr: Cidr): Result<Span> {
    const { range, maskSize, max } = this
    if (!cidrsOverlap(cidr, range)) {
      return failed(`cidr ${formatCidr(cidr)} is out the range of cluster cidr ${formatCidr(range)}`)
    }
    if (cidr.prefix <= range.prefix) return done({ first: 0, last: max - 1 })
    const hostBits = BigInt(bitLength(range.family) - maskSize)
    if (max === 0) {
      const base = formatIp({ family: cidr.family, bits: (cidr.base >> hostBits) << hostBits })
      return failed(`CIDR: ${base}/${maskSize} is out of the range of CIDR allocator`)
    }
    const placeOf = (bits: bigint) => Number((bits - range.base) >> hostBits)
    return done({ first: placeOf(cidr.base), last: placeOf(lastAddress(cidr).bits) })
  }

  private change(cidr: Cidr, one: (place: number) => boolean): Result<number> {
    const span = this.spanOf(cidr)
    if (!span.ok) return span
    let changed = 0
    for (let place = span.value.first; place <= span.value.last; place++) if (one(place)) changed++
    return done(changed)
  }

  private firstFree(): number | undefined {
    if (this.taken === this.max) return undefined
    const behind = this.bits.firstClear(this.next)
    return behind < this.max ? behind : this.bits.firstClear(0)
  }
}
