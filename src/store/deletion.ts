import type { DeleteOptions, KubeObject, ObjectMeta } from '../api/objects/meta.ts'
import { formatTime } from '../api/time.ts'
import { incremented } from '../base/exact-json.ts'
import { extended } from '../base/extended.ts'

export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

export interface DeletionRequest {
  readonly object: KubeObject
  readonly options?: DeleteOptions | undefined
  /**
   * For kinds with graceful deletion (pods): the grace period of a deletion that starts now, given the requested one.
   * Absent for all other kinds, which are deleted immediately unless they have a finalizer.
   */
  readonly graceSeconds?: ((asked: number | undefined) => number) | undefined
  /** The propagation policy if neither the request nor the object has one; `unsupported` for events. */
  readonly dependents?: 'delete' | 'orphan' | 'unsupported' | undefined
  readonly nowMs: number
}

export type Deletion =
  /**
   * Removes the object. If `marked` is set, writes it first, in its own revision: watchers of a kind with graceful
   * deletion always see an object terminating before it is deleted.
   */
  | { readonly kind: 'remove'; readonly marked?: KubeObject }
  /** Stores this object instead. The deletion finishes later. */
  | { readonly kind: 'mark'; readonly object: KubeObject }
  /** The object is already terminating, and ends no later than this request specifies. */
  | { readonly kind: 'unchanged' }
  /** A precondition failed: 409, on the object's kind and name. */
  | { readonly kind: 'conflict'; readonly message: string }

/**
 * The effect of a DELETE on an object. As kube-apiserver v1.36: registry/rest BeforeDelete, and generic/registry
 * Store.Delete, updateForGracefulDeletionAndFinalizers, deletionFinalizersForGarbageCollection, markAsDeleting.
 */
export function decideDeletion(request: DeletionRequest): Deletion {
  const { object, options = {} } = request
  const conflict = brokenPrecondition(object.metadata, options)
  if (conflict !== undefined) return { kind: 'conflict', message: conflict }
  const grace = decideGrace(request)
  // The propagation policy cannot change once a graceful deletion is pending.
  if (grace.kind === 'pending') return { kind: 'unchanged' }
  const finalizers = finalizersFor(object.metadata, options, request.dependents ?? 'delete')
  if (grace.kind === 'graceful') {
    const marked = withMetadata(object, grace.times, finalizers)
    return finalizers.length === 0 && grace.askedSeconds === 0
      ? { kind: 'remove', marked }
      : { kind: 'mark', object: marked }
  }
  if (finalizers.length === 0) return { kind: 'remove' }
  const times = immediateTimes(object.metadata, request.nowMs)
  const marked = withMetadata(object, times, finalizers)
  return isMarkedAlready(object.metadata, marked.metadata) ? { kind: 'unchanged' } : { kind: 'mark', object: marked }
}

/**
 * Whether an update of `before` to `after` removes the last finalizer or grace period of a terminating object, so that
 * it is deleted now (generic/registry ShouldDeleteDuringUpdate).
 */
export function finishes(before: KubeObject, after: KubeObject): boolean {
  if ((after.metadata.finalizers?.length ?? 0) > 0) return false
  if (before.metadata.deletionTimestamp === undefined) return false
  return (before.metadata.deletionGracePeriodSeconds ?? 0) === 0
}

interface DeletionTimes {
  readonly deletionTimestamp: string
  readonly deletionGracePeriodSeconds: number
  /** Absent: unchanged. */
  readonly generation?: number | undefined
}

type Grace =
  | { readonly kind: 'pending' }
  | { readonly kind: 'immediate' }
  | { readonly kind: 'graceful'; readonly times: DeletionTimes; readonly askedSeconds: number }

function decideGrace({ object, options = {}, graceSeconds, nowMs }: DeletionRequest): Grace {
  if (graceSeconds === undefined) return { kind: 'immediate' }
  const { metadata } = object
  const asked = atLeastOneIfNegative(options.gracePeriodSeconds)
  if (metadata.deletionTimestamp === undefined) {
    const seconds = graceSeconds(asked)
    const times = {
      deletionTimestamp: formatTime(nowMs + durationMs(seconds)),
      deletionGracePeriodSeconds: seconds,
      generation: nextGeneration(metadata),
    }
    return { kind: 'graceful', times, askedSeconds: seconds }
  }
  const present = atLeastOneIfNegative(metadata.deletionGracePeriodSeconds) ?? 0
  if (present === 0) return { kind: 'immediate' }
  if (asked === undefined || asked >= present) return { kind: 'pending' }
  return { kind: 'graceful', times: shortened(metadata.deletionTimestamp, present, asked, nowMs), askedSeconds: asked }
}

/** The shortened grace period. It starts with the deletion, not with this request, and never ends in the past. */
function shortened(until: string, presentSeconds: number, askedSeconds: number, nowMs: number): DeletionTimes {
  const untilMs = Date.parse(until) - durationMs(presentSeconds) + durationMs(askedSeconds)
  if (untilMs >= nowMs) {
    return { deletionTimestamp: formatTime(untilMs), deletionGracePeriodSeconds: askedSeconds }
  }
  // One second is the shortest grace period that still leaves the final deletion to the kubelet.
  return { deletionTimestamp: formatTime(nowMs), deletionGracePeriodSeconds: askedSeconds === 0 ? 0 : 1 }
}

function immediateTimes(metadata: ObjectMeta, nowMs: number): DeletionTimes {
  const present = metadata.deletionTimestamp
  if (present !== undefined && Date.parse(present) <= nowMs) {
    return { deletionTimestamp: present, deletionGracePeriodSeconds: 0 }
  }
  return {
    deletionTimestamp: formatTime(nowMs),
    deletionGracePeriodSeconds: 0,
    generation: present === undefined ? nextGeneration(metadata) : undefined,
  }
}

/** Controllers treat terminating objects differently, so the first mark counts as a change of the spec. */
function nextGeneration({ generation = 0 }: ObjectMeta): number | undefined {
  return generation > 0 ? incremented(generation) : undefined
}

const none: readonly string[] = []

function finalizersFor(
  metadata: ObjectMeta,
  options: DeleteOptions,
  dependents: 'delete' | 'orphan' | 'unsupported',
): readonly string[] {
  const present = metadata.finalizers ?? none
  const wanted = dependentsFinalizer(present, options, dependents)
  if (wanted === undefined && present.length === 0) return present
  const kept = present.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  const next = wanted === undefined ? kept : [...kept, wanted]
  const isSame = new Set([...present, ...next]).size === new Set(present).size && next.length === present.length
  return isSame ? present : next
}

function dependentsFinalizer(
  present: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  dependents: 'delete' | 'orphan' | 'unsupported',
): string | undefined {
  if (dependents === 'unsupported') return undefined
  if (orphanDependents !== undefined) return orphanDependents ? orphanFinalizer : undefined
  switch (propagationPolicy) {
    case 'Orphan':
      return orphanFinalizer
    case 'Foreground':
      return foregroundFinalizer
    case 'Background':
      return undefined
  }
  const said = present.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  return said ?? (dependents === 'orphan' ? orphanFinalizer : undefined)
}

function brokenPrecondition(metadata: ObjectMeta, { preconditions }: DeleteOptions): string | undefined {
  const { uid = '', resourceVersion = '' } = metadata
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    return `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`
  }
  return undefined
}

function withMetadata(object: KubeObject, times: DeletionTimes, finalizers: readonly string[]): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = times
  const metadata: { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] } = extended(withoutFinalizers(object.metadata), {
    deletionTimestamp,
    deletionGracePeriodSeconds,
  })
  if (generation !== undefined) metadata.generation = generation
  if (finalizers.length > 0) metadata.finalizers = finalizers
  return { ...object, metadata }
}

function withoutFinalizers(metadata: ObjectMeta): ObjectMeta {
  if (metadata.finalizers === undefined) return metadata
  const { finalizers: _, ...rest } = metadata
  return rest
}

function isMarkedAlready(before: ObjectMeta, after: ObjectMeta): boolean {
  return (
    before.deletionTimestamp === after.deletionTimestamp &&
    before.deletionGracePeriodSeconds === after.deletionGracePeriodSeconds &&
    before.finalizers === after.finalizers
  )
}

function atLeastOneIfNegative(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds
}

// Go's time.Duration holds 292 years in nanoseconds.
const maxDurationSeconds = 9_223_372_036

/** A period as Go's time.Duration has it, which overflows beyond 292 years. */
function durationMs(seconds: number): number {
  if (seconds <= maxDurationSeconds) return seconds * 1000
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n)
}
