import type { Call, Outcome } from '../../api/call.ts'
import type { ObjectReference } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** The inputs and outputs of the parts of this controller during one step. */
export interface StepContext {
  readonly now: number
  /** Wall time: for timestamps in objects. */
  readonly wall: number
  node(name: string): Node | undefined
  nodes(): readonly Node[]
  pod(key: string): Pod | undefined
  podsOn(node: string): readonly Pod[]
  /** Uniform in [0, 1). */
  jitter(): number
  /** Continues after the node has been read, where upstream sends a GET although the view has the node. */
  read(node: string, then: (context: StepContext) => void): void
  /** The outcome arrives in a later step, with the context of that step. */
  call(call: Call, answered: (outcome: Outcome, context: StepContext) => void): void
  notify(notice: NodeEvent): void
}

export interface NodeEvent {
  readonly regarding: ObjectReference
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}
