import { keyOf, objectKey } from '../../api/object-key.ts'
import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { ResourceName } from '../../api/objects/resources.ts'
import { type GroupHierarchies, type GroupNode, groupId } from '../contract/groups.ts'
import { groupKeyOf } from './group-states.ts'

/** The pod groups and composite pod groups of the cluster, by their parents (v1.37, backend/queue workloadForest). */
export class GroupForest implements GroupHierarchies {
  private readonly groups = new Map<string, GroupNode>()
  /** By the id of the parent, which may not exist. */
  private readonly children = new Map<string, Set<string>>()
  private readonly composes: boolean

  /** @param composes Whether groups have parents (gate CompositePodGroup). */
  constructor(composes: boolean) {
    this.composes = composes
  }

  /** Takes a change of an object. Returns a group that was added or removed. */
  note(resource: ResourceName, before: KubeObject | undefined, after: KubeObject | undefined): GroupNode | undefined {
    const object = after ?? before
    const node = object && nodeOf(resource, object)
    if (node === undefined) return undefined
    const known = this.groups.get(node.id)
    if (known !== undefined) this.unlink(known)
    if (after === undefined) {
      this.groups.delete(node.id)
      return node
    }
    this.groups.set(node.id, node)
    this.link(node)
    return known?.object.metadata.uid === node.object.metadata.uid ? undefined : node
  }

  get(id: string): GroupNode | undefined {
    return this.groups.get(id)
  }

  rootOfPod(pod: Pod): GroupNode | undefined {
    const key = groupKeyOf(pod)
    return key === undefined ? undefined : this.rootOf(groupId('podgroup', key))
  }

  rootOf(id: string): GroupNode | undefined {
    const group = this.groups.get(id)
    if (group === undefined || this.parentOf(group) === undefined) return group
    const highest = this.lineageOf(id).at(-1)
    // A group can name a descendant as its parent. Such groups have no root.
    return highest === undefined || this.parentOf(highest) !== undefined ? undefined : highest
  }

  lineageOf(id: string): readonly GroupNode[] {
    const lineage = new Set<GroupNode>()
    let group = this.groups.get(id)
    while (group !== undefined && !lineage.has(group)) {
      lineage.add(group)
      const parent = this.parentOf(group)
      group = parent === undefined ? undefined : this.groups.get(parent)
    }
    return [...lineage]
  }

  childrenOf(group: GroupNode): readonly GroupNode[] {
    if (group.kind === 'podgroup') return []
    const children = [...(this.children.get(group.id) ?? [])].flatMap((id) => this.groups.get(id) ?? [])
    return children.sort(byCreation)
  }

  private link(group: GroupNode): void {
    const parent = this.parentOf(group)
    if (parent === undefined) return
    const siblings = this.children.get(parent)
    if (siblings === undefined) this.children.set(parent, new Set([group.id]))
    else siblings.add(group.id)
  }

  private unlink(group: GroupNode): void {
    const parent = this.parentOf(group)
    const siblings = parent === undefined ? undefined : this.children.get(parent)
    if (parent === undefined || siblings === undefined) return
    siblings.delete(group.id)
    if (siblings.size === 0) this.children.delete(parent)
  }

  private parentOf({ object }: GroupNode): string | undefined {
    const { parentCompositePodGroupName: name } = object.spec
    if (!this.composes || name === undefined) return undefined
    return groupId('compositepodgroup', objectKey(object.metadata.namespace, name))
  }
}

function nodeOf(resource: ResourceName, object: KubeObject): GroupNode | undefined {
  const key = keyOf(object)
  if (resource === 'podgroups.scheduling.k8s.io')
    return { kind: 'podgroup', id: groupId('podgroup', key), key, object: object as PodGroup }
  if (resource === 'compositepodgroups.scheduling.k8s.io') {
    const id = groupId('compositepodgroup', key)
    return { kind: 'compositepodgroup', id, key, object: object as CompositePodGroup }
  }
  return undefined
}

/** v1.37, PodGroupInfo.GetChildGroups. */
function byCreation({ object: a }: GroupNode, { object: b }: GroupNode): number {
  const [earlier, later] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  if (earlier !== later) return earlier < later ? -1 : 1
  return a.metadata.name < b.metadata.name ? -1 : a.metadata.name > b.metadata.name ? 1 : 0
}
