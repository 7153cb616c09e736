import { type Cidr, parseCidr } from '../../api/cidr.ts'
import type { NodeIpamSettings, RangeSetting } from './options.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr

/** Where nodes of berth's own clusters get their blocks when nobody says: room for 65,000, beginning where kubeadm users look. */
export const ownRange: RangeSetting = { range: cidr('10.0.0.0/8'), maskSize: 24, startAt: cidr('10.244.0.0/16') }

/** The range of services that berth's own API server hands addresses out of. */
export const ownServiceRange: Cidr = cidr('10.0.0.0/24')

/** The ranges for a cluster of our own, as far as its flags leave them open. */
export function ownRanges(settings: NodeIpamSettings): readonly RangeSetting[] {
  return [{ ...ownRange, maskSize: settings.maskSize ?? settings.maskSizeIpv4 ?? ownRange.maskSize }]
}
