export type IpFamily = 4 | 6

/** An address as a number. IPv4 addresses written as IPv6 (`::ffff:10.0.0.1`) are IPv4, as in Go's net package. */
export interface IpAddress {
  readonly family: IpFamily
  readonly bits: bigint
}

/** 32 or 128. */
export function bitLength(family: IpFamily): number {
  return family === 4 ? 32 : 128
}

const mappedPrefix = 0xffffn

/**
 * Undefined if the text is not an address. Octets with leading zeros are read as decimal, and IPv6 groups may have more than
 * four digits, as in Kubernetes for stored objects (netutils.ParseIPSloppy).
 */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const v4 = parseIpv4(text)
    return v4 === undefined ? undefined : { family: 4, bits: v4 }
  }
  const bits = parseIpv6(text)
  if (bits === undefined) return undefined
  return bits >> 32n === mappedPrefix ? { family: 4, bits: bits & 0xffffffffn } : { family: 6, bits }
}

const zero = 48
const dot = 46

/** Four octets with any number of leading zeros. Parsed by hand, because thousands of pods have an address. */
export function parseIpv4(text: string): bigint | undefined {
  let bits = 0
  let octets = 0
  let octet = 0
  let digits = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? dot : text.charCodeAt(i)
    if (code === dot) {
      if (digits === 0 || octet > 255) return undefined
      bits = bits * 256 + octet
      octets++
      octet = 0
      digits = 0
    } else if (code >= zero && code <= zero + 9) {
      octet = octet * 10 + code - zero
      digits++
    } else return undefined
  }
  return octets === 4 ? BigInt(bits) : undefined
}

/** The 128 bits, including those of an IPv4-mapped address. */
export function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const before = parseGroups(halves[0] as string, halves.length === 1)
  const after = halves.length === 2 ? parseGroups(halves[1] as string, true) : []
  if (before === undefined || after === undefined) return undefined
  const missing = 8 - before.length - after.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined
  let bits = 0n
  for (const group of [...before, ...new Array<number>(missing).fill(0), ...after]) bits = (bits << 16n) | BigInt(group)
  return bits
}

/** Whether an address has digits that only lenient parsers accept: Go's netip.ParseAddr refuses it. */
export function hasLeadingZeros(text: string): boolean {
  return text.split(':').some((group) => {
    if (!group.includes('.')) return group.length > 4
    return group.split('.').some((octet) => octet.length > 1 && octet.startsWith('0'))
  })
}

const groupPattern = /^0*[0-9a-fA-F]{1,4}$/

/** Sixteen-bit groups; the last part may be a dotted IPv4 address, which counts as two groups. */
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  const groups: number[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string
    if (last && i === parts.length - 1 && part.includes('.')) {
      const v4 = parseIpv4(part)
      if (v4 === undefined) return undefined
      groups.push(Number(v4 >> 16n), Number(v4 & 0xffffn))
    } else if (groupPattern.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

/** Whether the address is IPv6; a mapped IPv4 address is not. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && parseIp(text)?.family === 6
}

/** The address as Go prints it; any other text is returned unchanged. */
export function canonicalIp(text: string): string {
  if (!text.includes(':') && !/(?:^|\.)0\d/.test(text)) return text
  const ip = parseIp(text)
  return ip === undefined ? text : formatIp(ip)
}

export function formatIp({ family, bits }: IpAddress): string {
  return family === 4 ? formatIpv4(Number(bits)) : formatIpv6(bits)
}

function formatIpv4(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`
}

/** RFC 5952: lower case, no leading zeros, the first longest run of two or more zero groups as `::`. */
function formatIpv6(bits: bigint): string {
  const groups: number[] = []
  for (let shift = 112n; shift >= 0n; shift -= 16n) groups.push(Number((bits >> shift) & 0xffffn))
  let runStart = -1
  let runLength = 1
  for (let i = 0; i < 8; i++) {
    let end = i
    while (end < 8 && groups[end] === 0) end++
    if (end - i > runLength) {
      runStart = i
      runLength = end - i
    }
    if (end > i) i = end
  }
  const hex = groups.map((group) => group.toString(16))
  if (runStart < 0) return hex.join(':')
  return `${hex.slice(0, runStart).join(':')}::${hex.slice(runStart + runLength).join(':')}`
}
