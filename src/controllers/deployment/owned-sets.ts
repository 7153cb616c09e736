import { objectKey } from '../../api/object-key.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { keepsAllButStatus } from './count-only.ts'

/** The ReplicaSets of one owner. */
export interface OwnedGroup {
  /** In the order of arrival. */
  readonly sets: readonly ReplicaSet[]
  /** Reports whether anything but a status has changed since this was last set to false. */
  hasChanged: boolean
}

interface OwnedSetGroup extends OwnedGroup {
  readonly sets: ReplicaSet[]
  /** The owner's key, from the first reference. */
  readonly key: string
  readonly name: string
  readonly namespace: string | undefined
}

/**
 * The ReplicaSets of each owner, updated with every change. Most changes are status changes, for which the indexes of
 * the shared view are not necessary.
 */
export class OwnedSets {
  private readonly groups = new Map<string, OwnedSetGroup>()

  of(ownerUid: string | undefined): OwnedGroup | undefined {
    return this.groups.get(ownerUid ?? '')
  }

  /**
   * Applies a change and returns the keys of the Deployments that it concerns: the owner before and the owner after the
   * change.
   */
  note(change: { readonly before?: ReplicaSet; readonly after?: ReplicaSet }): string | readonly string[] | undefined {
    const { before, after } = change
    const former = before === undefined ? undefined : controllerOf(before)
    if (
      before !== undefined &&
      after !== undefined &&
      before.metadata.ownerReferences === after.metadata.ownerReferences
    ) {
      return former === undefined ? undefined : this.replace(former, before, after)
    }
    const present = after === undefined ? undefined : controllerOf(after)
    // A set whose owner stays the same keeps its position.
    const stays = former !== undefined && former.uid === present?.uid
    const left = before === undefined || former === undefined ? undefined : this.keyOf(former, before)
    if (before !== undefined && former !== undefined && !stays) this.leave(former, before)
    const joined = after === undefined || present === undefined ? undefined : this.join(present, after)
    if (left === undefined || left === joined) return joined
    return joined === undefined ? left : [left, joined]
  }

  private replace(owner: OwnerReference, before: ReplicaSet, after: ReplicaSet): string | undefined {
    const group = this.groups.get(owner.uid)
    if (group === undefined) return this.join(owner, after)
    group.sets[placeOf(group, before)] = after
    if (!keepsAllButStatus(before, after)) group.hasChanged = true
    return keyFor(group, owner, after)
  }

  private join(owner: OwnerReference, replicaSet: ReplicaSet): string | undefined {
    let group = this.groups.get(owner.uid)
    if (group === undefined) {
      const { namespace } = replicaSet.metadata
      group = { sets: [], hasChanged: true, key: objectKey(namespace, owner.name), name: owner.name, namespace }
      this.groups.set(owner.uid, group)
    }
    group.sets[placeOf(group, replicaSet)] = replicaSet
    group.hasChanged = true
    return keyFor(group, owner, replicaSet)
  }

  private leave(owner: OwnerReference, replicaSet: ReplicaSet): void {
    const group = this.groups.get(owner.uid)
    if (group === undefined) return
    group.sets.splice(placeOf(group, replicaSet), 1)
    group.hasChanged = true
    if (group.sets.length === 0) this.groups.delete(owner.uid)
  }

  private keyOf(owner: OwnerReference, replicaSet: ReplicaSet): string | undefined {
    const group = this.groups.get(owner.uid)
    return group === undefined ? undefined : keyFor(group, owner, replicaSet)
  }
}

/** The position of the set with this name, or its insertion point. */
function placeOf({ sets }: OwnedSetGroup, replicaSet: ReplicaSet): number {
  const known = sets.indexOf(replicaSet)
  if (known >= 0) return known
  const { metadata } = replicaSet
  const place = sets.findIndex(
    (other) => other.metadata.name === metadata.name && other.metadata.namespace === metadata.namespace,
  )
  return place < 0 ? sets.length : place
}

/** The owner with this uid has one name, but references are not validated. */
function keyFor(
  { key, name, namespace }: OwnedSetGroup,
  owner: OwnerReference,
  { metadata }: ReplicaSet,
): string | undefined {
  if (owner.kind !== 'Deployment') return undefined
  return owner.name === name && metadata.namespace === namespace ? key : objectKey(metadata.namespace, owner.name)
}
