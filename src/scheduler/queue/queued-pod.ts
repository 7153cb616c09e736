import type { Pod } from '../../api/objects/pod.ts'
import type { ParsedPod } from '../contract/contract.ts'
import type { GroupNode } from '../contract/groups.ts'

export type QueuePlace = 'active' | 'backoff' | 'unschedulable' | 'inFlight'

/**
 * The state of an entry of the queue. Only the queue modifies it. Invariant: an entry is in exactly one of active,
 * backoff, unschedulable and in flight.
 */
export interface QueueState {
  readonly key: string
  readonly profile: string
  priority: number
  /** The pod, or the first pod of a group. */
  parsed: ParsedPod
  place: QueuePlace
  /** The time at which the entry was moved to its current place, and the event that moved it. */
  placedAt: number
  placedBy: string
  /**
   * The time at which the entry was last added to the queue, by its creation or a failed attempt: the second sort key.
   */
  queuedAt: number
  /** The order of pods with equal `queuedAt`, which is common in virtual time. */
  order: number
  attempts: number
  firstAttemptAt: number | undefined
  /** The order of pods with equal `firstAttemptAt`. */
  firstAttemptOrder: number
  /** The number of rejected attempts, which determines the backoff. */
  unschedulableCount: number
  /** The number of failed attempts since the last rejection. If it is not zero, it determines the backoff instead. */
  errorCount: number
  /** The end of the backoff, computed on first use after an attempt. */
  backoffUntil: number | undefined
  unschedulablePlugins: readonly string[]
  /** Plugins that wait for an external event. Their wake-up skips the backoff. */
  pendingPlugins: readonly string[]
  /** The PreEnqueue plugin that gates the pod. */
  gatingPlugin: string | undefined
  /** The time at which the entry was last flushed because it was unschedulable for too long. */
  flushedAt: number | undefined
  /** The pod was flushed since its last attempt. */
  wasFlushed: boolean
  /** The objects that the pod waits for in the pool, by plugin and name. */
  awaited: readonly string[]
  /** A mark that prevents a second evaluation for the same event. */
  seen: number
}

/** A pending pod. */
export interface QueuedPod extends QueueState {
  readonly uid: string
  /** The entry that the pod is part of; absent: the pod is an entry itself, or is in no entry. */
  group: QueuedGroup | undefined
}

/** The pending pods of a hierarchy of groups, which are one entry of the queue from v1.37 on. */
export interface QueuedGroup extends QueueState {
  readonly root: GroupNode
  readonly members: Map<string, QueuedPod>
}

export type QueuedEntry = QueuedPod | QueuedGroup

export function isGroup(entry: QueuedEntry): entry is QueuedGroup {
  return 'members' in entry
}

export function podsOf(entry: QueuedEntry): Iterable<QueuedPod> {
  return isGroup(entry) ? entry.members.values() : [entry]
}

export function somePod(entry: QueuedEntry, is: (pod: QueuedPod) => boolean): boolean {
  return isGroup(entry) ? [...entry.members.values()].some(is) : is(entry)
}

/** The type of an entry in metrics. Upstream does not count composite groups (v1.37, EntityToLabel). */
export function entityOf(entry: QueuedEntry): 'pod' | 'podgroup' | undefined {
  if (!isGroup(entry)) return 'pod'
  return entry.root.kind === 'podgroup' ? 'podgroup' : undefined
}

export function sizeOf(entry: QueuedEntry): number {
  return isGroup(entry) ? entry.members.size : 1
}

/** Creates the state of a new pod. */
export function createQueuedPod(parsed: ParsedPod, now: number, order: number): QueuedPod {
  return {
    key: parsed.key,
    uid: uidOf(parsed.pod),
    profile: parsed.pod.spec.schedulerName ?? '',
    priority: parsed.priority,
    parsed,
    group: undefined,
    place: 'active',
    placedAt: now,
    placedBy: '',
    queuedAt: now,
    order,
    attempts: 0,
    firstAttemptAt: undefined,
    firstAttemptOrder: 0,
    unschedulableCount: 0,
    errorCount: 0,
    backoffUntil: undefined,
    unschedulablePlugins: [],
    pendingPlugins: [],
    gatingPlugin: undefined,
    flushedAt: undefined,
    wasFlushed: false,
    awaited: [],
    seen: 0,
  }
}

/** The entry of a group, as old as its first pod. */
export function createQueuedGroup(root: GroupNode, first: QueuedPod): QueuedGroup {
  const { profile, parsed, queuedAt, order, firstAttemptAt, firstAttemptOrder } = first
  const { group: _group, uid: _uid, ...state } = createQueuedPod(parsed, queuedAt, order)
  const own = { key: root.id, profile, priority: root.object.spec.priority ?? 0, firstAttemptAt, firstAttemptOrder }
  const group: QueuedGroup = { ...state, ...own, root, members: new Map([[first.key, first]]) }
  first.group = group
  return group
}

/** The plugins that rejected the pods of an entry. */
export function rejectorsOf(pod: QueuedEntry): readonly string[] {
  if (isGroup(pod)) return [...new Set([...pod.members.values()].flatMap(rejectorsOf))]
  if (pod.pendingPlugins.length === 0) return pod.unschedulablePlugins
  return [...new Set([...pod.unschedulablePlugins, ...pod.pendingPlugins])]
}

/** The order of the active queue: priority, then queue time (v1.36, queuesort.PrioritySort). */
export function byPriority(a: QueuedEntry, b: QueuedEntry): number {
  return b.priority - a.priority || a.queuedAt - b.queuedAt || a.order - b.order
}

/** The order of a QueueSort plugin, with ties in order of arrival. */
export function byQueueSort(
  before: (a: QueuedEntry, b: QueuedEntry) => boolean,
): (a: QueuedEntry, b: QueuedEntry) => number {
  return (a, b) => (before(a, b) ? -1 : before(b, a) ? 1 : a.order - b.order)
}

export function keyOf(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
}

export function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? keyOf(pod)
}
