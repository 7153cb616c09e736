import { ClusterMap } from '../map/cluster-map.tsx'
import { byCpu } from '../map/coloring.ts'
import type { CellSize } from '../map/layout.ts'
import type { ClusterModel } from '../model/cluster.ts'
import { everything, type Filter } from '../model/filter.ts'
import { isQuiet } from '../model/rows.ts'
import { go, nodeHref, podHref } from '../router.ts'

/** The cluster at one instant of a forecast, or the current cluster next to it. */
export function ForecastMap(props: {
  readonly cluster: ClusterModel
  readonly revision: number
  readonly label: string
  readonly marked: ReadonlySet<string>
  readonly filter?: Filter
  readonly onSize?: (size: CellSize) => void
}) {
  return (
    <ClusterMap
      {...props}
      filter={props.filter ?? everything}
      coloring={byCpu}
      onOpenNode={(node) => go(nodeHref(node))}
      onOpenPod={(pod) => {
        if (!isQuiet(pod)) go(podHref(pod))
      }}
    />
  )
}
