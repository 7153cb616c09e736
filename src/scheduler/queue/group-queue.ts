import { objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import { type GroupHierarchies, type GroupNode, groupId } from '../contract/groups.ts'
import type { GroupResult } from './queue-options.ts'
import { createQueuedGroup, type QueuedGroup, type QueuedPod } from './queued-pod.ts'
import type { RequeueVerdict } from './requeue-judge.ts'

/** The places of the queue, as entries of groups use them. */
export interface GroupPlaces {
  find(id: string): QueuedGroup | undefined
  takeOut(group: QueuedGroup): void
  /** Returns an entry to its place, unless a plugin gates it or its backoff has ended. */
  putBack(group: QueuedGroup, verdict: RequeueVerdict, now: number): void
  /**
   * Adds a new pod to an entry that keeps its place. Returns false if a plugin gates the pod, which gates the group
   * too.
   */
  admitMember(group: QueuedGroup, pod: QueuedPod, now: number): boolean
  /** Adds an entry to the active queue, unless a plugin gates it. */
  activate(group: QueuedGroup, now: number): void
  /** Adds an entry to the backoff, unless a plugin gates it or it has no backoff. */
  backOff(group: QueuedGroup, now: number): void
  /** Keeps a pod that is in no entry, because a group of its hierarchy does not exist. */
  setAside(pod: QueuedPod, now: number): void
  stamp(group: QueuedGroup, now: number): void
}

/**
 * The pods of groups as entries of the queue, one for each hierarchy of groups (v1.37, backend/queue,
 * addPodGroupMember, AddAttemptedPodGroupIfNeeded and workloadForest).
 */
export class GroupQueue {
  private readonly hierarchies: GroupHierarchies
  private readonly places: GroupPlaces
  private readonly pods = new Map<string, QueuedPod>()
  /** The same pods by the `namespace/name` of their pod group. */
  private readonly byGroup = new Map<string, Map<string, QueuedPod>>()
  /** The root of the group in flight, and the pods that return from it. */
  private flight: { readonly root: string; readonly returned: QueuedPod[] } | undefined

  constructor(hierarchies: GroupHierarchies, places: GroupPlaces) {
    this.hierarchies = hierarchies
    this.places = places
  }

  owns(pod: Pod): boolean {
    return groupNameOf(pod) !== undefined
  }

  /** A pod that is not in flight. */
  get(key: string): QueuedPod | undefined {
    return this.pods.get(key)
  }

  /** Pods of hierarchies that are not complete. */
  *incomplete(): IterableIterator<QueuedPod> {
    for (const pod of this.pods.values()) if (pod.group === undefined) yield pod
  }

  /** The entry of the hierarchy of a pod. */
  entryOf(pod: Pod): QueuedGroup | undefined {
    const root = this.hierarchies.rootOfPod(pod)
    return root && this.places.find(root.id)
  }

  /** Adds a pod to the entry of its hierarchy. */
  join(pod: QueuedPod, now: number): void {
    this.index(pod)
    const root = this.hierarchies.rootOfPod(pod.parsed.pod)
    if (root === undefined) this.places.setAside(pod, now)
    else if (this.flight?.root === root.id) this.flight.returned.push(pod)
    else this.enter(root, pod, now)
  }

  private enter(root: GroupNode, pod: QueuedPod, now: number): void {
    const group = this.places.find(root.id)
    if (group === undefined) {
      this.places.activate(createQueuedGroup(root, pod), now)
      return
    }
    pod.group = group
    if (this.places.admitMember(group, pod, now)) {
      group.members.set(pod.key, pod)
      return
    }
    const verdict = verdictFor(group)
    this.places.takeOut(group)
    group.members.set(pod.key, pod)
    this.places.putBack(group, verdict, now)
  }

  /** Removes a pod. The rest of its group stays where it is. */
  leave(pod: QueuedPod, now: number): void {
    this.unindex(pod)
    const { group } = pod
    if (group === undefined) return
    pod.group = undefined
    const verdict = verdictFor(group)
    this.places.takeOut(group)
    group.members.delete(pod.key)
    const [first] = group.members.values()
    if (first === undefined) return
    if (group.parsed.key === pod.key) group.parsed = first.parsed
    this.places.putBack(group, verdict, now)
  }

  /** The group is in flight until `returned`. */
  popped(group: QueuedGroup): void {
    for (const pod of group.members.values()) {
      this.unindex(pod)
      pod.group = undefined
    }
    this.flight = { root: group.key, returned: [] }
  }

  /** The cycle of the group ended. Pods that returned since are one entry again. */
  returned(group: QueuedGroup, result: GroupResult, now: number): void {
    const pods = this.flight?.returned ?? []
    this.flight = undefined
    const root = this.hierarchies.get(group.key)
    const [first] = pods
    if (first === undefined) return
    if (root === undefined) {
      for (const pod of pods) this.places.setAside(pod, now)
      return
    }
    const again: QueuedGroup = {
      ...group,
      ...{ root, parsed: first.parsed, place: 'active', members: new Map(pods.map((pod) => [pod.key, pod])) },
      ...{ awaited: [], gatingPlugin: undefined, wasFlushed: false, flushedAt: undefined },
    }
    for (const pod of pods) pod.group = again
    if (result === 'scheduled') {
      // The remaining pods of a scheduled group are retried immediately, in its place.
      again.unschedulableCount = 0
      again.errorCount = 0
      this.places.activate(again, now)
      return
    }
    if (result === 'error') again.errorCount++
    else {
      again.unschedulableCount++
      again.errorCount = 0
    }
    again.backoffUntil = undefined
    this.places.stamp(again, now)
    this.places.backOff(again, now)
  }

  /**
   * Updates the entries after groups were added or removed: hierarchies of pods may have become complete or incomplete.
   */
  regroup(changed: GroupNode, now: number): void {
    const names = changed.kind === 'podgroup' ? [changed.key] : [...this.byGroup.keys()]
    for (const name of names) {
      const root = this.hierarchies.rootOf(groupId('podgroup', name))
      for (const pod of [...(this.byGroup.get(name)?.values() ?? [])]) {
        if (pod.group?.key === root?.id) continue
        this.leave(pod, now)
        this.join(pod, now)
      }
    }
  }

  private index(pod: QueuedPod): void {
    this.pods.set(pod.key, pod)
    const name = groupOf(pod)
    const pods = this.byGroup.get(name)
    if (pods === undefined) this.byGroup.set(name, new Map([[pod.key, pod]]))
    else pods.set(pod.key, pod)
  }

  private unindex(pod: QueuedPod): void {
    this.pods.delete(pod.key)
    const name = groupOf(pod)
    const pods = this.byGroup.get(name)
    pods?.delete(pod.key)
    if (pods?.size === 0) this.byGroup.delete(name)
  }
}

/** The verdict that returns an entry to its place (v1.37, deleteFromAnyQueue). */
function verdictFor({ place }: QueuedGroup): RequeueVerdict {
  if (place === 'active') return 'immediately'
  return place === 'backoff' ? 'afterBackoff' : 'skip'
}

function groupOf({ parsed: { pod } }: QueuedPod): string {
  return objectKey(pod.metadata.namespace, groupNameOf(pod) ?? '')
}
