import type { PodGroup } from '../../api/objects/groups.ts'
import type { Random } from '../../base/random.ts'
import type { Attempt, Attempts, CycleLimits } from '../attempt/attempt.ts'
import type { PreemptionExecutor } from '../attempt/preemption-executor.ts'
import type { BindingCycles, Placement } from '../binding/binding-cycles.ts'
import { groupKeyOf } from '../cache/group-states.ts'
import type { KnownGroups, SchedulerContext } from '../context/context.ts'
import { type AttemptFailure, errored, handleFailure } from '../context/failure.ts'
import type { NodeState } from '../contract/contract.ts'
import type { QueuedEntry, QueuedPod } from '../queue/queued-pod.ts'
import { type GroupConditionWish, groupConditionPatch } from './group-condition.ts'
import {
  type GroupOutcome,
  type GroupStatus,
  groupErrorText,
  groupMessage,
  type PodOutcome,
  placedCount,
} from './group-outcome.ts'
import { placementScores, topologyPlacements } from './placements.ts'

/** What the cycles of pod groups use of the scheduler. */
export interface GroupSetting {
  readonly context: SchedulerContext
  readonly groups: KnownGroups
  readonly attempts: Attempts
  readonly bindings: BindingCycles
  readonly preemptions: PreemptionExecutor
}

/**
 * Schedules the pods of a pod group together: tries them one after the other in memory, and binds those that fit only
 * if the group as a whole does (pkg/scheduler/schedule_one_podgroup.go). The cache is changed during the trial and
 * restored after it, which is the same as upstream's snapshot, because nothing else runs in between.
 */
export abstract class GroupAttempts {
  protected readonly context: SchedulerContext
  protected readonly groups: KnownGroups
  protected readonly attempts: Attempts
  protected readonly bindings: BindingCycles
  protected readonly preemptions: PreemptionExecutor

  constructor({ context, groups, attempts, bindings, preemptions }: GroupSetting) {
    this.context = context
    this.groups = groups
    this.attempts = attempts
    this.bindings = bindings
    this.preemptions = preemptions
  }

  /** Why the group cannot be tried at all. */
  protected abstract problemOf(group: PodGroup | undefined, key: string, pods: readonly QueuedPod[]): string | undefined

  protected abstract decide(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
  ): GroupOutcome

  /** Tries the pods in order. Nothing is left behind. */
  protected abstract tryPods(
    group: PodGroup | undefined,
    key: string,
    attempts: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome

  /** The failure of a pod of a group that is not scheduled, or of a pod that is left out of a group that is. */
  protected abstract failureIn(outcome: GroupOutcome, attempt: Attempt, pod: PodOutcome | undefined): AttemptFailure

  /** The order of pods of equal priority. */
  protected abstract compare(a: QueuedPod, b: QueuedPod): number

  /** The status of a group that fits in no placement. */
  protected abstract withoutPlacement(reason: string): GroupStatus

  protected readonly reportsProblems: boolean = true
  /** The uids of groups whose condition is True. */
  private readonly scheduled = new Set<string>()

  /** Takes all pending pods of the group of an entry that was popped. */
  protected abstract take(entry: QueuedEntry): readonly QueuedPod[]

  /** All pods of the group were bound or returned to the queue. */
  protected abstract end(entry: QueuedEntry, status: GroupStatus): void

  /** Runs the cycle of the group of an entry that was popped. */
  run(entry: QueuedEntry, random: Random): void {
    const key = groupKeyOf(entry.parsed.pod) as string
    const queued = this.take(entry).toSorted((a, b) => b.priority - a.priority || this.compare(a, b))
    const group = this.context.objects.get('podgroups.scheduling.k8s.io', key)
    const problem = this.problemOf(group, key, queued)
    if (problem !== undefined) {
      for (const pod of queued) handleFailure(this.context, pod, errored(problem), this.context.now)
      if (group !== undefined && this.reportsProblems) this.report(group, { kind: 'error', message: problem })
      this.end(entry, { kind: 'error', message: problem })
      return
    }
    const started = queued.flatMap((pod) => this.attempts.begin(pod) ?? [])
    if (started.length === 0) {
      this.end(entry, { kind: 'success' })
      return
    }
    // Pods of the group do not keep room free for each other: upstream does not find their requests while they are in
    // flight (v1.36, backend/queue nominatedPodToInfo). A failed pod is nominated again.
    for (const { queued: pod } of started) this.context.nominator.delete(pod.uid)
    const { ledger } = this.context.cache.cluster(this.context.objects).devices
    const outcome = ledger.inGroupCycle(() => {
      const decided = this.decide(group, key, started, random)
      this.submit(started, decided)
      return decided
    })
    if (group !== undefined) this.report(group, outcome.status)
    this.end(entry, outcome.tried ?? outcome.status)
  }

  protected algorithm(
    group: PodGroup | undefined,
    key: string,
    pods: readonly Attempt[],
    random: Random,
    limits: CycleLimits,
  ): GroupOutcome {
    if (!this.groups.features.placesByTopology) return this.tryPods(group, key, pods, random, limits)
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
    const found: PlacementOutcome[] = []
    let first: GroupOutcome | undefined
    for (const { nodes: names } of placements) {
      const outcome = this.tryPods(
        group,
        key,
        pods,
        random,
        names === undefined ? limits : { ...limits, placement: names },
      )
      if (outcome.status.kind === 'error') return outcome
      first ??= outcome
      if (outcome.status.kind === 'success' || outcome.waitsForPreemption) {
        found.push({ outcome, nodes: names === undefined ? nodes : nodes.filter(({ name }) => names.has(name)) })
      }
    }
    if (found.length === 0 && first !== undefined) {
      const reason = `0/${placements.length} placements are available, first placement status: ${groupErrorText(first.status)}`
      return { ...first, status: this.withoutPlacement(reason) }
    }
    return this.bestOf(found, scheduled.length, random)
  }

  /** The placement with the highest score; one of several at random (findBestPlacement). */
  private bestOf(found: readonly PlacementOutcome[], scheduled: number, random: Random): GroupOutcome {
    const [only] = found
    if (found.length === 1 && only !== undefined) return only.outcome
    const counts = placementScores(found.map(({ outcome }) => scheduled + placedCount(outcome)))
    const scores = found.map((one, i) => (counts[i] as number) + placementScoreOf(one))
    const most = Math.max(...scores)
    const best = found.filter((_, i) => scores[i] === most)
    return (best[random.stream('placement').int(best.length)] as PlacementOutcome).outcome
  }

  protected revert(placement: Placement): void {
    this.bindings.release(placement)
  }

  /** Binds the pods or returns them to the queue (v1.36, submitPodGroupAlgorithmResult). */
  private submit(attempts: readonly Attempt[], outcome: GroupOutcome): void {
    attempts.forEach((attempt, i) => {
      const pod = outcome.pods[i]
      if (outcome.status.kind === 'success' && pod !== undefined && pod.failure === undefined) {
        this.attempts.conclude(attempt, pod.result)
        return
      }
      handleFailure(this.context, attempt.queued, this.failureIn(outcome, attempt, pod), attempt.startedAt)
    })
  }

  private report(group: PodGroup, status: GroupStatus): void {
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

/** A placement in which the group fits. */
interface PlacementOutcome {
  readonly outcome: GroupOutcome
  readonly nodes: readonly NodeState[]
}

/** The weighted scores of the plugins for the pods that get a node there. */
function placementScoreOf({ outcome: { pods }, nodes }: PlacementOutcome): number {
  const placed = pods.filter(({ node }) => node !== undefined).map(({ attempt }) => attempt.queued.parsed)
  const plugins = pods[0]?.attempt.run.profile.score ?? []
  return plugins.reduce((sum, { plugin, weight }) => sum + weight * (plugin.scorePlacement?.(placed, nodes) ?? 0), 0)
}

export function failedGroup(message: string): GroupOutcome {
  return { pods: [], status: { kind: 'error', message }, waitsForPreemption: false }
}
