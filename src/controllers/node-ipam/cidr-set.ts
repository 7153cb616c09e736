import { type Cidr, cidrsOverlap, formatCidr, lastAddress, nthSubnet } from '../../api/cidr.ts'
import { bitLength, formatIp } from '../../api/ip-address.ts'
import { BitSet } from '../../base/bit-set.ts'
import { done, failed, type Result } from '../../base/result.ts'

/** The places of a range that a block covers, both included. Empty when the last comes before the first. */
export interface Span {
  readonly first: number
  readonly last: number
}

export interface Allocation {
  readonly cidr: Cidr
  /** How many places were looked at and found taken. */
  readonly tries: number
}

// v1.36, nodeipam/ipam/cidrset, clusterSubnetMaxDiff: only IPv6 ranges are held to it.
const maxIpv6Difference = 16
// One bit a place: two mebibytes at most. Upstream has no limit here, and no use for a larger set.
const maxDifference = 24

export const noBlockLeft = 'CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range'

/**
 * A range cut into blocks of one size, each free or used. Blocks are handed out in turn: the search begins behind the
 * block handed out last, so that a block that was given back rests as long as possible (v1.36, nodeipam/ipam/cidrset).
 */
export class CidrSet {
  readonly range: Cidr
  readonly maskSize: number
  /** How many blocks there are. */
  readonly max: number
  private readonly bits = new BitSet()
  private taken = 0
  private next: number

  /** `startAt`: the first block is looked for from there, for instance the middle of a large range. */
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
    // Blocks that are wider than the range leave it without any.
    this.max = maskSize < range.prefix ? 0 : 2 ** (maskSize - range.prefix)
    this.next = 0
  }

  get used(): number {
    return this.taken
  }

  get free(): number {
    return this.max - this.taken
  }

  /** The block that is looked at first when one is asked for. */
  get nextPlace(): number {
    return this.next
  }

  /** Undefined when none is left. */
  allocateNext(): Allocation | undefined {
    const place = this.firstFree()
    if (place === undefined) return undefined
    const tries = (place - this.next + this.max) % this.max
    this.next = (place + 1) % this.max
    this.mark(place)
    return { cidr: this.blockAt(place), tries }
  }

  /** Marks every block that the CIDR touches as used; tells how many were free. */
  occupy(cidr: Cidr): Result<number> {
    return this.change(cidr, (place) => this.mark(place))
  }

  /** Marks every block that the CIDR touches as free; tells how many were used. */
  release(cidr: Cidr): Result<number> {
    return this.change(cidr, (place) => this.unmark(place))
  }

  has(place: number): boolean {
    return this.bits.has(place)
  }

  /** Whether the place was free. */
  mark(place: number): boolean {
    if (this.bits.has(place)) return false
    this.bits.set(place)
    this.taken++
    return true
  }

  /** Whether the place was used. */
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
