import { type Cidr, parseCidr } from '../../api/cidr.ts'
import type { NodeIpamSettings, RangeSetting } from './options.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr

/** The default range of embedded clusters: 65,000 addresses, starting where kubeadm users expect it. */
export const ownRange: RangeSetting = { range: cidr('10.0.0.0/8'), maskSize: 24, startAt: cidr('10.244.0.0/16') }

/** The service range of berth's API server. */
export const ownServiceRange: Cidr = cidr('10.0.0.0/24')

/** The default ranges of an embedded cluster, where flags do not set them. */
export function ownRanges(settings: NodeIpamSettings): readonly RangeSetting[] {
  return [{ ...ownRange, maskSize: settings.maskSize ?? settings.maskSizeIpv4 ?? ownRange.maskSize }]
}
