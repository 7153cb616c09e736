import { parseCidr, sameCidr } from '../../api/cidr.ts'
import { findCondition } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Logger } from '../../base/log.ts'
import { done, failed, type Result } from '../../base/result.ts'
import type { Answer, ChangeOf, EventRecord } from '../../runtime/controller.ts'
import type { AfterResults, KeyedResult, ReconcileContext, ReconcileResult } from '../../runtime/reconciler.ts'
import { askCloud, troubleIn } from './cloud-request.ts'
import { assignBlocks, networkAvailable, podCidrsOf, statusChange } from './node-blocks.ts'

// v1.28, nodeipam/ipam: updateRetryTimeout, maxUpdateRetryTimeout, updateMaxRetries, cidrUpdateRetries.
const firstRetryMs = 250
const longestRetryMs = 5_000
const maxRetries = 10
const maxWrites = 3

const networkUnavailable = 'node.kubernetes.io/network-unavailable'
const component = 'cidrAllocator'

type WorkStage =
  | { readonly kind: 'due' }
  /** Changes of the node do not shorten the wait. */
  | { readonly kind: 'resting'; readonly until: number }
  | { readonly kind: 'asked' }
  | { readonly kind: 'answered'; readonly outcome: Answer['outcome'] }
  | {
      readonly kind: 'assigning'
      readonly cidrs: readonly string[]
      readonly writes: number
      readonly trouble?: string
    }
  | { readonly kind: 'assigned' }
  | { readonly kind: 'announcing' }
  | { readonly kind: 'announced'; readonly trouble?: string }

interface NodeWork {
  retries: number
  stage: WorkStage
}

/**
 * Takes the pod CIDRs of nodes from the cloud: the alias ranges of an instance become the podCIDRs of its node, and its
 * network is marked as available (v1.28, nodeipam/ipam, cloudCIDRAllocator). Nothing is allocated or released here.
 */
export class CloudAllocator {
  private readonly log: Logger
  private readonly work = new Map<string, NodeWork>()

  constructor(log: Logger) {
    this.log = log
  }

  observe({ key, before, after }: ChangeOf<'nodes'>): string | undefined {
    if (after === undefined) {
      this.work.delete(key)
      return undefined
    }
    return before === undefined || needsAttention(after) ? key : undefined
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const node = context.view.get('nodes', key)
    if (node === undefined) {
      this.work.delete(key)
      return undefined
    }
    let work = this.work.get(key)
    if (work === undefined) {
      work = { retries: 0, stage: { kind: 'due' } }
      this.work.set(key, work)
    }
    return this.proceed(node, work, context)
  }

  onResults(key: string, results: readonly KeyedResult[]): AfterResults {
    const work = this.work.get(key)
    if (work === undefined) return 'done'
    const outcome = results[0]?.outcome
    if (outcome === undefined) return 'again'
    const trouble = outcome.ok ? undefined : (outcome.status.message ?? outcome.status.reason ?? 'refused')
    if (work.stage.kind === 'assigning') {
      const { cidrs, writes } = work.stage
      work.stage =
        trouble === undefined ? { kind: 'assigned' } : { kind: 'assigning', cidrs, writes: writes + 1, trouble }
    } else if (work.stage.kind === 'announcing') {
      work.stage = { kind: 'announced', ...(trouble === undefined ? {} : { trouble }) }
    }
    return 'again'
  }

  onAnswers(key: string, answers: readonly Answer[]): void {
    const work = this.work.get(key)
    const outcome = answers[0]?.outcome
    if (work !== undefined && outcome !== undefined) work.stage = { kind: 'answered', outcome }
  }

  inspect(): readonly { readonly node: string; readonly stage: string; readonly retries: number }[] {
    return [...this.work].map(([node, { stage, retries }]) => ({ node, stage: stage.kind, retries }))
  }

  private proceed(node: Node, work: NodeWork, context: ReconcileContext): ReconcileResult | undefined {
    const { stage } = work
    switch (stage.kind) {
      case 'resting':
        if (context.now < stage.until) return { wakeAt: stage.until }
        return this.ask(node, work, context)
      case 'due':
        return this.ask(node, work, context)
      case 'answered':
        return this.takeAnswer(node, work, stage.outcome, context)
      case 'assigning':
        if (stage.writes < maxWrites) return this.assign(node, work, stage, context)
        return this.fail(node, work, context, stage.trouble ?? '', [
          statusChange(node, 'CIDRAssignmentFailed', component),
        ])
      case 'assigned':
        return this.announce(node, work, context)
      case 'announced':
        if (stage.trouble !== undefined) return this.fail(node, work, context, stage.trouble)
        this.work.delete(node.metadata.name)
        return undefined
      // The result arrives as an input of a later step.
      case 'asked':
      case 'announcing':
        return undefined
    }
  }

  private ask(node: Node, work: NodeWork, context: ReconcileContext): ReconcileResult {
    const { name } = node.metadata
    const providerId = node.spec?.providerID ?? ''
    if (providerId === '') return this.fail(node, work, context, `node ${name} doesn't have providerID`)
    work.stage = { kind: 'asked' }
    return { asks: [askCloud(context.ids.next(), { kind: 'alias-ranges', providerId }, context.now)] }
  }

  private takeAnswer(
    node: Node,
    work: NodeWork,
    outcome: Answer['outcome'],
    context: ReconcileContext,
  ): ReconcileResult | undefined {
    const missing = [statusChange(node, 'CIDRNotAvailable', component)]
    const trouble = troubleIn(outcome)
    if (trouble !== undefined) {
      return this.fail(node, work, context, `failed to get cidr(s) from provider: ${trouble}`, missing)
    }
    const ranges = outcome.kind === 'ok' ? (outcome.value as readonly string[]) : []
    if (ranges.length === 0) {
      const message = `failed to allocate cidr: Node ${node.metadata.name} has no CIDRs`
      return this.fail(node, work, context, message, missing)
    }
    // At most one of each family.
    const cidrs = ranges.slice(0, 2)
    const isNeeded = needsAssignment(node, cidrs)
    if (!isNeeded.ok) return this.fail(node, work, context, isNeeded.message)
    if (!isNeeded.value) return this.announce(node, work, context)
    return this.assign(node, work, { cidrs, writes: 0 }, context)
  }

  private assign(
    node: Node,
    work: NodeWork,
    { cidrs, writes }: { readonly cidrs: readonly string[]; readonly writes: number },
    context: ReconcileContext,
  ): ReconcileResult {
    work.stage = { kind: 'assigning', cidrs, writes }
    return { actions: [context.call(assignBlocks(node.metadata.name, cidrs))] }
  }

  private announce(node: Node, work: NodeWork, context: ReconcileContext): ReconcileResult {
    work.stage = { kind: 'announcing' }
    const call = networkAvailable(node.metadata.name, 'NodeController create implicit route', context.wall)
    return { actions: [context.call(call)] }
  }

  private fail(
    node: Node,
    work: NodeWork,
    { now, random }: ReconcileContext,
    message: string,
    events: readonly EventRecord[] = [],
  ): ReconcileResult {
    const { name } = node.metadata
    work.retries++
    if (work.retries > maxRetries) {
      this.log.error({ node: name, error: message }, 'giving up until the node changes')
      this.work.delete(name)
      return { events }
    }
    this.log.warn({ node: name, error: message }, 'the cloud has no pod CIDR for the node yet')
    const waitMs = Math.min(firstRetryMs * 2 ** work.retries, longestRetryMs)
    const until = now + waitMs / 2 + random.stream('cloud-cidrs').next() * waitMs
    work.stage = { kind: 'resting', until }
    return { events, wakeAt: until }
  }
}

/** Reports whether a node needs work: it has no block, or its network is marked as unavailable. */
function needsAttention(node: Node): boolean {
  if (podCidrsOf(node).length === 0) return true
  if (findCondition(node.status?.conditions, 'NetworkUnavailable')?.status !== 'False') return true
  return node.spec?.taints?.some(({ key, effect }) => key === networkUnavailable && effect === 'NoSchedule') ?? false
}

/** Invalid CIDRs are overwritten (v1.28, needPodCIDRsUpdate). */
function needsAssignment(node: Node, texts: readonly string[]): Result<boolean> {
  const cidrs = texts.map(parseCidr)
  const wrong = texts.find((_, at) => cidrs[at] === undefined)
  if (wrong !== undefined)
    return failed(`failed to parse strings ${texts.join(' ')} as CIDRs: invalid CIDR address: ${wrong}`)
  const present = podCidrsOf(node).map(parseCidr)
  const same = (at: number) => {
    const [one, other] = [cidrs[at], present[at]]
    return one !== undefined && other !== undefined && sameCidr(one, other)
  }
  if (cidrs.length === 1) return done(!same(0))
  if (present.length !== cidrs.length) return done(true)
  if (cidrs[0]?.family === cidrs[1]?.family) return failed(`err: IPs are not dual stack, CIDRS: ${texts.join(' ')}`)
  return done(!(same(0) && same(1)))
}
