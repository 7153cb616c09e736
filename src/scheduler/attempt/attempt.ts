import type { Random } from '../../base/random.ts'
import type { BindingCycles, Placement } from '../binding/binding-cycles.ts'
import type { ProfileRun, SchedulerContext } from '../context/context.ts'
import type { AttemptFailure } from '../context/failure.ts'
import { errored, handleFailure, rejectedBy } from '../context/failure.ts'
import type { CycleInput, CycleResult, CycleStates, ParsedPod, PluginStatus } from '../contract/contract.ts'
import { isRejected, messageOf } from '../contract/contract.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import type { PreemptionExecutor } from './preemption-executor.ts'

/** A pod that is being scheduled. */
export interface Attempt {
  readonly queued: QueuedPod
  readonly run: ProfileRun
  readonly startedAt: number
}

export type AssumeResult =
  | { readonly kind: 'assumed'; readonly placement: Placement }
  | { readonly kind: 'failed'; readonly failure: AttemptFailure }

export type CycleLimits = Pick<CycleInput, 'placement' | 'skippedPostFilter'>

/** The failure of a pod for which no node fits. */
export function unschedulableFailure(result: CycleResult & { kind: 'unschedulable' }): AttemptFailure {
  return {
    kind: 'rejected',
    message: result.message,
    unschedulablePlugins: [...result.unschedulablePlugins],
    pendingPlugins: [...result.pendingPlugins],
    nominating: result.nominating,
  }
}

/** The failure of a pod that Reserve or Permit refused. */
export function failureOf(refusal: PluginStatus): AttemptFailure {
  return isRejected(refusal) ? rejectedBy(refusal) : errored(messageOf(refusal))
}

/**
 * The scheduling half of an attempt (v1.36, schedulingCycle): takes a pod from the queue, and after the cycle assumes
 * it on a node or returns it to the queue.
 */
export class Attempts {
  private readonly context: SchedulerContext
  private readonly bindings: BindingCycles
  private readonly preemptions: PreemptionExecutor

  constructor(context: SchedulerContext, bindings: BindingCycles, preemptions: PreemptionExecutor) {
    this.context = context
    this.bindings = bindings
    this.preemptions = preemptions
  }

  /** Starts the attempt of a pod from the queue; undefined when the pod must not be scheduled. */
  begin(queued: QueuedPod): Attempt | undefined {
    const { queue, cache, effects, now } = this.context
    const run = this.context.runOf(queued.profile)
    const { pod } = queued.parsed
    if (run === undefined) {
      queue.done(queued.uid)
      return undefined
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      effects.event({
        regarding: pod,
        type: 'Warning',
        reason: 'FailedScheduling',
        action: 'Scheduling',
        message: `skip schedule deleting pod: ${pod.metadata.namespace ?? ''}/${pod.metadata.name}`,
      })
      queue.done(queued.uid)
      return undefined
    }
    // An update between the attempt and the assumption can return an assumed pod to the queue.
    if (cache.isAssumed(queued.uid)) {
      queue.done(queued.uid)
      return undefined
    }
    return { queued, run, startedAt: now }
  }

  runCycle({ queued, run }: Attempt, random: Random, limits?: CycleLimits): CycleResult {
    return run.scheduling.schedule(queued.parsed, { objects: this.context.objects, random, ...limits })
  }

  /** Executes the preemption that a cycle decided. */
  startPreemption({ queued, run }: Attempt, result: CycleResult): void {
    if (result.kind !== 'unschedulable') return
    if (result.diagnosis !== undefined && run.profile.postFilter.length > 0) {
      this.context.metrics.preemptionAttempt(result.preemption === undefined ? 'Unschedulable' : 'Success')
    }
    if (result.preemption !== undefined) {
      this.preemptions.start(queued.parsed, result.preemption, result.preemptedBy ?? '')
    }
    for (const call of result.calls ?? []) this.context.effects.call(call, () => {})
  }

  /** Handles the result of the cycle. */
  conclude(attempt: Attempt, result: CycleResult): void {
    switch (result.kind) {
      case 'placed':
        this.place(attempt, result)
        break
      case 'unschedulable':
        this.giveUp(attempt, result)
        break
      case 'error': {
        const failure: AttemptFailure = { ...errored(result.message), nominating: result.nominating }
        handleFailure(this.context, attempt.queued, failure, attempt.startedAt)
      }
    }
  }

  private giveUp(attempt: Attempt, result: CycleResult & { kind: 'unschedulable' }): void {
    this.startPreemption(attempt, result)
    handleFailure(this.context, attempt.queued, unschedulableFailure(result), attempt.startedAt)
  }

  private place({ queued, run, startedAt }: Attempt, { node, states }: CycleResult & { kind: 'placed' }): void {
    const assumed = this.assume({ queued, run, startedAt }, node, states)
    const failure = assumed.kind === 'failed' ? assumed.failure : this.bind(assumed.placement)
    if (failure !== undefined) handleFailure(this.context, queued, failure, startedAt)
  }

  /** Assumes the pod on the node and runs Reserve. A failure leaves nothing behind. */
  assume({ queued, run, startedAt }: Attempt, node: string, states: CycleStates): AssumeResult {
    let assumed: ParsedPod
    try {
      assumed = this.context.cache.assumePod(queued.parsed, node)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return { kind: 'failed', failure: errored(message) }
    }
    this.context.nominator.delete(assumed.uid)
    const placement: Placement = { queued, assumed, node, profile: run.profile, states, startedAt }
    const refusal = this.reserve(placement)
    return refusal === undefined
      ? { kind: 'assumed', placement }
      : { kind: 'failed', failure: this.undo(placement, refusal) }
  }

  private bind(placement: Placement): AttemptFailure | undefined {
    const refusal = this.bindings.begin(placement)
    return refusal === undefined ? undefined : this.undo(placement, refusal)
  }

  private undo(placement: Placement, refusal: PluginStatus): AttemptFailure {
    this.bindings.release(placement)
    return failureOf(refusal)
  }

  private reserve({ profile, assumed, node, states }: Placement): PluginStatus | undefined {
    for (const plugin of profile.reserve) {
      if (plugin.reserve === undefined) continue
      const cluster = this.context.cache.cluster(this.context.objects)
      const status = plugin.reserve(assumed, node, states.get(plugin), cluster)
      if (status.code === 'Success') continue
      if (isRejected(status)) return { ...status, plugin: plugin.name }
      return { code: 'Error', reasons: [`running Reserve plugin "${plugin.name}": ${messageOf(status)}`] }
    }
    return undefined
  }
}
