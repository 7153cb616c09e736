import { scheduleByPlan } from './framework/columnar/planned-cycle.ts'
import { Planner } from './framework/columnar/planner.ts'
import type { Scheduling } from './framework/contract.ts'
import { noNodes } from './framework/cycle-outcome.ts'
import { createPlainScheduling, feasibleNodesWanted, type SchedulingOptions } from './framework/plain-cycle.ts'

export type { SchedulingOptions }
export { createPlainScheduling, feasibleNodesWanted }

/**
 * Where a pod goes: filters leave the nodes that will do, scores say which is best, and when none will do PostFilter
 * looks for room that can be made. `framework/plain-cycle.ts` has the algorithm in the open, asking every plugin about
 * every node. `framework/columnar` gives the same answers from what is kept between pods, and is asked first.
 */
export function createScheduling(options: SchedulingOptions): Scheduling {
  const { profile, cache, nominator } = options
  const plain = createPlainScheduling(options)
  const planner = new Planner(profile, cache, nominator)
  const context = { ...options, statuses: planner.statuses }
  return {
    schedule(pod, input) {
      const nodes = cache.nodeCount
      if (nodes === 0) return noNodes
      // A sample of the nodes is taken in their order, which plans do not keep.
      const sampled = profile.score.length === 0 || feasibleNodesWanted(profile, nodes) < nodes
      const planned = sampled ? undefined : planner.planFor(pod, input)
      const result = planned === undefined ? undefined : scheduleByPlan(planned, pod, input, context)
      if (planned !== undefined) planner.release(planned, pod)
      return result ?? plain.schedule(pod, input)
    },
    begin: (pod, input) => plain.begin(pod, input),
    explain: (pod, input) => plain.explain(pod, input),
  }
}
