import type {
  Diagnosis,
  NodeMemory,
  NodeState,
  ParsedPod,
  PostFilterContext,
  PostFilterResult,
  Victims,
} from '../contract/contract.ts'
import { clearNomination, keepNomination } from '../contract/post-filter.ts'
import { failure, messageOf, ok, type PluginStatus, unresolvable, unschedulable } from '../contract/status.ts'
import { fitErrorMessage } from '../framework/fit-error.ts'
import { type DryRunInput, dryRunsOf } from './dry-runs.ts'
import { whyNotEligible } from './eligibility.ts'
import { judgeNode } from './judge-node.ts'
import { candidateOf, type PreemptionCandidate, pickNode } from './pick-node.ts'
import type { VictimRules } from './select-victims.ts'

export interface PreemptionSettings extends VictimRules {
  /** The percentage of potential nodes that are tried. */
  readonly minCandidateNodesPercentage: number
  /** The minimum number of nodes that are tried. */
  readonly minCandidateNodesAbsolute: number
}

const notHelpful = unresolvable('Preemption is not helpful for scheduling')

export interface Candidates {
  /** Candidates without budget violations first. */
  readonly found: readonly PreemptionCandidate[]
  readonly refused: readonly { readonly status: PluginStatus; readonly nodes: number }[]
  /** No node has a pod to evict: equal pods get the same answer, without a search from a random node. */
  readonly isRepeatable?: true
}

/** Finds the pods to evict so that the pod fits (v1.36, framework/preemption Evaluator.Preempt). */
export function preempt(
  pod: ParsedPod,
  diagnosis: Diagnosis,
  context: PostFilterContext,
  settings: PreemptionSettings,
): PostFilterResult {
  const reason = whyNotEligible(pod, diagnosis, context)
  if (reason !== undefined)
    return { status: preemptionStatus(unschedulable(reason)), nominating: keepNomination, isRepeatable: true }
  const { found, refused, isRepeatable } =
    context.memory === undefined || context.groups !== undefined
      ? findCandidates(pod, diagnosis, context, settings)
      : findKnownCandidates(pod, context, context.memory, settings)
  if (found.length === 0) return internalError(refused) ?? nothingHelps(context, refused, isRepeatable)
  const reviewed = context.reviewCandidates?.(found)
  if (typeof reviewed === 'string') return { status: preemptionStatus(failure(reviewed)), nominating: keepNomination }
  const best = pickNode(
    reviewed?.map(({ node, pods, budgetViolations }) => candidateOf(node, pods, budgetViolations)) ?? found,
  )
  if (best !== undefined) return carryOut(pod, best, context)
  return { status: preemptionStatus(unschedulable('no candidate node for preemption')), nominating: keepNomination }
}

function findCandidates(
  pod: ParsedPod,
  diagnosis: Diagnosis,
  context: PostFilterContext,
  settings: PreemptionSettings,
): Candidates {
  const { cluster } = context
  const { nodes } = cluster
  const potential = nodes.map(({ name }) => diagnosis.statusOf(name).code === 'Unschedulable')
  const budgets = cluster.objects.list('poddisruptionbudgets.policy')
  const refused: { status: PluginStatus; nodes: number }[] = []
  const tryOne = (i: number): PreemptionCandidate | undefined => {
    if (potential[i] !== true) return undefined
    const verdict = judgeNode(pod, nodes[i] as NodeState, (on) => context.tryOn(on), budgets, settings, context.groups)
    if (verdict.kind === 'candidate') return verdict.candidate
    refused.push({ status: verdict.status, nodes: 1 })
    return undefined
  }
  const found = search(nodes.length, potential.filter(Boolean).length, context, settings, tryOne)
  return { found, refused }
}

/** Finds the same candidates, and tries only nodes that changed since the last preemptor. */
function findKnownCandidates(
  pod: ParsedPod,
  context: PostFilterContext,
  memory: NodeMemory,
  settings: PreemptionSettings,
): Candidates {
  const runs = dryRunsOf(memory)
  runs.refresh(pod.priority)
  if (runs.isHopeless) return { found: [], refused: runs.refused(), ...(runs.hasVictims ? {} : { isRepeatable: true }) }
  const { nodes, objects } = context.cluster
  const budgets = objects.list('poddisruptionbudgets.policy')
  const input: DryRunInput = { pod, budgets, rules: settings, tryOn: (node) => context.tryOn(node) }
  const tryOne = (i: number): PreemptionCandidate | undefined => runs.tryNode(nodes[i] as NodeState, input)
  const found = search(nodes.length, runs.potentialCount, context, settings, tryOne)
  return { found, refused: found.length > 0 ? [] : runs.refused() }
}

/** Searches from a random node until there are enough candidates. Candidates without budget violations come first. */
function search(
  nodes: number,
  potential: number,
  { random }: PostFilterContext,
  settings: PreemptionSettings,
  tryOne: (i: number) => PreemptionCandidate | undefined,
): readonly PreemptionCandidate[] {
  if (potential === 0) return []
  const wanted = candidatesWanted(potential, settings)
  const offset = random.stream('preemption-offset').int(nodes)
  const harmless: PreemptionCandidate[] = []
  const violating: PreemptionCandidate[] = []
  for (let i = 0; i < nodes; i++) {
    const at = offset + i
    const candidate = tryOne(at < nodes ? at : at - nodes)
    if (candidate === undefined) continue
    if (candidate.budgetViolations === 0) harmless.push(candidate)
    else violating.push(candidate)
    if (harmless.length > 0 && harmless.length + violating.length >= wanted) break
  }
  return violating.length === 0 ? harmless : [...harmless, ...violating]
}

export function candidatesWanted(potential: number, settings: PreemptionSettings): number {
  const share = Math.trunc((potential * settings.minCandidateNodesPercentage) / 100)
  return Math.min(Math.max(share, settings.minCandidateNodesAbsolute), potential)
}

/** A contradiction between filter results is an error only if there are no candidates. */
export function internalError(refused: Candidates['refused']): PostFilterResult | undefined {
  const errors = new Set(refused.filter(({ status }) => status.code === 'Error').map(({ status }) => messageOf(status)))
  if (errors.size === 0) return undefined
  const message = errors.size === 1 ? [...errors].join('') : `[${[...errors].join(', ')}]`
  return { status: preemptionStatus(failure(message)), nominating: keepNomination }
}

export function nothingHelps(
  { cluster }: PostFilterContext,
  counted: readonly { readonly status: PluginStatus; readonly nodes: number }[],
  isRepeatable?: true,
): PostFilterResult {
  const message = fitErrorMessage({ totalNodes: cluster.nodes.length, counted, absent: notHelpful })
  return {
    status: preemptionStatus(unschedulable(message)),
    nominating: clearNomination,
    ...(isRepeatable === undefined ? {} : { isRepeatable }),
  }
}

export function carryOut(pod: ParsedPod, victims: Victims, { nominator }: PostFilterContext): PostFilterResult {
  const displaced = nominator.nominatedPodsFor(victims.node).filter(({ priority }) => priority < pod.priority)
  return { status: ok, nominating: { kind: 'set', node: victims.node }, preemption: { victims, displaced } }
}

export function preemptionStatus(status: PluginStatus): PluginStatus {
  return { ...status, reasons: [`preemption: ${status.reasons.join(', ')}`] }
}
