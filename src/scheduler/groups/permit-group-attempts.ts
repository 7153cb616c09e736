import { keyOf } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import { type Attempt, type CycleLimits, failureOf, unschedulableFailure } from '../attempt/attempt.ts'
import type { Placement } from '../binding/binding-cycles.ts'
import { runPermit } from '../binding/permit.ts'
import { groupKeyOf } from '../cache/group-states.ts'
import { type AttemptFailure, errored } from '../context/failure.ts'
import type { CycleStates, PostFilterResult } from '../contract/contract.ts'
import { clearNomination, unschedulable } from '../contract/contract.ts'
import { keepNomination } from '../contract/post-filter.ts'
import { podsOf, type QueuedEntry, type QueuedPod } from '../queue/queued-pod.ts'
import { GroupAttempts } from './group-attempts.ts'
import {
  type GroupOutcome,
  type GroupStatus,
  groupMessage,
  type PodOutcome,
  rejected,
  unschedulableGroup,
  withReason,
} from './group-outcome.ts'
import { type GroupTrial, selectGroupVictims } from './group-victims.ts'
import { topologyKeyOf } from './placements.ts'

const skipped: PostFilterResult = {
  status: unschedulable('All PostFilter plugins are skipped'),
  nominating: keepNomination,
}

const noStates: CycleStates = { get: () => undefined }

/** The cycle of v1.36: Permit decides whether the group as a whole fits, and single pods preempt. */
export class PermitGroupAttempts extends GroupAttempts {
  protected override readonly reportsProblems = false

  protected override problemOf(
    _group: PodGroup | undefined,
    _key: string,
    pods: readonly QueuedPod[],
  ): string | undefined {
    return schedulerMismatch(pods)
  }

  protected override take(first: QueuedEntry): readonly QueuedPod[] {
    const { queue, now } = this.context
    const key = groupKeyOf(first.parsed.pod) as string
    const others = this.groups.states.unscheduled(key).flatMap((pod) => {
      const podKey = keyOf(pod)
      return podKey === first.key ? [] : (queue.popSpecific(podKey, now) ?? [])
    })
    return [...podsOf(first), ...others]
  }

  protected override end(): void {}

  /** The order in which they became active. */
  protected override compare(a: QueuedPod, b: QueuedPod): number {
    return (a.firstAttemptAt ?? 0) - (b.firstAttemptAt ?? 0) || a.firstAttemptOrder - b.firstAttemptOrder
  }

  protected override withoutPlacement(reason: string): GroupStatus {
    return { kind: 'rejected', isGeneric: false, reasons: [reason] }
  }

  protected override failureIn(outcome: GroupOutcome, _attempt: Attempt, pod: PodOutcome | undefined): AttemptFailure {
    return failureIn(outcome, pod)
  }

  protected override decide(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
  ): GroupOutcome {
    const outcome = this.algorithm(group, key, pods, random, {})
    for (const pod of outcome.pods) this.attempts.startPreemption(pod.attempt, pod.result)
    const { features } = this.groups
    if (!features.preempts || outcome.status.kind !== 'rejected') return outcome
    return this.preempt(group, key, pods, random, outcome)
  }

  /** Workload-aware preemption (v1.36, runWorkloadAwarePreemption). */
  private preempt(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    outcome: GroupOutcome,
  ): GroupOutcome {
    const plugin = pods[0]?.run.profile.postFilter.find(({ name }) => name === 'DefaultPreemption')
    const refuse = (reason: string): GroupOutcome => ({ ...outcome, status: withReason(outcome.status, reason) })
    if (plugin === undefined)
      return refuse('default preemption plugin is not registered, workload aware preemption is disabled')
    if (group === undefined) {
      const why = `podgroup.scheduling.k8s.io ${JSON.stringify(key.slice(key.indexOf('/') + 1))} not found`
      return { ...outcome, status: { kind: 'error', message: `failed to get pod group object: ${why}` } }
    }
    if (topologyKeyOf(group) !== undefined)
      return refuse('workload aware preemption is not supported for pod groups with scheduling constraints')
    const { objects, cache } = this.context
    const trial = (): GroupTrial => {
      const { status } = this.algorithm(group, key, pods, random, { skippedPostFilter: skipped })
      return status.kind === 'rejected' ? { kind: 'rejected', message: groupMessage(status) } : status
    }
    const victims = selectGroupVictims({
      group,
      neverPreempts: pods.some(({ queued }) => queued.parsed.pod.spec.preemptionPolicy === 'Never'),
      usesEarliestStart: false,
      nodes: cache.cluster(objects).nodes,
      budgets: objects.list('poddisruptionbudgets.policy'),
      groupOf: (pod) => {
        const groupKey = groupKeyOf(pod)
        return groupKey === undefined ? undefined : objects.get('podgroups.scheduling.k8s.io', groupKey)
      },
      without: (removed) => cache.without(removed),
      trial,
      stillFits: () => trial().kind === 'success',
    })
    if (victims.kind === 'none') return refuse(victims.reason)
    if (victims.kind === 'error') return { ...outcome, status: victims }
    const preemptors = pods.map(({ queued }) => queued.parsed.pod)
    this.preemptions.startForGroup(group, preemptors, victims.pods, plugin.name)
    return { ...outcome, waitsForPreemption: true }
  }

  /** Tries the pods in order (v1.36, podGroupSchedulingDefaultAlgorithm). */
  protected override tryPods(
    _group: PodGroup | undefined,
    _key: string,
    attempts: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    const pods: PodOutcome[] = []
    const assumed: Placement[] = []
    let status: GroupStatus = rejected()
    let waitsForPreemption = false
    let requiresPreemption = false
    for (const attempt of attempts) {
      const { outcome, placement } = this.tryPod(attempt, random, limits)
      pods.push(outcome)
      if (placement === undefined) {
        if (outcome.failure?.kind === 'rejected') continue
        const message = `failed to schedule other pod from a pod group: ${outcome.failure?.message ?? ''}`
        status = { kind: 'error', message }
        waitsForPreemption = false
        break
      }
      assumed.push(placement)
      requiresPreemption ||= outcome.failure !== undefined
      // Permit has no message when it lets the pod pass: then the group as a whole is schedulable.
      if (outcome.permit !== '') continue
      waitsForPreemption = requiresPreemption
      status = requiresPreemption ? rejected('pod group is waiting for preemption to complete') : { kind: 'success' }
    }
    for (const placement of assumed.reverse()) this.revert(placement)
    return { pods, status, waitsForPreemption }
  }

  private tryPod(
    attempt: Attempt,
    random: Random,
    limits: CycleLimits,
  ): { readonly outcome: PodOutcome; readonly placement?: Placement } {
    const result = this.attempts.runCycle(attempt, random, limits)
    const fail = (failure: AttemptFailure) => ({ outcome: { attempt, result, failure } })
    if (result.kind === 'error') return fail({ ...errored(result.message), nominating: result.nominating })
    const failure = result.kind === 'unschedulable' ? unschedulableFailure(result) : undefined
    const nominated = result.kind === 'unschedulable' && result.nominating.kind === 'set' ? result.nominating.node : ''
    const node = result.kind === 'placed' ? result.node : nominated
    if (node === '') return fail(failure as AttemptFailure)
    const assumed = this.attempts.assume(attempt, node, result.kind === 'placed' ? result.states : noStates)
    if (assumed.kind === 'failed') return fail(assumed.failure)
    const { placement } = assumed
    const { status, waits } = runPermit(placement, this.context.now)
    if (status !== undefined) {
      this.revert(placement)
      return fail(failureOf(status))
    }
    const permit = waits.size === 0 ? '' : waitMessage(placement)
    return { outcome: { attempt, result, node, permit, ...(failure && { failure }) }, placement }
  }
}

function failureIn({ status, waitsForPreemption }: GroupOutcome, pod: PodOutcome | undefined): AttemptFailure {
  const none = { unschedulablePlugins: [], pendingPlugins: [] }
  if (status.kind === 'error') {
    return pod?.failure?.kind === 'error'
      ? { ...pod.failure, nominating: clearNomination }
      : errored(groupMessage(status))
  }
  if (pod === undefined) return { ...none, kind: 'rejected', message: groupMessage(status), nominating: keepNomination }
  const { failure, node, permit } = pod
  if (failure === undefined && waitsForPreemption && node !== undefined)
    return { ...none, kind: 'rejected', message: groupMessage(status), nominating: { kind: 'set', node } }
  const requiresPreemption = failure !== undefined && node !== undefined
  if (failure !== undefined && !(requiresPreemption && !waitsForPreemption)) return failure
  return { ...none, kind: 'rejected', message: `${unschedulableGroup}, ${permit ?? ''}`, nominating: clearNomination }
}

/** The reasons of the last plugin that waits, as RunPermitPlugins returns them. */
function waitMessage({ profile, assumed, node, states }: Placement): string {
  const answers = profile.permit.map((plugin) => plugin.permit?.(assumed, node, states.get(plugin)))
  const reasons = answers.findLast((answer) => answer?.code === 'Wait')?.reasons ?? []
  return [...reasons, 'one or more plugins asked to wait and no plugin rejected pod'].join(', ')
}

export function schedulerMismatch(queued: readonly QueuedPod[]): string | undefined {
  const [first] = queued
  const other = queued.find(({ profile }) => profile !== first?.profile)
  if (other === undefined) return undefined
  const names = `${JSON.stringify(other.profile)} and ${JSON.stringify(first?.profile)}`
  return `all pods in a single pod group should have the same .spec.schedulerName set, got: ${names}`
}
