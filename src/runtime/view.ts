import type { LabelMatcher } from '../api/label-matcher.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Node } from '../api/objects/node.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { KnownResource, ObjectOf, ResourceName } from '../api/objects/resources.ts'

/** The shared read model: the state of the cluster for all controllers, with the indexes they need. */
export interface View {
  get<R extends KnownResource>(resource: R, key: string): ObjectOf<R> | undefined
  /** In an unspecified order that is the same on every run. */
  list<R extends KnownResource>(resource: R, namespace?: string): readonly ObjectOf<R>[]
  count(resource: ResourceName): number
  /** Pods whose spec.nodeName is this node, whether or not the node exists. */
  podsOn(node: string): readonly Pod[]
  /** Objects whose controlling owner reference has this uid. */
  controlledBy<R extends KnownResource>(resource: R, ownerUid: string): readonly ObjectOf<R>[]
  /** Objects with any owner reference to this uid. */
  ownedBy(ownerUid: string): readonly { readonly resource: string; readonly object: KubeObject }[]
  /** Objects of a namespace that the selector matches; uses the index of one of its labels if it requires any. */
  selectedBy<R extends KnownResource>(resource: R, namespace: string, selector: LabelMatcher): readonly ObjectOf<R>[]
  nodesInZone(zone: string): readonly Node[]
  /** The newest resourceVersion seen of a resource, or of everything in-process. */
  revisionOf(resource: ResourceName): number
}
