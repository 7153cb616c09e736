import { keyOf } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Random } from '../../base/random.ts'
import type { PreemptionResult, SchedulerContext } from '../context/context.ts'
import { isLeavingForAPreemptor } from '../preemption/eligibility.ts'
import type { GroupSetting } from './group-attempts.ts'
import { groupMessage, type PodOutcome } from './group-outcome.ts'
import { type GroupTree, leavesOf } from './group-tree.ts'
import type { GroupTrials } from './group-trials.ts'
import { GroupUnits } from './group-units.ts'
import { type GroupVictims, groupPriority, selectGroupVictims } from './group-victims.ts'

export type PreemptionAnswer =
  /** `nominations`: the nodes of pods that wait for preemption, by key; empty: none. */
  | { readonly kind: 'started'; readonly message: string; readonly nominations: ReadonlyMap<string, string> }
  /** `isFinal`: the reasons of other plugins are ignored. */
  | { readonly kind: 'none'; readonly message: string; readonly isFinal: boolean }
  | { readonly kind: 'error'; readonly message: string }

/** Preemption by a hierarchy of groups, which its root decides (v1.37, PodGroupEvaluator.Preempt). */
export class GroupPreemption {
  private readonly setting: GroupSetting
  private readonly trials: GroupTrials
  private readonly units: GroupUnits

  constructor(setting: GroupSetting, trials: GroupTrials) {
    this.setting = setting
    this.units = new GroupUnits(setting.groups, setting.context.cache, setting.context.objects)
    this.trials = trials
  }

  preempt(root: GroupTree, random: Random, plugin: string): PreemptionAnswer {
    const { context, preemptions } = this.setting
    const { objects, cache } = context
    const { object, kind } = root.group
    const pods = [...leavesOf(root)].flatMap(({ attempts }) => attempts.map(({ queued }) => queued.parsed.pod))
    const neverPreempts = readsPolicy(context)
      ? object.spec.preemptionPolicy === 'Never'
      : pods.some(({ spec }) => spec.preemptionPolicy === 'Never')
    const priority = groupPriority(object)
    if (!neverPreempts && this.isOngoing(priority, pods)) {
      const nominations = new Map(pods.map((pod) => [keyOf(pod), pod.status?.nominatedNodeName ?? '']))
      context.metrics.groups.preemptionAttempt('Success')
      return { kind: 'started', message: 'ongoing preemption on nominated nodes', nominations }
    }
    let assignments: readonly PodOutcome[] = []
    const victims = selectGroupVictims({
      priority,
      neverPreempts,
      readsAllPods: true,
      nodes: cache.cluster(objects).nodes,
      budgets: objects.list('poddisruptionbudgets.policy'),
      unitOf: (pod) => this.units.unitOf(pod),
      without: (removed) => cache.without(removed),
      trial: () => {
        const results = this.trials.run(root, random)
        // Includes the pods of groups that do not fit, if enough other groups fit.
        const tried = [...leavesOf(root)].flatMap(({ group }) => results.get(group.id)?.pods ?? [])
        assignments = tried.filter(({ failure, node }) => failure === undefined && node !== undefined)
        const status = results.get(root.group.id)?.status ?? { kind: 'success' }
        return status.kind === 'rejected' ? { kind: 'rejected', message: groupMessage(status) } : status
      },
      stillFits: () => this.trials.stillFit(assignments, random),
    })
    const code = codeOf(victims)
    if (victims.kind !== 'none' || victims.why !== 'policy') context.metrics.groups.preemptionEvaluated(code)
    context.metrics.groups.preemptionAttempt(code)
    if (victims.kind === 'none') return { kind: 'none', message: victims.reason, isFinal: victims.why === 'no victims' }
    if (victims.kind === 'error') return victims
    preemptions.startForGroup(kind, object, pods, victims, plugin)
    return {
      kind: 'started',
      message: `found a placement for podgroup, preempting ${victims.pods.length} victims`,
      nominations: new Map(assignments.map(({ attempt, node }) => [attempt.queued.key, node as string])),
    }
  }

  /** Victims of an earlier preemption are still terminating on a nominated node (isOngoingPreemption). */
  private isOngoing(priority: number, pods: readonly Pod[]): boolean {
    const { objects, cache } = this.setting.context
    const cluster = cache.cluster(objects)
    const names = new Set(pods.map(({ status }) => status?.nominatedNodeName ?? ''))
    return [...names].some((name) =>
      (cluster.node(name)?.pods ?? []).some(
        (pod) => isLeavingForAPreemptor(pod.pod) && this.units.unitOf(pod).priority < priority,
      ),
    )
  }
}

function codeOf(victims: GroupVictims): PreemptionResult {
  if (victims.kind === 'found') return 'Success'
  if (victims.kind === 'error') return 'Error'
  return victims.why === 'no victims' ? 'UnschedulableAndUnresolvable' : 'Unschedulable'
}

export function readsPolicy({ release }: SchedulerContext): boolean {
  return release.gates.has('PodGroupPreemptionPolicy')
}
