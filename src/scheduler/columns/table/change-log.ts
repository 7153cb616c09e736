import type { ParsedPod } from '../../contract/parsed-pod.ts'

/** What happened to a row. */
export const changeKinds = {
  podAdded: 0,
  podRemoved: 1,
  /** Something about the node itself: labels, taints, capacity, what is attached to it, that it exists. */
  node: 2,
  /** A pod changed in something that only preemption looks at: its age, or that it is being deleted. */
  podTouched: 3,
} as const

export type ChangeKind = (typeof changeKinds)[keyof typeof changeKinds]

const maxKept = 1 << 15

/**
 * What changed, in order. Whoever keeps something derived from the rows remembers how far it has read, and reads on when
 * it is next asked; who has fallen behind by more than is kept starts anew.
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

  /** Begins to read: from here on changes are kept. Before that nobody needs them, and all pods of a cluster come in. */
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

  /** Whether everything since `position` is still there. */
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
