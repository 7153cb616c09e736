import { isConditionTrue } from '../../../api/conditions.ts'
import { withoutTaint, withTaint } from '../../../api/taints.ts'
import type { RandomStream } from '../../../base/random.ts'
import type { Drafts } from '../drafts.ts'
import { disruptedTaint, nodeClaims } from '../names.ts'
import { createClaims, nominate } from '../provisioner.ts'
import type { Situation } from '../situation.ts'
import type { StateNode } from '../state/state-node.ts'
import { withClaimCondition, withoutClaimCondition } from '../status-conditions.ts'
import type { StartedCommand } from './command.ts'

// v1.14, disruption.Queue
const pollMs = 1_000
const shortestTimeoutMs = 10 * 60_000
const longestTimeoutMs = 60 * 60_000
const timeoutPerNodeMs = 80

interface Running {
  readonly command: StartedCommand
  readonly nodes: readonly StateNode[]
  readonly replacements: readonly string[]
  readonly startedAt: number
  nextAt: number
}

/** Executes commands: taints nodes, creates and awaits their replacements, and deletes the nodes. */
export class CommandQueue {
  private readonly running = new Map<string, Running>()
  private readonly commands = new Set<Running>()

  has(id: string): boolean {
    return this.running.has(id)
  }

  /** False if a replacement cannot be created. Nothing is disrupted then. */
  start(command: StartedCommand, situation: Situation, drafts: Drafts, random: RandomStream): boolean {
    const { now, wall } = situation
    const nodes = command.candidates.map(({ state }) => state)
    for (const node of nodes) mark(node, command.reason, drafts, wall)
    const names = createClaims(command.replacements, situation, drafts, random, { reason: command.reason })
    if (names.includes(undefined)) return false
    drafts.metrics.decided(command)
    for (const node of nodes) node.isMarked = true
    situation.state.markChanged(now)
    if (command.results !== undefined) nominate(command.results, situation, drafts)
    const running: Running = { command, nodes, replacements: names as string[], startedAt: now, nextAt: now }
    this.commands.add(running)
    for (const { id } of nodes) this.running.set(id, running)
    return true
  }

  step(situation: Situation, drafts: Drafts): void {
    for (const running of this.commands) {
      if (running.nextAt > situation.now) continue
      const progress = this.proceed(running, situation, drafts)
      if (progress === 'waits') {
        running.nextAt = situation.now + pollMs
        continue
      }
      this.commands.delete(running)
      for (const node of running.nodes) {
        this.running.delete(node.id)
        if (progress === 'failed') restore(node, drafts)
      }
      if (progress === 'failed') drafts.metrics.failed(running.command)
    }
  }

  nextAt(): number {
    let next = Number.POSITIVE_INFINITY
    for (const { nextAt } of this.commands) next = Math.min(next, nextAt)
    return next
  }

  private proceed(running: Running, { view, state, now }: Situation, drafts: Drafts): 'waits' | 'failed' | 'done' {
    const { command, nodes, replacements, startedAt } = running
    for (const name of replacements) {
      const claim = view.get(nodeClaims, name)
      if (claim === undefined && !state.hasClaim(name)) return 'failed'
      if (!isConditionTrue(claim?.status?.conditions, 'Initialized')) {
        drafts.event(claim, 'DisruptionWaitingReadiness', 'Waiting on readiness to continue disruption')
        return now - startedAt > this.timeoutMs ? 'failed' : 'waits'
      }
    }
    for (const { claim, node } of nodes) {
      if (claim === undefined) continue
      drafts.event(node, 'DisruptionTerminating', `Disrupting Node: ${command.reason}`)
      drafts.event(claim, 'DisruptionTerminating', `Disrupting NodeClaim: ${command.reason}`)
      if (claim.metadata.deletionTimestamp !== undefined) continue
      drafts.delete(nodeClaims, claim)
      drafts.metrics.claimDisrupted(claim, command.reason)
    }
    return 'done'
  }

  private get timeoutMs(): number {
    return Math.min(longestTimeoutMs, Math.max(shortestTimeoutMs, timeoutPerNodeMs * this.running.size))
  }
}

function mark(state: StateNode, reason: string, drafts: Drafts, wall: number): void {
  const node = drafts.get('nodes', state.node?.metadata.name ?? '')
  if (node !== undefined)
    drafts.set('nodes', { ...node, spec: { ...node.spec, taints: withTaint(node.spec?.taints, disruptedTaint) } })
  const claim = drafts.get(nodeClaims, state.claim?.metadata.name ?? '')
  if (claim === undefined) return
  const condition = { type: 'DisruptionReason', status: 'True' as const, reason, message: reason }
  drafts.set(nodeClaims, withClaimCondition(claim, condition, wall))
}

/** Restores a node that is not removed: clears its mark and its taint. */
export function restore(state: StateNode, drafts: Drafts): void {
  state.isMarked = false
  const node = drafts.get('nodes', state.node?.metadata.name ?? '')
  if (node !== undefined && node.metadata.deletionTimestamp === undefined)
    drafts.set('nodes', { ...node, spec: { ...node.spec, taints: withoutTaint(node.spec?.taints, disruptedTaint) } })
  const claim = drafts.get(nodeClaims, state.claim?.metadata.name ?? '')
  if (claim === undefined) return
  drafts.set(nodeClaims, withoutClaimCondition(claim, 'DisruptionReason'))
}
