import { objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import { isAssigned } from '../contract/contract.ts'
import type { GroupReader } from '../contract/groups.ts'

/** Invariant: every pod of `all` is in exactly one of the sets. */
interface GroupState {
  readonly all: Map<string, Pod>
  /** Neither assumed nor bound. */
  readonly unscheduled: Set<string>
  readonly assumed: Set<string>
  readonly assigned: Set<string>
}

/** The unscheduled, assumed and bound pods of every pod group (v1.36, backend/cache podGroupState). */
export class GroupStates implements GroupReader {
  private readonly groups = new Map<string, GroupState>()

  /** Reports whether no pod is in a group. */
  get isEmpty(): boolean {
    return this.groups.size === 0
  }

  counts(group: string): { readonly all: number; readonly scheduled: number } | undefined {
    const state = this.groups.get(group)
    return state && { all: state.all.size, scheduled: state.assumed.size + state.assigned.size }
  }

  unscheduled(group: string): readonly Pod[] {
    const state = this.groups.get(group)
    return state === undefined ? [] : podsOf(state, state.unscheduled)
  }

  /** Assumed and bound pods. */
  scheduled(group: string): readonly Pod[] {
    const state = this.groups.get(group)
    return state === undefined ? [] : [...podsOf(state, state.assigned), ...podsOf(state, state.assumed)]
  }

  /** A pod that was created or that was bound by another scheduler. */
  add(pod: Pod): void {
    const key = groupKeyOf(pod)
    if (key === undefined) return
    let state = this.groups.get(key)
    if (state === undefined) {
      state = { all: new Map(), unscheduled: new Set(), assumed: new Set(), assigned: new Set() }
      this.groups.set(key, state)
    }
    this.put(state, pod)
  }

  update(before: Pod, after: Pod): void {
    const state = this.stateOf(after)
    if (state === undefined || !state.all.has(uidOf(after))) this.add(after)
    else if (!isAssigned(before) && isAssigned(after)) this.put(state, after)
    else state.all.set(uidOf(after), after)
  }

  remove(pod: Pod): void {
    const key = groupKeyOf(pod)
    const state = key === undefined ? undefined : this.groups.get(key)
    if (key === undefined || state === undefined) return
    const uid = uidOf(pod)
    state.all.delete(uid)
    unset(state, uid)
    if (state.all.size === 0) this.groups.delete(key)
  }

  assume(pod: Pod): void {
    const state = this.stateOf(pod)
    const stored = state?.all.get(uidOf(pod))
    // The pod may have been deleted while it was scheduled.
    if (state === undefined || stored === undefined) return
    unset(state, uidOf(pod))
    ;(isAssigned(stored) ? state.assigned : state.assumed).add(uidOf(pod))
  }

  forget(pod: Pod): void {
    const state = this.stateOf(pod)
    const stored = state?.all.get(uidOf(pod))
    if (state !== undefined && stored !== undefined) this.put(state, stored)
  }

  private put(state: GroupState, pod: Pod): void {
    const uid = uidOf(pod)
    state.all.set(uid, pod)
    unset(state, uid)
    ;(isAssigned(pod) ? state.assigned : state.unscheduled).add(uid)
  }

  private stateOf(pod: Pod): GroupState | undefined {
    const key = groupKeyOf(pod)
    return key === undefined ? undefined : this.groups.get(key)
  }
}

/** The group of a pod as `namespace/name`. */
export function groupKeyOf(pod: Pod): string | undefined {
  const name = groupNameOf(pod)
  return name === undefined ? undefined : objectKey(pod.metadata.namespace, name)
}

function podsOf(state: GroupState, uids: ReadonlySet<string>): readonly Pod[] {
  return [...uids].map((uid) => state.all.get(uid) as Pod)
}

function unset(state: GroupState, uid: string): void {
  state.unscheduled.delete(uid)
  state.assumed.delete(uid)
  state.assigned.delete(uid)
}

function uidOf(pod: Pod): string {
  return pod.metadata.uid ?? ''
}
