import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'

/** What a budget counts of the pods it selects. */
export interface BudgetCounts {
  readonly pods: number
  /** Ready and not on their way out. */
  readonly healthy: number
  /** Pods that nobody controls. */
  readonly unmanaged: number
  /** Whoever controls at least one of the pods, with the name of one. */
  readonly owners: readonly { readonly reference: OwnerReference; readonly podName: string }[]
}

interface Member {
  readonly healthy: boolean
  readonly leaving: boolean
  readonly owner: OwnerReference | undefined
}

interface Tally {
  readonly budget: PodDisruptionBudget
  readonly selector: LabelMatcher
  readonly members: Map<string, Member>
  readonly owners: Map<string, { readonly reference: OwnerReference; readonly podNames: Set<string> }>
  healthy: number
  unmanaged: number
}

/**
 * What each budget counts of its pods, kept as they change: neither a budget over thousands of pods nor a namespace
 * full of pods without one is gone through again for each pod that becomes ready.
 */
export class BudgetTally {
  /** By namespace, then by the budget's key. */
  private readonly namespaces = new Map<string, Map<string, Tally>>()

  /** Counts a new or changed budget; the same selector is not counted again. */
  track(budget: PodDisruptionBudget, pods: () => readonly Pod[]): void {
    const namespace = budget.metadata.namespace ?? ''
    const key = keyOf(budget)
    const present = this.namespaces.get(namespace)?.get(key)
    if (present !== undefined && deepEqual(present.budget.spec?.selector, budget.spec?.selector)) return
    const tally: Tally = {
      budget,
      selector: labelMatcher(budget.spec?.selector),
      members: new Map(),
      owners: new Map(),
      healthy: 0,
      unmanaged: 0,
    }
    for (const pod of pods()) put(tally, keyOf(pod), pod)
    let tallies = this.namespaces.get(namespace)
    if (tallies === undefined) {
      tallies = new Map()
      this.namespaces.set(namespace, tallies)
    }
    tallies.set(key, tally)
  }

  forget(namespace: string, key: string): void {
    const tallies = this.namespaces.get(namespace)
    if (tallies?.delete(key) === true && tallies.size === 0) this.namespaces.delete(namespace)
  }

  /** Takes note of a pod's change; gives the budgets that select it, and those for which it makes a difference. */
  note({ key, before, after }: { readonly key: string; readonly before?: Pod; readonly after?: Pod }): {
    readonly selecting: readonly string[]
    readonly concerned: readonly string[]
  } {
    const tallies = this.namespaces.get((after ?? before)?.metadata.namespace ?? '')
    if (tallies === undefined) return NOBODY
    const selecting: string[] = []
    const concerned: string[] = []
    for (const [budgetKey, tally] of tallies) {
      if (put(tally, key, after)) concerned.push(budgetKey)
      if (tally.members.has(key)) selecting.push(budgetKey)
    }
    return { selecting, concerned }
  }

  counts(budget: PodDisruptionBudget): BudgetCounts {
    const tally = this.namespaces.get(budget.metadata.namespace ?? '')?.get(keyOf(budget))
    if (tally === undefined) return { pods: 0, healthy: 0, unmanaged: 0, owners: [] }
    const owners = [...tally.owners.values()].map(({ reference, podNames }) => {
      const [podName = ''] = podNames
      return { reference, podName }
    })
    return { pods: tally.members.size, healthy: tally.healthy, unmanaged: tally.unmanaged, owners }
  }
}

const NOBODY = { selecting: [], concerned: [] } as const

/** Whether the tally's numbers, or what it must look at again, are different now. */
function put(tally: Tally, key: string, pod: Pod | undefined): boolean {
  const old = tally.members.get(key)
  const member = pod !== undefined && tally.selector.matches(pod.metadata.labels) ? memberOf(pod) : undefined
  if (old === undefined && member === undefined) return false
  if (old !== undefined && member !== undefined && isSame(old, member)) return false
  const name = key.slice(key.indexOf('/') + 1)
  if (old !== undefined) remove(tally, key, name, old)
  if (member !== undefined) add(tally, key, name, member)
  return true
}

function memberOf(pod: Pod): Member {
  const leaving = pod.metadata.deletionTimestamp !== undefined
  return { healthy: !leaving && isPodReady(pod), leaving, owner: controllerOf(pod) }
}

function isSame(a: Member, b: Member): boolean {
  return a.healthy === b.healthy && a.leaving === b.leaving && a.owner?.uid === b.owner?.uid
}

function add(tally: Tally, key: string, name: string, member: Member): void {
  tally.members.set(key, member)
  if (member.healthy) tally.healthy++
  if (member.owner === undefined) {
    tally.unmanaged++
    return
  }
  const known = tally.owners.get(member.owner.uid)
  if (known === undefined) tally.owners.set(member.owner.uid, { reference: member.owner, podNames: new Set([name]) })
  else known.podNames.add(name)
}

function remove(tally: Tally, key: string, name: string, member: Member): void {
  tally.members.delete(key)
  if (member.healthy) tally.healthy--
  if (member.owner === undefined) {
    tally.unmanaged--
    return
  }
  const known = tally.owners.get(member.owner.uid)
  known?.podNames.delete(name)
  if (known?.podNames.size === 0) tally.owners.delete(member.owner.uid)
}
