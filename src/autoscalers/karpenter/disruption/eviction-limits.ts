import { labelMatcher } from '../../../api/label-selector.ts'
import type { Pod, PodDisruptionBudget } from '../../../api/objects/pod.ts'
import type { View } from '../../../runtime/view.ts'
import { doNotDisruptAnnotation } from '../names.ts'
import { isDisruptable, isEvictable, isReschedulable } from '../state/pod-conditions.ts'

/** A pod, and the positions of the budgets that select it. */
interface Selected {
  readonly pod: Pod
  readonly budgets: readonly number[]
}

/** The pods of a list that are selected by budgets. */
interface SelectedPods {
  readonly pods: readonly Selected[]
  /** The budget of each pod that can be evicted at any time; undefined if an eviction needs more than one budget. */
  readonly single: readonly number[] | undefined
}

/** The cached selection for a list of pods. */
export interface KeptSelection {
  of?: object
  selected?: SelectedPods
}

const noBudgets: readonly number[] = []
const none: readonly string[] = []

/** The budgets that select each pod. They are kept while no selector changes, because most pods do not change. */
class BudgetSelectors {
  private readonly specs: readonly unknown[]
  private readonly byNamespace = new Map<
    string,
    { readonly at: number; readonly matcher: ReturnType<typeof labelMatcher> }[]
  >()
  private readonly ofPod = new WeakMap<Pod, readonly number[]>()
  private readonly texts: (string | undefined)[] = []
  private budgets: readonly PodDisruptionBudget[]
  private bits: Uint8Array | undefined

  constructor(budgets: readonly PodDisruptionBudget[]) {
    this.budgets = budgets
    this.specs = budgets.map(({ spec }) => spec)
    for (const [at, { metadata, spec }] of budgets.entries()) {
      const namespace = metadata.namespace ?? ''
      const own = this.byNamespace.get(namespace) ?? []
      this.byNamespace.set(namespace, own)
      own.push({ at, matcher: labelMatcher(spec?.selector) })
    }
  }

  /** Reports whether it also applies to these budgets: their selectors are the same. */
  holdsFor(budgets: readonly PodDisruptionBudget[]): boolean {
    if (budgets === this.budgets) return true
    if (budgets.length !== this.specs.length || !budgets.every(({ spec }, at) => spec === this.specs[at])) return false
    this.budgets = budgets
    this.bits = undefined
    return true
  }

  /** By the position of a budget: 1 if it allows no eviction now. */
  get exhausted(): Uint8Array {
    this.bits ??= Uint8Array.from(this.budgets, (budget) => (isExhausted(budget) ? 1 : 0))
    return this.bits
  }

  textOf(at: number): string {
    const known = this.texts[at]
    if (known !== undefined) return known
    const made = blockingText(keyOf(this.budgets[at] as PodDisruptionBudget))
    this.texts[at] = made
    return made
  }

  select(pod: Pod): readonly number[] {
    const known = this.ofPod.get(pod)
    if (known !== undefined) return known
    const own = this.byNamespace.get(pod.metadata.namespace ?? '')
    const found = own?.filter(({ matcher }) => matcher.matches(pod.metadata.labels)).map(({ at }) => at) ?? noBudgets
    this.ofPod.set(pod, found)
    return found
  }

  /** Omits pods that no budget selects. */
  selectAll(pods: readonly Pod[], kept: KeptSelection): SelectedPods {
    if (kept.of === this && kept.selected !== undefined) return kept.selected
    const selected = pods.map((pod) => ({ pod, budgets: this.select(pod) })).filter(({ budgets }) => budgets.length > 0)
    const isSimple = selected.every(
      ({ pod, budgets }) => budgets.length === 1 && pod.metadata.annotations?.[doNotDisruptAnnotation] === undefined,
    )
    const found = { pods: selected, single: isSimple ? selected.flatMap((each) => this.evictableBy(each)) : undefined }
    kept.of = this
    kept.selected = found
    return found
  }

  private evictableBy({ pod, budgets }: Selected): readonly number[] {
    // Without the annotation, the evictability of a pod does not depend on the time.
    if (!isEvictable(pod, 0)) return noBudgets
    return budgets.filter((at) => !letsUnhealthy(this.budgets[at] as PodDisruptionBudget, pod))
  }
}

const selectorsOf = new WeakMap<View, BudgetSelectors>()

function selectorsFor(view: View, budgets: readonly PodDisruptionBudget[]): BudgetSelectors {
  const known = selectorsOf.get(view)
  if (known?.holdsFor(budgets) === true) return known
  const made = new BudgetSelectors(budgets)
  selectorsOf.set(view, made)
  return made
}

/** Reports whether PodDisruptionBudgets allow evictions of pods (v1.14, pkg/utils/pdb). */
export class EvictionLimits {
  private readonly budgets: readonly PodDisruptionBudget[]
  private readonly selectors: BudgetSelectors
  private readonly wall: number

  constructor(view: View, wall: number) {
    this.wall = wall
    this.budgets = view.list('poddisruptionbudgets.policy')
    this.selectors = selectorsFor(view, this.budgets)
  }

  /** The first reason why the pods cannot be evicted, or undefined. `kept` belongs to this list of pods. */
  blocking(pods: readonly Pod[], kept: KeptSelection = {}): string | undefined {
    if (this.budgets.length === 0) return undefined
    const { selectors } = this
    const { pods: all, single } = selectors.selectAll(pods, kept)
    if (single !== undefined) {
      const { exhausted } = selectors
      for (const at of single) if (exhausted[at] === 1) return selectors.textOf(at)
      return undefined
    }
    for (const selected of all) {
      const names = this.namesBlocking(selected, isExhausted)
      if (names.length > 1)
        return `eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${names.join(' ')}])`
      if (names.length === 1) return blockingText(names[0] as string)
    }
    return undefined
  }

  /** Reports whether the pod will need room on another node soon: nothing keeps it on its node forever. */
  isCurrentlyReschedulable(pod: Pod): boolean {
    if (!isReschedulable(pod) || !isDisruptable(pod, this.wall)) return false
    if (this.budgets.length === 0) return true
    return this.namesBlocking({ pod, budgets: this.selectors.select(pod) }, isFullyBlocking).length === 0
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

function isExhausted({ status }: PodDisruptionBudget): boolean {
  return (status?.disruptionsAllowed ?? 0) === 0
}

function blockingText(budget: string): string {
  return `pdb prevents pod evictions (PodDisruptionBudget=[${budget}])`
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
