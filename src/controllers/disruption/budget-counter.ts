import { isPodReady } from '../../api/conditions.ts'
import { deepEqual } from '../../api/equality.ts'
import type { LabelMatcher } from '../../api/label-matcher.ts'
import { labelMatcher } from '../../api/label-selector.ts'
import { keyOf } from '../../api/object-key.ts'
import type { OwnerReference } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { ChangeOf } from '../../runtime/controller.ts'

/** The counts of a budget's pods. */
export interface BudgetCounts {
  readonly pods: number
  /** Ready and not terminating. */
  readonly healthy: number
  /** Pods without a controller. */
  readonly unmanaged: number
  /** The controllers of the pods, by uid, with the names of their pods. */
  readonly owners: ReadonlyMap<string, { readonly reference: OwnerReference; readonly podNames: ReadonlySet<string> }>
}

interface BudgetMember {
  readonly healthy: boolean
  readonly leaving: boolean
  readonly owner: OwnerReference | undefined
}

interface CountedBudget extends BudgetCounts {
  readonly key: string
  /** Budgets are returned in the order of arrival. */
  readonly place: number
  readonly budget: PodDisruptionBudget
  readonly selector: LabelMatcher
  readonly members: Map<string, BudgetMember>
  readonly owners: Map<string, { readonly reference: OwnerReference; readonly podNames: Set<string> }>
  /** The budget is not reported, because it is already queued. */
  isNew: boolean
  pods: number
  healthy: number
  unmanaged: number
}

/** The budgets of a namespace by key, and by a label that a selected pod must have. */
interface NamespaceBudgets {
  readonly budgets: Map<string, CountedBudget>
  /** Built on first use after a change of budgets. */
  labelIndex: LabelIndex | undefined
}

interface LabelIndex {
  /** By the label's name, then by its value. */
  readonly labels: readonly { readonly name: string; readonly byValue: ReadonlyMap<string, readonly CountedBudget[]> }[]
  /** Budgets that do not require a label with one value. */
  readonly others: readonly CountedBudget[]
}

/**
 * The counts of each budget, updated with every pod change. Neither a budget with thousands of pods nor a namespace
 * full of pods without a budget is scanned again for each pod that becomes ready.
 */
export class BudgetCounter {
  private readonly namespaces = new Map<string, NamespaceBudgets>()
  private nextPlace = 0
  private hasBegun = false

  /**
   * Counts a new or changed budget; an unchanged selector is not counted again. `pods` returns at least the selected
   * pods. It is not called before the first change of a pod, because all existing pods then arrive as changes.
   */
  track(budget: PodDisruptionBudget, pods: () => readonly Pod[]): void {
    const namespace = budget.metadata.namespace ?? ''
    const key = keyOf(budget)
    const present = this.namespaces.get(namespace)?.budgets.get(key)
    if (present !== undefined && deepEqual(present.budget.spec?.selector, budget.spec?.selector)) return
    const counted: CountedBudget = {
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
    if (this.hasBegun) for (const pod of pods()) put(counted, keyOf(pod), pod)
    let inNamespace = this.namespaces.get(namespace)
    if (inNamespace === undefined) {
      inNamespace = { budgets: new Map(), labelIndex: undefined }
      this.namespaces.set(namespace, inNamespace)
    }
    inNamespace.budgets.set(key, counted)
    inNamespace.labelIndex = undefined
  }

  forget(namespace: string, key: string): void {
    const inNamespace = this.namespaces.get(namespace)
    if (inNamespace?.budgets.delete(key) !== true) return
    inNamespace.labelIndex = undefined
    if (inNamespace.budgets.size === 0) this.namespaces.delete(namespace)
  }

  /** Applies a change of a pod; returns the budgets whose counts change. */
  note({ key, before, after }: Omit<ChangeOf<'pods'>, 'resource'>): readonly string[] {
    this.hasBegun = true
    const inNamespace = this.namespaces.get((after ?? before)?.metadata.namespace ?? '')
    if (inNamespace === undefined) return none
    const candidates = candidatesIn(inNamespace, before?.metadata.labels, after?.metadata.labels)
    let concerned: string[] | undefined
    for (const counted of candidates) {
      if (!put(counted, key, after) || counted.isNew) continue
      if (concerned === undefined) concerned = [counted.key]
      else concerned.push(counted.key)
    }
    return concerned ?? none
  }

  /** The budgets that select a pod, in the order of arrival. */
  selecting(key: string, { metadata }: Pod): readonly string[] {
    const inNamespace = this.namespaces.get(metadata.namespace ?? '')
    if (inNamespace === undefined) return none
    const found: string[] = []
    for (const counted of candidatesIn(inNamespace, undefined, metadata.labels)) {
      if (counted.members.has(key)) found.push(counted.key)
    }
    return found
  }

  counts(budget: PodDisruptionBudget): BudgetCounts {
    const counted = this.namespaces.get(budget.metadata.namespace ?? '')?.budgets.get(keyOf(budget))
    if (counted === undefined) return nothing
    counted.isNew = false
    return counted
  }
}

const none: readonly never[] = []
const nothing: BudgetCounts = { pods: 0, healthy: 0, unmanaged: 0, owners: new Map() }

/** All budgets that may select a pod with either labels, in the order of arrival. */
function candidatesIn(inNamespace: NamespaceBudgets, before: PodLabels, after: PodLabels): readonly CountedBudget[] {
  inNamespace.labelIndex ??= labelIndexOf(inNamespace.budgets.values())
  const { labels, others } = inNamespace.labelIndex
  let found: readonly CountedBudget[] = others
  for (const { name, byValue } of labels) {
    const value = after?.[name]
    found = joined(found, value === undefined ? undefined : byValue.get(value))
    const old = before?.[name]
    if (old !== value && old !== undefined) found = joined(found, byValue.get(old))
  }
  return found
}

type PodLabels = Pod['metadata']['labels']

function joined(some: readonly CountedBudget[], more: readonly CountedBudget[] | undefined): readonly CountedBudget[] {
  if (more === undefined) return some
  return some.length === 0 ? more : [...some, ...more].sort((a, b) => a.place - b.place)
}

function labelIndexOf(budgets: Iterable<CountedBudget>): LabelIndex {
  const labels = new Map<string, Map<string, CountedBudget[]>>()
  const others: CountedBudget[] = []
  for (const counted of budgets) {
    const sign = counted.selector.requirements.find(
      ({ operator, values }) => values.length === 1 && (operator === '=' || operator === '==' || operator === 'in'),
    )
    if (sign === undefined) {
      others.push(counted)
      continue
    }
    const byValue = labels.get(sign.key) ?? new Map<string, CountedBudget[]>()
    labels.set(sign.key, byValue)
    const value = sign.values[0] as string
    byValue.set(value, [...(byValue.get(value) ?? []), counted])
  }
  return { labels: [...labels].map(([name, byValue]) => ({ name, byValue })), others }
}

/** Stores the state of a pod. Reports whether the counts, or the state to check again, differ. */
function put(counted: CountedBudget, key: string, pod: Pod | undefined): boolean {
  const old = counted.members.get(key)
  const member = pod !== undefined && counted.selector.matches(pod.metadata.labels) ? memberOf(pod) : undefined
  if (old === undefined && member === undefined) return false
  if (old !== undefined && member !== undefined && isSame(old, member)) return false
  const name = key.slice(key.indexOf('/') + 1)
  if (old !== undefined) remove(counted, key, name, old)
  if (member !== undefined) add(counted, key, name, member)
  return true
}

function memberOf(pod: Pod): BudgetMember {
  const leaving = pod.metadata.deletionTimestamp !== undefined
  return { healthy: !leaving && isPodReady(pod), leaving, owner: controllerOf(pod) }
}

function isSame(a: BudgetMember, b: BudgetMember): boolean {
  return a.healthy === b.healthy && a.leaving === b.leaving && a.owner?.uid === b.owner?.uid
}

function add(counted: CountedBudget, key: string, name: string, member: BudgetMember): void {
  counted.members.set(key, member)
  counted.pods++
  if (member.healthy) counted.healthy++
  if (member.owner === undefined) {
    counted.unmanaged++
    return
  }
  const known = counted.owners.get(member.owner.uid)
  if (known === undefined) counted.owners.set(member.owner.uid, { reference: member.owner, podNames: new Set([name]) })
  else known.podNames.add(name)
}

function remove(counted: CountedBudget, key: string, name: string, member: BudgetMember): void {
  counted.members.delete(key)
  counted.pods--
  if (member.healthy) counted.healthy--
  if (member.owner === undefined) {
    counted.unmanaged--
    return
  }
  const known = counted.owners.get(member.owner.uid)
  known?.podNames.delete(name)
  if (known?.podNames.size === 0) counted.owners.delete(member.owner.uid)
}
