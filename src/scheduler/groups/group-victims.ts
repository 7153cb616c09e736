import { compileLabelSelector } from '../../api/label-selector.ts'
import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { NodeState, ParsedPod } from '../contract/contract.ts'
import { startOf } from '../preemption/importance.ts'

/** Pods that are preempted together: one pod, or a group that is disrupted as a whole. */
export interface VictimUnit {
  readonly pods: ParsedPod[]
  readonly priority: number
  readonly rank: number
  startedAt: number
}

/** The unit that a pod is part of. */
export interface UnitOfPod {
  readonly id: string
  readonly priority: number
  /** Of units of equal priority, those of composite groups are more important than those of pod groups and others. */
  readonly kind: 'pod' | 'podgroup' | 'compositepodgroup'
}

const ranks: Readonly<Record<UnitOfPod['kind'], number>> = { pod: 1, podgroup: 2, compositepodgroup: 3 }

export type GroupVictims =
  | { readonly kind: 'found'; readonly pods: readonly ParsedPod[] }
  /** No preemption helps: the reason is appended to the status of the group. */
  | { readonly kind: 'none'; readonly reason: string }
  | { readonly kind: 'error'; readonly message: string }

/** The result of a trial of the group on the cluster without some pods. */
export type GroupTrial =
  | { readonly kind: 'success' }
  | { readonly kind: 'rejected'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string }

export interface GroupPreemptionInput {
  /** Of the group that preempts. */
  readonly priority: number
  readonly nodes: readonly NodeState[]
  readonly budgets: readonly PodDisruptionBudget[]
  unitOf(pod: ParsedPod): UnitOfPod
  /** A member does not permit preemption. */
  readonly neverPreempts: boolean
  /**
   * From v1.37 on, a unit is as old as its oldest pod, and every pod of it counts against budgets; before, the first that
   * is found, and those until the first violation.
   */
  readonly readsAllPods: boolean
  /** Removes pods from the cluster for the trials. Returns how to add them again. */
  without(pods: readonly ParsedPod[]): () => void
  trial(): GroupTrial
  /** Whether the group still fits after a unit was added back. */
  stillFits(): boolean
}

export function groupPriority(group: PodGroup | CompositePodGroup): number {
  return group.spec.priority ?? 0
}

/**
 * Selects the pods of the whole cluster that leave for a group: removes all units of lower priority, then adds them
 * back one by one, those that a budget protects first and the most important first, as long as the group fits (v1.36,
 * framework/preemption selectVictimsOnDomain). The cluster is as before afterwards.
 */
export function selectGroupVictims(input: GroupPreemptionInput): GroupVictims {
  if (input.neverPreempts) return { kind: 'none', reason: 'not eligible due to preemptionPolicy=Never.' }
  const potential = victimUnits(input).filter((unit) => unit.priority < input.priority)
  if (potential.length === 0) return { kind: 'none', reason: 'No preemption victims found for incoming preemptor' }

  const putBack = new Map(potential.map((unit) => [unit, input.without(unit.pods)]))
  const result = reprieve(input, potential, putBack)
  for (const restore of putBack.values()) restore()
  return result
}

function reprieve(
  input: GroupPreemptionInput,
  potential: readonly VictimUnit[],
  putBack: Map<VictimUnit, () => void>,
): GroupVictims {
  const emptied = input.trial()
  if (emptied.kind === 'rejected') return { kind: 'none', reason: emptied.message }
  if (emptied.kind === 'error') return emptied
  const victims: VictimUnit[] = []
  const { violating, harmless } = splitUnits([...potential].sort(byImportance), input)
  for (const unit of [...violating, ...harmless]) {
    putBack.get(unit)?.()
    putBack.delete(unit)
    if (input.stillFits()) continue
    putBack.set(unit, input.without(unit.pods))
    victims.push(unit)
  }
  return { kind: 'found', pods: victims.sort(byImportance).flatMap(({ pods }) => pods) }
}

/** The pods of the cluster as units (v1.36, newDomainForWorkloadPreemption). */
function victimUnits({ nodes, unitOf, readsAllPods }: GroupPreemptionInput): readonly VictimUnit[] {
  const units = new Map<string, VictimUnit>()
  for (const { pods } of nodes) {
    for (const pod of pods) {
      const { id, priority, kind } = unitOf(pod)
      const unit = units.get(id)
      if (unit === undefined) units.set(id, { pods: [pod], priority, rank: ranks[kind], startedAt: startOf(pod) })
      else {
        unit.pods.push(pod)
        if (readsAllPods) unit.startedAt = Math.min(unit.startedAt, startOf(pod))
      }
    }
  }
  return [...units.values()]
}

export function isDisruptedAsWhole({ spec }: PodGroup | CompositePodGroup): boolean {
  const { disruptionMode } = spec
  if (disruptionMode === undefined || typeof disruptionMode === 'string') return disruptionMode === 'PodGroup'
  return disruptionMode.all !== undefined
}

/** Priority, then pods of groups before others, larger units before smaller ones, and older before younger ones. */
function byImportance(a: VictimUnit, b: VictimUnit): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.rank !== b.rank) return b.rank - a.rank
  if (a.pods.length !== b.pods.length) return b.pods.length - a.pods.length
  return a.startedAt === b.startedAt ? 0 : a.startedAt - b.startedAt
}

/** Splits units by whether their eviction would violate a budget if all were evicted (filterVictimsWithPDBViolation). */
function splitUnits(
  units: readonly VictimUnit[],
  { budgets, readsAllPods }: GroupPreemptionInput,
): { readonly violating: readonly VictimUnit[]; readonly harmless: readonly VictimUnit[] } {
  const allowed = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0)
  // The first budget that is violated ends the search, so later ones are not counted.
  const violates = ({ pod }: ParsedPod): boolean =>
    budgets.some((budget, i) => {
      if (!protects(budget, pod)) return false
      allowed[i] = (allowed[i] as number) - 1
      return (allowed[i] as number) < 0
    })
  const violating: VictimUnit[] = []
  const harmless: VictimUnit[] = []
  const isViolated = ({ pods }: VictimUnit): boolean =>
    readsAllPods ? pods.filter(violates).length > 0 : pods.some(violates)
  for (const unit of units) (isViolated(unit) ? violating : harmless).push(unit)
  return { violating, harmless }
}

function protects({ metadata, spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  const { labels = {}, name, namespace } = pod.metadata
  if (metadata.namespace !== namespace || Object.keys(labels).length === 0) return false
  const selector = compileLabelSelector(spec?.selector)
  if (!selector.ok || selector.value.everything || !selector.value.matches(labels)) return false
  return status?.disruptedPods?.[name] === undefined
}
