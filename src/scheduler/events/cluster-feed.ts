import { isPodTerminal } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import type { SchedulerContext } from '../context/context.ts'
import type { ClusterState } from '../contract/contract.ts'
import { isAssigned, onNode } from '../contract/contract.ts'
import type { ClusterChange } from '../queue/cluster-event.ts'
import { assignedPodAdd, assignedPodDelete, pendingPodEvents } from '../queue/cluster-event.ts'
import type { RequeuePolicy } from '../queue/requeue-policy.ts'
import { eventOf, nodeAdd, nodeDelete, sliceUpdate, type UpdateEvents, updateEvents } from './change-events.ts'

interface ObjectChange {
  readonly resource: string
  readonly before?: KubeObject
  readonly after?: KubeObject
}

/** Applies changes of the cluster to the cache and the queue (v1.36, pkg/scheduler/eventhandlers.go). */
export class ClusterFeed {
  private readonly context: SchedulerContext
  private readonly bindings: BindingCycles
  private readonly policy: RequeuePolicy
  private readonly cluster: () => ClusterState
  private readonly updates: UpdateEvents

  constructor(context: SchedulerContext, bindings: BindingCycles) {
    this.context = context
    this.bindings = bindings
    this.policy = context.queue.policy
    this.updates = updateEvents(context.release)
    this.cluster = () => context.cache.cluster(context.objects)
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
      queue.moveAll({ event: nodeDelete, before }, now)
      cache.removeNode(before)
      return
    }
    if (before === undefined) cache.addNode(after)
    else cache.updateNode(before, after)
    if (queue.awaitsNothing) return
    const events = this.policy.nodeEvents(before === undefined ? [nodeAdd] : this.updates.ofNode(before, after))
    if (events.length === 0) return
    const selection = this.policy.podsForNode(after, this.cluster)
    for (const event of events) queue.moveAll({ event, ...(before && { before }), after }, now, selection)
  }

  private takeOther({ resource, before, after }: ObjectChange): void {
    const { cache, queue, now, groups } = this.context
    const slices = cache.noteChange(resource, before, after)
    const group = groups?.forest.note(resource, before, after)
    if (group !== undefined) queue.groups?.regroup(group, now)
    if (queue.awaitsNothing) return
    for (const change of slices) queue.moveAll({ event: sliceUpdate, ...change }, now)
    const event = eventOf(resource, { before, after })
    if (event !== undefined) queue.moveAll({ event, ...(before && { before }), ...(after && { after }) }, now)
  }

  private takePod(before: Pod | undefined, after: Pod | undefined): void {
    // The queue forgets a pending pod before its group does (v1.37, deletePodFromSchedulingQueue).
    const isPendingGone = after === undefined && before !== undefined && !isAssigned(before)
    if (this.context.groups !== undefined && !isPendingGone) this.followGroups(before, after)
    if (before !== undefined && after !== undefined && before.metadata.uid !== after.metadata.uid) {
      // A deletion and a creation with the same name arrived as one change.
      this.podGone(before)
      this.podNew(after)
    } else if (before === undefined) {
      if (after !== undefined) this.podNew(after)
    } else if (after === undefined) {
      this.podGone(before)
      if (isPendingGone) this.followGroups(before, undefined)
    } else this.podChanged(before, after)
  }

  private podNew(pod: Pod): void {
    if (isAssigned(pod)) this.assignedAdded(pod)
    else if (this.isOurs(pod)) {
      const { queue, now, groups } = this.context
      queue.add(pod, now)
      if (groups?.features.gangs !== true) return
      queue.moveAll({ event: pendingPodEvents(this.context.release).added, after: pod }, now)
    }
  }

  /** A pod of another scheduler becomes a member of its group when it is bound. */
  private followGroups(before: Pod | undefined, after: Pod | undefined): void {
    const states = this.context.groups?.states
    const counts = (pod: Pod | undefined): pod is Pod => pod !== undefined && (isAssigned(pod) || this.isOurs(pod))
    const isSame = before?.metadata.uid === after?.metadata.uid
    if (counts(before) && counts(after) && isSame) states?.update(before, after)
    else {
      if (counts(before)) states?.remove(before)
      if (counts(after)) states?.add(after)
    }
  }

  private podChanged(before: Pod, after: Pod): void {
    const { cache, queue, now } = this.context
    if (isAssigned(before)) {
      cache.updatePod(before, after)
      if (queue.awaitsNothing) return
      for (const event of this.updates.ofPod(before, after)) this.assignedChanged({ event, before, after })
    } else if (isAssigned(after)) {
      this.assignedAdded(after)
      // Another scheduler may have bound the pod while it was queued here.
      if (this.isOurs(before)) queue.delete(before, now)
    } else if (this.isOurs(before)) this.pendingChanged(before, after, now)
  }

  private podGone(pod: Pod): void {
    const { cache, queue, now } = this.context
    if (isAssigned(pod)) {
      cache.removePod(pod)
      queue.moveAll({ event: assignedPodDelete, before: pod }, now)
      return
    }
    if (!this.isOurs(pod)) return
    queue.delete(pod, now)
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
    return this.policy.pendingChanges(before, after, () =>
      this.updates.ofPod(before, after).map((event) => ({ event, before, after })),
    )
  }

  private assignedAdded(pod: Pod): void {
    this.context.cache.addPod(pod)
    this.assignedChanged({ event: assignedPodAdd, after: pod })
  }

  private assignedChanged(change: ClusterChange & { readonly after: Pod }): void {
    // A scale-down frees resources. Other changes of an assigned pod can only satisfy affinity or topology spread.
    const freesResources = change.event.label?.endsWith('ScaleDown') === true
    const selection = freesResources ? undefined : this.policy.podsAttractedBy(change.after, this.cluster)
    this.context.queue.moveAll(change, this.context.now, selection)
  }

  /**
   * An assumed pod is being deleted. Its resources are freed immediately. The rest of its binding cycle fails, because
   * the API server no longer has the pod (v1.36, handleAssumedPodDeletion).
   */
  private assumedDeleted(pod: Pod): void {
    const { cache, queue, now } = this.context
    const assumed = cache.getPod(uidOf(pod))
    if (assumed === undefined) return
    const node = cache.nodeOf(assumed.uid) ?? ''
    if (!this.bindings.rejectDeleted(assumed.uid)) cache.forgetPod(assumed)
    queue.moveAll({ event: assignedPodDelete, before: onNode(assumed.pod, node) }, now)
  }

  /** Pods of equal or lower priority counted the nominated pod as if it were placed. */
  private nominationLost(pod: Pod): void {
    const { queue, now } = this.context
    const priority = pod.spec.priority ?? 0
    queue.moveAll({ event: assignedPodDelete, before: pod }, now, (other) => other.parsed.priority <= priority)
  }

  private isOurs(pod: Pod): boolean {
    return this.context.runOf(pod.spec.schedulerName ?? '') !== undefined
  }
}

/** A terminated pod is treated like a deleted one (v1.36, newPodInformer). */
function existing(pod: Pod | undefined): Pod | undefined {
  return pod === undefined || isPodTerminal(pod) ? undefined : pod
}

function nominatedNode(pod: Pod): string {
  return pod.status?.nominatedNodeName ?? ''
}

function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? ''
}
