import type { Transition } from '../../src/wire/console-wire.ts'
import type { ClusterModel } from './cluster.ts'

/** A cluster that can be set to any instant of a period. */
export class ReplayedCluster {
  readonly cluster: ClusterModel
  readonly transitions: readonly Transition[]
  /** The number of applied transitions. */
  private position: number

  /**
   * @param standing The state of the cluster: before the first transition, after the last one, or after a number of them. The
   * replay takes ownership of the cluster.
   */
  constructor(cluster: ClusterModel, transitions: readonly Transition[], standing: 'before' | 'after' | number) {
    this.cluster = cluster
    this.transitions = transitions
    this.position = standing === 'before' ? 0 : standing === 'after' ? transitions.length : standing
  }

  /** The state at the end of this instant. */
  seek(atMs: number): void {
    while (this.position > 0) {
      const last = this.transitions[this.position - 1] as Transition
      if (last[1] <= atMs) break
      this.cluster.move(last, 'back')
      this.position--
    }
    while (this.position < this.transitions.length) {
      const next = this.transitions[this.position] as Transition
      if (next[1] > atMs) break
      this.cluster.move(next, 'forward')
      this.position++
    }
  }
}
