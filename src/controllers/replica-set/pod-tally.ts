import { isPodReady, isPodTerminal } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { labelMatcher, matcherFromMap } from '../../api/label-selector.ts'
import { objectKey } from '../../api/object-key.ts'
import type { OwnerReference, StringMap } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'

export interface PodCounts {
  /** Active and selected pods, which count as replicas. */
  readonly active: number
  readonly ready: number
  /** Replicas that have all labels of the template. */
  readonly labeled: number
  readonly terminating: number
  /** Active pods that the selector no longer matches and that will be released. */
  readonly strays: number
}

const active = 1
const ready = 2
const labeled = 4
const terminating = 8
const stray = 16

interface SetTally {
  /** The key of the set. */
  readonly key: string
  readonly name: string
  readonly namespace: string | undefined
  readonly spec: ReplicaSet['spec']
  readonly selector: LabelMatcher
  readonly templateLabels: LabelMatcher
  /**
   * The labels that were last compared with selector and template, and the result. Pods of one set usually share their
   * labels.
   */
  lastLabels: StringMap | undefined
  isSelected: boolean
  isLabeled: boolean
  /** The set is not reported, because it is already queued. */
  isNew: boolean
  active: number
  ready: number
  labeled: number
  terminating: number
  strays: number
}

/**
 * The pod counts of each ReplicaSet, updated with each change, so that a set of ten thousand pods is not recounted
 * whenever one becomes ready. The former contribution of a pod is derived from its former version. A set is counted in
 * full when it is first requested, and when its selector or the labels of its template change.
 */
export class PodTally {
  private readonly tallies = new Map<string, SetTally>()
  private hasBegun = false
  /** At startup, the pods of a set arrive in sequence and share their references. */
  private lastOwners: readonly OwnerReference[] | undefined
  private lastTally: SetTally | undefined
  /** The kind of the owners whose pods are counted. */
  private readonly kind: string

  constructor(kind = 'ReplicaSet') {
    this.kind = kind
  }

  /** Called before the first change of a pod: all pods then arrive as changes and need no lookup. */
  expect(key: string, replicaSet: ReplicaSet): void {
    if (this.hasBegun || this.tallies.has(uidOf(replicaSet))) return
    this.keep(replicaSet, newTally(key, replicaSet))
  }

  /** Applies a change of a pod; returns the keys of the sets that it affects. */
  note({ before, after }: { readonly before?: Pod; readonly after?: Pod }): string | readonly string[] | undefined {
    this.hasBegun = true
    const from = before === undefined ? undefined : this.tallyOf(before)
    const to = after === undefined ? undefined : this.tallyOf(after)
    if (before !== undefined && after !== undefined && from === to && before.metadata.uid === after.metadata.uid) {
      return to !== undefined && count(to, before, after) ? keyFor(to, after) : undefined
    }
    const former = before !== undefined && from !== undefined && count(from, before, undefined)
    const present = after !== undefined && to !== undefined && count(to, undefined, after)
    if (!former) return present ? keyFor(to, after) : undefined
    return present && from !== to ? [keyFor(from, before), keyFor(to, after)] : keyFor(from, before)
  }

  counts(key: string, replicaSet: ReplicaSet, pods: () => readonly Pod[]): PodCounts {
    let tally = this.tallies.get(uidOf(replicaSet))
    if (tally === undefined || !countsAlike(tally.spec, replicaSet.spec)) {
      tally = newTally(key, replicaSet)
      for (const pod of pods()) count(tally, undefined, pod)
      this.keep(replicaSet, tally)
    }
    tally.isNew = false
    return tally
  }

  forget(uid: string): void {
    this.tallies.delete(uid)
    this.lastOwners = undefined
  }

  private keep(replicaSet: ReplicaSet, tally: SetTally): void {
    this.tallies.set(uidOf(replicaSet), tally)
    this.lastOwners = undefined
  }

  private tallyOf(pod: Pod): SetTally | undefined {
    const { ownerReferences } = pod.metadata
    if (ownerReferences === undefined) return undefined
    if (ownerReferences !== this.lastOwners) {
      const owner = controllerOf(pod)
      this.lastOwners = ownerReferences
      this.lastTally = owner?.kind === this.kind ? this.tallies.get(owner.uid) : undefined
    }
    return this.lastTally
  }
}

function uidOf({ metadata }: ReplicaSet): string {
  return metadata.uid ?? ''
}

/** A set of that uid has no other name, but the API server does not check the name in a reference. */
function keyFor({ key, name, namespace }: SetTally, pod: Pod): string {
  const named = controllerOf(pod)?.name ?? name
  return named === name && pod.metadata.namespace === namespace ? key : objectKey(pod.metadata.namespace, named)
}

function newTally(key: string, { metadata, spec }: ReplicaSet): SetTally {
  return {
    key,
    name: metadata.name,
    namespace: metadata.namespace,
    spec,
    selector: labelMatcher(spec?.selector),
    templateLabels: matcherFromMap(spec?.template?.metadata?.labels),
    lastLabels: undefined,
    isSelected: false,
    isLabeled: false,
    isNew: true,
    active: 0,
    ready: 0,
    labeled: 0,
    terminating: 0,
    strays: 0,
  }
}

function countsAlike(a: ReplicaSet['spec'], b: ReplicaSet['spec']): boolean {
  if (a === b) return true
  return (
    deepEqual(a?.selector, b?.selector) &&
    deepEqual(a?.template?.metadata?.labels, b?.template?.metadata?.labels) &&
    a?.minReadySeconds === b?.minReadySeconds
  )
}

/**
 * Reports whether the change may affect the set. With minReadySeconds, the time since when a pod is ready matters too.
 */
function count(tally: SetTally, before: Pod | undefined, after: Pod | undefined): boolean {
  const old = before === undefined ? 0 : bitsOf(tally, before)
  const bits = after === undefined ? 0 : bitsOf(tally, after)
  if (bits !== old) {
    add(tally, old, -1)
    add(tally, bits, 1)
  }
  return !tally.isNew && (bits !== old || (tally.spec?.minReadySeconds ?? 0) > 0)
}

function add(tally: SetTally, bits: number, by: 1 | -1): void {
  if ((bits & active) !== 0) tally.active += by
  if ((bits & ready) !== 0) tally.ready += by
  if ((bits & labeled) !== 0) tally.labeled += by
  if ((bits & terminating) !== 0) tally.terminating += by
  if ((bits & stray) !== 0) tally.strays += by
}

function bitsOf(tally: SetTally, pod: Pod): number {
  if (isPodTerminal(pod)) return 0
  const { labels, deletionTimestamp } = pod.metadata
  if (labels === undefined || labels !== tally.lastLabels) {
    tally.lastLabels = labels
    tally.isSelected = tally.selector.matches(labels)
    tally.isLabeled = tally.templateLabels.matches(labels)
  }
  if (deletionTimestamp !== undefined) return tally.isSelected ? terminating : 0
  if (!tally.isSelected) return stray
  return active | (isPodReady(pod) ? ready : 0) | (tally.isLabeled ? labeled : 0)
}
