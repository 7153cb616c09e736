import type { Pod } from '../../../api/objects/pod.ts'
import { readyPools, type Situation } from '../situation.ts'
import { filterNodes } from '../state/node-lists.ts'
import type { StateNode } from '../state/state-node.ts'
import { PodScheduler, type SchedulingInput, type SchedulingResults } from './pod-scheduler.ts'

/** Places pods on nodes that are not terminating and on new ones. Undefined if no pool can create nodes. */
export function schedulePods(
  situation: Situation,
  of: Pick<SchedulingInput, 'pods' | 'reservedMode' | 'isConsolidation' | 'failures'> & {
    readonly pods: readonly Pod[]
    /** The ids of nodes that are removed in a simulation. */
    readonly without?: ReadonlySet<string>
  },
): SchedulingResults | undefined {
  const { view, options, state, cloud, wall } = situation
  const { without, ...input } = of
  const pools = readyPools(situation)
  if (pools.length === 0) return undefined
  const types = new Map(
    pools.flatMap((pool) => {
      const own = cloud.typesFor(pool.metadata.name)
      return own.length === 0 ? [] : [[pool.metadata.name, own] as const]
    }),
  )
  const { leavingNames: leaving, staying, stayingInOrder } = state.lists
  const isKept = ({ id }: StateNode): boolean => without?.has(id) !== true
  const scheduler = new PodScheduler({
    ...input,
    view,
    options,
    nodes: without === undefined ? staying : staying.filter(isKept),
    leaving,
    ordered: without === undefined ? stayingInOrder : filterNodes(stayingInOrder, isKept),
    pools,
    types,
    wellKnown: cloud.catalog.wellKnown,
    repelling: state.repelling(),
    wall,
  })
  return scheduler.solve()
}
