import type { Random } from '../../base/random.ts'
import type { BindingCycles, Placement } from '../binding/binding-cycles.ts'
import type { ProfileRun, SchedulerContext } from '../context/context.ts'
import type { AttemptFailure } from '../context/failure.ts'
import { errored, handleFailure, rejectedBy } from '../context/failure.ts'
import type { CycleResult, ParsedPod, Status } from '../contract/contract.ts'
import { isRejected, messageOf } from '../contract/contract.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import type { PreemptionExecutor } from './preemption-executor.ts'

/** A pod that is being scheduled. */
export interface Attempt {
  readonly queued: QueuedPod
  readonly run: ProfileRun
  readonly startedAt: number
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

  runCycle({ queued, run }: Attempt, random: Random): CycleResult {
    return run.scheduling.schedule(queued.parsed, { objects: this.context.objects, random })
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

  private giveUp({ queued, run, startedAt }: Attempt, result: CycleResult & { kind: 'unschedulable' }): void {
    if (result.diagnosis !== undefined && run.profile.postFilter.length > 0) this.context.metrics.preemptionAttempt()
    if (result.preemption !== undefined) {
      this.preemptions.start(queued.parsed, result.preemption, run.profile.postFilter[0]?.name ?? '')
    }
    const failure: AttemptFailure = {
      kind: 'rejected',
      message: result.message,
      unschedulablePlugins: [...result.unschedulablePlugins],
      pendingPlugins: [...result.pendingPlugins],
      nominating: result.nominating,
    }
    handleFailure(this.context, queued, failure, startedAt)
  }

  private place({ queued, run, startedAt }: Attempt, { node, states }: CycleResult & { kind: 'placed' }): void {
    let assumed: ParsedPod
    try {
      assumed = this.context.cache.assumePod(queued.parsed, node)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      handleFailure(this.context, queued, errored(message), startedAt)
      return
    }
    this.context.nominator.delete(assumed.uid)
    const placement: Placement = { queued, assumed, node, profile: run.profile, states, startedAt }
    const refusal = this.reserve(placement) ?? this.bindings.begin(placement)
    if (refusal === undefined) return
    this.bindings.release(placement)
    const failure = isRejected(refusal) ? rejectedBy(refusal) : errored(messageOf(refusal))
    handleFailure(this.context, queued, failure, startedAt)
  }

  private reserve({ profile, assumed, node, states }: Placement): Status | undefined {
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
