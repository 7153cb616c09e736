import { labelMatcher } from '../../api/label-selector.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { WorkloadEntry } from '../../wire/forecast-entries.ts'
import { notTried, seconds } from '../facts/pod-entries.ts'
import type { PodStory } from '../facts/pod-story.ts'
import { type WorkloadHistory, workloadKey } from '../facts/workload-watch.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import { type BaselineFacts, budgetTimes, createdPods } from './baseline-facts.ts'
import type { Impact } from './impact.ts'
import { pendingReasons } from './pending-reason.ts'

/** The effects of the steps on each workload, the worst first. Workloads without effects are omitted. */
export function workloadEntries(
  forecastRun: ForecastRun,
  caused: Impact,
  baseline: BaselineFacts | undefined,
): readonly WorkloadEntry[] {
  const { recorder, elapsedMs } = forecastRun
  const own = countsByWorkload(forecastRun, caused)
  const created = createdPods(forecastRun)
  const budgets = budgetTimes(forecastRun)
  const matchers = budgetMatchers(forecastRun, budgets)
  const entries: WorkloadEntry[] = []
  for (const history of recorder.workloads.histories(elapsedMs)) {
    const { workload, labels = {} } = history
    const anyway = baseline?.workloads.get(workloadKey(workload))
    const counts = own.get(workload.id) ?? noCounts
    const budget = matchers
      .filter(({ namespace, selects }) => namespace === workload.namespace && selects(labels))
      .map(({ key }) => ({ key, ms: (budgets.get(key) ?? 0) - (baseline?.budgets.get(key) ?? 0) }))
      .sort((a, b) => b.ms - a.ms || (a.key < b.key ? -1 : 1))[0]
    // Pods that exist only with the steps.
    const more = (created.get(workload.id) ?? 0) - (baseline?.created.get(workload.id) ?? 0)
    const entry = entryOf(history, anyway, counts, more, budget)
    if (isAffected(entry, anyway)) entries.push(entry)
  }
  return entries.sort(byHarm)
}

interface WorkloadCounts {
  deleted: number
  restarts: number
  moved: number
  lost: number
  /** The time at which the last of its pods that got a node because of the steps is ready. */
  readyMs: number
  /** Pods that are still terminating at the end. */
  readonly terminating: PodStory[]
  readonly pending: Map<string, number>
}

const freshCounts = (): WorkloadCounts => ({
  deleted: 0,
  restarts: 0,
  moved: 0,
  lost: 0,
  readyMs: 0,
  terminating: [],
  pending: new Map(),
})
const noCounts = freshCounts()

function countsByWorkload({ recorder }: ForecastRun, caused: Impact): ReadonlyMap<string, WorkloadCounts> {
  const all = new Map<string, WorkloadCounts>()
  const countsOf = ({ workload: { id } }: PodStory): WorkloadCounts => {
    let counts = all.get(id)
    if (counts === undefined) {
      counts = freshCounts()
      all.set(id, counts)
    }
    return counts
  }
  for (const story of caused.deleted) countsOf(story).deleted++
  for (const story of caused.replaced) countsOf(story).restarts++
  for (const story of caused.moved) countsOf(story).moved++
  for (const story of caused.lost) countsOf(story).lost++
  for (const story of caused.stuck) countsOf(story).terminating.push(story)
  for (const story of caused.bound) {
    const counts = countsOf(story)
    counts.readyMs = Math.max(counts.readyMs, story.readyMs ?? 0)
  }
  const reasons = pendingReasons(caused.pending)
  for (const { metadata } of caused.pending) {
    const story = recorder.stories.get(metadata.uid ?? '')
    if (story === undefined) continue
    const { pending } = countsOf(story)
    const reason = reasons.get(metadata.uid ?? '') ?? notTried
    pending.set(reason, (pending.get(reason) ?? 0) + 1)
  }
  return all
}

interface BudgetMatcher {
  readonly key: string
  readonly namespace: string
  readonly selects: (labels: StringMap) => boolean
}

function budgetMatchers({ cluster }: ForecastRun, times: ReadonlyMap<string, number>): readonly BudgetMatcher[] {
  return [...times.keys()].flatMap((key) => {
    const budget = cluster.store.get('poddisruptionbudgets.policy', key) as PodDisruptionBudget | undefined
    if (budget === undefined) return []
    const matcher = labelMatcher(budget.spec?.selector)
    return [{ key, namespace: budget.metadata.namespace ?? '', selects: (labels) => matcher.matches(labels) }]
  })
}

function entryOf(
  history: WorkloadHistory,
  anyway: WorkloadHistory | undefined,
  { deleted, restarts, moved, lost, terminating, pending, readyMs }: WorkloadCounts,
  created: number,
  budget: { readonly key: string; readonly ms: number } | undefined,
): WorkloadEntry {
  const { workload, lowest, ready, readyBefore } = history
  const isBelow = budget !== undefined && budget.ms > 0
  const recoveredMs = recoveryOf(history, anyway, readyMs)
  return {
    kind: workload.kind,
    namespace: workload.namespace,
    name: workload.name,
    replicas: history.desired ?? Math.max(history.pods, history.expected),
    ready: { before: readyBefore, after: ready },
    lowestReady: { count: lowest?.count ?? 0, at: seconds(lowest?.atMs ?? 0) },
    timeUnavailable: isNoWorse(history, anyway)
      ? 0
      : seconds(Math.max(0, history.unavailableMs - (anyway?.unavailableMs ?? 0))),
    timeDown: seconds(Math.max(0, history.downMs - (anyway?.downMs ?? 0))),
    ...(recoveredMs === undefined ? {} : { recovered: seconds(recoveredMs) }),
    timeBelowBudget: isBelow ? seconds(budget.ms) : 0,
    ...(isBelow ? { budget: budget.key } : {}),
    deleted,
    restarts,
    moved,
    lost,
    created: Math.max(0, created),
    terminating: terminating.map(({ key, node = '' }) => ({ pod: key, node })),
    pending: [...pending]
      .map(([reason, count]) => ({ reason, count }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
  }
}

/**
 * Reports whether a workload that lacks pods without the steps as well is never worse with the steps. It may gain pods
 * for some time and lose them again.
 */
function isNoWorse({ lowest, desired }: WorkloadHistory, anyway: WorkloadHistory | undefined): boolean {
  if (anyway === undefined || anyway.completeMs !== undefined || desired !== anyway.desired) return false
  return (lowest?.count ?? 0) >= anyway.ready
}

/**
 * The time at which the workload has the pods that the steps took from it; undefined: not within the forecast. Pods
 * that it also lacks without the steps do not matter. In this case, the new pods that the steps cause count.
 */
export function recoveryOf(
  { completeMs, ready }: Pick<WorkloadHistory, 'completeMs' | 'ready'>,
  anyway: Pick<WorkloadHistory, 'completeMs' | 'ready'> | undefined,
  readyMs: number,
): number | undefined {
  if (anyway?.completeMs === undefined) {
    const lacksAnyway = anyway !== undefined && ready >= anyway.ready
    return completeMs ?? (lacksAnyway ? 0 : undefined)
  }
  const isDelayed = completeMs === undefined || completeMs > anyway.completeMs + sameSeconds * 1000
  return isDelayed ? completeMs : Math.min(completeMs, readyMs)
}

// Smaller differences in time are not reported.
const sameSeconds = 1

function isAffected(entry: WorkloadEntry, anyway: WorkloadHistory | undefined): boolean {
  return (
    entry.deleted + entry.created + entry.terminating.length + entry.pending.length > 0 ||
    entry.timeBelowBudget > sameSeconds ||
    entry.timeUnavailable > sameSeconds ||
    (anyway?.lowest !== undefined && entry.lowestReady.count < anyway.lowest.count)
  )
}

/**
 * Sorts workloads before DaemonSets; then by lost or stuck pods, time below the budget, time without a ready pod,
 * pending pods, unavailable time, deletions.
 */
function byHarm(a: WorkloadEntry, b: WorkloadEntry): number {
  for (const of of harms) {
    const difference = of(b) - of(a)
    if (difference !== 0) return difference
  }
  const [one, other] = [a, b].map(({ namespace, kind, name }) => `${namespace}/${kind}/${name}`) as [string, string]
  return one < other ? -1 : 1
}

const harms: readonly ((entry: WorkloadEntry) => number)[] = [
  ({ kind }) => (kind === 'DaemonSet' ? 0 : 1),
  ({ lost, terminating }) => lost + terminating.length,
  ({ timeBelowBudget }) => timeBelowBudget,
  ({ timeDown }) => timeDown,
  pendingPods,
  ({ ready }) => Math.max(0, ready.before - ready.after),
  ({ timeUnavailable }) => timeUnavailable,
  ({ deleted }) => deleted,
]

export function pendingPods({ pending }: WorkloadEntry): number {
  return pending.reduce((sum, { count }) => sum + count, 0)
}
