import type { KnownResource, ObjectOf } from '../../api/objects/resources.ts'
import type { DeviceInventory } from '../devices/device-inventory.ts'
import type { NodeState } from './node-state.ts'
import type { ParsedPod } from './parsed-pod.ts'

/** Reads objects other than nodes and pods by key. The runtime's View implements it. */
export interface ObjectReader {
  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined
  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[]
}

/** The cluster as one scheduling cycle sees it. It does not change during the cycle. */
export interface ClusterState {
  /** In upstream's order: round-robin over zones, and within a zone in the order of addition. */
  readonly nodes: readonly NodeState[]
  node(name: string): NodeState | undefined
  readonly objects: ObjectReader
  /** The nodes that have an image, with its size in bytes. */
  image(name: string): ReadonlyMap<string, number> | undefined
  /** Reports whether a pod on any node uses the claim (`namespace/name`). */
  claimInUse(claim: string): boolean
  /** Resource slices, device classes and resource claims. */
  readonly devices: DeviceInventory
}

/** The pods that are nominated to nodes. The queue maintains it and the cycle reads it. */
export interface Nominator {
  /** In the order of nomination. */
  nominatedPodsFor(node: string): readonly ParsedPod[]
  /** Names of nodes with nominated pods. The order is unspecified but deterministic. */
  nominatedNodes(): Iterable<string>
  /** The number of nominated pods. */
  readonly size: number
  /** The node that a pod is nominated to. */
  nodeOf(uid: string): string | undefined
  /** Increases with every change. */
  readonly version: number
  /** Nodes whose nominations changed after that version; undefined when the log no longer reaches back that far. */
  changedSince?(version: number): readonly string[] | undefined
}
