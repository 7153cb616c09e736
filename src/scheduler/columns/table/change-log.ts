import type { ParsedPod } from '../../contract/parsed-pod.ts'

/** The kinds of changes of a row. */
export const changeKinds = {
  podAdded: 0,
  podRemoved: 1,
  /** A change of the node: labels, taints, capacity, attached volumes, existence. */
  node: 2,
  /** A change of a pod that only preemption reads: its start time, or its deletion. */
  podTouched: 3,
} as const

export type ChangeKind = (typeof changeKinds)[keyof typeof changeKinds]

const maxKept = 1 << 15

/**
 * The changes of all rows in order. A reader keeps its position and continues from there. A reader that is behind by
 * more than the log keeps must start from scratch.
 */
export class ChangeLog {
  private kinds: ChangeKind[] = []
  private rows: number[] = []
  private pods: (ParsedPod | undefined)[] = []
  private dropped = 0
  private isFollowed = false

  /** The position after the last change. */
  get end(): number {
    return this.dropped + this.kinds.length
  }

  /**
   * Starts to record changes, and returns the current position. Without readers nothing is recorded, such as during the
   * initial list.
   */
  follow(): number {
    this.isFollowed = true
    return this.end
  }

  push(kind: ChangeKind, row: number, pod?: ParsedPod): void {
    if (!this.isFollowed) {
      this.dropped++
      return
    }
    if (this.kinds.length >= 2 * maxKept) this.drop(maxKept)
    this.kinds.push(kind)
    this.rows.push(row)
    this.pods.push(pod)
  }

  /** Reports whether the log still has all changes since `position`. */
  reaches(position: number): boolean {
    return position >= this.dropped
  }

  kindAt(position: number): ChangeKind {
    return this.kinds[position - this.dropped] as ChangeKind
  }

  rowAt(position: number): number {
    return this.rows[position - this.dropped] as number
  }

  podAt(position: number): ParsedPod {
    return this.pods[position - this.dropped] as ParsedPod
  }

  private drop(count: number): void {
    this.kinds = this.kinds.slice(count)
    this.rows = this.rows.slice(count)
    this.pods = this.pods.slice(count)
    this.dropped += count
  }
}
