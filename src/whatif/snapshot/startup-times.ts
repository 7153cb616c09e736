import { findCondition } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import type { Stage } from '../../controllers/hollow-kubelet/stage.ts'
import { workloadKey } from '../../controllers/hollow-kubelet/workload-key.ts'
import type { Store } from '../../store/contract.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { counted, span } from '../report/phrases.ts'

/** The time that the pods of a workload took from PodScheduled to Ready. */
export interface StartupTime {
  readonly medianMs: number
  readonly leastMs: number
  readonly mostMs: number
  readonly pods: number
}

// A longer time to Ready is a recovery, not a start.
const longestMs = 3_600_000

/** Learns startup times from the conditions of running pods, by `namespace/name` of their workload. */
export function learnStartups(pods: Iterable<Pod>): ReadonlyMap<string, StartupTime> {
  const times = new Map<string, number[]>()
  for (const pod of pods) {
    const ms = startupOf(pod)
    if (ms === undefined) continue
    const key = workloadKey(pod)
    const known = times.get(key)
    if (known === undefined) times.set(key, [ms])
    else known.push(ms)
  }
  return new Map([...times].map(([key, all]) => [key, summary(all.sort((a, b) => a - b))]))
}

/** The median per workload of the pods of a cluster. */
export function startupsIn(store: Store): ReadonlyMap<string, number> {
  const learned = learnStartups(store.list('pods') as readonly Pod[])
  return new Map([...learned].map(([key, { medianMs }]) => [key, medianMs]))
}

/** A pod that restarted became Ready more than once, so its times are not used. */
function startupOf({ status }: Pod): number | undefined {
  if (status?.containerStatuses?.some(({ restartCount = 0 }) => restartCount > 0) === true) return undefined
  const scheduled = findCondition(status?.conditions, 'PodScheduled')
  const ready = findCondition(status?.conditions, 'Ready')
  if (scheduled?.status !== 'True' || ready?.status !== 'True') return undefined
  const from = parseTime(scheduled.lastTransitionTime ?? '')
  const until = parseTime(ready.lastTransitionTime ?? '')
  if (from === undefined || until === undefined || until < from || until - from > longestMs) return undefined
  return until - from
}

function summary(sorted: readonly number[]): StartupTime {
  const at = (index: number) => sorted[index] ?? 0
  return {
    medianMs: at(Math.floor((sorted.length - 1) / 2)),
    leastMs: at(0),
    mostMs: at(sorted.length - 1),
    pods: sorted.length,
  }
}

/** The stages with these startup times, by `namespace/name` of workloads; `*` is for all others. */
export function withStartups(stages: readonly Stage[], startups: ReadonlyMap<string, number>): readonly Stage[] {
  if (startups.size === 0) return stages
  return stages.map((stage) =>
    stage.name === 'pod-start' ? { ...stage, delay: { ...stage.delay, byWorkload: startups } } : stage,
  )
}

/** The stages with the startup times of the pods of a cluster. */
export function learnedStages(stages: readonly Stage[], store: Store): readonly Stage[] {
  return withStartups(stages, startupsIn(store))
}

/** Reports the learned times; nothing if all pods started immediately. */
export function startupNotes(startups: ReadonlyMap<string, StartupTime>): readonly ForecastNote[] {
  const medians = [...startups.values()].map(({ medianMs }) => medianMs).sort((a, b) => a - b)
  const slow = medians.filter((ms) => ms > 0)
  if (slow.length === 0) return []
  const middle = span(medians[Math.floor((medians.length - 1) / 2)] ?? 0)
  const range = `${span(medians[0] ?? 0)} to ${span(medians.at(-1) ?? 0)}`
  return [
    {
      kind: 'assumed',
      text: `startup times are measured on the running pods of ${counted(medians.length, 'workload')}: median ${middle}, ${range}; set others with --startup`,
    },
  ]
}
