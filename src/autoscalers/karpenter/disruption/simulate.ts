import type { Pod } from '../../../api/objects/pod.ts'
import type { SchedulingResults } from '../scheduling/pod-scheduler.ts'
import { schedulePods } from '../scheduling/schedule-pods.ts'
import { pendingPods, type Situation } from '../situation.ts'
import { isProvisionable } from '../state/pod-conditions.ts'
import type { StateNode } from '../state/state-node.ts'
import type { Candidate } from './candidate.ts'
import { EvictionLimits } from './eviction-limits.ts'

export interface Simulation {
  readonly results: SchedulingResults
  /** The reason why running pods would not run, or undefined. Pods that are already pending do not matter. */
  readonly problem: string | undefined
}

/**
 * The placement of the pods of the candidates without these nodes. Undefined if a candidate is already being removed.
 */
export function simulate(
  situation: Situation,
  candidates: readonly Candidate[],
  isConsolidation: boolean,
): Simulation | undefined {
  const { state, view, wall } = situation
  const removed = new Set(candidates.map(({ state: each }) => each.id))
  const { leaving } = state.lists
  if (leaving.some(({ id }) => removed.has(id))) return undefined
  const limits = new EvictionLimits(view, wall)
  const moving = candidates.flatMap(({ pods }) => pods.filter((pod) => limits.isCurrentlyReschedulable(pod)))
  const leavingPods = podsToMove(leaving, situation, limits)
  const results = schedulePods(situation, {
    without: removed,
    pods: [...pendingPods(situation), ...moving, ...leavingPods],
    reservedMode: 'fallback',
    isConsolidation,
  })
  if (results === undefined) return undefined
  return { results, problem: problemOf(results, new Set(leavingPods.map(({ metadata }) => metadata.uid ?? ''))) }
}

/** The pods that must move when nodes are removed. */
export function podsToMove(
  nodes: readonly StateNode[],
  { view, wall }: Situation,
  limits = new EvictionLimits(view, wall),
): readonly Pod[] {
  return nodes.flatMap(({ node }) =>
    node === undefined ? [] : view.podsOn(node.metadata.name).filter((pod) => limits.isCurrentlyReschedulable(pod)),
  )
}

const mostErrors = 5

function problemOf({ errors, existing }: SchedulingResults, leaving: ReadonlySet<string>): string | undefined {
  const all = new Map([...errors].map(([uid, { pod, misfit }]) => [uid, { pod, reason: misfit.reason }]))
  for (const { state, pods } of existing) {
    if (state.isInitialized) continue
    // An uninitialized node may never become ready.
    const names = [
      state.claim === undefined ? [] : `nodeclaim/${state.claim.metadata.name}`,
      state.node === undefined ? [] : `node/${state.node.metadata.name}`,
    ].flat()
    for (const pod of pods) {
      const uid = pod.metadata.uid ?? ''
      if (leaving.has(uid)) continue
      all.set(uid, { pod, reason: () => `would schedule against uninitialized ${names.join(', ')}` })
    }
  }
  const running = [...all.values()].filter(({ pod }) => !isProvisionable(pod))
  if (running.length === 0) return undefined
  const shown = running
    .slice(0, mostErrors)
    .map(({ pod, reason }) => `${pod.metadata.namespace}/${pod.metadata.name} => ${reason()} `)
  const more = running.length > mostErrors ? ` and ${running.length - mostErrors} other(s)` : ''
  return `not all pods would schedule, ${shown.join('')}${more}`
}
