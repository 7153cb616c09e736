import { containsIp, parseCidr } from '../../api/cidr.ts'
import { formatIp, hasLeadingZeros, parseIpv4, parseIpv6 } from '../../api/ip-address.ts'
import { EvaluationError, Opaque, type Value } from '../value.ts'
import { type Library, opaque, text } from './implementation.ts'

type Ip = { readonly family: 4 | 6; readonly address: bigint }
type NetworkResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string }

const wrong = (why: string): { readonly ok: false; readonly why: string } => ({ ok: false, why })

/** Stricter than for stored objects: no leading zeros, no zones, no IPv4-mapped IPv6. */
function readIp(raw: string): NetworkResult<Ip> {
  const parse = (why: string) =>
    wrong(
      `IP Address ${JSON.stringify(raw)} parse error during conversion from string: ParseAddr(${JSON.stringify(raw)}): ${why}`,
    )
  if (raw.includes('%')) return wrong(`IP address ${JSON.stringify(raw)} with zone value is not allowed`)
  if (raw.includes(':')) {
    const address = parseIpv6(raw)
    if (address === undefined || hasLeadingZeros(raw))
      return parse('each colon-separated field must have at least one digit')
    if (address >> 32n === 0xffffn) return wrong(`IPv4-mapped IPv6 address ${JSON.stringify(raw)} is not allowed`)
    return { ok: true, value: { family: 6, address } }
  }
  if (!raw.includes('.')) return parse('unable to parse IP')
  if (/(^|\.)0\d/.test(raw)) return parse('IPv4 field has octet with leading zero')
  const address = parseIpv4(raw)
  if (address === undefined) return parse(/[^\d.]/.test(raw) ? 'unexpected character' : 'IPv4 address too short')
  return { ok: true, value: { family: 4, address } }
}

function readCidr(raw: string): NetworkResult<Opaque> {
  const slash = raw.lastIndexOf('/')
  const told = (why: string) => wrong(`network address parse error during conversion from string: ${why}`)
  if (slash < 0) return told(`netip.ParsePrefix(${JSON.stringify(raw)}): no '/'`)
  const ip = readIp(raw.slice(0, slash))
  const bits = raw.slice(slash + 1)
  if (!ip.ok) return told(`netip.ParsePrefix(${JSON.stringify(raw)}): ${ip.why}`)
  const cidr = /^(0|[1-9]\d*)$/.test(bits) ? parseCidr(raw) : undefined
  if (cidr === undefined || cidr.family !== ip.value.family) {
    return told(`netip.ParsePrefix(${JSON.stringify(raw)}): prefix length out of range`)
  }
  return { ok: true, value: new Opaque({ kind: 'cidr', cidr, address: ip.value.address }) }
}

function ipValue({ family, address }: Ip): Opaque {
  return new Opaque({ kind: 'ip', family, address })
}

function ipOf(value: Value | undefined): Ip {
  const read = readIp(text(value))
  if (!read.ok) throw new EvaluationError(read.why)
  return read.value
}

function cidrOf(value: Value | undefined): Opaque {
  const read = readCidr(text(value))
  if (!read.ok) throw new EvaluationError(read.why)
  return read.value
}

/** Whether an address is in one of these CIDRs. */
const within =
  (...blocks: readonly string[]) =>
  ({ family, address }: Ip): boolean =>
    blocks.some((block) => {
      const cidr = parseCidr(block)
      return cidr !== undefined && containsIp(cidr, { family, bits: address })
    })

const isUnspecified = within('0.0.0.0/32', '::/128')
const isLoopback = within('127.0.0.0/8', '::1/128')
const isMulticast = within('224.0.0.0/4', 'ff00::/8')
const isLinkLocalUnicast = within('169.254.0.0/16', 'fe80::/10')
const isLinkLocalMulticast = ({ family, address }: Ip): boolean =>
  family === 4
    ? within('224.0.0.0/24')({ family, address })
    : address >> 120n === 0xffn && ((address >> 112n) & 0xfn) === 2n
const isBroadcast = ({ family, address }: Ip): boolean => family === 4 && address === 0xffffffffn

const isGlobalUnicast = (ip: Ip): boolean =>
  !isBroadcast(ip) && !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip)

const asks = (holds: (ip: Ip) => boolean) => (args: readonly Value[]) => holds(opaque('ip', args[0]))

export const network: Library = {
  ip: ([value], isMember) => {
    if (!isMember) return ipValue(ipOf(value))
    const { cidr, address } = opaque('cidr', value)
    return ipValue({ family: cidr.family, address })
  },
  isIP: ([value]) => readIp(text(value)).ok,
  'ip.isCanonical': ([value]) => {
    const { family, address } = ipOf(value)
    return formatIp({ family, bits: address }) === value
  },
  family: ([value]) => BigInt(opaque('ip', value).family),
  isUnspecified: asks(isUnspecified),
  isLoopback: asks(isLoopback),
  isLinkLocalMulticast: asks(isLinkLocalMulticast),
  isLinkLocalUnicast: asks(isLinkLocalUnicast),
  isGlobalUnicast: asks(isGlobalUnicast),
  cidr: ([value]) => cidrOf(value),
  isCIDR: ([value]) => readCidr(text(value)).ok,
  containsIP: ([value, other]) => {
    const { cidr } = opaque('cidr', value)
    const { family, address } = typeof other === 'string' ? ipOf(other) : opaque('ip', other)
    return containsIp(cidr, { family, bits: address })
  },
  containsCIDR: ([value, other]) => {
    const { cidr } = opaque('cidr', value)
    const { cidr: inner } = opaque('cidr', typeof other === 'string' ? cidrOf(other) : other)
    if (cidr.family !== inner.family || cidr.prefix > inner.prefix) return false
    return containsIp(cidr, { family: inner.family, bits: inner.base })
  },
  prefixLength: ([value]) => BigInt(opaque('cidr', value).cidr.prefix),
  masked: ([value]) => {
    const { cidr } = opaque('cidr', value)
    return new Opaque({ kind: 'cidr', cidr, address: cidr.base })
  },
}
