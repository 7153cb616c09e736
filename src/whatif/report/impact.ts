import type { Pod } from '../../api/objects/pod.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { type Replacements, replacementsIn } from '../facts/pod-entries.ts'
import type { PodStory } from '../facts/pod-story.ts'
import type { BudgetBreach } from '../facts/run-recorder.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ImpactCounts } from './forecast.ts'

/** What happens to pods and budgets in one run. */
export interface Impact {
  readonly deleted: readonly PodStory[]
  /** Deleted pods that their workload replaces. */
  readonly replaced: readonly PodStory[]
  /** Deleted pods whose replacement has a node. */
  readonly moved: readonly PodStory[]
  /** Deleted pods without a replacement, except those that are no longer wanted. */
  readonly lost: readonly PodStory[]
  /** Pods that are still terminating at the end, although their grace period is over, and are not replaced before they end. */
  readonly stuck: readonly PodStory[]
  /** Pods that got a node. */
  readonly bound: readonly PodStory[]
  /** Pods without a node at the end that had one, or did not exist, at the start. */
  readonly pending: readonly Pod[]
  readonly breaches: readonly BudgetBreach[]
}

export const noImpact: Impact = {
  deleted: [],
  replaced: [],
  moved: [],
  lost: [],
  stuck: [],
  bound: [],
  pending: [],
  breaches: [],
}

// Longer than any usual grace period: a pod that terminates for this long waits for a kubelet that does not answer.
const stuckMs = 5 * 60_000

export function impactOf(forecastRun: ForecastRun, replacements?: Replacements): Impact {
  const { recorder, elapsedMs } = forecastRun
  const stories = [...recorder.stories.values()]
  const pairs = replacements ?? replacementsIn(stories)
  const deleted = stories.filter(({ deletedMs }) => deletedMs !== undefined)
  const unreplaced = deleted.filter((story) => !pairs.has(story.uid) && isMissed(story))
  const isStuck = ({ deletedMs = 0, goneMs }: PodStory) => goneMs === undefined && elapsedMs - deletedMs > stuckMs
  return {
    deleted,
    replaced: deleted.filter(({ uid }) => pairs.has(uid)),
    moved: deleted.filter(({ uid }) => pairs.get(uid)?.node !== undefined),
    lost: unreplaced.filter((story) => !isStuck(story)),
    stuck: unreplaced.filter(isStuck),
    bound: stories.filter(({ boundMs }) => boundMs !== undefined),
    pending: pendingPods(forecastRun),
    breaches: recorder.breaches.filter(
      ({ isOld, fromMs, untilMs }) => !isOld && (untilMs === undefined || untilMs > fromMs),
    ),
  }
}

// Controllers that delete pods because they are not wanted any more.
const purposeful: ReadonlySet<string> = new Set([
  'replicaset-controller',
  'replication-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'garbage-collector-controller',
  'garbage-collector',
  'namespace-controller',
])

/** A pod that was removed on purpose or has finished is not missed, nor is a pod that belongs to its node. */
function isMissed({ disruption, deletedBy, endedMs, workload }: PodStory): boolean {
  // Garbage collection and evictions set the phase Failed, too.
  if (disruption !== undefined) return !workload.isPerNode
  const isOnPurpose = deletedBy !== undefined && purposeful.has(deletedBy)
  return !isOnPurpose && endedMs === undefined && !workload.isPerNode
}

function pendingPods({ cluster, recorder }: ForecastRun): readonly Pod[] {
  if (recorder.tally.states.pending === 0) return []
  return (cluster.store.list('pods') as readonly Pod[]).filter((pod) => {
    if (podStateOf(pod) !== 'pending') return false
    const story = recorder.stories.get(pod.metadata.uid ?? '')
    return story !== undefined && !(story.isOld && story.fromNode === undefined)
  })
}

/** What the change causes: what happens with it and not without it. */
export function causedBy(withChange: Impact, without: Impact): Impact {
  const deleted = surplus(withChange.deleted, without.deleted, keyOfStory)
  // A pod that is deleted anyway may find its replacement only with the change: a daemon pod on a new node.
  const isCaused = new Set(deleted)
  return {
    deleted,
    replaced: surplus(withChange.replaced, without.replaced, keyOfStory).filter((story) => isCaused.has(story)),
    moved: surplus(withChange.moved, without.moved, keyOfStory).filter((story) => isCaused.has(story)),
    lost: surplus(withChange.lost, without.lost, keyOfStory),
    stuck: surplus(withChange.stuck, without.stuck, keyOfStory),
    bound: surplusInTime(withChange.bound, without.bound),
    pending: surplus(withChange.pending, without.pending, keyOfPending),
    breaches: surplus(withChange.breaches, without.breaches, ({ budget }) => budget),
  }
}

/** Pods that the run creates have generated names: they are compared by number. */
function keyOfStory({ isOld, uid, workload }: PodStory): string {
  return isOld ? uid : workload.id
}

function keyOfPending({ metadata }: Pod): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  return owner === undefined
    ? `${metadata.namespace}/${metadata.name}`
    : `${metadata.namespace}/${owner.kind}/${owner.name}`
}

/** Of pods with generated names, those that get a node at the same time with and without the change are the same. */
function surplusInTime(items: readonly PodStory[], others: readonly PodStory[]): readonly PodStory[] {
  const keyInTime = (story: PodStory) => `${keyOfStory(story)} ${story.boundMs}`
  return surplus(surplus(items, others, keyInTime), surplus(others, items, keyInTime), keyOfStory)
}

function surplus<T>(items: readonly T[], others: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1)
  return items.filter((item) => {
    const count = left.get(keyOf(item)) ?? 0
    if (count > 0) left.set(keyOf(item), count - 1)
    return count === 0
  })
}

export function countsOf({ deleted, pending, moved, breaches }: Impact): ImpactCounts {
  return {
    podsDeleted: deleted.length,
    podsPending: pending.length,
    podsMoved: moved.length,
    workloadsBelowBudget: new Set(breaches.map(({ budget }) => budget)).size,
  }
}
