import { isPodTerminal } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { type Logger, silentLogger } from '../../base/log.ts'
import { type Counter, MetricRegistry } from '../../base/metrics.ts'
import { callAction, createActionIds } from '../../runtime/actions.ts'
import type {
  Action,
  ActionResult,
  Change,
  ChangeOf,
  Controller,
  StepInput,
  StepOutput,
} from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'
import {
  type CollectionReason,
  collectionCalls,
  evictedThenOldest,
  isOutOfService,
  surplusTerminated,
} from './decide-collection.ts'

export interface PodGarbageCollectorOptions {
  /** The number of finished pods that are kept. 0: all of them. Default: 12500. */
  readonly terminatedPodThreshold?: number
  readonly metrics?: MetricRegistry
  readonly log?: Logger
}

export const podGarbageCollector = 'pod-garbage-collector-controller'

// v1.36, podgc gcCheckPeriod and quarantineTime.
const periodMs = 20_000
const quarantineMs = 40_000

const none: readonly never[] = []

/** Force-deletes pods that no other component deletes: in rounds, as upstream does, but only when there is a candidate. */
export function createPodGarbageCollector(options: PodGarbageCollectorOptions = {}): Controller {
  const state = new PodGarbageCollector(options)
  return {
    name: podGarbageCollector,
    watches: ['pods', 'nodes'],
    step: (input) => state.step(input),
    ignores: (change) => change.resource === 'pods' && isAsBefore(change),
    inspect: () => state.inspect(),
  }
}

class PodGarbageCollector {
  private readonly threshold: number
  private readonly log: Logger
  private readonly deletions: Counter
  private readonly errors: Counter
  private readonly ids = createActionIds()
  private readonly terminated = new Set<string>()
  private readonly terminating = new Set<string>()
  /** The terminating pods that are not bound to a node. */
  private readonly unscheduled = new Set<string>()
  /** Nodes that are out of service. Without such a node, terminating pods need no check. */
  private readonly outOfService = new Set<string>()
  /** Missing nodes to which pods are bound. */
  private readonly missingNodes = new Set<string>()
  private readonly quarantine = new DeadlineQueue<string>()
  private readonly inFlight = new Map<number, { readonly namespace: string; readonly reason: CollectionReason }>()
  private nextRoundAt: number | undefined
  /** Whether the next round is requested. */
  private isAwaited = false

  constructor(options: PodGarbageCollectorOptions) {
    this.threshold = options.terminatedPodThreshold ?? 12_500
    this.log = options.log ?? silentLogger
    const metrics = options.metrics ?? new MetricRegistry()
    this.deletions = metrics.counter({
      name: 'pod_gc_collector_force_delete_pods_total',
      help: 'Number of pods that are being forcefully deleted since the Pod GC Controller started.',
      labels: ['namespace', 'reason'],
    })
    this.errors = metrics.counter({
      name: 'pod_gc_collector_force_delete_pod_errors_total',
      help: 'Number of errors encountered when forcefully deleting the pods since the Pod GC Controller started.',
      labels: ['namespace', 'reason'],
    })
  }

  step({ changes, results, now, wall, view }: StepInput): StepOutput {
    for (const change of changes) this.note(change, view)
    for (const result of results) this.takeResult(result)
    const isRound = this.nextRoundAt === undefined || (this.isAwaited && this.nextRoundAt <= now)
    const actions = isRound ? this.collect(view, now, wall) : none
    this.nextRoundAt = roundAfter(this.nextRoundAt ?? now, now)
    this.isAwaited = this.hasCandidates()
    return this.isAwaited ? { actions, wakeAt: this.nextRoundAt } : { actions }
  }

  inspect(): unknown {
    return {
      terminated: this.terminated.size,
      terminating: [...this.terminating],
      missingNodes: [...this.missingNodes],
      quarantine: Object.fromEntries(this.quarantine.entries()),
    }
  }

  private note(change: Change, view: View): void {
    if (change.resource === 'nodes') {
      const isMissing = view.get('nodes', change.key) === undefined && view.podsOn(change.key).length > 0
      setMember(this.missingNodes, change.key, isMissing)
      setMember(this.outOfService, change.key, isOutOfService(change.after))
    } else if (change.resource === 'pods') {
      const { key, after } = change
      if (isAsBefore(change)) return
      setMember(this.terminated, key, after !== undefined && isPodTerminal(after))
      const isLeaving = after?.metadata.deletionTimestamp !== undefined
      const node = after?.spec.nodeName
      setMember(this.terminating, key, isLeaving)
      setMember(this.unscheduled, key, isLeaving && (node ?? '') === '')
      if (node !== undefined && node !== '' && view.get('nodes', node) === undefined) this.missingNodes.add(node)
    }
  }

  private hasCandidates(): boolean {
    return (
      this.terminating.size > 0 ||
      this.missingNodes.size > 0 ||
      this.quarantine.size > 0 ||
      (this.threshold > 0 && this.terminated.size > this.threshold)
    )
  }

  private collect(view: View, now: number, wall: number): readonly Action[] {
    const actions: Action[] = []
    const collected = new Set<Pod>()
    const remove = (pod: Pod, reason: CollectionReason): void => {
      if (collected.has(pod)) return
      collected.add(pod)
      for (const call of collectionCalls(pod, reason, wall)) {
        const action = callAction(this.ids, call)
        actions.push(action)
        if (call.verb === 'delete') {
          this.inFlight.set(action.id, { namespace: pod.metadata.namespace ?? '', reason })
        }
      }
    }
    if (this.threshold > 0 && this.terminated.size > this.threshold) {
      for (const pod of surplusTerminated(podsOf(this.terminated, view), this.threshold)) remove(pod, 'terminated')
    }
    if (this.outOfService.size > 0) {
      const terminating = podsOf(this.terminating, view)
      const stranded = terminating.filter(({ spec }) => this.outOfService.has(spec.nodeName ?? ''))
      for (const pod of [...stranded].sort(evictedThenOldest)) remove(pod, 'out-of-service')
    }
    for (const node of this.deletedNodes(view, now)) for (const pod of view.podsOn(node)) remove(pod, 'orphaned')
    for (const pod of podsOf(this.unscheduled, view)) remove(pod, 'unscheduled')
    return actions
  }

  /**
   * Returns the nodes that were missing one quarantine ago and are still missing. Starts the quarantine of newly
   * missing nodes.
   */
  private deletedNodes(view: View, now: number): readonly string[] {
    const released = this.quarantine.popDue(now)
    for (const node of this.missingNodes) {
      const isMissing = view.get('nodes', node) === undefined && view.podsOn(node).length > 0
      if (!isMissing) this.missingNodes.delete(node)
      else if (!this.quarantine.has(node)) this.quarantine.set(node, now + quarantineMs)
    }
    return released.filter((node) => view.get('nodes', node) === undefined)
  }

  private takeResult({ id, outcome }: ActionResult): void {
    const about = this.inFlight.get(id)
    if (about === undefined) {
      if (!outcome.ok) this.log.warn({ message: outcome.status.message }, 'failed to mark the pod as failed')
      return
    }
    this.inFlight.delete(id)
    this.deletions.inc(1, about.namespace, about.reason)
    if (outcome.ok || outcome.status.reason === 'NotFound') return
    this.errors.inc(1, about.namespace, about.reason)
    this.log.warn({ ...about, message: outcome.status.message }, 'failed to delete the pod')
  }
}

/** Skipped rounds had no candidate; later rounds keep the schedule. */
function roundAfter(roundAt: number, now: number): number {
  return roundAt > now ? roundAt : roundAt + (Math.floor((now - roundAt) / periodMs) + 1) * periodMs
}

function setMember(set: Set<string>, key: string, isIn: boolean): void {
  if (isIn) set.add(key)
  else if (set.size > 0) set.delete(key)
}

/**
 * Reports whether two versions of a pod are on the same node in the same phase. The controller stores nothing else of a
 * pod.
 */
function isAsBefore({ before, after }: ChangeOf<'pods'>): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    before.spec.nodeName === after.spec.nodeName &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    before.status?.phase === after.status?.phase
  )
}

function podsOf(keys: ReadonlySet<string>, view: View): readonly Pod[] {
  const pods: Pod[] = []
  for (const key of keys) {
    const pod = view.get('pods', key)
    if (pod !== undefined) pods.push(pod)
  }
  return pods
}
