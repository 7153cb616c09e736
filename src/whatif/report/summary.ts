import { isNodeReady } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { podStateOf } from '../../api/pod-state.ts'
import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import { seconds } from '../facts/pod-entries.ts'
import type { PodStory } from '../facts/pod-story.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ForecastSummary } from './forecast.ts'
import type { Impact } from './impact.ts'
import { causeOf } from './phrases.ts'
import { isOpen } from './verdict.ts'

/** The counts of the effects of the steps. */
export function summaryOf(
  forecastRun: ForecastRun,
  caused: Impact,
  workloads: readonly WorkloadEntry[],
): Omit<ForecastSummary, 'lines'> {
  const { recorder } = forecastRun
  const deleted = caused.deleted.toSorted((a, b) => (a.deletedMs ?? 0) - (b.deletedMs ?? 0))
  const first = deleted[0]?.deletedMs
  const last = deleted.at(-1)?.deletedMs
  const unstarted = unstartedPods(forecastRun, caused.bound)
  const wellAgain = workloads.some(isOpen) ? undefined : lastRecovery(workloads)
  return {
    deleted: deleted.length,
    deletedBefore: [...recorder.stories.values()].filter(({ wasGoing }) => wasGoing).length,
    causes: causesOf(deleted),
    ...(first === undefined ? {} : { firstDeletion: seconds(first) }),
    ...(last === undefined ? {} : { lastDeletion: seconds(last) }),
    replaced: caused.replaced.length,
    lost: caused.lost.length,
    landed: landings(caused.bound),
    ...(unstarted === 0 ? {} : { unstarted }),
    pending: caused.pending.length,
    pendingBefore: pendingBefore(forecastRun),
    budgetsBroken: [...new Set(caused.breaches.map(({ budget }) => budget))],
    ...(wellAgain === undefined ? {} : { wellAgain }),
  }
}

function lastRecovery(workloads: readonly WorkloadEntry[]): number {
  let last = 0
  for (const { kind, recovered = 0 } of workloads) if (kind !== 'DaemonSet' && recovered > last) last = recovered
  return last
}

/** Pods that are pending at the end and were pending at the start. */
function pendingBefore({ cluster, recorder }: ForecastRun): number {
  if (recorder.tally.states.pending === 0) return 0
  let count = 0
  for (const pod of cluster.store.list('pods') as readonly Pod[]) {
    if (podStateOf(pod) !== 'pending') continue
    // A pod without a story has not changed since the start.
    if (recorder.stories.get(pod.metadata.uid ?? '')?.isOld ?? true) count++
  }
  return count
}

function unstartedPods({ cluster: { store } }: ForecastRun, bound: readonly PodStory[]): number {
  return bound.filter(({ node, startedMs, goneMs }) => {
    if (node === undefined || startedMs !== undefined || goneMs !== undefined) return false
    const found = store.get('nodes', node) as Node | undefined
    return found !== undefined && !isNodeReady(found)
  }).length
}

function landings(bound: readonly PodStory[]): ForecastSummary['landed'] {
  const counts = new Map<string, number>()
  for (const { node } of bound) if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1)
  return [...counts]
    .map(([node, pods]) => ({ node, pods }))
    .sort((a, b) => b.pods - a.pods || (a.node < b.node ? -1 : 1))
}

function causesOf(deleted: readonly PodStory[]): Readonly<Record<string, number>> {
  const causes: Record<string, number> = {}
  for (const story of deleted) {
    const cause = causeOf(story)
    causes[cause] = (causes[cause] ?? 0) + 1
  }
  return causes
}
