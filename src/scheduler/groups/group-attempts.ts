import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import type { Attempt, Attempts } from '../attempt/attempt.ts'
import type { PreemptionExecutor } from '../attempt/preemption-executor.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import type { KnownGroups, SchedulerContext } from '../context/context.ts'
import type { QueuedEntry } from '../queue/queued-pod.ts'
import { type GroupConditionWish, groupConditionPatch } from './group-condition.ts'
import { type GroupStatus, groupMessage } from './group-outcome.ts'

/** The parts of the scheduler that the cycles of pod groups use. */
export interface GroupSetting {
  readonly context: SchedulerContext
  readonly groups: KnownGroups
  readonly attempts: Attempts
  readonly bindings: BindingCycles
  readonly preemptions: PreemptionExecutor
}

/**
 * Schedules the pods of a pod group together: tries the pods one after the other in memory, and binds them only if the
 * group as a whole fits (pkg/scheduler/schedule_one_podgroup.go). The cache is changed during the trial and restored
 * after it, which is the same as upstream's snapshot, because nothing else runs in between.
 */
export abstract class GroupAttempts {
  protected readonly context: SchedulerContext
  protected readonly groups: KnownGroups
  protected readonly attempts: Attempts
  protected readonly bindings: BindingCycles
  protected readonly preemptions: PreemptionExecutor
  /** The uids of groups whose condition is True. */
  private readonly scheduled = new Set<string>()

  constructor({ context, groups, attempts, bindings, preemptions }: GroupSetting) {
    this.context = context
    this.groups = groups
    this.attempts = attempts
    this.bindings = bindings
    this.preemptions = preemptions
  }

  /** Runs the cycle of the group of an entry that was popped. */
  abstract run(entry: QueuedEntry, random: Random): void

  protected measure(status: GroupStatus, waitsForPreemption: boolean, attempts: readonly Attempt[]): void {
    const rejected = waitsForPreemption ? 'waiting_on_preemption' : 'unschedulable'
    const result = { success: 'scheduled', rejected, error: 'error' } as const
    this.context.metrics.groups.attempt(result[status.kind], attempts[0]?.run.profile.schedulerName ?? '')
  }

  protected report(group: PodGroup, status: GroupStatus): void {
    const wish: GroupConditionWish = {
      type: this.context.release.minor === '1.36' ? 'PodGroupScheduled' : 'PodGroupInitiallyScheduled',
      status: status.kind === 'success' ? 'True' : 'False',
      reason: { success: 'Scheduled', rejected: 'Unschedulable', error: 'SchedulerError' }[status.kind],
      message: groupMessage(status),
    }
    const { uid = '' } = group.metadata
    // The change of the condition may not have been observed yet.
    if (wish.status === 'True') this.scheduled.add(uid)
    else if (this.scheduled.has(uid)) return
    const patch = groupConditionPatch(group, wish, this.context.wall)
    if (patch !== undefined) this.context.effects.call(patch, () => {})
  }
}
