import { keyOf } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import { type Attempt, type CycleLimits, failureOf, unschedulableFailure } from '../attempt/attempt.ts'
import type { Placement } from '../binding/binding-cycles.ts'
import { runPermit } from '../binding/permit.ts'
import { groupKeyOf } from '../cache/group-states.ts'
import { type AttemptFailure, errored, handleFailure } from '../context/failure.ts'
import type { CycleStates, PostFilterResult } from '../contract/contract.ts'
import { clearNomination, unschedulable } from '../contract/contract.ts'
import { keepNomination } from '../contract/post-filter.ts'
import { podsOf, type QueuedEntry, type QueuedPod } from '../queue/queued-pod.ts'
import { GroupAttempts } from './group-attempts.ts'
import {
  type GroupOutcome,
  type GroupStatus,
  groupErrorText,
  groupMessage,
  type PodOutcome,
  rejected,
  unschedulableGroup,
  withReason,
} from './group-outcome.ts'
import { podGroupOf } from './group-profile.ts'
import { type GroupTrial, groupPriority, isDisruptedAsWhole, selectGroupVictims } from './group-victims.ts'
import {
  bestPlacement,
  type PlacementOutcome,
  scheduledPodsOf,
  topologyKeyOf,
  topologyPlacements,
} from './placements.ts'

const skipped: PostFilterResult = {
  status: unschedulable('All PostFilter plugins are skipped'),
  nominating: keepNomination,
}

const noStates: CycleStates = { get: () => undefined }

/** The cycle of v1.36: Permit decides whether the group as a whole fits, and single pods preempt. */
export class PermitGroupAttempts extends GroupAttempts {
  override run(first: QueuedEntry, random: Random): void {
    const key = groupKeyOf(first.parsed.pod) as string
    const queued = this.take(first, key).toSorted((a, b) => b.priority - a.priority || byActivation(a, b))
    const problem = schedulerMismatch(queued)
    if (problem !== undefined) {
      for (const pod of queued) handleFailure(this.context, pod, errored(problem), this.context.now)
      return
    }
    const started = queued.flatMap((pod) => this.attempts.begin(pod) ?? [])
    if (started.length === 0) return
    // Nominations do not reserve room against pods of the same group: upstream does not find their requests while they
    // are in flight (v1.36, backend/queue nominatedPodToInfo). A failed pod is nominated again.
    for (const { queued: pod } of started) this.context.nominator.delete(pod.uid)
    const group = this.context.objects.get('podgroups.scheduling.k8s.io', key)
    const { ledger } = this.context.cache.cluster(this.context.objects).devices
    const outcome = ledger.inGroupCycle(() => {
      const decided = this.decide(group, key, started, random)
      this.submit(started, decided)
      return decided
    })
    this.measure(outcome.status, outcome.waitsForPreemption, started)
    if (group !== undefined) this.report(group, outcome.status)
  }

  /** Takes all pending pods of the group from the queue. */
  private take(first: QueuedEntry, key: string): readonly QueuedPod[] {
    const { queue, now } = this.context
    const others = this.groups.states.unscheduled(key).flatMap((pod) => {
      const podKey = keyOf(pod)
      return podKey === first.key ? [] : (queue.popSpecific(podKey, now) ?? [])
    })
    return [...podsOf(first), ...others]
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

  private decide(group: PodGroup | undefined, key: string, pods: readonly Attempt[], random: Random): GroupOutcome {
    const outcome = this.algorithm(group, key, pods, random, {})
    for (const pod of outcome.pods) this.attempts.startPreemption(pod.attempt, pod.result)
    const { features } = this.groups
    if (!features.preempts || outcome.status.kind !== 'rejected') return outcome
    return this.preempt(group, key, pods, random, outcome)
  }

  private algorithm(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    if (!this.groups.features.placesByTopology) return this.tryPods(pods, random, limits)
    if (group === undefined) return failedGroup(`podgroup.scheduling.k8s.io ${JSON.stringify(key)} not found`)
    return this.tryPlacements(group, key, pods, random, limits)
  }

  /**
   * Tries the group in every placement, and selects the placement with the most pods
   * (podGroupSchedulingPlacementAlgorithm).
   */
  private tryPlacements(
    group: PodGroup,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    const { nodes } = this.context.cache.cluster(this.context.objects)
    const scheduled = scheduledPodsOf([key], this.context)
    const generated = topologyPlacements(group, nodes, scheduled)
    if (generated.kind === 'error') return failedGroup(generated.message)
    const { placements } = generated
    if (placements.length === 0) {
      const status: GroupStatus = { kind: 'rejected', isGeneric: false, reasons: ['no feasible placements found'] }
      return { pods: [], status, waitsForPreemption: false }
    }
    const found: (PlacementOutcome & { readonly outcome: GroupOutcome })[] = []
    let first: GroupOutcome | undefined
    for (const { nodes: names } of placements) {
      const outcome = this.tryPods(pods, random, names === undefined ? limits : { ...limits, placement: names })
      if (outcome.status.kind === 'error') return outcome
      first ??= outcome
      if (outcome.status.kind !== 'success' && !outcome.waitsForPreemption) continue
      const within = names === undefined ? nodes : nodes.filter(({ name }) => names.has(name))
      found.push({ outcome, pods: outcome.pods, nodes: within })
    }
    if (found.length === 0 && first !== undefined) {
      const reason = `0/${placements.length} placements are available, first placement status: ${groupErrorText(first.status)}`
      return { ...first, status: { kind: 'rejected', isGeneric: false, reasons: [reason] } }
    }
    return bestPlacement(found, scheduled.length, random).outcome
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
      priority: groupPriority(group),
      neverPreempts: pods.some(({ queued }) => queued.parsed.pod.spec.preemptionPolicy === 'Never'),
      readsAllPods: false,
      nodes: cache.cluster(objects).nodes,
      budgets: objects.list('poddisruptionbudgets.policy'),
      unitOf: (parsed) => {
        const of = podGroupOf(parsed.pod, objects)
        if (of !== undefined && isDisruptedAsWhole(of)) {
          return { id: `group ${of.metadata.uid}`, priority: groupPriority(of), kind: 'podgroup' }
        }
        const kind = groupKeyOf(parsed.pod) === undefined ? 'pod' : 'podgroup'
        return { id: `pod ${parsed.uid}`, priority: parsed.priority, kind }
      },
      without: (removed) => cache.without(removed),
      trial,
      stillFits: () => trial().kind === 'success',
    })
    if (victims.kind === 'none') return refuse(victims.reason)
    if (victims.kind === 'error') return { ...outcome, status: victims }
    const preemptors = pods.map(({ queued }) => queued.parsed.pod)
    this.preemptions.startForGroup('podgroup', group, preemptors, victims, plugin.name)
    return { ...outcome, waitsForPreemption: true }
  }

  /** Tries the pods in order and undoes all changes (v1.36, podGroupSchedulingDefaultAlgorithm). */
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
      // Permit returns no message when it allows the pod: the group as a whole is then schedulable.
      if (outcome.permit !== '') continue
      waitsForPreemption = requiresPreemption
      status = requiresPreemption ? rejected('pod group is waiting for preemption to complete') : { kind: 'success' }
    }
    for (const placement of assumed.reverse()) this.bindings.release(placement)
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
      this.bindings.release(placement)
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

function failedGroup(message: string): GroupOutcome {
  return { pods: [], status: { kind: 'error', message }, waitsForPreemption: false }
}

/** The order in which pods became active. */
function byActivation(a: QueuedPod, b: QueuedPod): number {
  return (a.firstAttemptAt ?? 0) - (b.firstAttemptAt ?? 0) || a.firstAttemptOrder - b.firstAttemptOrder
}

export function schedulerMismatch(queued: readonly QueuedPod[]): string | undefined {
  const [first] = queued
  const other = queued.find(({ profile }) => profile !== first?.profile)
  if (other === undefined) return undefined
  const names = `${JSON.stringify(other.profile)} and ${JSON.stringify(first?.profile)}`
  return `all pods in a single pod group should have the same .spec.schedulerName set, got: ${names}`
}
