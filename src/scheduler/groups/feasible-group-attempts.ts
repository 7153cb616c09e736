import type { Pod } from '../../api/objects/pod.ts'
import type { Random } from '../../base/random.ts'
import type { Attempt } from '../attempt/attempt.ts'
import { type AttemptFailure, errored, handleFailure } from '../context/failure.ts'
import { type AnyPlugin, clearNomination, isRejected, messageOf, type Nominating } from '../contract/contract.ts'
import type { GroupNode } from '../contract/groups.ts'
import { keepNomination } from '../contract/post-filter.ts'
import type { GroupResult } from '../queue/queue-options.ts'
import { isGroup, type QueuedEntry, type QueuedGroup, type QueuedPod } from '../queue/queued-pod.ts'
import { GroupAttempts, type GroupSetting } from './group-attempts.ts'
import { type GroupStatus, groupMessage, type PodOutcome, unschedulableGroup } from './group-outcome.ts'
import { GroupPreemption, type PreemptionAnswer, readsPolicy } from './group-preemption.ts'
import {
  completed,
  createGroupTree,
  type GroupTree,
  leavesOf,
  type TreeResult,
  type TreeResults,
  withAnswer,
} from './group-tree.ts'
import { GroupTrials } from './group-trials.ts'
import { groupPriority } from './group-victims.ts'
import { schedulerMismatch } from './permit-group-attempts.ts'

const results: Readonly<Record<GroupStatus['kind'], GroupResult>> = {
  success: 'scheduled',
  rejected: 'unschedulable',
  error: 'error',
}

/** The outcome of a cycle for the groups of a hierarchy. */
interface Decision {
  /** The results before preemption. */
  readonly tried: TreeResults
  /** By the id of the group. */
  readonly statuses: ReadonlyMap<string, GroupStatus>
  /** The nodes of pods that wait for preemption, by key; empty: none. Absent: nothing is preempted. */
  readonly nominations?: ReadonlyMap<string, string>
}

/**
 * The cycle of v1.37: a group fits if enough of its pods get a node, and a composite group fits if enough of its groups
 * fit. Only the root preempts, and the hierarchy returns to the queue as a whole.
 */
export class FeasibleGroupAttempts extends GroupAttempts {
  private readonly trials: GroupTrials
  private readonly preemption: GroupPreemption

  constructor(setting: GroupSetting) {
    super(setting)
    this.trials = new GroupTrials(setting)
    this.preemption = new GroupPreemption(setting, this.trials)
  }

  override run(entry: QueuedEntry, random: Random): void {
    if (!isGroup(entry)) return
    const { context } = this
    const queued = [...entry.members.values()].sort(byTurn)
    // The objects of the hierarchy may have changed since it was queued.
    const root = this.groups.forest.get(entry.key) ?? entry.root
    const problem = this.problemOf(root, queued)
    if (problem !== undefined) {
      for (const pod of queued) handleFailure(context, pod, errored(problem), context.now)
      const status: GroupStatus = { kind: 'error', message: problem }
      this.reportAll(createGroupTree(root, this.groups.forest, []), () => status)
      this.end(entry, status)
      return
    }
    const started = queued.flatMap((pod) => this.attempts.begin(pod) ?? [])
    if (started.length === 0) {
      this.end(entry, { kind: 'success' })
      return
    }
    // Nominations do not reserve room against pods of the same group: upstream does not find their requests while they
    // are in flight (v1.36, backend/queue nominatedPodToInfo). A failed pod is nominated again.
    for (const { queued: pod } of started) context.nominator.delete(pod.uid)
    const tree = createGroupTree(root, this.groups.forest, started)
    const decision = this.decide(tree, random)
    for (const leaf of leavesOf(tree)) this.submit(leaf, decision)
    this.reportAll(tree, ({ group }) => decision.statuses.get(group.id) as GroupStatus)
    this.measure(decision.statuses.get(root.id) as GroupStatus, decision.nominations !== undefined, started)
    this.end(entry, (decision.tried.get(root.id) as TreeResult).status)
  }

  /** The reason why the hierarchy cannot be tried (v1.37, validatePodGroup). */
  private problemOf(root: GroupNode, pods: readonly QueuedPod[]): string | undefined {
    const mismatch = schedulerMismatch(pods)
    if (mismatch !== undefined) return mismatch
    const leaves = [...leavesOf(createGroupTree(root, this.groups.forest, []))]
    const scheduled = leaves.flatMap(({ group }) => this.groups.states.scheduled(group.key))
    const members = [...pods.map(({ parsed }) => parsed.pod), ...scheduled]
    const ofGroup = readsPolicy(this.context)
      ? (root.object.spec.preemptionPolicy ?? 'PreemptLowerPriority')
      : undefined
    const priority = groupPriority(root.object)
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

  private decide(tree: GroupTree, random: Random): Decision {
    const tried = completed(tree, this.trials.run(tree, random))
    const before = new Map([...tried].map(([id, { status }]) => [id, status]))
    if (tried.get(tree.group.id)?.status.kind !== 'rejected') return { tried, statuses: before }
    const reasons: string[] = []
    // RunPodGroupPostFilterPlugins
    for (const plugin of this.postFiltersOf(tree)) {
      const answer = this.postFilter(plugin, tree, tried, random)
      switch (answer?.kind) {
        case 'error': {
          const message = `error in "${plugin.name}" PodGroupPostFilter plugins: ${answer.message}`
          return { tried, statuses: new Map([...before.keys()].map((id) => [id, { kind: 'error', message }])) }
        }
        case 'started':
          return { tried, statuses: withAnswer(tried, answer.message), nominations: answer.nominations }
        case 'none':
          if (answer.isFinal) return { tried, statuses: withAnswer(tried, answer.message) }
          if (answer.message !== '') reasons.push(answer.message)
      }
    }
    return { tried, statuses: withAnswer(tried, reasons.join(', ')) }
  }

  private postFiltersOf(tree: GroupTree): readonly AnyPlugin[] {
    const [first] = [...leavesOf(tree)].flatMap(({ attempts }) => attempts)
    return first?.run.profile.postFilter ?? []
  }

  private postFilter(
    { name, groupPostFilter }: AnyPlugin,
    tree: GroupTree,
    tried: TreeResults,
    random: Random,
  ): PreemptionAnswer | undefined {
    if (name === 'DefaultPreemption') {
      const answer = this.preemption.preempt(tree, random, name)
      return { ...answer, message: answer.message === '' ? '' : `pod group preemption: ${answer.message}` }
    }
    if (groupPostFilter === undefined) return undefined
    const { group } = tree
    if (group.kind === 'compositepodgroup' || !groupPostFilter.appliesTo(group.object, this.groups.features)) {
      return undefined
    }
    const { cache, objects, effects } = this.context
    const members = (tried.get(group.id)?.pods ?? []).flatMap(({ attempt, seen }) =>
      seen?.has(name) === true ? [{ pod: attempt.queued.parsed, seen: seen.get(name) }] : [],
    )
    const hasScheduledPods = (this.groups.states.counts(group.key)?.scheduled ?? 0) > 0
    const context = { group: group.object, hasScheduledPods, cluster: cache.cluster(objects), random }
    const { status, calls } = groupPostFilter.conclude(members, context)
    for (const call of calls) effects.call(call, () => {})
    const message = messageOf(status)
    return isRejected(status) ? { kind: 'none', message, isFinal: false } : { kind: 'error', message }
  }

  /** Binds the pods of a group or returns them to the queue (v1.37, submitPodGroupAlgorithmResult). */
  private submit({ group, attempts }: GroupTree, decision: Decision): void {
    const { pods } = decision.tried.get(group.id) as TreeResult
    const status = decision.statuses.get(group.id) as GroupStatus
    attempts.forEach((attempt, i) => {
      const pod = pods[i]
      if (status.kind === 'success' && pod !== undefined && pod.failure === undefined) {
        this.attempts.conclude(attempt, pod.result)
        return
      }
      const failure = failureIn(decision, group.id, attempt, pod)
      handleFailure(this.context, attempt.queued, failure, attempt.startedAt)
    })
  }

  /** Composite groups have no conditions of the scheduler. */
  private reportAll(tree: GroupTree, statusOf: (leaf: GroupTree) => GroupStatus): void {
    for (const leaf of leavesOf(tree)) {
      if (leaf.group.kind === 'podgroup') this.report(leaf.group.object, statusOf(leaf))
    }
  }

  private end(entry: QueuedGroup, { kind }: GroupStatus): void {
    this.context.queue.groups?.returned(entry, results[kind], this.context.now)
  }
}

/** The failure of a pod that is not bound: its group is not scheduled, or the group is scheduled without it. */
function failureIn(
  { tried, statuses, nominations }: Decision,
  group: string,
  attempt: Attempt,
  pod: PodOutcome | undefined,
): AttemptFailure {
  const status = statuses.get(group) as GroupStatus
  if (status.kind === 'error') {
    const own = pod?.failure?.kind === 'error' ? pod.failure : errored(groupMessage(status))
    return { ...own, nominating: clearNomination }
  }
  const node = nominations?.get(attempt.queued.key)
  const nominating: Nominating =
    node === undefined ? keepNomination : node === '' ? clearNomination : { kind: 'set', node }
  const none = { kind: 'rejected' as const, unschedulablePlugins: [], pendingPlugins: [] }
  if (pod === undefined) {
    return { ...none, message: groupMessage((tried.get(group) as TreeResult).status), nominating }
  }
  if (pod.failure !== undefined) {
    return { ...pod.failure, nominating: node === undefined ? pod.failure.nominating : nominating }
  }
  if (nominations !== undefined) return { ...none, message: groupMessage(status), nominating }
  return { ...none, message: `${unschedulableGroup}, ${groupMessage(status)}`, nominating: clearNomination }
}

/** By priority, then more attempts first, then in the order in which they were queued (PodGroupMemberPodsOrderingFunc). */
function byTurn(a: QueuedPod, b: QueuedPod): number {
  return b.priority - a.priority || b.attempts - a.attempts || a.queuedAt - b.queuedAt || a.order - b.order
}

function policyOf({ preemptionPolicy = 'PreemptLowerPriority' }: Pod['spec']): string {
  return preemptionPolicy
}
