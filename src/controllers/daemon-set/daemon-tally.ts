import { isPodTerminal } from '../../api/conditions.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { TolerationOptions } from '../../api/tolerations.ts'
import { eligibilityOf, isUpdated, targetNode } from './daemon-pod.ts'
import { allowsSurge, type DaemonInput, isStaying } from './decide-daemons.ts'
import { addCounts, countOn, type DaemonCounts, noCounts } from './decide-status.ts'

/** The revision that the daemon pods of a set should have. */
export interface DaemonTarget {
  readonly daemonSet: DaemonSet
  readonly hash: string
  readonly tolerations: TolerationOptions
}

/** The contribution of one node to the state of a set. */
interface NodeShare {
  readonly counts: DaemonCounts
  /** The controller may have to start or stop a daemon pod here. */
  readonly isMisfit: boolean
  /** Daemon pods with another template. */
  readonly outdated: number
  /** Daemon pods that the selector does not match. */
  readonly strays: number
}

/**
 * The nodes and the daemon pods of all sets, updated with every change, so that the change of one pod in a cluster of thousands of
 * nodes does not need a pass over all of them.
 */
export class DaemonTally {
  /** With the order of arrival, in which daemon pods are started. */
  private readonly nodes = new Map<string, { readonly node: Node; readonly place: number }>()
  private readonly sets = new Map<string, SetTally>()
  private arrived = 0

  noteNode({ key, after }: { readonly key: string; readonly after?: Node }): void {
    if (after === undefined) this.nodes.delete(key)
    else this.nodes.set(key, { node: after, place: this.nodes.get(key)?.place ?? this.arrived++ })
    for (const set of this.sets.values()) set.dirty.add(key)
  }

  notePod({ before, after }: { readonly before?: Pod; readonly after?: Pod }): void {
    const [former, present] = [ownerOf(before), ownerOf(after)]
    if (former === undefined && present === undefined) return
    if (former !== undefined && former === present) this.of(former).replace(before, after)
    else {
      if (former !== undefined) this.of(former).replace(before, undefined)
      if (present !== undefined) this.of(present).replace(undefined, after)
    }
  }

  forget(uid: string): void {
    this.sets.delete(uid)
  }

  /** The nodes that matter for the next decision; undefined if all daemon pods must be examined. */
  focus(
    target: DaemonTarget,
  ): (Pick<DaemonInput, 'nodes' | 'podsByNode'> & { readonly counts: DaemonCounts }) | undefined {
    const set = this.of(target.daemonSet.metadata.uid ?? '')
    const { counts, misfits, isPlain } = set.update(target, this.nodes)
    if (!isPlain) return undefined
    const places = [...misfits].map((name) => ({ name, found: this.nodes.get(name) }))
    places.sort((a, b) => (a.found?.place ?? 0) - (b.found?.place ?? 0))
    const podsByNode = new Map<string, readonly Pod[]>()
    for (const { name } of places) {
      const pods = set.podsOn(name)
      if (pods !== undefined) podsByNode.set(name, pods)
    }
    return { nodes: places.flatMap(({ found }) => (found === undefined ? [] : [found.node])), podsByNode, counts }
  }

  private of(uid: string): SetTally {
    let set = this.sets.get(uid)
    if (set === undefined) {
      set = new SetTally(this.nodes.keys())
      this.sets.set(uid, set)
    }
    return set
  }
}

class SetTally {
  /** Nodes whose share is not up to date. */
  readonly dirty: Set<string>
  private readonly pods = new Map<string, Pod[]>()
  private readonly shares = new Map<string, NodeShare>()
  private readonly misfits = new Set<string>()
  private counts: DaemonCounts = noCounts
  private outdated = 0
  private strays = 0
  private target: DaemonTarget | undefined

  constructor(nodes: Iterable<string>) {
    this.dirty = new Set(nodes)
  }

  podsOn(node: string): readonly Pod[] | undefined {
    return this.pods.get(node)
  }

  replace(before: Pod | undefined, after: Pod | undefined): void {
    const from = before === undefined ? undefined : placeOf(before)
    const to = after === undefined ? undefined : placeOf(after)
    const group = from === undefined ? undefined : this.pods.get(from)
    const at = group?.findIndex(({ metadata }) => metadata.uid === before?.metadata.uid) ?? -1
    if (from !== undefined && from === to && group !== undefined && at >= 0) group[at] = after as Pod
    else {
      if (group !== undefined && at >= 0) group.splice(at, 1)
      if (group?.length === 0) this.pods.delete(from as string)
      if (to !== undefined) {
        const joined = this.pods.get(to)
        if (joined === undefined) this.pods.set(to, [after as Pod])
        else joined.push(after as Pod)
      }
    }
    if (from !== undefined) this.dirty.add(from)
    if (to !== undefined) this.dirty.add(to)
  }

  update(target: DaemonTarget, nodes: ReadonlyMap<string, { readonly node: Node }>) {
    const { daemonSet, hash } = target
    const isSame =
      this.target?.hash === hash &&
      this.target.daemonSet.spec === daemonSet.spec &&
      this.target.daemonSet.metadata.annotations === daemonSet.metadata.annotations
    if (!isSame) for (const name of [...nodes.keys(), ...this.pods.keys()]) this.dirty.add(name)
    this.target = target
    for (const name of this.dirty) {
      this.take(this.shares.get(name), -1)
      const share = shareOf(target, nodes.get(name)?.node, this.pods.get(name))
      if (share === undefined) this.shares.delete(name)
      else this.shares.set(name, share)
      this.take(share, 1)
      if (share?.isMisfit === true) this.misfits.add(name)
      else this.misfits.delete(name)
    }
    this.dirty.clear()
    return { counts: this.counts, misfits: this.misfits, isPlain: this.outdated === 0 && this.strays === 0 }
  }

  private take(share: NodeShare | undefined, sign: 1 | -1): void {
    if (share === undefined) return
    this.counts = addCounts(this.counts, share.counts, sign)
    this.outdated += sign * share.outdated
    this.strays += sign * share.strays
  }
}

function ownerOf(pod: Pod | undefined): string | undefined {
  const owner = pod === undefined ? undefined : controllerOf(pod)
  return owner?.kind === 'DaemonSet' ? owner.uid : undefined
}

/** As `groupByNode`. */
function placeOf(pod: Pod): string | undefined {
  return isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined ? undefined : targetNode(pod)
}

function shareOf(
  target: DaemonTarget,
  node: Node | undefined,
  pods: readonly Pod[] | undefined,
): NodeShare | undefined {
  if (node === undefined && pods === undefined) return undefined
  const { daemonSet, hash } = target
  const selector = labelMatcher(daemonSet.spec?.selector)
  return {
    counts: node === undefined ? noCounts : countOn({ ...target, now: 0 }, node, pods ?? none),
    isMisfit: isMisfit(target, node, pods),
    outdated: pods?.filter((pod) => isStaying(pod) && !isUpdated(daemonSet, pod, hash)).length ?? 0,
    strays: pods?.filter(({ metadata }) => !selector.matches(metadata.labels)).length ?? 0,
  }
}

const none: readonly never[] = []

function isMisfit(target: DaemonTarget, node: Node | undefined, pods: readonly Pod[] | undefined): boolean {
  const { daemonSet, tolerations } = target
  if (node === undefined) return pods?.some(({ spec }) => (spec.nodeName ?? '') === '') === true
  const { starts, stays } = eligibilityOf(daemonSet, node, tolerations)
  if (pods === undefined) return starts
  if (!stays) return pods.some(isStaying)
  const [pod] = pods
  if (pods.length !== 1 || pod === undefined) return true
  return isPodTerminal(pod) || (starts && !isStaying(pod) && allowsSurge(daemonSet))
}
