import type { Pod } from '../../../api/objects/pod.ts'
import { readyPools, type Situation } from '../situation.ts'
import { orderNodes } from '../state/node-lists.ts'
import type { StateNode } from '../state/state-node.ts'
import { PodScheduler, type SchedulingInput, type SchedulingResults } from './pod-scheduler.ts'

/** Places pods on the given nodes and on new ones. Undefined if there is no pool that makes nodes. */
export function schedulePods(
  situation: Situation,
  of: Pick<SchedulingInput, 'nodes' | 'pods' | 'reservedMode' | 'isConsolidation'> & {
    readonly nodes: readonly StateNode[]
    readonly pods: readonly Pod[]
  },
): SchedulingResults | undefined {
  const { view, options, state, cloud, wall } = situation
  const pools = readyPools(situation)
  if (pools.length === 0) return undefined
  const types = new Map(
    pools.flatMap((pool) => {
      const own = cloud.typesFor(pool.metadata.name)
      return own.length === 0 ? [] : [[pool.metadata.name, own] as const]
    }),
  )
  const { leavingNames: leaving, staying, stayingInOrder } = state.lists
  const scheduler = new PodScheduler({
    ...of,
    view,
    options,
    leaving,
    ordered: of.nodes === staying ? stayingInOrder : orderNodes(of.nodes),
    pools,
    types,
    wellKnown: cloud.catalog.wellKnown,
    repelling: state.repelling(),
    wall,
  })
  return scheduler.solve()
}
