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
  /** Pods without a controller. */
  readonly unmanaged: number
  /** The controllers of the pods, by uid, with the names of their pods. */
  readonly owners: ReadonlyMap<string, { readonly reference: OwnerReference; readonly podNames: ReadonlySet<string> }>
}

interface Member {
  readonly healthy: boolean
  readonly leaving: boolean
  readonly owner: OwnerReference | undefined
}

interface Tally extends BudgetCounts {
  readonly key: string
  /** Budgets are named in the order in which they came. */
  readonly place: number
  readonly budget: PodDisruptionBudget
  readonly selector: LabelMatcher
  readonly members: Map<string, Member>
  readonly owners: Map<string, { readonly reference: OwnerReference; readonly podNames: Set<string> }>
  /** Not requested: the budget is queued already. */
  isNew: boolean
  pods: number
  healthy: number
  unmanaged: number
}

/** The budgets of a namespace by key, and by a label that a pod must have to be selected. */
interface Shelf {
  readonly tallies: Map<string, Tally>
  /** Made when it is first needed after a change of budgets. */
  signs: Signs | undefined
}

interface Signs {
  /** By the label's name, then by its value. */
  readonly labels: readonly { readonly name: string; readonly byValue: ReadonlyMap<string, readonly Tally[]> }[]
  /** Budgets that ask for no label of one value. */
  readonly others: readonly Tally[]
}

/**
 * What each budget counts of its pods, kept as they change: neither a budget over thousands of pods nor a namespace
 * full of pods without one is gone through again for each pod that becomes ready.
 */
export class BudgetTally {
  private readonly namespaces = new Map<string, Shelf>()
  private nextPlace = 0
  private hasBegun = false

  /**
   * Counts a new or changed budget; the same selector is not counted again. `pods`: at least those it selects. Until the
   * first pod is told of, all that exist are yet to be, and they need not be looked up.
   */
  track(budget: PodDisruptionBudget, pods: () => readonly Pod[]): void {
    const namespace = budget.metadata.namespace ?? ''
    const key = keyOf(budget)
    const present = this.namespaces.get(namespace)?.tallies.get(key)
    if (present !== undefined && deepEqual(present.budget.spec?.selector, budget.spec?.selector)) return
    const tally: Tally = {
      key,
      place: present?.place ?? this.nextPlace++,
      budget,
      selector: labelMatcher(budget.spec?.selector),
      members: new Map(),
      owners: new Map(),
      isNew: !this.hasBegun && present === undefined,
      pods: 0,
      healthy: 0,
      unmanaged: 0,
    }
    if (this.hasBegun) for (const pod of pods()) put(tally, keyOf(pod), pod)
    let shelf = this.namespaces.get(namespace)
    if (shelf === undefined) {
      shelf = { tallies: new Map(), signs: undefined }
      this.namespaces.set(namespace, shelf)
    }
    shelf.tallies.set(key, tally)
    shelf.signs = undefined
  }

  forget(namespace: string, key: string): void {
    const shelf = this.namespaces.get(namespace)
    if (shelf?.tallies.delete(key) !== true) return
    shelf.signs = undefined
    if (shelf.tallies.size === 0) this.namespaces.delete(namespace)
  }

  /** Takes note of a pod's change; gives the budgets for which it makes a difference. */
  note({
    key,
    before,
    after,
  }: {
    readonly key: string
    readonly before?: Pod
    readonly after?: Pod
  }): readonly string[] {
    this.hasBegun = true
    const shelf = this.namespaces.get((after ?? before)?.metadata.namespace ?? '')
    if (shelf === undefined) return NONE
    const candidates = candidatesIn(shelf, before?.metadata.labels, after?.metadata.labels)
    let concerned: string[] | undefined
    for (const tally of candidates) {
      if (!put(tally, key, after) || tally.isNew) continue
      if (concerned === undefined) concerned = [tally.key]
      else concerned.push(tally.key)
    }
    return concerned ?? NONE
  }

  /** The budgets that select a pod, in the order in which they came. */
  selecting(key: string, { metadata }: Pod): readonly string[] {
    const shelf = this.namespaces.get(metadata.namespace ?? '')
    if (shelf === undefined) return NONE
    const found: string[] = []
    for (const tally of candidatesIn(shelf, undefined, metadata.labels)) {
      if (tally.members.has(key)) found.push(tally.key)
    }
    return found
  }

  counts(budget: PodDisruptionBudget): BudgetCounts {
    const tally = this.namespaces.get(budget.metadata.namespace ?? '')?.tallies.get(keyOf(budget))
    if (tally === undefined) return NOTHING
    tally.isNew = false
    return tally
  }
}

const NONE: readonly never[] = []
const NOTHING: BudgetCounts = { pods: 0, healthy: 0, unmanaged: 0, owners: new Map() }

/** All budgets that may select a pod with either labels, in the order in which they came. */
function candidatesIn(shelf: Shelf, before: Labels, after: Labels): readonly Tally[] {
  shelf.signs ??= signsOf(shelf.tallies.values())
  const { labels, others } = shelf.signs
  let found: readonly Tally[] = others
  for (const { name, byValue } of labels) {
    const value = after?.[name]
    found = joined(found, value === undefined ? undefined : byValue.get(value))
    const old = before?.[name]
    if (old !== value && old !== undefined) found = joined(found, byValue.get(old))
  }
  return found
}

type Labels = Pod['metadata']['labels']

function joined(some: readonly Tally[], more: readonly Tally[] | undefined): readonly Tally[] {
  if (more === undefined) return some
  return some.length === 0 ? more : [...some, ...more].sort((a, b) => a.place - b.place)
}

function signsOf(tallies: Iterable<Tally>): Signs {
  const labels = new Map<string, Map<string, Tally[]>>()
  const others: Tally[] = []
  for (const tally of tallies) {
    const sign = tally.selector.requirements.find(
      ({ operator, values }) => values.length === 1 && (operator === '=' || operator === '==' || operator === 'in'),
    )
    if (sign === undefined) {
      others.push(tally)
      continue
    }
    const byValue = labels.get(sign.key) ?? new Map<string, Tally[]>()
    labels.set(sign.key, byValue)
    const value = sign.values[0] as string
    byValue.set(value, [...(byValue.get(value) ?? []), tally])
  }
  return { labels: [...labels].map(([name, byValue]) => ({ name, byValue })), others }
}

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
  tally.pods++
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
  tally.pods--
  if (member.healthy) tally.healthy--
  if (member.owner === undefined) {
    tally.unmanaged--
    return
  }
  const known = tally.owners.get(member.owner.uid)
  known?.podNames.delete(name)
  if (known?.podNames.size === 0) tally.owners.delete(member.owner.uid)
}
