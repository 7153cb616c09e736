import { formatCidr, parseCidr } from '../../api/cidr.ts'
import { formatIp, hasLeadingZeros, parseIp } from '../../api/ip-address.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { hasLeadingZero, isMappedIp } from '../validation/addresses.ts'

const verdictOf = (release: KubernetesRelease): string =>
  atLeast(release, '1.36') ? 'is invalid' : 'will be considered invalid in a future Kubernetes release'

/** GetWarningsForIP (v1.36, apimachinery util/validation). */
export function ipWarnings(path: string, value: string, release: KubernetesRelease): readonly string[] {
  const ip = parseIp(value)
  if (ip === undefined) return []
  const canonical = formatIp(ip)
  if (hasLeadingZeros(value) || isMappedIp(value)) {
    return [
      `${path}: non-standard IP address ${JSON.stringify(value)} ${verdictOf(release)}: use ${JSON.stringify(canonical)}`,
    ]
  }
  if (ip.family === 4 || canonical === value) return []
  return [
    `${path}: IPv6 address ${JSON.stringify(value)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ]
}

/** GetWarningsForCIDR. */
export function cidrWarnings(path: string, value: string, release: KubernetesRelease): readonly string[] {
  const cidr = parseCidr(value)
  const [address = '', length = ''] = value.split('/')
  const ip = parseIp(address)
  if (cidr === undefined || ip === undefined) return []
  const quoted = JSON.stringify(value)
  const canonical = formatCidr(cidr)
  const warnings: string[] = []
  if (ip.bits !== cidr.base || ip.family !== cidr.family) {
    // Upstream derives the length from the form of the address, even for a mapped address.
    const single = `${formatIp(ip)}/${address.includes(':') ? 128 : 32}`
    const choice = `${JSON.stringify(canonical)} or ${JSON.stringify(single)}`
    warnings.push(`${path}: CIDR value ${quoted} is ambiguous in this context (should be ${choice}?)`)
  }
  if (hasLeadingZeros(address) || hasLeadingZero(length) || isMappedIp(address)) {
    warnings.push(`${path}: non-standard CIDR value ${quoted} ${verdictOf(release)}: use ${JSON.stringify(canonical)}`)
  }
  if (warnings.length > 0 || cidr.family === 4 || canonical === value) return warnings
  return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`]
}
