import type { Outcome } from '../../api/call.ts'
import { type Cidr, formatCidr } from '../../api/cidr.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Logger } from '../../base/log.ts'
import type { Answer, ChangeOf } from '../../runtime/controller.ts'
import type { AfterResults, KeyedResult, ReconcileContext, ReconcileResult } from '../../runtime/reconciler.ts'
import type { Ledger, LedgerInspection } from './ledger.ts'
import { assignBlocks, nodeWarning, podCidrsOf, statusChange } from './node-blocks.ts'

// v1.36, nodeipam/ipam, cidrUpdateRetries.
const tries = 3
const readDeadlineMs = 30_000

export interface NodeAllocatorOptions {
  readonly ledger: Ledger
  /**
   * How to handle a block if it is unknown whether the node has it. `lose`: it stays used until a restart, as in v1.36.
   * `ask`: the node is read again, and the block stays reserved for it until the outcome is known.
   */
  readonly whenInDoubt: 'lose' | 'ask'
  readonly eventComponent: string
  readonly log: Logger
}

/** Blocks that are being written to a node. */
interface Reservation {
  readonly cidrs: readonly Cidr[]
  readonly texts: readonly string[]
  tries: number
  /** A write ended without a clear outcome: it may have been executed, or may be executed later. */
  isInDoubt: boolean
  stage:
    | { readonly kind: 'ready' }
    | { readonly kind: 'underway' }
    | { readonly kind: 'failed'; readonly outcome: Outcome }
    | { readonly kind: 'asked' }
    | { readonly kind: 'answered'; readonly outcome: Answer['outcome'] }
}

export interface AllocatorInspection extends LedgerInspection {
  readonly reserved: readonly { readonly node: string; readonly cidrs: readonly string[]; readonly stage: string }[]
  /** Nodes without a block because none is free. */
  readonly waiting: readonly string[]
}

/**
 * Gives every node its blocks and releases them. A block is reserved, then written to the node. If the node gets other
 * blocks in the meantime, these take precedence (v1.36, nodeipam/ipam, rangeAllocator: AllocateOrOccupyCIDR,
 * updateCIDRsAllocation).
 */
export class NodeAllocator {
  private readonly options: NodeAllocatorOptions
  private readonly ledger: Ledger
  private readonly reservations = new Map<string, Reservation>()
  private readonly waiting = new Set<string>()
  /** Nodes whose invalid blocks were reported. */
  private readonly toldOf = new Set<string>()
  private hasBegun = false

  constructor(options: NodeAllocatorOptions) {
    this.options = options
    this.ledger = options.ledger
  }

  /** Applies a change to the ledger; returns the key if the node needs work. */
  observe({ key, before, after }: ChangeOf<'nodes'>): string | undefined {
    if (after === undefined) {
      if (before !== undefined) this.ledger.letGo(before)
      this.waiting.delete(key)
      this.toldOf.delete(key)
      if (this.isIdle(key)) this.drop(key)
      return undefined
    }
    const texts = podCidrsOf(after)
    if (texts.length === 0) return key
    this.waiting.delete(key)
    const reserved = this.reservations.get(key)
    if (reserved !== undefined && deepEqual(reserved.texts, texts)) {
      this.reservations.delete(key)
      this.ledger.keep(after, reserved.cidrs)
      return undefined
    }
    if (this.isIdle(key)) this.drop(key)
    const held = this.ledger.hold(after)
    return held.ok || this.toldOf.has(key) ? undefined : key
  }

  /** The first step has ended. Later inputs are changes. */
  begun(): void {
    if (!this.hasBegun) this.ledger.begin()
    this.hasBegun = true
  }

  /** Nodes that need a block. */
  waitingNodes(): readonly string[] {
    return [...this.waiting]
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    this.begun()
    const node = context.view.get('nodes', key)
    const reserved = this.reservations.get(key)
    if (reserved !== undefined) return this.proceed(key, reserved, node, context)
    if (node === undefined || node.metadata.deletionTimestamp !== undefined) return undefined
    if (podCidrsOf(node).length > 0) return this.occupy(node)
    return this.allocate(node, context)
  }

  onResults(key: string, results: readonly KeyedResult[], { view }: ReconcileContext): AfterResults {
    const reserved = this.reservations.get(key)
    if (reserved === undefined) return 'done'
    const outcome = results[0]?.outcome
    if (outcome === undefined) return 'again'
    if (!outcome.ok) {
      reserved.tries++
      if (!isRefusal(outcome.status.reason ?? '')) reserved.isInDoubt = true
      const isLast = reserved.tries >= tries
      reserved.stage = isLast ? { kind: 'failed', outcome } : { kind: 'ready' }
      return 'again'
    }
    this.reservations.delete(key)
    const node = view.get('nodes', key)
    const texts = podCidrsOf(node)
    if (node !== undefined && deepEqual(texts, reserved.texts)) {
      this.ledger.keep(node, reserved.cidrs)
      return 'done'
    }
    // The node was deleted in the meantime and never seen with its blocks. A node of the same name may wait for its own
    // blocks.
    if (this.options.whenInDoubt === 'ask') this.ledger.giveBack(key, reserved.cidrs)
    return node === undefined || texts.length > 0 ? 'done' : 'again'
  }

  onAnswers(key: string, answers: readonly Answer[]): void {
    const reserved = this.reservations.get(key)
    const outcome = answers[0]?.outcome
    if (reserved !== undefined && outcome !== undefined) reserved.stage = { kind: 'answered', outcome }
  }

  inspect(): AllocatorInspection {
    const texts = new Map([...this.reservations].map(([node, { texts }]) => [node, texts]))
    return {
      ...this.ledger.inspect(texts),
      reserved: [...this.reservations].map(([node, { texts: cidrs, stage }]) => ({ node, cidrs, stage: stage.kind })),
      waiting: [...this.waiting].sort(),
    }
  }

  private occupy(node: Node): ReconcileResult | undefined {
    const { log, eventComponent } = this.options
    const { name } = node.metadata
    const held = this.ledger.hold(node)
    if (held.ok || this.toldOf.has(name)) return undefined
    log.warn({ node: name, error: held.message }, 'pod CIDRs of the node do not fit')
    if (held.reason === undefined) return { retry: true }
    this.toldOf.add(name)
    return { events: [nodeWarning(node, held.reason, held.message, eventComponent)] }
  }

  private allocate(node: Node, context: ReconcileContext): ReconcileResult {
    const { log, eventComponent } = this.options
    const { name } = node.metadata
    const cidrs = this.ledger.reserve(node)
    if (!cidrs.ok) {
      this.waiting.add(name)
      if (cidrs.isComing === true) return {}
      log.warn({ node: name, error: cidrs.message }, 'no pod CIDR available for the node')
      return { events: [statusChange(node, 'CIDRNotAvailable', eventComponent)], retry: true }
    }
    this.waiting.delete(name)
    const texts = cidrs.value.map(formatCidr)
    const reserved: Reservation = { cidrs: cidrs.value, texts, tries: 0, isInDoubt: false, stage: { kind: 'ready' } }
    this.reservations.set(name, reserved)
    return this.write(name, reserved, node, context)
  }

  /** The next action for reserved blocks. */
  private proceed(
    key: string,
    reserved: Reservation,
    node: Node | undefined,
    context: ReconcileContext,
  ): ReconcileResult | undefined {
    const { stage } = reserved
    switch (stage.kind) {
      case 'ready':
        if (node !== undefined || this.options.whenInDoubt === 'lose') return this.write(key, reserved, node, context)
        this.drop(key)
        return undefined
      case 'failed':
        return this.giveUp(key, reserved, stage.outcome, node, context)
      case 'answered':
        return this.resolve(key, reserved, stage.outcome, context)
      // The answer arrives as an input of a later step.
      case 'underway':
      case 'asked':
        return undefined
    }
  }

  private write(
    key: string,
    reserved: Reservation,
    node: Node | undefined,
    context: ReconcileContext,
  ): ReconcileResult {
    reserved.stage = { kind: 'underway' }
    const uid = this.options.whenInDoubt === 'ask' ? node?.metadata.uid : undefined
    return { actions: [context.call(assignBlocks(key, reserved.texts, uid))] }
  }

  private giveUp(
    key: string,
    reserved: Reservation,
    outcome: Outcome,
    node: Node | undefined,
    context: ReconcileContext,
  ): ReconcileResult {
    const { log, eventComponent, whenInDoubt } = this.options
    const reason = outcome.ok ? '' : (outcome.status.reason ?? '')
    const message = outcome.ok ? '' : outcome.status.message
    log.warn({ node: key, cidrs: reserved.texts, reason, message }, 'failed to write pod CIDRs to the node')
    const events = node === undefined ? [] : [statusChange(node, 'CIDRAssignmentFailed', eventComponent)]
    if (whenInDoubt === 'ask' && reserved.isInDoubt) {
      reserved.stage = { kind: 'asked' }
      const read = { kind: 'read', call: { verb: 'get', resource: 'nodes', name: key } } as const
      return { events, asks: [{ id: context.ids.next(), deadlineAt: context.now + readDeadlineMs, request: read }] }
    }
    this.reservations.delete(key)
    if (whenInDoubt === 'ask' || !isTimeout(reason)) this.ledger.giveBack(key, reserved.cidrs)
    return { events, retry: true }
  }

  /** Handles the node that was read again after a write without an answer. */
  private resolve(
    key: string,
    reserved: Reservation,
    answer: Answer['outcome'],
    context: ReconcileContext,
  ): ReconcileResult | undefined {
    const outcome = answer.kind === 'ok' ? (answer.value as Outcome) : undefined
    const read = outcome?.ok === true && outcome.kind === 'object' ? (outcome.object as Node) : undefined
    const isGone = outcome?.ok === false && outcome.status.reason === 'NotFound'
    const texts = podCidrsOf(read)
    if (!isGone && texts.length === 0) {
      // The write may still be in flight, so the block stays reserved for this node.
      reserved.tries = 0
      reserved.stage = { kind: 'ready' }
      return { retry: true }
    }
    // The read may be older than the view: the node may have been deleted or replaced since.
    const isPresent = read?.metadata.uid === context.view.get('nodes', key)?.metadata.uid
    if (read !== undefined && isPresent && deepEqual(texts, reserved.texts)) {
      this.reservations.delete(key)
      this.ledger.keep(read, reserved.cidrs)
      return undefined
    }
    this.drop(key)
    return this.reconcile(key, context)
  }

  /** Reports whether no call in flight could still write the reserved blocks. */
  private isIdle(key: string): boolean {
    return this.reservations.get(key)?.stage.kind === 'ready'
  }

  private drop(key: string): void {
    const reserved = this.reservations.get(key)
    if (reserved === undefined) return
    this.reservations.delete(key)
    this.ledger.giveBack(key, reserved.cidrs)
  }
}

// The server rejected the request, so nothing was or will be written.
const refusals = new Set([
  'BadRequest',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'MethodNotAllowed',
  'NotAcceptable',
  'AlreadyExists',
  'Conflict',
  'Invalid',
  'TooManyRequests',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
])

function isRefusal(reason: string): boolean {
  return refusals.has(reason)
}

// v1.36 keeps the block after a server timeout, because it cannot know whether the request was executed.
function isTimeout(reason: string): boolean {
  return reason === 'ServerTimeout' || reason === 'Timeout'
}
