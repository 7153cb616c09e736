import type { Transition } from '../../src/wire/console-wire.ts'
import type { ClusterModel } from './cluster.ts'

/** A cluster that can be moved to any instant of a stretch of time. */
export class Replay {
  readonly cluster: ClusterModel
  readonly transitions: readonly Transition[]
  /** How many transitions the cluster has behind it. */
  private position: number

  /** `standing`: whether the cluster is as before the first transition or as after the last. It becomes the replay's own. */
  constructor(cluster: ClusterModel, transitions: readonly Transition[], standing: 'before' | 'after') {
    this.cluster = cluster
    this.transitions = transitions
    this.position = standing === 'before' ? 0 : transitions.length
  }

  /** As it was, or will be, at the end of this instant. */
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
