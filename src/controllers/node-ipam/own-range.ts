import { type Cidr, parseCidr } from '../../api/cidr.ts'
import type { NodeIpamSettings, RangeSetting } from './options.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr

/** The default range of embedded clusters: 65,000 addresses, starting where kubeadm users expect it. */
export const ownRange: RangeSetting = { range: cidr('10.0.0.0/8'), maskSize: 24, startAt: cidr('10.244.0.0/16') }

/** The service range of berth's API server. */
export const ownServiceRange: Cidr = cidr('10.0.0.0/24')

/** The default IPv6 range, in a cluster with a service range of that family: 65,536 blocks. */
const ownRangeIpv6: RangeSetting = { range: cidr('fd00:10:244::/48'), maskSize: 64 }

/** The default ranges of an embedded cluster for flags that are not set: one for each family of services. */
export function ownRanges(settings: NodeIpamSettings): readonly RangeSetting[] {
  const { serviceRanges, maskSize, maskSizeIpv4, maskSizeIpv6 } = settings
  const families = serviceRanges.length === 0 ? [4] : serviceRanges.map(({ family }) => family)
  return families.map((family) =>
    family === 4
      ? { ...ownRange, maskSize: maskSize ?? maskSizeIpv4 ?? ownRange.maskSize }
      : { ...ownRangeIpv6, maskSize: maskSizeIpv6 ?? ownRangeIpv6.maskSize },
  )
}
