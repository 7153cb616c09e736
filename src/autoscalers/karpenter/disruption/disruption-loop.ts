import type { RandomStream } from '../../../base/random.ts'
import type { Drafts } from '../drafts.ts'
import type { Situation } from '../situation.ts'
import type { StateNode } from '../state/state-node.ts'
import { blockedText, budgetsOf } from './budgets.ts'
import { type Candidate, candidatesOf } from './candidate.ts'
import { type Command, commandText, estimatedSavings } from './command.ts'
import { type CommandQueue, restore } from './command-queue.ts'
import { type Method, methods } from './methods.ts'
import { validate } from './validate.ts'

// v1.14, disruption.Controller
const pollMs = 10_000
const unsyncedMs = 1_000
const validationMs = 15_000
/** The minimum interval between two events that report a node as blocked. */
const blockedMs = 2 * 60_000
/** The phase of the polls relative to the clock is arbitrary. This is the phase in the recordings. */
const phaseMs = 2_300

interface Waiting {
  readonly method: number
  readonly command: Command
  readonly until: number
}

/**
 * Looks for nodes to remove, one decision at a time: while a decision waits for its second check, no other decision is
 * made.
 */
export class DisruptionLoop {
  private readonly queue: CommandQueue
  private readonly consolidatedAt = new Map<string, number>()
  private readonly reasons = new Map<string, string>()
  private readonly blockedUntil = new WeakMap<StateNode, number>()
  private nextRunAt: number | undefined
  private waiting: Waiting | undefined
  private pass:
    | {
        readonly now: number
        readonly situation: Situation
        readonly byClass: Map<string, readonly Candidate[]>
      }
    | undefined

  constructor(queue: CommandQueue) {
    this.queue = queue
  }

  /** The reasons why nodes are not removed, by name, as of the last pass. */
  get blocked(): ReadonlyMap<string, string> {
    return this.reasons
  }

  step(situation: Situation, drafts: Drafts, random: RandomStream): void {
    const { now, state } = situation
    this.nextRunAt ??= now + ((((phaseMs - now) % pollMs) + pollMs) % pollMs)
    if (this.waiting !== undefined) {
      if (this.waiting.until <= now) this.finishWaiting(this.waiting, situation, drafts, random)
      return
    }
    if (this.nextRunAt > now) return
    if (!state.isSynced) {
      this.nextRunAt = now + unsyncedMs
      return
    }
    this.reasons.clear()
    for (const node of state.lists.tainted) if (!this.queue.has(node.id)) restore(node, drafts)
    this.tryFrom(0, situation, drafts, random)
  }

  nextAt(): number {
    return this.waiting?.until ?? this.nextRunAt ?? Number.NEGATIVE_INFINITY
  }

  private finishWaiting(
    { method: at, command }: Waiting,
    situation: Situation,
    drafts: Drafts,
    random: RandomStream,
  ): void {
    this.waiting = undefined
    const method = methods[at] as Method
    const isBusy = (id: string) => this.queue.has(id)
    const valid = validate({
      situation,
      method,
      command,
      isBusy,
      noteInvalid: (count) => drafts.metrics.invalid(count, method.name),
    })
    if (valid === undefined) {
      const savings = estimatedSavings(command, situation.cloud.catalog.wellKnown).toFixed(2)
      for (const { state } of command.candidates)
        noteBoth(state, 'ConsolidationRejected', `Consolidation rejected (savings: $${savings})`, drafts)
      this.tryFrom(at + 1, situation, drafts, random)
    } else if (!this.start([valid], method, situation, drafts, random)) this.nextRunAt = situation.now + pollMs
  }

  private tryFrom(first: number, situation: Situation, drafts: Drafts, random: RandomStream): void {
    const { now } = situation
    for (let at = first; at < methods.length; at++) {
      const method = methods[at] as Method
      const commands = this.decide(method, situation, drafts)
      const [command] = commands
      if (command === undefined) continue
      if (method.isConsolidation) {
        this.waiting = { method: at, command, until: now + validationMs }
        return
      }
      if (this.start(commands, method, situation, drafts, random)) return
    }
    this.nextRunAt = now + pollMs
  }

  private decide(method: Method, situation: Situation, drafts: Drafts): readonly Command[] {
    const { state, now } = situation
    // Nodes that block only this method also block consolidation, which has already reported them.
    if (method.reason === 'Drifted' && !state.lists.hasDrifted) {
      drafts.metrics.eligible(0, method.reason)
      return []
    }
    const all = this.candidates(method, situation, drafts)
    const note = ({ name, state: node }: { readonly name: string; readonly state: StateNode }, reason: string) => {
      this.reasons.set(name, reason)
      noteBoth(node, method.isConsolidation ? 'Unconsolidatable' : 'DisruptionBlocked', sentence(reason), drafts)
    }
    const candidates = all.filter((candidate) => method.shouldDisrupt(candidate, note))
    drafts.metrics.eligible(candidates.length, method.reason)
    if (candidates.length === 0) return []
    const current = state.consolidationState(now)
    if (method.isConsolidation && this.consolidatedAt.get(method.name) === current) return []
    const budgets = budgetsOf(
      situation,
      method.reason,
      (pool) => drafts.event(pool, 'DisruptionBlocked', blockedText(method.reason), { about: method.reason }),
      ({ metadata }, counts) => drafts.metrics.budget(metadata.name, method.reason, counts),
    )
    const noteSilently = ({ name }: Candidate, reason: string) => this.reasons.set(name, reason)
    const { commands, isLimited } = method.decide({ situation, candidates, all, budgets, note, noteSilently })
    if (commands.length === 0 && method.isConsolidation && !isLimited) this.consolidatedAt.set(method.name, current)
    return commands
  }

  /** The nodes that may be disrupted; they are the same for all methods of a pass. */
  private candidates(method: Method, situation: Situation, drafts: Drafts): readonly Candidate[] {
    const { now } = situation
    if (this.pass?.now !== now || this.pass.situation !== situation) this.pass = { now, situation, byClass: new Map() }
    const { byClass } = this.pass
    const known = byClass.get(method.class)
    if (known !== undefined) return known
    const all = candidatesOf(
      situation,
      method.class,
      (id) => this.queue.has(id),
      (node, reason) => {
        this.reasons.set(node.name, reason)
        // Each pass finds the same blocked nodes.
        if ((this.blockedUntil.get(node) ?? now) > now) return
        this.blockedUntil.set(node, now + blockedMs)
        noteBoth(node, 'DisruptionBlocked', sentence(reason), drafts)
      },
    )
    byClass.set(method.class, all)
    return all
  }

  /**
   * Reports whether all commands were started. The next pass follows immediately, or when the new claims are launched.
   */
  private start(
    commands: readonly Command[],
    method: Method,
    situation: Situation,
    drafts: Drafts,
    random: RandomStream,
  ): boolean {
    const { now, cloud } = situation
    let isStarted = true
    for (const command of commands) {
      const started = { ...command, reason: method.reason, method: method.name }
      for (const { state } of command.candidates)
        noteBoth(
          state,
          'ConsolidationCandidate',
          `Consolidation candidate: ${commandText(started, cloud.catalog.wellKnown)}`,
          drafts,
        )
      isStarted = this.queue.start(started, situation, drafts, random) && isStarted
    }
    if (isStarted)
      this.nextRunAt = commands.some(({ replacements }) => replacements.length > 0) ? now + unsyncedMs : now
    return isStarted
  }
}

function noteBoth({ node, claim }: StateNode, reason: string, message: string, drafts: Drafts): void {
  drafts.event(node, reason, message)
  drafts.event(claim, reason, message)
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
