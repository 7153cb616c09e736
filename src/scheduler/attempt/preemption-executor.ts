import type { Outcome } from '../../api/call.ts'
import { deleteCall } from '../../api/object-calls.ts'
import { keyOf } from '../../api/object-key.ts'
import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { failedWith } from '../../api/status.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import type { SchedulerContext } from '../context/context.ts'
import { podStatusPatch } from '../context/pod-status-patch.ts'
import type { ParsedPod, Preemption } from '../contract/contract.ts'
import { clearNomination } from '../contract/post-filter.ts'

/** A preemptor: a pod or a pod group. */
export interface Preemptor {
  readonly kind: 'pod' | 'podgroup' | 'compositepodgroup'
  readonly uid: string
  /** `namespace/name` */
  readonly key: string
  /** The pods that are retried when the preemption fails. */
  readonly pods: readonly Pod[]
  /** Set if the preemptor is a group. `report` determines the object that an event names as the preemptor. */
  readonly group?: PodGroup | CompositePodGroup
}

/** The victims of a preemption. */
export interface ChosenVictims {
  readonly pods: readonly ParsedPod[]
  readonly budgetViolations: number
  /** The number of groups that are preempted as a whole, plus the number of other victims that belong to groups. */
  readonly disruptedGroups?: number
}

/** A preemption with outstanding calls to the API server. */
interface RunningPreemption {
  readonly preemptor: Preemptor
  /** The node in events; `cluster` for a group. */
  readonly node: string
  readonly plugin: string
  /** Victims whose removal was requested and not answered yet. */
  outstanding: number
  failed: boolean
  /** The victim that is removed after all others; set when its removal starts. */
  last: ParsedPod | undefined
  readonly lastVictim: ParsedPod
  readonly startedAt: number
}

/**
 * Executes a preemption (v1.36, framework/preemption, Executor, asynchronous): clears outdated nominations, removes the
 * victims, the last one after all others, and keeps the preemptor out of the queue until the deletion of the last
 * victim starts. So a preemptor never requests the same victims twice.
 */
export class PreemptionExecutor {
  private readonly context: SchedulerContext
  private readonly bindings: BindingCycles
  private readonly running = new Map<string, RunningPreemption>()
  /** A victim that is terminating already is not deleted again. */
  private readonly skipsTerminating: boolean

  constructor(context: SchedulerContext, bindings: BindingCycles) {
    this.context = context
    this.bindings = bindings
    this.skipsTerminating = atLeast(context.release, '1.35')
  }

  /** Reports whether the preemptor must stay out of the queue because the removal of a victim has not started. */
  isRunning(uid: string): boolean {
    const running = this.running.get(uid)
    if (running === undefined) return false
    if (running.last === undefined) return true
    // v1.34 does not wait for the last victim.
    if (!this.skipsTerminating) return false
    const victim = this.context.objects.get('pods', running.last.key)
    return victim !== undefined && victim.metadata.deletionTimestamp === undefined
  }

  /** The running preemptions, for inspection. */
  entries(): { readonly preemptor: string; readonly node: string; readonly outstanding: number }[] {
    return [...this.running.values()].map(({ preemptor, node, outstanding }) => ({
      preemptor: preemptor.key,
      node,
      outstanding,
    }))
  }

  start({ uid, key, pod }: ParsedPod, { victims, displaced }: Preemption, plugin: string): void {
    const preemptor: Preemptor = { kind: 'pod', uid, key, pods: [pod] }
    this.run(preemptor, victims, displaced, plugin)
  }

  /** A group preempts pods anywhere in the cluster (v1.36, actuatePodGroupPreemption). */
  startForGroup(
    kind: 'podgroup' | 'compositepodgroup',
    group: PodGroup | CompositePodGroup,
    pods: readonly Pod[],
    victims: ChosenVictims,
    plugin: string,
  ): void {
    const { uid = '' } = group.metadata
    const preemptor: Preemptor = { kind, uid, key: keyOf(group), pods, group }
    this.run(preemptor, { node: 'cluster', ...victims }, [], plugin)
  }

  private run(
    preemptor: Preemptor,
    victims: ChosenVictims & { readonly node: string },
    displaced: readonly ParsedPod[],
    plugin: string,
  ): void {
    const toRemove = this.skipsTerminating
      ? victims.pods.filter(({ pod }) => pod.metadata.deletionTimestamp === undefined)
      : victims.pods
    const lastVictim = toRemove.at(-1)
    const { pods, budgetViolations, disruptedGroups = 0 } = victims
    const { kind } = preemptor
    const removesAny = lastVictim !== undefined
    this.context.metrics.preempted({
      ...{ preemptor: kind, victims: pods.length, budgetViolations, disruptedGroups, removesAny },
    })
    if (lastVictim === undefined) return
    for (const pod of displaced) this.withdrawNomination(pod)
    const running: RunningPreemption = {
      preemptor,
      node: victims.node,
      plugin,
      outstanding: 0,
      failed: false,
      last: undefined,
      lastVictim,
      startedAt: this.context.now,
    }
    this.running.set(preemptor.uid, running)
    const others = toRemove.slice(0, -1)
    running.outstanding = others.length
    for (const victim of others) this.remove(running, victim)
    if (others.length === 0) this.removeLast(running)
  }

  private withdrawNomination(nominated: ParsedPod): void {
    const { objects, effects, wall } = this.context
    const pod = objects.get('pods', nominated.key) ?? nominated.pod
    const patch = podStatusPatch(pod, { nominating: clearNomination }, wall)
    if (patch !== undefined) effects.call(patch, () => {})
  }

  private removeLast(running: RunningPreemption): void {
    running.last = running.lastVictim
    running.outstanding = 1
    this.remove(running, running.lastVictim)
  }

  private settle(running: RunningPreemption, ok: boolean): void {
    running.outstanding--
    if (!ok) running.failed = true
    if (running.outstanding > 0) return
    if (running.last === undefined && !running.failed) {
      this.removeLast(running)
      return
    }
    this.running.delete(running.preemptor.uid)
    const { metrics, now } = this.context
    metrics.preemptionEnded(running.preemptor.kind, running.failed ? 'error' : 'success', now - running.startedAt)
    // The preemptor might wait for a deletion that never happens.
    if (running.failed) this.context.queue.activate(running.preemptor.pods, this.context.now)
  }

  private remove(running: RunningPreemption, victim: ParsedPod): void {
    const rejected = this.bindings.preempt(victim.uid, running.plugin)
    if (rejected) {
      this.report(running, victim.pod, atLeast(this.context.release, '1.36') ? ' (in kube-scheduler memory).' : '')
      this.settle(running, true)
      return
    }
    const { effects, wall, objects } = this.context
    const pod = objects.get('pods', victim.key) ?? victim.pod
    const condition = {
      type: 'DisruptionTarget',
      status: 'True' as const,
      reason: 'PreemptionByScheduler',
      message: `${schedulerOf(running)}: preempting to accommodate a higher priority ${running.preemptor.kind}`,
    }
    const patch = podStatusPatch(pod, { condition }, wall)
    if (patch === undefined) this.delete(running, pod)
    else
      effects.call(patch, (outcome) => {
        if (outcome.ok) this.delete(running, pod)
        else this.settle(running, this.skipsTerminating && failedWith(outcome, 'NotFound'))
      })
  }

  private delete(running: RunningPreemption, victim: Pod): void {
    this.context.effects.call(deleteCall('pods', victim), (outcome: Outcome) => {
      if (outcome.ok) this.report(running, victim, '')
      this.settle(running, outcome.ok || failedWith(outcome, 'NotFound'))
    })
  }

  // From v1.36 on, upstream intends to set the preemptor as `related`, but passes a wrapper that is not an API object to
  // the recorder, so the reference is omitted (framework/preemption podExecutorPreemptor.Obj).
  private report({ preemptor, node }: RunningPreemption, victim: Pod, suffix: string): void {
    const [pod] = preemptor.pods
    const related = preemptor.group ?? (atLeast(this.context.release, '1.36') ? undefined : pod)
    this.context.effects.event({
      regarding: victim,
      ...(pod === undefined ? {} : { onBehalfOf: pod }),
      ...(related === undefined ? {} : { related }),
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      message: `Preempted by ${preemptor.kind} ${preemptor.uid} on node ${node}${suffix}`,
    })
  }
}

function schedulerOf({ preemptor }: RunningPreemption): string {
  return preemptor.pods[0]?.spec.schedulerName ?? ''
}
