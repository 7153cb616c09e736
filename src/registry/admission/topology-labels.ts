import type { StringMap } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { labels as wellKnown } from '../../api/well-known.ts'
import type { Store } from '../../store/contract.ts'

/** The zone and region that a pod gets from its node (admission plugin PodTopologyLabels). */
export function topologyLabels(store: Store, nodeName: string): StringMap | undefined {
  const labels = (store.get('nodes', nodeName) as Node | undefined)?.metadata.labels
  if (labels === undefined) return undefined
  const zone = labels[wellKnown.zone]
  const region = labels[wellKnown.region]
  if (zone === undefined && region === undefined) return undefined
  const found: Record<string, string> = {}
  if (zone !== undefined) found[wellKnown.zone] = zone
  if (region !== undefined) found[wellKnown.region] = region
  return found
}
