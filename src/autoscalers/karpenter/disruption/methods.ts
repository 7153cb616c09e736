import { findCondition } from '../../../api/conditions.ts'
import type { DisruptionReason } from '../../../api/objects/karpenter.ts'
import { parseTime } from '../../../api/time.ts'
import { labels } from '../../../api/well-known.ts'
import { capacityTypeLabel } from '../names.ts'
import { consolidateAfterOf, isStatic, policyOf } from '../node-pool.ts'
import type { Situation } from '../situation.ts'
import { countsOf, granted, staticClaim } from '../static-capacity.ts'
import { Balance } from './balance.ts'
import { blockedText, spend } from './budgets.ts'
import { type Candidate, type DisruptionClass, isEmpty } from './candidate.ts'
import type { Command } from './command.ts'
import { consolidate, dropSameTypes } from './consolidate.ts'
import { simulate } from './simulate.ts'

export interface Decision {
  readonly commands: readonly Command[]
  /** Set if a budget excluded a node, so the cluster may not be fully consolidated. */
  readonly isLimited: boolean
}

export interface MethodInput {
  readonly situation: Situation
  readonly candidates: readonly Candidate[]
  /** All nodes that may be disrupted, before `shouldDisrupt`. */
  readonly all: readonly Candidate[]
  readonly budgets: Map<string, number>
  readonly note: Note
  /** As `note`, for reasons that upstream does not report as events of the node. */
  readonly noteSilently: Note
}

/** Records the reason why a node is not removed. */
export type Note = (candidate: Candidate, reason: string) => void

/** A reason to remove nodes, in the order in which reasons are tried (v1.14, disruption.NewMethods). */
export interface Method {
  readonly name: 'empty' | 'static-drift' | 'drift' | 'multi' | 'single'
  readonly reason: DisruptionReason
  readonly class: DisruptionClass
  /** Reports whether a decision is checked again after 15 seconds, and not repeated while nothing changes. */
  readonly isConsolidation: boolean
  shouldDisrupt(candidate: Candidate, note: Note): boolean
  decide(input: MethodInput): Decision
}

const none: Decision = { commands: [], isLimited: false }

const emptiness: Method = {
  name: 'empty',
  reason: 'Empty',
  class: 'graceful',
  isConsolidation: true,
  shouldDisrupt(candidate, note) {
    if (isStatic(candidate.pool)) return false
    if (consolidateAfterOf(candidate.pool) === undefined) {
      note(candidate, `NodePool ${JSON.stringify(candidate.pool.metadata.name)} has consolidation disabled`)
      return false
    }
    return isEmpty(candidate) && candidate.state.isConsolidatable
  },
  decide({ candidates, budgets }) {
    const empty = byRatio(candidates).filter((candidate) => spend(budgets, candidate.pool.metadata.name))
    const isLimited = empty.length < candidates.length
    if (empty.length === 0) return { commands: [], isLimited }
    return { commands: [{ candidates: empty, replacements: [], results: undefined }], isLimited }
  },
}

const staticDrift: Method = {
  name: 'static-drift',
  reason: 'Drifted',
  class: 'eventual',
  isConsolidation: false,
  shouldDisrupt: (candidate) => isStatic(candidate.pool) && candidate.state.isDrifted,
  decide({ situation, candidates, budgets }) {
    const pools = new Map(candidates.map(({ pool }) => [pool.metadata.name, pool]))
    const commands = [...pools].flatMap(([name, pool]): readonly Command[] => {
      const own = candidates.filter((candidate) => candidate.pool.metadata.name === name)
      const { running, pending } = countsOf(pool, situation)
      // Surplus nodes are removed first.
      if (running + pending > (pool.spec.replicas ?? 0)) return []
      const count = granted(pool, Math.min(budgets.get(name) ?? 0, own.length), situation)
      return own
        .slice(0, count)
        .map((candidate) => ({ candidates: [candidate], replacements: [staticClaim(pool)], results: undefined }))
    })
    return { commands, isLimited: false }
  },
}

const drift: Method = {
  name: 'drift',
  reason: 'Drifted',
  class: 'eventual',
  isConsolidation: false,
  shouldDisrupt: (candidate) => !isStatic(candidate.pool) && candidate.state.isDrifted,
  decide({ situation, candidates, budgets, note }) {
    const since = ({ state }: Candidate): number =>
      parseTime(findCondition(state.claim?.status?.conditions, 'Drifted')?.lastTransitionTime) ?? 0
    const sorted = candidates.toSorted((a, b) => since(a) - since(b))
    // Pods must not move to empty nodes that will be removed next.
    const ordered = [...sorted.filter(({ pods }) => pods.length === 0), ...sorted.filter(({ pods }) => pods.length > 0)]
    for (const candidate of ordered) {
      if ((budgets.get(candidate.pool.metadata.name) ?? 0) === 0) continue
      const simulation = simulate(situation, [candidate], false)
      if (simulation === undefined) continue
      const { problem, results } = simulation
      if (problem === undefined)
        return { commands: [{ candidates: [candidate], replacements: results.claims, results }], isLimited: false }
      note(candidate, problem)
    }
    return none
  },
}

const multi: Method = {
  name: 'multi',
  reason: 'Underutilized',
  class: 'graceful',
  isConsolidation: true,
  shouldDisrupt: isUnderutilizable,
  decide({ situation, candidates, all, budgets }) {
    const usable = byRatio(candidates).filter((candidate) => spend(budgets, candidate.pool.metadata.name))
    const isLimited = usable.length < candidates.length
    const command = largestBatch(situation, usable, new Balance(situation, all))
    return { commands: command === undefined ? [] : [command], isLimited }
  },
}

const mostParallel = 100

/** Binary search for the longest prefix of the list that can be removed at once. */
function largestBatch(situation: Situation, candidates: readonly Candidate[], balance: Balance): Command | undefined {
  const { wellKnown } = situation.cloud.catalog
  let found: Command | undefined
  let low = 1
  const most = Math.min(candidates.length, mostParallel)
  let high = candidates.length <= most ? candidates.length - 1 : most
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const batch = candidates.slice(0, middle + 1)
    const command = consolidate(situation, batch)
    const isValid =
      typeof command !== 'string' &&
      command.replacements.every((claim) => dropSameTypes(claim, batch, wellKnown)) &&
      balance.approves(command)
    if (isValid) {
      found = command
      low = middle + 1
    } else high = middle - 1
  }
  return found
}

const single: Method = {
  name: 'single',
  reason: 'Underutilized',
  class: 'graceful',
  isConsolidation: true,
  shouldDisrupt: isUnderutilizable,
  decide({ situation, candidates, all, budgets, note, noteSilently }) {
    const balance = new Balance(situation, all)
    let isLimited = false
    for (const candidate of interleaved(byRatio(candidates))) {
      if ((budgets.get(candidate.pool.metadata.name) ?? 0) === 0) {
        isLimited = true
        noteSilently(candidate, blockedText('Underutilized'))
        continue
      }
      if (!balance.mayPass(candidate)) continue
      const command = consolidate(situation, [candidate])
      if (typeof command === 'string') note(candidate, command)
      else if (balance.approves(command)) return { commands: [command], isLimited }
    }
    return { commands: [], isLimited }
  },
}

function isUnderutilizable(candidate: Candidate, note: Note): boolean {
  const { pool, type, state } = candidate
  if (isStatic(pool)) return false
  const problem =
    type === undefined
      ? `Instance Type ${JSON.stringify(state.labels[labels.instanceType] ?? '')} not found`
      : candidate.capacityType === undefined
        ? `Node does not have label ${JSON.stringify(capacityTypeLabel)}`
        : candidate.zone === undefined
          ? `Node does not have label ${JSON.stringify(labels.zone)}`
          : consolidateAfterOf(pool) === undefined
            ? `NodePool ${JSON.stringify(pool.metadata.name)} has consolidation disabled`
            : undefined
  if (problem !== undefined) {
    note(candidate, problem)
    return false
  }
  // Emptiness has its own reason and budgets.
  if (isEmpty(candidate)) return false
  if (policyOf(pool) === 'WhenEmpty') {
    note(
      candidate,
      `NodePool ${JSON.stringify(pool.metadata.name)} has consolidation policy WhenEmpty, but node is not empty`,
    )
    return false
  }
  return state.isConsolidatable
}

/** Sorts by savings per disruption, highest first. */
function byRatio(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.toSorted((a, b) => b.price / b.cost - a.price / a.cost)
}

/** Alternates between pools. */
function interleaved(candidates: readonly Candidate[]): readonly Candidate[] {
  const pools = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const { name } = candidate.pool.metadata
    const own = pools.get(name)
    if (own === undefined) pools.set(name, [candidate])
    else own.push(candidate)
  }
  const lists = [...pools.values()]
  if (lists.length <= 1) return lists[0] ?? []
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}

export const methods: readonly Method[] = [emptiness, staticDrift, drift, multi, single]
