import { isPodTerminal } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import { onNode } from '../binding/binding-cycles.ts'
import type { SchedulerContext } from '../context/context.ts'
import type { ClusterEvent } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'
import type { ClusterChange } from '../queue/cluster-event.ts'
import { ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, UNSCHEDULED_POD_UPDATE } from '../queue/cluster-event.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import {
  eventOf,
  isAssigned,
  NODE_ADD,
  NODE_DELETE,
  nodeUpdateEvents,
  podUpdateEvents,
  specificationChanged,
} from './change-events.ts'

/** How the queue is asked to narrow a move, in the mode without hints. */
export interface LegacyChecks {
  /** Whether a pending pod would be admitted to a node as it now is. */
  nodeAdmits(node: Node): (pod: QueuedPod) => boolean
  /** Whether a pending pod's affinity or spreading may be satisfied by an assigned pod. */
  mayAttract(assigned: Pod): (pod: QueuedPod) => boolean
}

interface ObjectChange {
  readonly resource: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** Keeps cache and queue up to date with the cluster (v1.36, pkg/scheduler/eventhandlers.go). */
export class ClusterFeed {
  private readonly context: SchedulerContext
  private readonly bindings: BindingCycles
  private readonly legacy: LegacyChecks | undefined

  constructor(context: SchedulerContext, bindings: BindingCycles, legacy?: LegacyChecks) {
    this.context = context
    this.bindings = bindings
    this.legacy = legacy
  }

  take(change: ObjectChange): void {
    switch (change.resource) {
      case 'pods':
        this.takePod(existing(change.before as Pod | undefined), existing(change.after as Pod | undefined))
        break
      case 'nodes':
        this.takeNode(change.before as Node | undefined, change.after as Node | undefined)
        break
      default:
        this.takeOther(change)
    }
  }

  private takeNode(before: Node | undefined, after: Node | undefined): void {
    const { cache, queue, now } = this.context
    if (after === undefined) {
      if (before === undefined) return
      queue.moveAll({ event: NODE_DELETE, before }, now)
      cache.removeNode(before)
      return
    }
    if (before === undefined) cache.addNode(after)
    else cache.updateNode(before, after)
    if (queue.awaitsNothing) return
    const changed = before === undefined ? [NODE_ADD] : nodeUpdateEvents(before, after)
    const events = this.legacy === undefined ? changed : legacyEvents(changed)
    if (events.length === 0) return
    const admits = this.legacy?.nodeAdmits(after)
    for (const event of events) queue.moveAll({ event, ...(before && { before }), after }, now, admits)
  }

  private takeOther({ resource, before, after }: ObjectChange): void {
    const { cache, queue, now } = this.context
    cache.noteChange(resource, before, after)
    if (queue.awaitsNothing) return
    const event = eventOf(resource, { before, after })
    if (event !== undefined) queue.moveAll({ event, ...(before && { before }), ...(after && { after }) }, now)
  }

  private takePod(before: Pod | undefined, after: Pod | undefined): void {
    if (before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid) {
      // The deletion of the one and the creation of the other came as one change.
      this.podGone(before)
      this.podNew(after)
    } else if (before === undefined) {
      if (after !== undefined) this.podNew(after)
    } else if (after === undefined) this.podGone(before)
    else this.podChanged(before, after)
  }

  private podNew(pod: Pod): void {
    if (isAssigned(pod)) this.assignedAdded(pod)
    else if (this.isOurs(pod)) this.context.queue.add(pod, this.context.now)
  }

  private podChanged(before: Pod, after: Pod): void {
    const { cache, queue, now } = this.context
    if (isAssigned(before)) {
      cache.updatePod(before, after)
      if (queue.awaitsNothing) return
      for (const event of podUpdateEvents(before, after)) this.assignedChanged({ event, before, after })
    } else if (isAssigned(after)) {
      this.assignedAdded(after)
      // Somebody else may have bound it while it waited here.
      if (this.isOurs(before)) queue.delete(before)
    } else if (this.isOurs(before)) this.pendingChanged(before, after, now)
  }

  private podGone(pod: Pod): void {
    const { cache, queue, now } = this.context
    if (isAssigned(pod)) {
      cache.removePod(pod)
      queue.moveAll({ event: ASSIGNED_POD_DELETE, before: pod }, now)
      return
    }
    if (!this.isOurs(pod)) return
    queue.delete(pod)
    if (cache.isAssumed(uidOf(pod))) this.assumedDeleted(pod)
    else if (nominatedNode(pod) !== '') this.nominationLost(pod)
  }

  private pendingChanged(before: Pod, after: Pod, now: number): void {
    const { cache, queue } = this.context
    if (before.metadata.resourceVersion === after.metadata.resourceVersion) return
    if (cache.isAssumed(uidOf(after))) {
      const deletionBegan =
        before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined
      if (deletionBegan) this.assumedDeleted(after)
      return
    }
    queue.update(before, after, this.pendingChanges(before, after), now)
    if (nominatedNode(before) !== '' && nominatedNode(before) !== nominatedNode(after)) this.nominationLost(before)
  }

  private pendingChanges(before: Pod, after: Pod): readonly ClusterChange[] {
    if (this.legacy === undefined) return podUpdateEvents(before, after).map((event) => ({ event, before, after }))
    return specificationChanged(before, after) ? [{ event: UNSCHEDULED_POD_UPDATE, before, after }] : []
  }

  private assignedAdded(pod: Pod): void {
    this.context.cache.addPod(pod)
    this.assignedChanged({ event: ASSIGNED_POD_ADD, after: pod })
  }

  private assignedChanged(change: ClusterChange & { readonly after: Pod }): void {
    // Less of anything frees room; everything else about a pod on a node can only satisfy affinity or spreading.
    const frees = change.event.label?.endsWith('ScaleDown') === true
    const admits = frees ? undefined : this.legacy?.mayAttract(change.after)
    this.context.queue.moveAll(change, this.context.now, admits)
  }

  /**
   * A pod that is assumed but not bound is going. Its room is given back at once; what is left of its binding cycle
   * fails by itself, because the API server no longer knows the pod (v1.36, handleAssumedPodDeletion).
   */
  private assumedDeleted(pod: Pod): void {
    const { cache, queue, now } = this.context
    const assumed = cache.getPod(uidOf(pod))
    if (assumed === undefined) return
    const node = cache.nodeOf(assumed.uid) ?? ''
    if (!this.bindings.rejectDeleted(assumed.uid)) cache.forgetPod(assumed)
    queue.moveAll({ event: ASSIGNED_POD_DELETE, before: onNode(assumed.pod, node) }, now)
  }

  /** Pods of equal or lower priority had counted the nominated pod as if it were there. */
  private nominationLost(pod: Pod): void {
    const { queue, now } = this.context
    const priority = pod.spec.priority ?? 0
    queue.moveAll({ event: ASSIGNED_POD_DELETE, before: pod }, now, (other) => other.parsed.priority <= priority)
  }

  private isOurs(pod: Pod): boolean {
    return this.context.runOf(pod.spec.schedulerName ?? '') !== undefined
  }
}

/** Before hints a change of a node was one event, the first of these, and annotations and features were none. */
function legacyEvents(events: readonly ClusterEvent[]): readonly ClusterEvent[] {
  const unknown = ActionType.UpdateNodeAnnotation | ActionType.UpdateNodeDeclaredFeature
  return events.filter(({ action }) => (action & unknown) === 0).slice(0, 1)
}

/** A pod that has run to its end is nothing to the scheduler, as if it were gone (v1.36, newPodInformer). */
function existing(pod: Pod | undefined): Pod | undefined {
  return pod === undefined || isPodTerminal(pod) ? undefined : pod
}

function nominatedNode(pod: Pod): string {
  return pod.status?.nominatedNodeName ?? ''
}

function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? ''
}
