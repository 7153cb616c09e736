import { type Cidr, cidrsOverlap } from '../../api/cidr.ts'
import { BitSet } from '../../base/bit-set.ts'
import type { CidrSet } from './cidr-set.ts'

/** The used blocks of a set that overlap none of the CIDRs. */
export function leakedBlocks(set: CidrSet, known: readonly Cidr[]): readonly Cidr[] {
  const explained = new BitSet(set.max)
  for (const cidr of known) {
    if (!cidrsOverlap(cidr, set.range)) continue
    const span = set.spanOf(cidr)
    if (!span.ok) continue
    for (let place = span.value.first; place <= span.value.last; place++) explained.set(place)
  }
  const leaked: Cidr[] = []
  for (let place = 0; place < set.max; place++) {
    if (set.has(place) && !explained.has(place)) leaked.push(set.blockAt(place))
  }
  return leaked
}
