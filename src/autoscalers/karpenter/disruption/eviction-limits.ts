import { labelMatcher } from '../../../api/label-selector.ts'
import type { Pod, PodDisruptionBudget } from '../../../api/objects/pod.ts'
import type { View } from '../../../runtime/view.ts'
import { isDisruptable, isEvictable, isReschedulable } from '../state/pod-conditions.ts'

/** A pod, and the positions of the budgets that select it. */
interface Selected {
  readonly pod: Pod
  readonly budgets: readonly number[]
}

/** The pods of a list that budgets select. */
interface SelectedPods {
  readonly pods: readonly Selected[]
  /** The budgets of pods with one budget. */
  readonly single: readonly number[]
}

const noBudgets: readonly number[] = []
const none: readonly string[] = []

/** Which budgets select which pods. It is kept as long as no selector changes, because most pods stay as they are. */
class BudgetSelectors {
  private readonly specs: readonly unknown[]
  private readonly byNamespace = new Map<
    string,
    { readonly at: number; readonly matcher: ReturnType<typeof labelMatcher> }[]
  >()
  private readonly ofPod = new WeakMap<Pod, readonly number[]>()
  private readonly ofList = new WeakMap<readonly Pod[], SelectedPods>()

  constructor(budgets: readonly PodDisruptionBudget[]) {
    this.specs = budgets.map(({ spec }) => spec)
    for (const [at, { metadata, spec }] of budgets.entries()) {
      const namespace = metadata.namespace ?? ''
      const own = this.byNamespace.get(namespace) ?? []
      this.byNamespace.set(namespace, own)
      own.push({ at, matcher: labelMatcher(spec?.selector) })
    }
  }

  areOf(budgets: readonly PodDisruptionBudget[]): boolean {
    return budgets.length === this.specs.length && budgets.every(({ spec }, at) => spec === this.specs[at])
  }

  select(pod: Pod): readonly number[] {
    const known = this.ofPod.get(pod)
    if (known !== undefined) return known
    const own = this.byNamespace.get(pod.metadata.namespace ?? '')
    const found = own?.filter(({ matcher }) => matcher.matches(pod.metadata.labels)).map(({ at }) => at) ?? noBudgets
    this.ofPod.set(pod, found)
    return found
  }

  /** Without pods that no budget selects. */
  selectAll(pods: readonly Pod[]): SelectedPods {
    const known = this.ofList.get(pods)
    if (known !== undefined) return known
    const selected = pods.map((pod) => ({ pod, budgets: this.select(pod) })).filter(({ budgets }) => budgets.length > 0)
    const single = selected.flatMap(({ budgets }) => (budgets.length === 1 ? budgets : []))
    const found = { pods: selected, single }
    this.ofList.set(pods, found)
    return found
  }
}

const selectorsOf = new WeakMap<View, BudgetSelectors>()

function selectorsFor(view: View, budgets: readonly PodDisruptionBudget[]): BudgetSelectors {
  const known = selectorsOf.get(view)
  if (known?.areOf(budgets) === true) return known
  const made = new BudgetSelectors(budgets)
  selectorsOf.set(view, made)
  return made
}

/** Whether PodDisruptionBudgets let pods be evicted (v1.14, pkg/utils/pdb). */
export class EvictionLimits {
  private readonly budgets: readonly PodDisruptionBudget[]
  private readonly selectors: BudgetSelectors
  private readonly wall: number
  /** By the position of a budget: it allows no eviction now. */
  private exhausted: Uint8Array | undefined

  constructor(view: View, wall: number) {
    this.wall = wall
    this.budgets = view.list('poddisruptionbudgets.policy')
    this.selectors = selectorsFor(view, this.budgets)
  }

  /** The first reason for which the pods cannot be evicted, or undefined. */
  blocking(pods: readonly Pod[]): string | undefined {
    if (this.budgets.length === 0) return undefined
    const { pods: all, single } = this.selectors.selectAll(pods)
    // Most budgets allow an eviction, which is quickly seen.
    if (single.length === all.length && !this.anyExhausted(single)) return undefined
    for (const selected of all) {
      const names = this.namesBlocking(selected, ({ status }) => (status?.disruptionsAllowed ?? 0) === 0)
      if (names.length > 1)
        return `eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${names.join(' ')}])`
      if (names.length === 1) return `pdb prevents pod evictions (PodDisruptionBudget=[${names[0]}])`
    }
    return undefined
  }

  /** Whether the pod will need room elsewhere soon: nothing keeps it where it is for good. */
  isCurrentlyReschedulable(pod: Pod): boolean {
    if (!isReschedulable(pod) || !isDisruptable(pod, this.wall)) return false
    if (this.budgets.length === 0) return true
    return this.namesBlocking({ pod, budgets: this.selectors.select(pod) }, isFullyBlocking).length === 0
  }

  private anyExhausted(budgets: readonly number[]): boolean {
    this.exhausted ??= Uint8Array.from(this.budgets, ({ status }) => ((status?.disruptionsAllowed ?? 0) === 0 ? 1 : 0))
    for (const at of budgets) if (this.exhausted[at] === 1) return true
    return false
  }

  private namesBlocking(
    { pod, budgets: selecting }: Selected,
    blocks: (budget: PodDisruptionBudget) => boolean,
  ): readonly string[] {
    if (selecting.length === 0) return none
    if (selecting.length === 1 && !blocks(this.budgets[selecting[0] as number] as PodDisruptionBudget)) return none
    if (!isEvictable(pod, this.wall)) return none
    const matching = selecting.map((at) => this.budgets[at] as PodDisruptionBudget)
    if (matching.length > 1) return matching.map(keyOf)
    return matching.filter((budget) => !letsUnhealthy(budget, pod) && blocks(budget)).map(keyOf)
  }
}

function keyOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`
}

function letsUnhealthy({ spec }: PodDisruptionBudget, { status }: Pod): boolean {
  if (spec?.unhealthyPodEvictionPolicy !== 'AlwaysAllow') return false
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'False') ?? false
}

function isFullyBlocking({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable === 0 || spec?.maxUnavailable === '0%' || spec?.minAvailable === '100%'
}
