/** Signs of life of which it is known how they go on, as in virtual time, where somebody computes them. */
export interface SteadyBeats {
  /** A node that keeps its beats gives one at least so often. */
  readonly intervalMs: number
  keepsBeats(node: string): boolean
  /** The last one up to an instant. */
  lastAt(node: string, at: number): number | undefined
  /** How often a node has ceased to keep them so far. While this stays, so do they. */
  losses(): number
}

/** A node that need not be asked while it keeps its beats. */
export interface Steady {
  readonly name: string
  /** When its grace period would run out, going by the last beat that was counted. */
  askAt: number
}

/**
 * Nodes that keep their beats, and so cannot be late. Instead of asking each of them again and again it is enough to ask
 * now and then whether any has ceased to.
 * Invariant: a node that ceases after a review is not late before `reviewAt`.
 */
export class SteadyNodes<N extends Steady> {
  readonly beats: SteadyBeats
  private readonly trustMs: number
  private readonly periodMs: number
  private readonly nodes = new Set<N>()
  private reviewedAt = Number.NEGATIVE_INFINITY
  private losses = 0

  constructor(beats: SteadyBeats, { graceMs, periodMs }: { readonly graceMs: number; readonly periodMs: number }) {
    this.beats = beats
    // The last beat of a node that ceases was at most an interval before, and its grace period begins after it.
    this.trustMs = graceMs - beats.intervalMs
    this.periodMs = periodMs
  }

  /** When the next review has to take place at the latest. */
  get reviewAt(): number {
    return this.nodes.size === 0 ? Number.POSITIVE_INFINITY : this.reviewedAt + this.trustMs
  }

  admits(name: string): boolean {
    return this.trustMs >= this.periodMs && this.beats.keepsBeats(name)
  }

  has(node: N): boolean {
    return this.nodes.has(node)
  }

  add(node: N, askAt: number): void {
    node.askAt = askAt
    this.nodes.add(node)
  }

  delete(node: N): void {
    this.nodes.delete(node)
  }

  /** The nodes that have ceased to keep their beats since the last review. */
  review(now: number): readonly N[] {
    this.reviewedAt = now
    const losses = this.beats.losses()
    if (losses === this.losses) return NONE
    this.losses = losses
    return [...this.nodes].filter(({ name }) => !this.beats.keepsBeats(name))
  }

  list(): readonly N[] {
    return [...this.nodes]
  }
}

const NONE: readonly never[] = []
