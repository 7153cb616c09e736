import { isPodTerminal } from '../../src/api/conditions.ts'
import type { PodGroup } from '../../src/api/objects/groups.ts'
import type { Node } from '../../src/api/objects/node.ts'
import type { Pod } from '../../src/api/objects/pod.ts'
import type { Store } from '../../src/store/contract.ts'
import { hold } from './broken-invariant.ts'

interface GroupHistory {
  firstBoundAt?: number
  /** The time at which the group was first reported as scheduled. */
  scheduledAt?: number
  readonly bound: Set<string>
  /** Pods that were deleted before they were bound: their group may have fewer pods than it asked for. */
  readonly leftOut: Set<string>
}

const groups = 'podgroups.scheduling.k8s.io'

/** The pods of a gang start together: `minCount` of them, or none. */
export class GangInvariants {
  /** Gangs with enough bound pods. */
  started = 0
  private readonly histories = new Map<string, GroupHistory>()
  private readonly store: Store
  private readonly reactionMs: number

  constructor(store: Store, reactionMs: number) {
    this.store = store
    this.reactionMs = reactionMs
  }

  take(before: Pod | undefined, after: Pod | undefined, now: number): void {
    const pod = after ?? before
    const group = groupOf(pod)
    if (pod === undefined || group === undefined) return
    const history = this.historyOf(group)
    const uid = pod.metadata.uid ?? ''
    if ((after?.spec.nodeName ?? '') !== '') {
      history.firstBoundAt ??= now
      history.bound.add(uid)
    } else if (after === undefined && !history.bound.has(uid)) history.leftOut.add(uid)
  }

  private historyOf(group: string): GroupHistory {
    let history = this.histories.get(group)
    if (history === undefined) {
      history = { bound: new Set(), leftOut: new Set() }
      this.histories.set(group, history)
    }
    return history
  }

  check(now: number): void {
    this.started = 0
    for (const group of this.store.list(groups) as readonly PodGroup[]) {
      if (group.status?.conditions?.some(({ status }) => status === 'True'))
        this.historyOf(group.metadata.name).scheduledAt ??= now
    }
    for (const [name, { firstBoundAt, scheduledAt, bound, leftOut }] of this.histories) {
      const minCount = minCountOf(this.store.get(groups, `default/${name}`) as PodGroup | undefined)
      const since = Math.min(firstBoundAt ?? Number.POSITIVE_INFINITY, scheduledAt ?? Number.POSITIVE_INFINITY)
      if (minCount === undefined || since === Number.POSITIVE_INFINITY) continue
      const isWhole = bound.size + leftOut.size >= minCount
      if (isWhole) this.started++
      hold(
        'gangs',
        isWhole || now - since < this.reactionMs,
        () => `${bound.size} pods of ${name} are bound, ${minCount} start together`,
      )
    }
  }
}

/**
 * A gang whose pods are all pending does not fit: its pods are equal, so filling one node after the other shows it. Gangs with
 * affinities are left out.
 */
export function checkGangsAtRest(store: Store, hasRoom: (node: Node, pods: readonly Pod[]) => boolean): void {
  const pods = (store.list('pods') as readonly Pod[]).filter((pod) => !isPodTerminal(pod))
  for (const group of store.list(groups) as readonly PodGroup[]) {
    const { name } = group.metadata
    const own = pods.filter((pod) => groupOf(pod) === name)
    const minCount = minCountOf(group) ?? 0
    const isWaiting =
      own.length >= minCount && own.every(({ spec }) => (spec.nodeName ?? '') === '' && spec.affinity === undefined)
    if (!isWaiting || own.length === 0) continue
    let placed = 0
    for (const node of store.list('nodes') as readonly Node[]) {
      let here = 0
      while (placed < minCount && hasRoom(node, own.slice(0, here + 1)) && here < own.length) {
        here++
        placed++
      }
    }
    hold('pending gangs', placed < minCount, () => `${name} is pending, and ${minCount} of its pods fit`)
  }
}

function groupOf(pod: Pod | undefined): string | undefined {
  const spec = pod?.spec as { readonly schedulingGroup?: { readonly podGroupName?: string } } | undefined
  return spec?.schedulingGroup?.podGroupName
}

function minCountOf(group: PodGroup | undefined): number | undefined {
  const spec = group?.spec as { readonly schedulingPolicy?: { readonly gang?: { readonly minCount?: number } } }
  return spec?.schedulingPolicy?.gang?.minCount
}
