import { keyOf } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import { type Attempt, type Attempts, type CycleLimits, failureOf, unschedulableFailure } from '../attempt/attempt.ts'
import type { PreemptionExecutor } from '../attempt/preemption-executor.ts'
import type { BindingCycles, Placement } from '../binding/binding-cycles.ts'
import { runPermit } from '../binding/permit.ts'
import { type GroupStates, groupKeyOf } from '../cache/group-states.ts'
import type { SchedulerContext } from '../context/context.ts'
import { type AttemptFailure, errored, handleFailure } from '../context/failure.ts'
import type { CycleStates } from '../contract/contract.ts'
import { clearNomination } from '../contract/contract.ts'
import type { GroupFeatures } from '../contract/groups.ts'
import { keepNomination } from '../contract/post-filter.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import { type GroupConditionWish, groupConditionPatch } from './group-condition.ts'
import {
  type GroupOutcome,
  type GroupStatus,
  groupErrorText,
  groupMessage,
  type PodOutcome,
  placedCount,
  rejected,
  unschedulableGroup,
  withReason,
} from './group-outcome.ts'
import { selectGroupVictims } from './group-victims.ts'
import { placementScores, topologyKeyOf, topologyPlacements } from './placements.ts'

const noStates: CycleStates = { get: () => undefined }

interface Groups {
  readonly states: GroupStates
  readonly features: GroupFeatures
}

/**
 * Schedules the pods of a pod group together: tries them one after the other in memory, and binds those that fit only
 * if the group as a whole does (v1.36, pkg/scheduler/schedule_one_podgroup.go). The cache is changed during the trial
 * and restored after it, which is the same as upstream's snapshot, because nothing else runs in between.
 */
export class GroupAttempts {
  private readonly context: SchedulerContext
  private readonly groups: Groups
  private readonly attempts: Attempts
  private readonly bindings: BindingCycles
  private readonly preemptions: PreemptionExecutor

  constructor(
    context: SchedulerContext,
    groups: Groups,
    attempts: Attempts,
    bindings: BindingCycles,
    preemptions: PreemptionExecutor,
  ) {
    this.context = context
    this.groups = groups
    this.attempts = attempts
    this.bindings = bindings
    this.preemptions = preemptions
  }

  /** Runs the cycle of the group of a pod that was popped. */
  run(first: QueuedPod, random: Random): void {
    const key = groupKeyOf(first.parsed.pod) as string
    const queued = this.popAll(first, key)
    const mismatch = schedulerMismatch(queued)
    if (mismatch !== undefined) {
      for (const pod of queued) handleFailure(this.context, pod, errored(mismatch), this.context.now)
      return
    }
    const started = queued.flatMap((pod) => this.attempts.begin(pod) ?? [])
    if (started.length === 0) return
    const group = this.context.objects.get('podgroups.scheduling.k8s.io', key)
    const outcome = this.decide(group, key, started, random)
    this.submit(started, outcome)
    if (group !== undefined) this.report(group, outcome.status)
  }

  /** Takes all pending pods of the group from the queue: by priority, then in the order in which they became active. */
  private popAll(first: QueuedPod, key: string): readonly QueuedPod[] {
    const { queue, now } = this.context
    const others = this.groups.states.unscheduled(key).flatMap((pod) => {
      const podKey = keyOf(pod)
      return podKey === first.key ? [] : (queue.popSpecific(podKey, now) ?? [])
    })
    return [first, ...others].sort(
      (a, b) =>
        b.parsed.priority - a.parsed.priority ||
        (a.firstAttemptAt ?? 0) - (b.firstAttemptAt ?? 0) ||
        a.firstAttemptOrder - b.firstAttemptOrder,
    )
  }

  private decide(group: PodGroup | undefined, key: string, pods: readonly Attempt[], random: Random): GroupOutcome {
    const outcome = this.algorithm(group, key, pods, random, false)
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
    const victims = selectGroupVictims({
      group,
      pods: pods.map(({ queued }) => queued.parsed.pod),
      nodes: cache.cluster(objects).nodes,
      budgets: objects.list('poddisruptionbudgets.policy'),
      groupOf: (pod) => {
        const groupKey = groupKeyOf(pod)
        return groupKey === undefined ? undefined : objects.get('podgroups.scheduling.k8s.io', groupKey)
      },
      without: (removed) => cache.without(removed),
      trial: () => {
        const { status } = this.algorithm(group, key, pods, random, true)
        return status.kind === 'rejected' ? { kind: 'rejected', message: groupMessage(status) } : status
      },
    })
    if (victims.kind === 'none') return refuse(victims.reason)
    if (victims.kind === 'error') return { ...outcome, status: victims }
    const preemptors = pods.map(({ queued }) => queued.parsed.pod)
    this.preemptions.startForGroup(group, preemptors, victims.pods, plugin.name)
    return { ...outcome, waitsForPreemption: true }
  }

  private algorithm(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    withoutPostFilter: boolean,
  ): GroupOutcome {
    const limits: CycleLimits = withoutPostFilter ? { withoutPostFilter } : {}
    if (!this.groups.features.placesByTopology) return this.tryPods(pods, random, limits)
    if (group === undefined) return failedGroup(`podgroup.scheduling.k8s.io ${JSON.stringify(key)} not found`)
    return this.tryPlacements(group, key, pods, random, limits)
  }

  /** Tries the group in every placement, and takes the one with most pods (podGroupSchedulingPlacementAlgorithm). */
  private tryPlacements(
    group: PodGroup,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    const { cache, objects } = this.context
    const { nodes } = cache.cluster(objects)
    const scheduled = this.groups.states.scheduled(key).map((pod) => {
      const name = cache.nodeOf(pod.metadata.uid ?? '')
      return { pod, node: name === undefined ? undefined : cache.cluster(objects).node(name) }
    })
    const generated = topologyPlacements(group, nodes, scheduled)
    if (generated.kind === 'error') return failedGroup(generated.message)
    const { placements } = generated
    if (placements.length === 0) {
      const status: GroupStatus = { kind: 'rejected', isGeneric: false, reasons: ['no feasible placements found'] }
      return { pods: [], status, waitsForPreemption: false }
    }
    const found: GroupOutcome[] = []
    let first: GroupOutcome | undefined
    for (const { nodes: names } of placements) {
      const outcome = this.tryPods(pods, random, names === undefined ? limits : { ...limits, placement: names })
      if (outcome.status.kind === 'error') return outcome
      first ??= outcome
      if (outcome.status.kind === 'success' || outcome.waitsForPreemption) found.push(outcome)
    }
    if (found.length === 0 && first !== undefined) {
      const reason = `0/${placements.length} placements are available, first placement status: ${groupErrorText(first.status)}`
      return { ...first, status: { kind: 'rejected', isGeneric: false, reasons: [reason] } }
    }
    return this.bestOf(found, scheduled.length, random)
  }

  private bestOf(found: readonly GroupOutcome[], scheduled: number, random: Random): GroupOutcome {
    const [only] = found
    if (found.length === 1 && only !== undefined) return only
    const scores = placementScores(found.map((outcome) => scheduled + placedCount(outcome)))
    const most = Math.max(...scores)
    const best = found.filter((_, i) => scores[i] === most)
    return best[random.stream('placement').int(best.length)] as GroupOutcome
  }

  /** Tries the pods in order (v1.36, podGroupSchedulingDefaultAlgorithm). */
  private tryPods(attempts: readonly Attempt[], random: Random, limits: CycleLimits): GroupOutcome {
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

  /** The nomination that the assumption removed is restored. */
  private revert(placement: Placement): void {
    this.bindings.release(placement)
    const { parsed } = placement.queued
    const node = parsed.pod.status?.nominatedNodeName ?? ''
    if (node !== '') this.context.nominator.add(parsed, { kind: 'set', node })
  }

  /** Binds the pods or returns them to the queue (v1.36, submitPodGroupAlgorithmResult). */
  private submit(attempts: readonly Attempt[], outcome: GroupOutcome): void {
    attempts.forEach((attempt, i) => {
      const pod = outcome.pods[i]
      if (outcome.status.kind === 'success' && pod !== undefined && pod.failure === undefined) {
        this.attempts.conclude(attempt, pod.result)
        return
      }
      handleFailure(this.context, attempt.queued, failureIn(outcome, pod), attempt.startedAt)
    })
  }

  private report(group: PodGroup, status: GroupStatus): void {
    const wish: GroupConditionWish = {
      type: this.context.release.minor === '1.36' ? 'PodGroupScheduled' : 'PodGroupInitiallyScheduled',
      status: status.kind === 'success' ? 'True' : 'False',
      reason: { success: 'Scheduled', rejected: 'Unschedulable', error: 'SchedulerError' }[status.kind],
      message: groupMessage(status),
    }
    const patch = groupConditionPatch(group, wish, this.context.wall)
    if (patch !== undefined) this.context.effects.call(patch, () => {})
  }
}

/** The failure of a pod of a group that is not scheduled, or of a pod that is left out of a group that is. */
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

function failedGroup(message: string): GroupOutcome {
  return { pods: [], status: { kind: 'error', message }, waitsForPreemption: false }
}

/** The reasons of the last plugin that waits, as RunPermitPlugins returns them. */
function waitMessage({ profile, assumed, node, states }: Placement): string {
  const answers = profile.permit.map((plugin) => plugin.permit?.(assumed, node, states.get(plugin)))
  const reasons = answers.findLast((answer) => answer?.code === 'Wait')?.reasons ?? []
  return [...reasons, 'one or more plugins asked to wait and no plugin rejected pod'].join(', ')
}

function schedulerMismatch(queued: readonly QueuedPod[]): string | undefined {
  const [first] = queued
  const other = queued.find(({ profile }) => profile !== first?.profile)
  if (other === undefined) return undefined
  const names = `${JSON.stringify(other.profile)} and ${JSON.stringify(first?.profile)}`
  return `all pods in a single pod group should have the same .spec.schedulerName set, got: ${names}`
}
