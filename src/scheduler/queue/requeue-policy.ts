import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { ClusterEvent, ClusterState, WakeRule } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'
import type { ClusterChange } from './cluster-event.ts'
import { InFlightEvents } from './in-flight-events.ts'
import { legacyPolicy } from './legacy/legacy-policy.ts'
import type { QueuedPod } from './queued-pod.ts'
import type { RequeueJudge, RequeueVerdict } from './requeue-judge.ts'

/** `hints`: the queue with queueing hints. `legacy`: the queue of releases before queueing hints. */
export type QueueMode = 'hints' | 'legacy'

/** The differences between the two modes of the queue: which changes retry a pod, and when. */
export interface RequeuePolicy {
  /** Pods in backoff are popped when the active queue is empty (v1.33 and later). */
  readonly popsFromBackoff: boolean
  /** Every change of the spec of a pending pod retries it. */
  readonly retriesOnUpdate: boolean
  /** A node that the API server does not find is read again, and removed from the cache when it is deleted. */
  readonly rereadsMissingNodes: boolean
  createTracker(): InFlightTracker
  /** The events that retry pods that a plugin rejected. */
  wakeRules(plugin: string, rules: readonly WakeRule[]): readonly WakeRule[]
  /** The events of a node update that are considered. */
  nodeEvents(events: readonly ClusterEvent[]): readonly ClusterEvent[]
  /** The changes of a pending pod that are considered; `changes` computes all of them. */
  pendingChanges(before: Pod, after: Pod, changes: () => readonly ClusterChange[]): readonly ClusterChange[]
  /** Selects the pods that an added or updated node may admit; undefined: all pods. */
  podsForNode(node: Node, cluster: () => ClusterState): PodSelection | undefined
  /** Selects the pods that an assigned pod may attract; undefined: all pods. */
  podsAttractedBy(assigned: Pod, cluster: () => ClusterState): PodSelection | undefined
}

export type PodSelection = (pod: QueuedPod) => boolean

/** Tracks the pods in flight, so that a change during an attempt is considered when the attempt fails. */
export interface InFlightTracker {
  /** No pod in flight needs to know of changes. */
  readonly isIdle: boolean
  start(uid: string): void
  done(uid: string): void
  /** Reports whether changes of this pod must be recorded. */
  has(uid: string): boolean
  record(change: ClusterChange): void
  /** Records a request to move pods that is not a change of the cluster. */
  requestMove(): void
  /** Decides where a rejected pod goes, given the changes during its attempt. */
  verdict(pod: QueuedPod, judge: RequeueJudge): RequeueVerdict
}

export function createRequeuePolicy(mode: QueueMode, { changes }: KubernetesRelease): RequeuePolicy {
  if (mode === 'legacy') return legacyPolicy
  return changes.has('TargetPodEvents') ? { ...hintPolicy, wakeRules: (_plugin, rules) => rules } : hintPolicy
}

const hintPolicy: RequeuePolicy = {
  popsFromBackoff: true,
  retriesOnUpdate: false,
  rereadsMissingNodes: false,
  createTracker: () => new InFlightEvents(),
  wakeRules: (_plugin, rules) => withTaints(rules),
  nodeEvents: (events) => events,
  pendingChanges: (_before, _after, changes) => changes(),
  podsForNode: () => undefined,
  podsAttractedBy: () => undefined,
}

/**
 * A plugin that registers for new nodes but not for taints is also registered for changes of taints (v1.36,
 * buildQueueingHintMap). This predates queueing hints; v1.37 no longer does it.
 */
function withTaints(rules: readonly WakeRule[]): readonly WakeRule[] {
  const ofNodes = rules.filter(({ on }) => on.resource === 'Node')
  const listensTo = (action: number): boolean => ofNodes.some(({ on }) => (on.action & action) !== 0)
  if (!listensTo(ActionType.Add) || listensTo(ActionType.UpdateNodeTaint)) return rules
  return [...rules, { on: { resource: 'Node', action: ActionType.UpdateNodeTaint } }]
}
