import type { PodDisruptionBudget } from '../../api/objects/pod.ts'
import type {
  Diagnosis,
  NodeState,
  ParsedPod,
  PostFilterContext,
  PostFilterResult,
  Victims,
} from '../framework/contract.ts'
import { fitErrorMessage } from '../framework/fit-error.ts'
import { failure, messageOf, ok, type Status, unresolvable, unschedulable } from '../framework/status.ts'
import { whyNotEligible } from './eligibility.ts'
import { pickNode } from './pick-node.ts'
import { selectVictims, type VictimSelection } from './select-victims.ts'

export interface PreemptionSettings {
  /** Share of the potential nodes that is tried, in percent. */
  readonly minCandidateNodesPercentage: number
  /** At least so many, whatever the share. */
  readonly minCandidateNodesAbsolute: number
  /** Whether a candidate that breaks a budget is none. Upstream takes it when there is no other. */
  readonly keepsBudgets: boolean
}

const notHelpful = unresolvable('Preemption is not helpful for scheduling')
const breaksBudget = unresolvable('Preemption would violate a PodDisruptionBudget')

/** How victims on one node are found. Plain, or from what is known of the node already. */
export type SelectOnNode = (node: NodeState, budgets: readonly PodDisruptionBudget[]) => VictimSelection

export interface Candidates {
  /** Those that break no budget first. */
  readonly found: readonly Victims[]
  readonly statuses: readonly { readonly status: Status; readonly nodes: number }[]
}

/** Whom to evict so that the pod fits somewhere (v1.36, framework/preemption Evaluator.Preempt). */
export function preempt(
  pod: ParsedPod,
  diagnosis: Diagnosis,
  context: PostFilterContext,
  settings: PreemptionSettings,
): PostFilterResult {
  const reason = whyNotEligible(pod, diagnosis, context.cluster)
  if (reason !== undefined) return { status: preemptionStatus(unschedulable(reason)), nominating: { kind: 'keep' } }
  const select: SelectOnNode = (node, budgets) => selectVictims(pod, node, (on) => context.tryOn(on), budgets)
  const { found, statuses } = findCandidates(diagnosis, context, settings, select)
  if (found.length === 0) return internalError(statuses) ?? nothingHelps(context, statuses)
  return carryOut(pod, pickNode(found) as Victims, context)
}

export function findCandidates(
  diagnosis: Diagnosis,
  { cluster, random }: PostFilterContext,
  settings: PreemptionSettings,
  select: SelectOnNode,
): Candidates {
  const potential = cluster.nodes.filter(({ name }) => diagnosis.statusOf(name).code === 'Unschedulable')
  if (potential.length === 0) return { found: [], statuses: [] }
  const budgets = cluster.objects.list('poddisruptionbudgets.policy')
  const wanted = candidatesWanted(potential.length, settings)
  const offset = random.stream('preemption-offset').int(potential.length)
  const harmless: Victims[] = []
  const violating: Victims[] = []
  const statuses: { status: Status; nodes: number }[] = []
  for (let i = 0; i < potential.length; i++) {
    const node = potential[(offset + i) % potential.length] as NodeState
    const selection = select(node, budgets)
    if (selection.kind === 'none') {
      statuses.push({ status: selection.status, nodes: 1 })
      continue
    }
    const { pods, budgetViolations } = selection
    if (pods.length === 0) {
      statuses.push({ status: failure(`expected at least one victim pod on node "${node.name}"`), nodes: 1 })
    } else if (budgetViolations === 0) harmless.push({ node: node.name, pods, budgetViolations })
    else if (settings.keepsBudgets) statuses.push({ status: breaksBudget, nodes: 1 })
    else violating.push({ node: node.name, pods, budgetViolations })
    if (harmless.length > 0 && harmless.length + violating.length >= wanted) break
  }
  return { found: [...harmless, ...violating], statuses }
}

export function candidatesWanted(potential: number, settings: PreemptionSettings): number {
  const share = Math.trunc((potential * settings.minCandidateNodesPercentage) / 100)
  return Math.min(Math.max(share, settings.minCandidateNodesAbsolute), potential)
}

/** A contradiction between two answers of the filters is an error, but only when it leaves no candidate. */
export function internalError(counted: Candidates['statuses']): PostFilterResult | undefined {
  const errors = new Set(counted.filter(({ status }) => status.code === 'Error').map(({ status }) => messageOf(status)))
  if (errors.size === 0) return undefined
  const message = errors.size === 1 ? [...errors].join('') : `[${[...errors].join(', ')}]`
  return { status: preemptionStatus(failure(message)), nominating: { kind: 'keep' } }
}

export function nothingHelps(
  { cluster }: PostFilterContext,
  counted: readonly { readonly status: Status; readonly nodes: number }[],
): PostFilterResult {
  const message = fitErrorMessage({ totalNodes: cluster.nodes.length, counted, absent: notHelpful })
  return { status: preemptionStatus(unschedulable(message)), nominating: { kind: 'clear' } }
}

export function carryOut(pod: ParsedPod, victims: Victims, { nominator }: PostFilterContext): PostFilterResult {
  const displaced = nominator.nominatedPodsFor(victims.node).filter(({ priority }) => priority < pod.priority)
  return { status: ok, nominating: { kind: 'set', node: victims.node }, preemption: { victims, displaced } }
}

export function preemptionStatus(status: Status): Status {
  return { ...status, reasons: [`preemption: ${status.reasons.join(', ')}`] }
}
