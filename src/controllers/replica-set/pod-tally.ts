import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { labelMatcher, matcherFromMap } from '../../api/label-selector.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { isPodActive, isPodTerminating } from '../pod-activity.ts'

export interface PodCounts {
  /** Active and selected: what counts as a replica. */
  readonly active: number
  readonly ready: number
  /** Has all labels of the template. */
  readonly labeled: number
  readonly terminating: number
  /** Active, but no longer selected: to be let go. */
  readonly strays: number
}

const ACTIVE = 1
const READY = 2
const LABELED = 4
const TERMINATING = 8
const STRAY = 16

interface Tally {
  readonly selector: LabelMatcher
  readonly templateLabels: LabelMatcher
  readonly replicaSet: ReplicaSet
  /** By the uid of the pod. */
  readonly bits: Map<string, number>
  active: number
  ready: number
  labeled: number
  terminating: number
  strays: number
}

/**
 * What each ReplicaSet counts of its pods, kept as they change: a set of ten thousand is not recounted for each pod
 * that becomes ready. A set is counted in full when it is first asked for, and when its selector or the labels of its
 * template change.
 */
export class PodTally {
  private readonly tallies = new Map<string, Tally>()

  /** Takes note of a pod's change; gives the uids of the sets for which it makes a difference. */
  note({ before, after }: { readonly before?: Pod; readonly after?: Pod }): readonly string[] {
    const uidBefore = before === undefined ? undefined : ownerUid(before)
    const uidAfter = after === undefined ? undefined : ownerUid(after)
    const stays = uidBefore === uidAfter && before?.metadata.uid === after?.metadata.uid
    let concerned: string[] | undefined
    if (uidBefore !== undefined && !stays && this.put(uidBefore, uidOf(before), undefined)) {
      concerned = [uidBefore]
    }
    const isLabeledAlike = stays && before?.metadata.labels === after?.metadata.labels
    const isDifferent = uidAfter !== undefined && this.put(uidAfter, uidOf(after), after, isLabeledAlike)
    if (isDifferent && concerned?.[0] !== uidAfter) {
      if (concerned === undefined) concerned = [uidAfter]
      else concerned.push(uidAfter)
    }
    return concerned ?? NOBODY
  }

  counts(replicaSet: ReplicaSet, pods: () => readonly Pod[]): PodCounts {
    const uid = replicaSet.metadata.uid ?? ''
    let tally = this.tallies.get(uid)
    if (tally === undefined || !countsAlike(tally.replicaSet, replicaSet)) {
      tally = newTally(replicaSet)
      for (const pod of pods()) count(tally, uidOf(pod), pod)
      this.tallies.set(uid, tally)
    }
    return tally
  }

  forget(uid: string): void {
    this.tallies.delete(uid)
  }

  /** Whether the set may see a difference. One that was never counted waits for its turn already, or is not there yet. */
  private put(uid: string, pod: string, after: Pod | undefined, isLabeledAlike = false): boolean {
    const tally = this.tallies.get(uid)
    if (tally === undefined) return false
    // Since when a pod is ready matters as well where it must be ready for a time.
    return count(tally, pod, after, isLabeledAlike) || (tally.replicaSet.spec?.minReadySeconds ?? 0) > 0
  }
}

const NOBODY: readonly never[] = []

function uidOf(pod: Pod | undefined): string {
  return pod?.metadata.uid ?? ''
}

function newTally(replicaSet: ReplicaSet): Tally {
  return {
    selector: labelMatcher(replicaSet.spec?.selector),
    templateLabels: matcherFromMap(replicaSet.spec?.template?.metadata?.labels),
    replicaSet,
    bits: new Map(),
    active: 0,
    ready: 0,
    labeled: 0,
    terminating: 0,
    strays: 0,
  }
}

function countsAlike(a: ReplicaSet, b: ReplicaSet): boolean {
  if (a === b || a.spec === b.spec) return true
  return (
    deepEqual(a.spec?.selector, b.spec?.selector) &&
    deepEqual(a.spec?.template?.metadata?.labels, b.spec?.template?.metadata?.labels) &&
    a.spec?.minReadySeconds === b.spec?.minReadySeconds
  )
}

function count(tally: Tally, uid: string, pod: Pod | undefined, isLabeledAlike = false): boolean {
  const old = tally.bits.get(uid) ?? 0
  // Labels that a pod had when it was counted as active need not be held against selectors again.
  const labeling = isLabeledAlike && (old & ACTIVE) !== 0 ? old & LABELED : undefined
  const bits = pod === undefined ? 0 : bitsOf(tally, pod, labeling)
  if (bits === 0) tally.bits.delete(uid)
  else if (bits !== old) tally.bits.set(uid, bits)
  if (bits === old) return false
  add(tally, old, -1)
  add(tally, bits, 1)
  return true
}

function add(tally: Tally, bits: number, by: 1 | -1): void {
  if ((bits & ACTIVE) !== 0) tally.active += by
  if ((bits & READY) !== 0) tally.ready += by
  if ((bits & LABELED) !== 0) tally.labeled += by
  if ((bits & TERMINATING) !== 0) tally.terminating += by
  if ((bits & STRAY) !== 0) tally.strays += by
}

/** `labeling`: it is selected, and whether it has all labels of the template is known. */
function bitsOf({ selector, templateLabels }: Tally, pod: Pod, labeling: number | undefined): number {
  const selected = labeling !== undefined || selector.matches(pod.metadata.labels)
  if (!isPodActive(pod)) return selected && isPodTerminating(pod) ? TERMINATING : 0
  if (!selected) return STRAY
  let bits = ACTIVE
  if (isPodReady(pod)) bits |= READY
  if (labeling !== undefined) return bits | labeling
  return templateLabels.matches(pod.metadata.labels) ? bits | LABELED : bits
}

function ownerUid(pod: Pod): string | undefined {
  const owner = controllerOf(pod)
  return owner?.kind === 'ReplicaSet' ? owner.uid : undefined
}
