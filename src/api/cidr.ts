import { assert } from '../base/assert.ts'
import { bitLength, formatIp, type IpAddress, type IpFamily, parseIp, parseIpv4, parseIpv6 } from './ip-address.ts'

/** A block of addresses. `base` is its first address: the bits after the prefix are zero. */
export interface Cidr {
  readonly family: IpFamily
  readonly base: bigint
  readonly prefix: number
}

const prefixPattern = /^0*[0-9]{1,3}$/

/**
 * Parses `10.0.0.0/8` or `fd00::/48`; host bits are dropped. IPv4 octets may have leading zeros, which Kubernetes still
 * accepts in stored objects (netutils.ParseCIDRSloppy). Undefined if the text is not a CIDR.
 */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/')
  if (slash < 0) return undefined
  const address = text.slice(0, slash)
  const length = text.slice(slash + 1)
  if (!prefixPattern.test(length)) return undefined
  const prefix = Number(length)
  const v4 = parseIpv4(address)
  if (v4 !== undefined) return prefix <= 32 ? network(4, v4, prefix) : undefined
  const v6 = parseIpv6(address)
  if (v6 === undefined || prefix > 128) return undefined
  const block = network(6, v6, prefix)
  // Go prints a CIDR inside ::ffff:0:0/96 as the mapped IPv4 CIDR.
  if (prefix >= 96 && block.base >> 32n === 0xffffn) return network(4, block.base & 0xffffffffn, prefix - 96)
  return block
}

function network(family: IpFamily, address: bigint, prefix: number): Cidr {
  const hostBits = BigInt(bitLength(family) - prefix)
  return { family, base: (address >> hostBits) << hostBits, prefix }
}

/** The text of a CIDR, as Go's net.IPNet prints it. */
export function formatCidr(cidr: Cidr): string {
  return `${formatIp({ family: cidr.family, bits: cidr.base })}/${cidr.prefix}`
}

/** The text that Go prints for a CIDR, or undefined if the text is not a CIDR. */
export function canonicalCidr(text: string): string | undefined {
  const cidr = parseCidr(text)
  return cidr === undefined ? undefined : formatCidr(cidr)
}

export function addressCount(cidr: Cidr): bigint {
  return 1n << BigInt(bitLength(cidr.family) - cidr.prefix)
}

export function lastAddress(cidr: Cidr): IpAddress {
  return { family: cidr.family, bits: cidr.base + addressCount(cidr) - 1n }
}

export function containsIp(cidr: Cidr, ip: IpAddress | string): boolean {
  const address = typeof ip === 'string' ? parseIp(ip) : ip
  if (address === undefined || address.family !== cidr.family) return false
  const hostBits = BigInt(bitLength(cidr.family) - cidr.prefix)
  return address.bits >> hostBits === cidr.base >> hostBits
}

/** Whether every address of `inner` is in `outer`. */
export function containsCidr(outer: Cidr, inner: Cidr): boolean {
  return outer.prefix <= inner.prefix && containsIp(outer, { family: inner.family, bits: inner.base })
}

/** CIDRs never overlap partially: one contains the other, or they are disjoint. */
export function cidrsOverlap(a: Cidr, b: Cidr): boolean {
  return a.prefix <= b.prefix ? containsCidr(a, b) : containsCidr(b, a)
}

export function sameCidr(a: Cidr, b: Cidr): boolean {
  return a.family === b.family && a.prefix === b.prefix && a.base === b.base
}

/** The number of subnets with that prefix length. */
export function subnetCount(cidr: Cidr, prefix: number): bigint {
  assert(prefix >= cidr.prefix && prefix <= bitLength(cidr.family), `/${prefix} is not a subnet of a /${cidr.prefix}`)
  return 1n << BigInt(prefix - cidr.prefix)
}

/** The subnet with that prefix length at an index, counted from 0. */
export function nthSubnet(cidr: Cidr, prefix: number, index: number | bigint): Cidr {
  const place = BigInt(index)
  assert(place >= 0n && place < subnetCount(cidr, prefix), `a /${cidr.prefix} has no ${index}th /${prefix}`)
  return { family: cidr.family, base: cidr.base + (place << BigInt(bitLength(cidr.family) - prefix)), prefix }
}

/** The index of the subnet with that prefix length that contains an address; undefined if the address is outside. */
export function subnetIndex(cidr: Cidr, prefix: number, ip: IpAddress): bigint | undefined {
  if (!containsIp(cidr, ip)) return undefined
  return (ip.bits - cidr.base) >> BigInt(bitLength(cidr.family) - prefix)
}
