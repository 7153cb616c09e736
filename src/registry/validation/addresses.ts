import { canonicalCidr, parseCidr } from '../../api/cidr.ts'
import { formatIp, hasLeadingZeros, parseIp } from '../../api/ip-address.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { type FieldError, invalid } from '../errors/field-error.ts'
import type { Errors } from './reader.ts'

/** An IPv4 address in the form of IPv6, such as `::ffff:10.0.0.1` or `::ffff:a00:1`. */
export const isMappedIp = (text: string): boolean => text.includes(':') && parseIp(text)?.family === 4

/** An address in a field that is older than strict rules (util/validation IsValidIPForLegacyField). */
export function checkIp(errors: Errors, value: string, path: string, accepted: readonly string[] = []): void {
  if (!accepted.includes(value)) checkIpForm(errors, value, path, isStrict(errors.release))
}

const isStrict = ({ gates }: KubernetesRelease): boolean => gates.has('StrictIPCIDRValidation')

/** The forms of an address. Other programs read the lenient forms in different ways. */
export function checkIpForm(errors: FieldError[], value: string, path: string, strict = true): void {
  const ip = parseIp(value)
  if (ip === undefined) {
    errors.push(invalid(path, value, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'))
    return
  }
  if (!strict) return
  if (hasLeadingZeros(value)) errors.push(invalid(path, value, 'must not have leading 0s'))
  else if (isMappedIp(value)) {
    errors.push(invalid(path, value, 'must not be an IPv4-mapped IPv6 address'))
  }
}

/** An address in a field whose rules were always strict (IsValidIP). */
export function checkStrictIp(errors: FieldError[], value: string, path: string): void {
  const before = errors.length
  checkIpForm(errors, value, path)
  const ip = parseIp(value)
  if (errors.length > before || ip === undefined) return
  const canonical = formatIp(ip)
  if (value !== canonical) errors.push(invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`))
}

/** A block in a field that is older than strict rules (IsValidCIDRForLegacyField). */
export function checkCidr(errors: Errors, value: string, path: string, accepted: readonly string[] = []): void {
  if (!accepted.includes(value)) checkCidrForm(errors, value, path, isStrict(errors.release))
}

/** A prefix length such as `08`. */
export const hasLeadingZero = (length: string): boolean => /^0\d/.test(length)

/** The forms of a block. */
export function checkCidrForm(errors: FieldError[], value: string, path: string, strict = true): void {
  const cidr = parseCidr(value)
  const [address = '', length = ''] = value.split('/')
  if (cidr === undefined) {
    errors.push(invalid(path, value, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'))
  } else if (!strict) {
    return
  } else if (hasLeadingZeros(address) || hasLeadingZero(length)) {
    errors.push(invalid(path, value, 'must not have leading 0s in IP or prefix length'))
  } else if (isMappedIp(address)) {
    errors.push(invalid(path, value, 'must not have an IPv4-mapped IPv6 address'))
  } else if (parseIp(address)?.bits !== cidr.base) {
    errors.push(invalid(path, value, 'must not have bits set beyond the prefix length'))
  }
}

/** A CIDR in a field whose rules were always strict (IsValidCIDR). */
export function checkStrictCidr(errors: FieldError[], value: string, path: string): void {
  const before = errors.length
  checkCidrForm(errors, value, path)
  const canonical = canonicalCidr(value)
  if (errors.length > before || canonical === undefined || canonical === value) return
  errors.push(invalid(path, value, `must be in canonical form (${JSON.stringify(canonical)})`))
}

/** Why the name of an IPAddress object is invalid. */
export function ipNameProblems(value: string): readonly string[] {
  const errors: FieldError[] = []
  checkStrictIp(errors, value, '')
  return errors.map(({ message }) => message.slice(message.indexOf(': must') + 2))
}

/** At most one address of each family. */
export function isDualStackIps(values: readonly string[]): boolean {
  const families = new Set(values.map((value) => parseIp(value)?.family))
  return families.has(4) && families.has(6)
}

export function isDualStackCidrs(values: readonly string[]): boolean {
  const families = new Set(values.map((value) => parseCidr(value)?.family))
  return families.has(4) && families.has(6)
}
