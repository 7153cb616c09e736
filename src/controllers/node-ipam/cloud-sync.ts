import type { Call } from '../../api/call.ts'
import { type Cidr, formatCidr, parseCidr, sameCidr } from '../../api/cidr.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Logger } from '../../base/log.ts'
import type { Answer, ChangeOf, EventRecord } from '../../runtime/controller.ts'
import type { AfterResults, KeyedResult, ReconcileContext, ReconcileResult } from '../../runtime/reconciler.ts'
import type { BlockPool } from './block-pool.ts'
import { noBlockLeft } from './cidr-set.ts'
import { askCloud, type CloudRequest, troubleIn } from './cloud-request.ts'
import { networkAvailable, podCidrsOf } from './node-blocks.ts'
import { SyncTimeout, type SyncTimes, upstreamTimes } from './sync-timeout.ts'

/** The source: the cluster, whose blocks become aliases, or the cloud, whose aliases become blocks. */
export type SyncMode = 'SyncFromCluster' | 'SyncFromCloud'

export interface CloudSyncOptions {
  readonly pool: BlockPool
  readonly mode: SyncMode
  readonly times?: SyncTimes
  /** A block that could not be written stays reserved for its node instead of being lost until a restart. */
  readonly keepsReserved: boolean
  readonly log: Logger
}

/** One step of the work on a node. The last step ends the round. */
type SyncStep =
  | { readonly kind: 'ask'; readonly request: CloudRequest }
  | { readonly kind: 'write'; readonly call: (wall: number) => Call }

interface Round {
  /** The steps after the current step. */
  readonly steps: SyncStep[]
  /** The first request reads the aliases from the cloud. */
  readonly isReading: boolean
}

interface Syncer {
  readonly timeout: SyncTimeout
  round: Round | undefined
  /** The result of the current step. */
  outcome: { readonly value?: unknown; readonly trouble?: string } | undefined
  nextAt: number
  /** The node has changed since the round began. */
  isStale: boolean
  reserved: Cidr | undefined
}

/**
 * Synchronizes the pod CIDRs of nodes with the alias ranges of their instances: one loop per node, every half minute
 * and whenever the node changes (v1.28, nodeipam/ipam Controller and nodeipam/ipam/sync).
 */
export class CloudSync {
  private readonly options: CloudSyncOptions
  private readonly pool: BlockPool
  private readonly syncers = new Map<string, Syncer>()
  private readonly lastEvents = new Map<string, EventRecord>()

  constructor(options: CloudSyncOptions) {
    this.options = options
    this.pool = options.pool
  }

  observe({ key, before, after }: ChangeOf<'nodes'>): string | undefined {
    if (after === undefined) return this.nodeDeleted(key, before)
    const [text] = podCidrsOf(after)
    const cidr = text === undefined ? undefined : parseCidr(text)
    // The blocks of existing nodes are occupied before anything is allocated.
    if (cidr !== undefined && podCidrsOf(before)[0] !== text) this.pool.occupy(cidr)
    const syncer = this.syncers.get(key)
    if (syncer === undefined) this.syncers.set(key, this.newSyncer())
    else syncer.isStale = true
    return key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const last = this.lastEvents.get(key)
    this.lastEvents.delete(key)
    const events = last === undefined ? [] : [last]
    const node = context.view.get('nodes', key)
    const syncer = this.syncers.get(key)
    if (node === undefined || syncer === undefined) return { events }
    const result = this.proceed(node, syncer, context)
    return events.length === 0 ? result : { ...result, events: [...events, ...(result.events ?? [])] }
  }

  onResults(key: string, results: readonly KeyedResult[]): AfterResults {
    const syncer = this.syncers.get(key)
    if (syncer === undefined) return 'done'
    const outcome = results[0]?.outcome
    if (outcome === undefined) return 'again'
    syncer.outcome = outcome.ok ? {} : { trouble: outcome.status.message ?? outcome.status.reason ?? 'refused' }
    return 'again'
  }

  onAnswers(key: string, answers: readonly Answer[]): void {
    const syncer = this.syncers.get(key)
    const outcome = answers[0]?.outcome
    if (syncer === undefined || outcome === undefined) return
    const trouble = troubleIn(outcome)
    syncer.outcome =
      trouble === undefined && outcome.kind === 'ok' ? { value: outcome.value } : { trouble: trouble ?? '' }
  }

  reservedBlocks(): ReadonlyMap<string, readonly string[]> {
    const pairs = [...this.syncers].flatMap(([node, { reserved }]) =>
      reserved === undefined ? [] : [[node, [formatCidr(reserved)]] as const],
    )
    return new Map(pairs)
  }

  inspect(): readonly { readonly node: string; readonly failures: number; readonly nextAt: number }[] {
    return [...this.syncers].map(([node, { timeout, nextAt }]) => ({ node, failures: timeout.failed, nextAt }))
  }

  private newSyncer(): Syncer {
    const timeout = new SyncTimeout(this.options.times ?? upstreamTimes)
    return { timeout, round: undefined, outcome: undefined, nextAt: 0, isStale: true, reserved: undefined }
  }

  private proceed(node: Node, syncer: Syncer, context: ReconcileContext): ReconcileResult {
    const { round, outcome } = syncer
    if (round === undefined) {
      if (!syncer.isStale && context.now < syncer.nextAt) return { wakeAt: syncer.nextAt }
      return this.begin(node, syncer, context)
    }
    // The result arrives as an input of a later step.
    if (outcome === undefined) return {}
    syncer.outcome = undefined
    if (outcome.trouble !== undefined) return this.finish(node, syncer, context, { trouble: outcome.trouble })
    if (round.isReading) return this.compare(node, syncer, outcome.value as readonly string[], context)
    return this.nextStep(node, syncer, round.steps, context)
  }

  private begin(node: Node, syncer: Syncer, context: ReconcileContext): ReconcileResult {
    syncer.isStale = false
    const { name } = node.metadata
    const providerId = node.spec?.providerID ?? ''
    if (providerId === '') {
      return this.finish(node, syncer, context, { trouble: `node ${name} doesn't have providerID` })
    }
    syncer.round = { steps: [], isReading: true }
    return { asks: [askCloud(context.ids.next(), { kind: 'alias-ranges', providerId }, context.now)] }
  }

  /** The cloud has returned its aliases: four cases (v1.28, nodeipam/ipam/sync, updateOp). */
  private compare(node: Node, syncer: Syncer, ranges: readonly string[], context: ReconcileContext): ReconcileResult {
    const [first] = ranges
    const alias = first === undefined ? undefined : parseCidr(first)
    if (first !== undefined && alias === undefined) {
      return this.finish(node, syncer, context, { trouble: `invalid CIDR address: ${first}` })
    }
    const [block] = podCidrsOf(node)
    if (block === undefined) {
      return alias === undefined ? this.allocate(node, syncer, context) : this.copyToNode(node, syncer, alias, context)
    }
    if (alias === undefined) return this.copyToCloud(node, syncer, block, context)
    const found = formatCidr(alias)
    if (block === found) return this.finish(node, syncer, context, {})
    const message = `Node.Spec.PodCIDR != cloud alias (${block} != ${found})`
    const events = [nodeEvent(node.metadata.name, 'CloudCIDRAllocatorMismatch', message)]
    return this.finish(node, syncer, context, { events })
  }

  private allocate(node: Node, syncer: Syncer, context: ReconcileContext): ReconcileResult {
    const { mode, keepsReserved } = this.options
    if (mode !== 'SyncFromCluster') return this.wrongMode(node, syncer, context, 'Cannot allocate CIDRs')
    const cidr = syncer.reserved ?? this.pool.take()
    if (cidr === undefined) return this.finish(node, syncer, context, { trouble: noBlockLeft })
    if (keepsReserved) syncer.reserved = cidr
    const block = formatCidr(cidr)
    return this.nextStep(node, syncer, [addAlias(node, block), setBlock(node, block), makeAvailable(node)], context)
  }

  private copyToNode(node: Node, syncer: Syncer, alias: Cidr, context: ReconcileContext): ReconcileResult {
    const { mode } = this.options
    // The alias is our own, from a round that failed halfway. Upstream treats it as an alias of the cloud and stays
    // stuck.
    const isOurs = syncer.reserved !== undefined && sameCidr(syncer.reserved, alias)
    if (mode !== 'SyncFromCloud' && !isOurs) return this.wrongMode(node, syncer, context, 'Cannot sync from cloud')
    if (!isOurs) {
      const occupied = this.pool.occupy(alias)
      if (!occupied.ok) return this.finish(node, syncer, context, { trouble: occupied.message })
    }
    return this.nextStep(node, syncer, [setBlock(node, formatCidr(alias)), makeAvailable(node)], context)
  }

  private copyToCloud(node: Node, syncer: Syncer, block: string, context: ReconcileContext): ReconcileResult {
    if (this.options.mode !== 'SyncFromCluster') return this.wrongMode(node, syncer, context, 'Cannot sync to cloud')
    const cidr = parseCidr(block)
    if (cidr === undefined) return this.finish(node, syncer, context, { trouble: `invalid CIDR address: ${block}` })
    const occupied = this.pool.occupy(cidr)
    if (!occupied.ok) return this.finish(node, syncer, context, { trouble: occupied.message })
    return this.nextStep(node, syncer, [addAlias(node, formatCidr(cidr)), makeAvailable(node)], context)
  }

  private wrongMode(node: Node, syncer: Syncer, context: ReconcileContext, what: string): ReconcileResult {
    const message = `${what} in mode ${JSON.stringify(this.options.mode)}`
    const events = [nodeEvent(node.metadata.name, 'CloudCIDRAllocatorInvalidMode', message)]
    return this.finish(node, syncer, context, { events, trouble: message })
  }

  private nextStep(node: Node, syncer: Syncer, steps: readonly SyncStep[], context: ReconcileContext): ReconcileResult {
    const [step, ...rest] = steps
    if (step === undefined) {
      syncer.reserved = undefined
      return this.finish(node, syncer, context, {})
    }
    syncer.round = { steps: rest, isReading: false }
    if (step.kind === 'write') return { actions: [context.call(step.call(context.wall))] }
    return { asks: [askCloud(context.ids.next(), step.request, context.now)] }
  }

  private finish(
    node: Node,
    syncer: Syncer,
    { now }: ReconcileContext,
    { trouble, events = [] }: { readonly trouble?: string; readonly events?: readonly EventRecord[] },
  ): ReconcileResult {
    const { name } = node.metadata
    if (trouble !== undefined)
      this.options.log.warn({ node: name, error: trouble }, 'pod CIDRs of the node and its instance differ')
    syncer.round = undefined
    syncer.nextAt = now + syncer.timeout.after(trouble === undefined)
    // Changes during the round are handled directly after it.
    return { events, wakeAt: syncer.isStale ? now : syncer.nextAt }
  }

  private nodeDeleted(key: string, before: Node | undefined): string | undefined {
    const syncer = this.syncers.get(key)
    this.syncers.delete(key)
    const [text] = podCidrsOf(before)
    const cidr = text === undefined ? undefined : parseCidr(text)
    if (syncer?.reserved !== undefined && (cidr === undefined || !sameCidr(cidr, syncer.reserved))) {
      this.pool.release(syncer.reserved)
    }
    if (text === undefined) return undefined
    if (cidr !== undefined) {
      this.pool.release(cidr)
      return undefined
    }
    const message = `Node ${JSON.stringify(key)} has an invalid PodCIDR: ${JSON.stringify(text)}`
    this.lastEvents.set(key, nodeEvent(key, 'CloudCIDRAllocatorInvalidPodCIDR', message))
    return key
  }
}

function addAlias({ spec }: Node, cidr: string): SyncStep {
  return { kind: 'ask', request: { kind: 'add-alias', providerId: spec?.providerID ?? '', cidr } }
}

function setBlock({ metadata: { name } }: Node, podCIDR: string): SyncStep {
  const call: Call = {
    verb: 'patch',
    resource: 'nodes',
    name,
    patch: { kind: 'strategic', patch: { metadata: { name }, spec: { podCIDR } } },
  }
  return { kind: 'write', call: () => call }
}

function makeAvailable({ metadata: { name } }: Node): SyncStep {
  return { kind: 'write', call: (wall) => networkAvailable(name, 'NodeController created an implicit route', wall) }
}

/** Upstream calls it a warning and records it as Normal (v1.28, nodeipam/ipam, EmitNodeWarningEvent). */
function nodeEvent(name: string, reason: string, message: string): EventRecord {
  return {
    regarding: { kind: 'Node', name },
    type: 'Normal',
    reason,
    message,
    api: 'core',
    component: 'cloudCIDRAllocator',
  }
}
