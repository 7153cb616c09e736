import { type Cidr, parseCidr } from '../../api/cidr.ts'
import type { NodeIpamSettings, RangeSetting } from './options.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr

/** The default range of embedded clusters: 65,000 addresses, from the start that kubeadm users expect. */
export const ownRange: RangeSetting = { range: cidr('10.0.0.0/8'), maskSize: 24, startAt: cidr('10.244.0.0/16') }

/** The range of services that berth's own API server hands addresses out of. */
export const ownServiceRange: Cidr = cidr('10.0.0.0/24')

/** The ranges for a cluster of our own, as far as its flags leave them open. */
export function ownRanges(settings: NodeIpamSettings): readonly RangeSetting[] {
  return [{ ...ownRange, maskSize: settings.maskSize ?? settings.maskSizeIpv4 ?? ownRange.maskSize }]
}
