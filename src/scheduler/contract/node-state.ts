import type { Node } from '../../api/objects/node.ts'
import type { HostPort, ParsedPod, ResourceAmounts } from './parsed-pod.ts'

/**
 * A node with the pods placed on it, including assumed pods. Built-in plugins and user plugins read it. It is a view of
 * a row of the node table: do not keep it after the call that received it.
 */
export interface NodeState {
  readonly node: Node
  readonly name: string
  /** The row in the node table. */
  readonly row: number
  readonly pods: readonly ParsedPod[]
  /** Pods with inter-pod affinity or anti-affinity. */
  readonly podsWithAffinity: readonly ParsedPod[]
  readonly podsWithRequiredAntiAffinity: readonly ParsedPod[]
  readonly allocatable: ResourceAmounts & { readonly pods: number }
  readonly requested: ResourceAmounts
  readonly nonZeroRequested: { readonly cpuMilli: number; readonly memoryBytes: number }
  /** Reports whether none of the ports conflicts with a port in use. */
  portsFree(ports: readonly HostPort[]): boolean
  /** The number of pods on the node that use each claim (`namespace/name`). */
  readonly claimUses: ReadonlyMap<string, number>
  /** Copies the node for a trial: changes to the copy do not affect the node. */
  copy(): TrialNode
}

/** A copy of a node to which pods can be added and from which pods can be removed. */
export interface TrialNode extends NodeState {
  addPod(pod: ParsedPod): void
  /** Reports whether the pod was on the node. */
  removePod(pod: ParsedPod): boolean
}
