/**
 * The number of pods to create at the same time: first one, then twice as many after each success of all of them, so
 * that a quota or an invalid template causes one failure instead of hundreds. One burst is one sync of upstream (v1.36,
 * pkg/controller slowStartBatch, and the controllers' BurstReplicas).
 */
export interface SlowStart {
  readonly batch: number
  /** The number of pods that this burst may still create. */
  readonly left: number
}

export function startSlowly(burst: number): SlowStart {
  return { batch: 1, left: burst }
}

export function batchOf({ batch, left }: SlowStart, wanted: number): number {
  return Math.min(batch, left, wanted)
}

export function afterBatch({ batch, left }: SlowStart, created: number): SlowStart {
  return { batch: batch * 2, left: left - created }
}
