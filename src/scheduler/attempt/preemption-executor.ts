import type { Outcome } from '../../api/call.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { failedWith } from '../../api/status.ts'
import type { BindingCycles } from '../binding/binding-cycles.ts'
import type { SchedulerContext } from '../context/context.ts'
import { podStatusPatch } from '../context/pod-status-patch.ts'
import type { ParsedPod, Preemption } from '../contract/contract.ts'
import { clearNomination } from '../contract/post-filter.ts'

/** A preemption that is under way: calls to the API server are outstanding. */
interface Running {
  readonly preemptor: ParsedPod
  readonly node: string
  readonly plugin: string
  /** Victims whose removal has been asked for and not been answered. */
  outstanding: number
  failed: boolean
  /** The one removed last, after all others; set once that has begun. */
  last: ParsedPod | undefined
  readonly lastVictim: ParsedPod
}

/**
 * Carries out what preemption decided (v1.36, framework/preemption, Executor, asynchronous): clears nominations that
 * no longer hold, removes the victims, the last one after all others, and keeps the preemptor out of the queue until
 * the deletion of the last one has begun. So one preemptor never asks twice for the same victims.
 */
export class PreemptionExecutor {
  private readonly context: SchedulerContext
  private readonly bindings: BindingCycles
  private readonly running = new Map<string, Running>()

  constructor(context: SchedulerContext, bindings: BindingCycles) {
    this.context = context
    this.bindings = bindings
  }

  /** The preemptor must stay out of the queue: some victim's removal has not begun. */
  isRunning(uid: string): boolean {
    const running = this.running.get(uid)
    if (running === undefined) return false
    if (running.last === undefined) return true
    const victim = this.context.objects.get('pods', running.last.key)
    return victim !== undefined && victim.metadata.deletionTimestamp === undefined
  }

  /** Preemptions under way, as data. */
  entries(): { readonly preemptor: string; readonly node: string; readonly outstanding: number }[] {
    return [...this.running.values()].map(({ preemptor, node, outstanding }) => ({
      preemptor: preemptor.key,
      node,
      outstanding,
    }))
  }

  start(preemptor: ParsedPod, preemption: Preemption, plugin: string): void {
    const { victims, displaced } = preemption
    const toRemove = victims.pods.filter(({ pod }) => pod.metadata.deletionTimestamp === undefined)
    const lastVictim = toRemove.at(-1)
    if (lastVictim === undefined) return
    this.context.metrics.preempted(victims.pods.length)
    for (const pod of displaced) this.withdrawNomination(pod)
    const running: Running = {
      preemptor,
      node: victims.node,
      plugin,
      outstanding: 0,
      failed: false,
      last: undefined,
      lastVictim,
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

  private removeLast(running: Running): void {
    running.last = running.lastVictim
    running.outstanding = 1
    this.remove(running, running.lastVictim)
  }

  private settle(running: Running, ok: boolean): void {
    running.outstanding--
    if (!ok) running.failed = true
    if (running.outstanding > 0) return
    if (running.last === undefined && !running.failed) {
      this.removeLast(running)
      return
    }
    this.running.delete(running.preemptor.uid)
    // The preemptor might wait for a deletion that does not come.
    if (running.failed) this.context.queue.activate([running.preemptor.pod], this.context.now)
  }

  private remove(running: Running, victim: ParsedPod): void {
    const rejected = this.bindings.preempt(victim.uid, running.plugin)
    if (rejected) {
      this.report(running, victim.pod, ' (in kube-scheduler memory).')
      this.settle(running, true)
      return
    }
    const { effects, wall, objects } = this.context
    const pod = objects.get('pods', victim.key) ?? victim.pod
    const condition = {
      type: 'DisruptionTarget',
      status: 'True' as const,
      reason: 'PreemptionByScheduler',
      message: `${running.preemptor.pod.spec.schedulerName ?? ''}: preempting to accommodate a higher priority pod`,
    }
    const patch = podStatusPatch(pod, { condition }, wall)
    if (patch === undefined) this.delete(running, pod)
    else
      effects.call(patch, (outcome) => {
        if (outcome.ok) this.delete(running, pod)
        else this.settle(running, failedWith(outcome, 'NotFound'))
      })
  }

  private delete(running: Running, victim: Pod): void {
    const { namespace, name } = victim.metadata
    this.context.effects.call(
      { verb: 'delete', resource: 'pods', ...(namespace === undefined ? {} : { namespace }), name },
      (outcome: Outcome) => {
        if (outcome.ok) this.report(running, victim, '')
        this.settle(running, outcome.ok || failedWith(outcome, 'NotFound'))
      },
    )
  }

  // Upstream means to name the preemptor as `related`, but hands the recorder a wrapper that is no API object, and the
  // reference is left out (v1.36, framework/preemption podExecutorPreemptor.Obj).
  private report({ preemptor, node }: Running, victim: Pod, suffix: string): void {
    this.context.effects.event({
      regarding: victim,
      onBehalfOf: preemptor.pod,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      message: `Preempted by pod ${preemptor.uid} on node ${node}${suffix}`,
    })
  }
}
