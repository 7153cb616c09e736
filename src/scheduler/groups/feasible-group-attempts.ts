import { keyOf } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Random } from '../../base/random.ts'
import { type Attempt, type CycleLimits, unschedulableFailure } from '../attempt/attempt.ts'
import type { Placement } from '../binding/binding-cycles.ts'
import { type AttemptFailure, errored } from '../context/failure.ts'
import { type CycleResult, clearNomination, type Nominating, type PostFilterResult } from '../contract/contract.ts'
import { keepNomination } from '../contract/post-filter.ts'
import { isLeavingForAPreemptor } from '../preemption/eligibility.ts'
import type { GroupResult } from '../queue/queue-options.ts'
import { isGroup, podsOf, type QueuedEntry, type QueuedPod } from '../queue/queued-pod.ts'
import { GroupAttempts } from './group-attempts.ts'
import {
  type GroupOutcome,
  type GroupStatus,
  groupMessage,
  type PodOutcome,
  placedCount,
  rejected,
  unschedulableGroup,
  withReason,
} from './group-outcome.ts'
import { podGroupOf } from './group-profile.ts'
import { groupPriority, selectGroupVictims } from './group-victims.ts'
import { schedulerMismatch } from './permit-group-attempts.ts'

/** Only the group preempts. */
const silent: PostFilterResult = { status: { code: 'Unschedulable', reasons: [] }, nominating: keepNomination }

/** Whether enough pods of a group have a node; `wait`: not yet, but there are pods left to try. */
type Feasibility = { readonly kind: 'enough' } | { readonly kind: 'wait' | 'never'; readonly reason: string }

type PreemptionAnswer =
  | { readonly kind: 'started'; readonly message: string; readonly nominations: ReadonlyMap<string, string> }
  | { readonly kind: 'none'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string }

const results: Readonly<Record<GroupStatus['kind'], GroupResult>> = {
  success: 'scheduled',
  rejected: 'unschedulable',
  error: 'error',
}

/**
 * The cycle of v1.37: the count of pods with a node decides whether the group fits, only the group preempts, and it is
 * returned to the queue as a whole. Without CompositePodGroup.
 */
export class FeasibleGroupAttempts extends GroupAttempts {
  /** v1.37, validatePodGroup. */
  protected override problemOf(
    group: PodGroup | undefined,
    key: string,
    pods: readonly QueuedPod[],
  ): string | undefined {
    const mismatch = schedulerMismatch(pods)
    if (mismatch !== undefined || group === undefined) return mismatch
    const members = [...pods.map(({ parsed }) => parsed.pod), ...this.groups.states.scheduled(key)]
    const ofGroup = this.readsPolicy ? (group.spec.preemptionPolicy ?? 'PreemptLowerPriority') : undefined
    const priority = groupPriority(group)
    for (const { spec } of members) {
      if ((spec.priority ?? 0) !== priority) {
        return `all pods in a single pod group should have the same priority as the pod group's priority, got ${spec.priority ?? 0} and ${priority}`
      }
      const policy = policyOf(spec)
      if (ofGroup !== undefined && policy !== ofGroup) {
        return `all pods in a single pod group should have the same preemption policy as the pod group's preemption policy, got ${policy} and ${ofGroup}`
      }
      const first = policyOf((members[0] as Pod).spec)
      if (policy !== first) {
        return `all pods in a single pod group should have the same preemption policy, got ${policy} and ${first}`
      }
    }
    return undefined
  }

  protected override take(entry: QueuedEntry): readonly QueuedPod[] {
    return [...podsOf(entry)]
  }

  protected override end(entry: QueuedEntry, status: GroupStatus): void {
    if (isGroup(entry)) this.context.queue.groups?.returned(entry, results[status.kind], this.context.now)
  }

  private get readsPolicy(): boolean {
    return this.context.release.gates.has('PodGroupPreemptionPolicy')
  }

  /** More attempts first, then in the order in which they were queued (PodGroupMemberPodsOrderingFunc). */
  protected override compare(a: QueuedPod, b: QueuedPod): number {
    return b.attempts - a.attempts || a.queuedAt - b.queuedAt || a.order - b.order
  }

  protected override withoutPlacement(reason: string): GroupStatus {
    return rejected(reason)
  }

  protected override decide(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
  ): GroupOutcome {
    if (group === undefined) {
      const why = `podgroup.scheduling.k8s.io ${JSON.stringify(key.slice(key.indexOf('/') + 1))} not found`
      return { pods: [], status: { kind: 'error', message: why }, waitsForPreemption: false }
    }
    const outcome = this.fitting(group, key, pods, random)
    if (outcome.status.kind !== 'rejected') return { ...outcome, tried: outcome.status }
    const tried = outcome.status
    const plugin = pods[0]?.run.profile.postFilter.find(({ name }) => name === 'DefaultPreemption')
    if (plugin === undefined) return { ...outcome, tried, status: withReason(tried, '') }
    const answer = this.preempt(group, key, pods, random, plugin.name)
    const message = answer.message === '' ? '' : `pod group preemption: ${answer.message}`
    if (answer.kind === 'error') {
      const why = `error in "DefaultPreemption" PodGroupPostFilter plugins: ${message}`
      return { ...outcome, tried, status: { kind: 'error', message: why } }
    }
    const status = withReason(tried, message)
    if (answer.kind === 'none') return { ...outcome, tried, status }
    return { ...outcome, tried, status, waitsForPreemption: true, nominations: answer.nominations }
  }

  /** A group that fits without any new pod is not schedulable (runRootSchedulingAlgorithm). */
  private fitting(group: PodGroup, key: string, pods: readonly Attempt[], random: Random): GroupOutcome {
    const outcome = this.algorithm(group, key, pods, random, { skippedPostFilter: silent })
    return outcome.status.kind === 'success' && placedCount(outcome) === 0
      ? { ...outcome, status: rejected() }
      : outcome
  }

  /** Tries the pods in order, as long as enough of them may get a node (podGroupSchedulingDefaultAlgorithm). */
  protected override tryPods(
    group: PodGroup | undefined,
    key: string,
    attempts: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    const minCount = group?.spec.schedulingPolicy?.gang?.minCount ?? 1
    let scheduled = this.groups.states.counts(key)?.scheduled ?? 0
    let remaining = attempts.length
    let feasibility = feasibilityOf(minCount, scheduled, remaining)
    const pods: PodOutcome[] = []
    const assumed: Placement[] = []
    let status: GroupStatus | undefined
    for (const attempt of attempts) {
      if (feasibility.kind === 'never') break
      const outcome = this.tryPod(attempt, random, limits, assumed)
      pods.push(outcome)
      if (outcome.failure?.kind === 'error') {
        status = { kind: 'error', message: `failed to schedule other pod from a pod group: ${outcome.failure.message}` }
        break
      }
      remaining--
      if (outcome.failure === undefined) scheduled++
      feasibility = feasibilityOf(minCount, scheduled, remaining)
    }
    for (const placement of assumed.reverse()) this.revert(placement)
    // The error of the group precedes the reason only if no pod was tried.
    const isGeneric = pods.length === 0
    status ??=
      feasibility.kind === 'enough'
        ? { kind: 'success' }
        : { kind: 'rejected', isGeneric, reasons: [feasibility.reason] }
    return { pods, status, waitsForPreemption: false }
  }

  private tryPod(attempt: Attempt, random: Random, limits: CycleLimits, assumed: Placement[]): PodOutcome {
    const result = this.attempts.runCycle(attempt, random, limits)
    const failure = this.assumed(attempt, result, assumed)
    if (failure !== undefined) return { attempt, result, failure }
    return { attempt, result, ...(result.kind === 'placed' ? { node: result.node } : {}) }
  }

  private assumed(attempt: Attempt, result: CycleResult, assumed: Placement[]): AttemptFailure | undefined {
    if (result.kind === 'error') return { ...errored(result.message), nominating: result.nominating }
    if (result.kind === 'unschedulable') return unschedulableFailure(result)
    const found = this.attempts.assume(attempt, result.node, result.states)
    if (found.kind === 'failed') return found.failure
    assumed.push(found.placement)
    return undefined
  }

  /** Workload-aware preemption (v1.37, PodGroupEvaluator.Preempt). */
  private preempt(
    group: PodGroup,
    key: string,
    attempts: readonly Attempt[],
    random: Random,
    plugin: string,
  ): PreemptionAnswer {
    const { objects, cache } = this.context
    const pods = attempts.map(({ queued }) => queued.parsed.pod)
    const neverPreempts = this.readsPolicy
      ? group.spec.preemptionPolicy === 'Never'
      : pods.some(({ spec }) => spec.preemptionPolicy === 'Never')
    if (!neverPreempts && this.isOngoing(group, pods)) {
      const nominations = new Map(pods.map((pod) => [keyOf(pod), pod.status?.nominatedNodeName ?? '']))
      return { kind: 'started', message: 'ongoing preemption on nominated nodes', nominations }
    }
    let assignments: readonly PodOutcome[] = []
    const victims = selectGroupVictims({
      group,
      neverPreempts,
      usesEarliestStart: true,
      nodes: cache.cluster(objects).nodes,
      budgets: objects.list('poddisruptionbudgets.policy'),
      groupOf: (pod) => podGroupOf(pod, objects),
      without: (removed) => cache.without(removed),
      trial: () => {
        const { status, pods: placed } = this.fitting(group, key, attempts, random)
        assignments = placed.filter(({ failure, node }) => failure === undefined && node !== undefined)
        return status.kind === 'rejected' ? { kind: 'rejected', message: groupMessage(status) } : status
      },
      stillFits: () => this.stillFits(assignments, random),
    })
    if (victims.kind === 'none') return { kind: 'none', message: victims.reason }
    if (victims.kind === 'error') return victims
    this.preemptions.startForGroup(group, pods, victims.pods, plugin)
    return {
      kind: 'started',
      message: `found a placement for podgroup, preempting ${victims.pods.length} victims`,
      nominations: new Map(assignments.map(({ attempt, node }) => [attempt.queued.key, node as string])),
    }
  }

  /** Victims of an earlier preemption are still terminating on a nominated node (isOngoingPreemption). */
  private isOngoing(group: PodGroup, pods: readonly Pod[]): boolean {
    const { objects, cache } = this.context
    const cluster = cache.cluster(objects)
    const priority = groupPriority(group)
    const names = new Set(pods.map(({ status }) => status?.nominatedNodeName ?? ''))
    return [...names].some((name) =>
      (cluster.node(name)?.pods ?? []).some(({ pod, priority: own }) => {
        const of = podGroupOf(pod, objects)
        return (of === undefined ? own : groupPriority(of)) < priority && isLeavingForAPreemptor(pod)
      }),
    )
  }

  /** Every pod still fits on the node that the trial found for it, one after the other. */
  private stillFits(assignments: readonly PodOutcome[], random: Random): boolean {
    const assumed: Placement[] = []
    const fits = assignments.every(({ attempt, node }) => {
      const limits: CycleLimits = { skippedPostFilter: silent, placement: new Set([node as string]) }
      const result = this.attempts.runCycle(attempt, random, limits)
      return result.kind === 'placed' && this.assumed(attempt, result, assumed) === undefined
    })
    for (const placement of assumed.reverse()) this.revert(placement)
    return fits
  }

  /** v1.37, submitPodGroupAlgorithmResult. */
  protected override failureIn(outcome: GroupOutcome, attempt: Attempt, pod: PodOutcome | undefined): AttemptFailure {
    const { status, waitsForPreemption, nominations, tried = status } = outcome
    if (status.kind === 'error') {
      const own = pod?.failure?.kind === 'error' ? pod.failure : errored(groupMessage(status))
      return { ...own, nominating: clearNomination }
    }
    const node = nominations?.get(attempt.queued.key)
    const nominating: Nominating =
      node === undefined ? keepNomination : node === '' ? clearNomination : { kind: 'set', node }
    const none = { kind: 'rejected' as const, unschedulablePlugins: [], pendingPlugins: [] }
    if (pod === undefined) return { ...none, message: groupMessage(tried), nominating }
    if (pod.failure !== undefined) {
      return { ...pod.failure, nominating: node === undefined ? pod.failure.nominating : nominating }
    }
    if (waitsForPreemption) return { ...none, message: groupMessage(status), nominating }
    return { ...none, message: `${unschedulableGroup}, ${groupMessage(status)}`, nominating: clearNomination }
  }
}

function policyOf({ preemptionPolicy = 'PreemptLowerPriority' }: Pod['spec']): string {
  return preemptionPolicy
}

/** v1.37, plugins/gangscheduling PlacementFeasible. */
function feasibilityOf(minCount: number, scheduled: number, remaining: number): Feasibility {
  const count = `minCount (${minCount})`
  const progress = `${scheduled} scheduled, ${remaining} remaining`
  if (remaining + scheduled < minCount) return { kind: 'never', reason: `${count} cannot be satisfied: ${progress}` }
  if (scheduled < minCount) return { kind: 'wait', reason: `${count} is not yet satisfied: ${progress}` }
  return { kind: 'enough' }
}
