import type { Call, Outcome } from '../../api/call.ts'
import type { ObjectReference } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** What the parts of this controller see and can do during one step. */
export interface Moment {
  readonly now: number
  /** What the clock on the wall shows: for timestamps in objects. */
  readonly wall: number
  node(name: string): Node | undefined
  nodes(): readonly Node[]
  pod(key: string): Pod | undefined
  podsOn(node: string): readonly Pod[]
  /** Uniform in [0, 1). */
  jitter(): number
  /** Continues when the node has been read, where upstream sends a get although the view has the node. */
  read(node: string, then: (moment: Moment) => void): void
  /** The outcome arrives in a later step, hence with a moment of its own. */
  call(call: Call, answered: (outcome: Outcome, moment: Moment) => void): void
  notify(notice: Notice): void
}

export interface Notice {
  readonly regarding: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
