import { addressCount, type Cidr } from '../../api/cidr.ts'
import { formatIp, parseIp } from '../../api/ip-address.ts'

/**
 * Addresses of one block; the lowest free address is assigned first. The first belongs to the network and the second to
 * the node.
 */
export class AddressPool {
  private readonly cidr: Cidr
  private readonly count: number
  /** Offsets within the block. */
  private readonly used = new Set<number>()
  private lowestFree = first

  constructor(cidr: Cidr) {
    this.cidr = cidr
    this.count = Number(addressCount(cidr))
  }

  /** Undefined when all are in use. */
  take(): string | undefined {
    while (this.lowestFree < this.count && this.used.has(this.lowestFree)) this.lowestFree++
    if (this.lowestFree >= this.count) return undefined
    const at = this.lowestFree++
    this.used.add(at)
    return formatIp({ family: this.cidr.family, bits: this.cidr.base + BigInt(at) })
  }

  /** Marks an address as used. Addresses outside the block are ignored. */
  occupy(address: string): void {
    const at = this.placeOf(address)
    if (at !== undefined) this.used.add(at)
  }

  release(address: string): void {
    const at = this.placeOf(address)
    if (at === undefined || !this.used.delete(at)) return
    if (at >= first && at < this.lowestFree) this.lowestFree = at
  }

  private placeOf(address: string): number | undefined {
    const ip = parseIp(address)
    if (ip === undefined || ip.family !== this.cidr.family) return undefined
    // Offsets that a number cannot represent exactly are never reached.
    const at = Number(ip.bits - this.cidr.base)
    return at < 0 || at >= this.count ? undefined : at
  }
}

const first = 2
