import { type Cidr, containsCidr, containsIp, lastAddress, parseCidr } from '../../api/cidr.ts'
import { parseIp } from '../../api/ip-address.ts'
import {
  addressManagerLabel,
  type IPAddress,
  type ServiceCIDR,
  serviceAllocator,
} from '../../api/objects/service-addresses.ts'

export const rangesOf = ({ spec }: ServiceCIDR): readonly Cidr[] =>
  (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? [])

export const isOfService = ({ metadata: { labels } }: IPAddress): boolean =>
  labels?.[addressManagerLabel] === serviceAllocator

/**
 * Reports whether services may have the address. The addresses of the network and of IPv4 broadcasts are excluded
 * (PrefixContainsIP).
 */
export function holds(range: Cidr, name: string): boolean {
  const ip = parseIp(name)
  if (ip === undefined || ip.bits === range.base) return false
  return containsIp(range, ip) && !(range.family === 4 && ip.bits === lastAddress(range).bits)
}

/**
 * Reports whether a ServiceCIDR can be deleted: each of its ranges is part of another one, or every address of a
 * service in it is also in another one (v1.36, canDeleteCIDR).
 */
export function isReleasable(
  deleted: ServiceCIDR,
  all: readonly ServiceCIDR[],
  addresses: readonly IPAddress[],
): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== deleted.metadata.name).flatMap(rangesOf)
  const ranges = rangesOf(deleted)
  if (ranges.every((range) => others.some((other) => containsCidr(other, range)))) return true
  return !addresses.some(
    (address) =>
      isOfService(address) &&
      ranges.some((range) => holds(range, address.metadata.name)) &&
      !others.some((other) => holds(other, address.metadata.name)),
  )
}
