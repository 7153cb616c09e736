import { formatCidr, parseCidr } from '../../api/cidr.ts'
import { formatIp, parseIp } from '../../api/ip-address.ts'
import type { FieldError } from '../errors/field-error.ts'
import { checkCidr, checkIp } from '../validation/addresses.ts'

const isStrict = (check: (errors: FieldError[], value: string, path: string) => void, value: string): boolean => {
  const errors: FieldError[] = []
  check(errors, value, '')
  return errors.length === 0
}

/** GetWarningsForIP (v1.36, apimachinery util/validation). */
export function ipWarnings(path: string, value: string): readonly string[] {
  const ip = parseIp(value)
  if (ip === undefined) return []
  const canonical = formatIp(ip)
  if (!isStrict(checkIp, value)) {
    return [`${path}: non-standard IP address ${JSON.stringify(value)} is invalid: use ${JSON.stringify(canonical)}`]
  }
  if (ip.family === 4 || canonical === value) return []
  return [
    `${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ]
}

/** GetWarningsForCIDR. */
export function cidrWarnings(path: string, value: string): readonly string[] {
  const cidr = parseCidr(value)
  const [address = '', length = ''] = value.split('/')
  const ip = parseIp(address)
  if (cidr === undefined || ip === undefined) return []
  const quoted = JSON.stringify(value)
  const canonical = formatCidr(cidr)
  const warnings: string[] = []
  if (ip.bits !== cidr.base) {
    const single = `${formatIp(ip)}/${ip.family === 4 ? 32 : 128}`
    const choice = `${JSON.stringify(canonical)} or ${JSON.stringify(single)}`
    warnings.push(`${path}: CIDR value ${quoted} is ambiguous in this context (should be ${choice}?)`)
  }
  const masked = `${formatIp({ family: ip.family, bits: cidr.base })}/${length}`
  if (!isStrict(checkIp, address) || !isStrict(checkCidr, masked)) {
    warnings.push(`${path}: non-standard CIDR value ${quoted} is invalid: use ${JSON.stringify(canonical)}`)
  }
  if (warnings.length > 0 || cidr.family === 4 || canonical === value) return warnings
  return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`]
}
