import type { Node } from '../../api/objects/node.ts'
import type { HostPort, ParsedPod, ResourceAmounts } from './parsed-pod.ts'

/**
 * One node with what is placed on it, assumed pods included. Built-in plugins and users' plugins read this; it is a
 * view of a row of the node table and must not be kept beyond the call it was handed to.
 */
export interface NodeState {
  readonly node: Node
  readonly name: string
  /** Row in the node table. */
  readonly row: number
  readonly pods: readonly ParsedPod[]
  /** Pods with any inter-pod affinity or anti-affinity. */
  readonly podsWithAffinity: readonly ParsedPod[]
  readonly podsWithRequiredAntiAffinity: readonly ParsedPod[]
  readonly allocatable: ResourceAmounts & { readonly pods: number }
  readonly requested: ResourceAmounts
  readonly nonZeroRequested: { readonly cpuMilli: number; readonly memoryBytes: number }
  /** Whether none of the ports collides with one in use. */
  portsFree(ports: readonly HostPort[]): boolean
  /** How many pods of the node use each claim (`namespace/name`). */
  readonly claimUses: ReadonlyMap<string, number>
}
