import { addressCount, type Cidr, containsIp, lastAddress, parseCidr } from '../../../api/cidr.ts'
import { findCondition } from '../../../api/conditions.ts'
import { type IpAddress, isIpv6 } from '../../../api/ip-address.ts'
import type { ServiceCIDR } from '../../../api/objects/service-addresses.ts'
import type { Store } from '../../../store/contract.ts'
import type { WriteContext } from '../kind.ts'

export const serviceCidrs = 'servicecidrs.networking.k8s.io'
/** The ServiceCIDR of the ranges that the API server was started with. */
export const defaultServiceCidr = 'kubernetes'

/** kube-apiserver's default of --service-cluster-ip-range. */
export const defaultServiceRanges: readonly Cidr[] = [parseCidr('10.0.0.0/24') as Cidr]

export type ServiceFamily = 'IPv4' | 'IPv6'

export const familyOfRange = ({ family }: Cidr): ServiceFamily => (family === 4 ? 'IPv4' : 'IPv6')
export const familyOfText = (ip: string): ServiceFamily => (isIpv6(ip) ? 'IPv6' : 'IPv4')

export interface ServiceRanges {
  /** The families of the cluster, the default family first. */
  readonly families: readonly ServiceFamily[]
  /** The ranges from which addresses are allocated. */
  readonly ready: readonly Cidr[]
}

/** The ranges that the server was started with: from its flags, its ServiceCIDR, or upstream's default. */
export function configuredRanges(store: Store, given: readonly Cidr[] | undefined): readonly Cidr[] {
  if (given !== undefined) return given
  const stored = store.get(serviceCidrs, defaultServiceCidr) as ServiceCIDR | undefined
  return stored === undefined ? defaultServiceRanges : rangesIn(stored)
}

/**
 * The families come from the flags of the server, the ranges from the ServiceCIDR objects. A store without such objects,
 * as in a forecast, has the ranges of the flags.
 */
export function serviceRanges({ store, serviceRanges: given }: WriteContext): ServiceRanges {
  const configured = configuredRanges(store, given)
  const stored = store.list(serviceCidrs) as readonly ServiceCIDR[]
  return {
    families: configured.map(familyOfRange),
    ready: stored.length === 0 ? configured : stored.filter(isReady).flatMap(rangesIn),
  }
}

const rangesIn = ({ spec }: ServiceCIDR): readonly Cidr[] =>
  (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? [])

/** A range without the condition is ready, because the controller that sets it may not run (ipallocator, isReady). */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  return (findCondition(status?.conditions, 'Ready')?.status ?? 'True') === 'True'
}

/**
 * The first and the last address that services may have: not the network address, nor the broadcast address of IPv4.
 */
export function usableAddresses(range: Cidr): { readonly first: bigint; readonly last: bigint } {
  const last = lastAddress(range).bits
  return { first: range.base + 1n, last: range.family === 4 ? last - 1n : last }
}

export function isUsable(range: Cidr, ip: IpAddress): boolean {
  const { first, last } = usableAddresses(range)
  return containsIp(range, ip) && ip.bits >= first && ip.bits <= last
}

/**
 * The size of the lower part of a range, which is reserved for addresses that users request (v1.36,
 * calculateRangeOffset).
 */
export function reservedCount(range: Cidr): bigint {
  const size = addressCount(range)
  if (size <= 16n) return 0n
  const share = size / 16n
  return share < 16n ? 16n : share > 256n ? 256n : share
}
