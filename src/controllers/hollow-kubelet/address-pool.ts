import { addressCount, type Cidr } from '../../api/cidr.ts'
import { formatIp, parseIp } from '../../api/ip-address.ts'

/** Addresses of one block, the lowest free one first. The first is the network's and the second the node's own. */
export class AddressPool {
  private readonly cidr: Cidr
  private readonly used = new Set<bigint>()
  private lowestFree = FIRST

  constructor(cidr: Cidr) {
    this.cidr = cidr
  }

  /** Undefined when all are in use. */
  take(): string | undefined {
    const count = addressCount(this.cidr)
    while (this.lowestFree < count && this.used.has(this.lowestFree)) this.lowestFree++
    if (this.lowestFree >= count) return undefined
    const at = this.lowestFree++
    this.used.add(at)
    return formatIp({ family: this.cidr.family, bits: this.cidr.base + at })
  }

  /** Someone has it already. Addresses outside the block are nobody's concern here. */
  occupy(address: string): void {
    const at = this.placeOf(address)
    if (at !== undefined) this.used.add(at)
  }

  release(address: string): void {
    const at = this.placeOf(address)
    if (at === undefined || !this.used.delete(at)) return
    if (at >= FIRST && at < this.lowestFree) this.lowestFree = at
  }

  private placeOf(address: string): bigint | undefined {
    const ip = parseIp(address)
    if (ip === undefined || ip.family !== this.cidr.family) return undefined
    const at = ip.bits - this.cidr.base
    return at < 0n || at >= addressCount(this.cidr) ? undefined : at
  }
}

const FIRST = 2n
