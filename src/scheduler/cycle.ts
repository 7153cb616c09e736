import { scheduleByPlan } from './columns/columnar-evaluator.ts'
import { Planner } from './columns/planner.ts'
import type { Scheduling } from './contract/contract.ts'
import { noNodes } from './framework/cycle-outcome.ts'
import { createPlainScheduling, feasibleNodesWanted, type SchedulingOptions } from './framework/plain-evaluator.ts'

export type { SchedulingOptions }
export { createPlainScheduling, feasibleNodesWanted }

/**
 * Where a pod goes: filters leave the nodes that will do, scores say which is best, and when none will do PostFilter
 * looks for room that can be made. `framework/plain-cycle.ts` has the algorithm in the open, asking every plugin about
 * every node. `framework/columnar` gives the same answers from what is kept between pods, and is asked first.
 */
export function createScheduling(options: SchedulingOptions): Scheduling {
  const { profile, cache, nominator } = options
  const position = { startAt: 0 }
  const plain = createPlainScheduling(options, position)
  const planner = new Planner(profile, cache, nominator, options)
  const context = { ...options, statuses: planner.statuses, position }
  return {
    schedule(pod, input) {
      if (cache.nodeCount === 0) return noNodes
      const planned = planner.planFor(pod, input)
      if (planned === undefined) return plain.schedule(pod, input)
      const result = scheduleByPlan(planned, pod, input, context)
      planner.release(planned, pod)
      return result ?? plain.schedule(pod, input)
    },
    begin: (pod, input) => plain.begin(pod, input),
    explain: (pod, input) => plain.explain(pod, input),
  }
}
