import type { Pod } from '../../api/objects/pod.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { type Replacements, replacementsIn } from '../facts/pod-entries.ts'
import type { PodStory } from '../facts/pod-story.ts'
import type { BudgetBreach } from '../facts/run-recorder.ts'
import type { ForecastRun } from '../run/forecast-run.ts'
import type { ImpactCounts } from './forecast.ts'

/** The effects on pods and budgets in one run. */
export interface Impact {
  readonly deleted: readonly PodStory[]
  /** Deleted pods that their workload replaces. */
  readonly replaced: readonly PodStory[]
  /** Deleted pods whose replacement has a node. */
  readonly moved: readonly PodStory[]
  /** Deleted pods without a replacement, except pods that are no longer wanted. */
  readonly lost: readonly PodStory[]
  /**
   * Pods that are still terminating at the end, although their grace period has ended, and that are not replaced before
   * they end.
   */
  readonly stuck: readonly PodStory[]
  /** Pods that got a node. */
  readonly bound: readonly PodStory[]
  /** Pods without a node at the end that had one, or did not exist, at the start. */
  readonly pending: readonly Pod[]
  /** The number of pods without a node at the end that had none at the start. */
  readonly stillPending: number
  /** Pods without a node at the start that have one at the end, or are deleted. */
  readonly relieved: readonly PodStory[]
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
  stillPending: 0,
  relieved: [],
  breaches: [],
}

// Longer than any usual grace period. A pod that terminates for this time waits for a kubelet that does not respond.
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
    ...pendingPods(forecastRun),
    relieved: stories.filter(isRelieved),
    breaches: recorder.breaches.filter(
      ({ isOld, fromMs, untilMs }) => !isOld && (untilMs === undefined || untilMs > fromMs),
    ),
  }
}

// Controllers that delete pods because the pods are no longer wanted.
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

/**
 * A pod that was intentionally removed or has finished is not missed. The same is true for a pod that belongs to its
 * node.
 */
function isMissed({ disruption, deletedBy, endedMs, wasEnded, workload }: PodStory): boolean {
  if (wasEnded) return false
  // Garbage collection and evictions also set the phase Failed.
  if (disruption !== undefined) return !workload.isPerNode
  const isOnPurpose = deletedBy !== undefined && purposeful.has(deletedBy)
  return !isOnPurpose && endedMs === undefined && !workload.isPerNode
}

function pendingPods({ cluster, recorder }: ForecastRun): Pick<Impact, 'pending' | 'stillPending'> {
  if (recorder.tally.states.pending === 0) return { pending: [], stillPending: 0 }
  const all = (cluster.store.list('pods') as readonly Pod[]).filter((pod) => podStateOf(pod) === 'pending')
  const pending = all.filter(({ metadata }) => {
    // A pod without a story has not changed since the start.
    const story = recorder.stories.get(metadata.uid ?? '')
    return story !== undefined && !(story.isOld && story.fromNode === undefined)
  })
  return { pending, stillPending: all.length - pending.length }
}

function isRelieved({ isOld, fromNode, node, deletedMs, goneMs }: PodStory): boolean {
  return isOld && fromNode === undefined && (node !== undefined || deletedMs !== undefined || goneMs !== undefined)
}

/** The effects of the change: effects that occur with the change and not without it. */
export function causedBy(withChange: Impact, without: Impact): Impact {
  const deleted = surplus(withChange.deleted, without.deleted, keyOfStory)
  // A pod that is also deleted without the change may have its replacement only with the change: a daemon pod on a new
  // node.
  const isCaused = new Set(deleted)
  return {
    deleted,
    replaced: surplus(withChange.replaced, without.replaced, keyOfStory).filter((story) => isCaused.has(story)),
    moved: surplus(withChange.moved, without.moved, keyOfStory).filter((story) => isCaused.has(story)),
    lost: surplus(withChange.lost, without.lost, keyOfStory),
    stuck: surplus(withChange.stuck, without.stuck, keyOfStory),
    bound: surplusInTime(withChange.bound, without.bound),
    pending: causedPending(withChange, without),
    stillPending: withChange.stillPending,
    relieved: surplus(withChange.relieved, without.relieved, keyOfStory),
    breaches: surplus(withChange.breaches, without.breaches, ({ budget }) => budget),
  }
}

/**
 * The pods of a controller are interchangeable. If a pending pod gets a node, and another pod of the controller is
 * pending instead, the change does not cause the pending pod.
 */
function causedPending(withChange: Impact, without: Impact): readonly Pod[] {
  const relieved = surplus(withChange.relieved, without.relieved, keyOfStory)
  const pending = surplus(withChange.pending, without.pending, keyOfPending)
  return surplus(pending, relieved, (each) => ('metadata' in each ? keyOfPending(each) : keyOfOwner(each)))
}

function keyOfOwner({ key, owner }: PodStory): string {
  return owner === undefined ? key : `${key.slice(0, key.indexOf('/'))}/${owner}`
}

/** Pods that the run creates have generated names, so they are compared by number. */
function keyOfStory({ isOld, uid, workload }: PodStory): string {
  return isOld ? uid : workload.id
}

function keyOfPending({ metadata }: Pod): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  return owner === undefined
    ? `${metadata.namespace}/${metadata.name}`
    : `${metadata.namespace}/${owner.kind}/${owner.name}`
}

/** Pods with generated names that get a node at the same time with and without the change are the same. */
function surplusInTime(items: readonly PodStory[], others: readonly PodStory[]): readonly PodStory[] {
  const keyInTime = (story: PodStory) => `${keyOfStory(story)} ${story.boundMs}`
  return surplus(surplus(items, others, keyInTime), surplus(others, items, keyInTime), keyOfStory)
}

function surplus<T, Other = T>(
  items: readonly T[],
  others: readonly Other[],
  keyOf: (item: T | Other) => string,
): readonly T[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(keyOf(other), (left.get(keyOf(other)) ?? 0) + 1)
  return items.filter((item) => {
    const count = left.get(keyOf(item)) ?? 0
    if (count > 0) left.set(keyOf(item), count - 1)
    return count === 0
  })
}

/** The counts without a change also include the pods that were pending at the start. */
export function countsWithout(
  without: Impact | undefined,
  { stillPending, relieved }: Pick<Impact, 'stillPending' | 'relieved'>,
): ImpactCounts {
  // Absent: nothing happens, and all these pods remain pending.
  if (without === undefined) return { ...countsOf(noImpact), podsPending: stillPending + relieved.length }
  const counts = countsOf(without)
  return { ...counts, podsPending: counts.podsPending + without.stillPending }
}

export function countsOf({ deleted, pending, moved, breaches }: Impact): ImpactCounts {
  return {
    podsDeleted: deleted.length,
    podsPending: pending.length,
    podsMoved: moved.length,
    workloadsBelowBudget: new Set(breaches.map(({ budget }) => budget)).size,
  }
}
