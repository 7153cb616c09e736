import type { Call, Outcome } from '../../api/call.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { SchedulerContext } from '../context/context.ts'
import type { AttemptFailure } from '../context/failure.ts'
import { errored, handleFailure, rejectedBy } from '../context/failure.ts'
import { podStatusPatch } from '../context/pod-status-patch.ts'
import type {
  AnyPlugin,
  CycleStates,
  ParsedPod,
  PluginStatus,
  PreBindNote,
  PreBindProgress,
  Profile,
} from '../contract/contract.ts'
import { isRejected, messageOf, onNode } from '../contract/contract.ts'
import { assignedPodDelete } from '../queue/cluster-event.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import { type PermitWait, runPermit, waitTimeout } from './permit.ts'
import { preFlight } from './pre-flight.ts'

/** An assumed pod that is being bound. */
export interface Placement {
  readonly queued: QueuedPod
  /** The pod as stored in the cache. */
  readonly assumed: ParsedPod
  readonly node: string
  readonly profile: Profile
  readonly states: CycleStates
  readonly startedAt: number
}

type BindingPhase =
  | { readonly kind: 'permit'; readonly waits: Map<AnyPlugin, PermitWait>; readonly since: number }
  | { readonly kind: 'preBind'; readonly work: PreBindWork }
  | { readonly kind: 'binding' }

const bindingPhase: BindingPhase = { kind: 'binding' }

interface PreBindWork {
  readonly plugins: readonly AnyPlugin[]
  next: number
  outcomes: { readonly call: Call; readonly outcome: Outcome }[]
  outstanding: number
  deadlineAt: number | undefined
  /** The plugin that preempted the pod while a call was outstanding. */
  preemptedBy: string | undefined
}

interface BindingCycle {
  readonly placement: Placement
  /** The PreBind plugins that do not skip. */
  readonly preBind: readonly AnyPlugin[]
  phase: BindingPhase
}

/**
 * Lets an extender bind a pod in place of the Bind plugins. Returns false if the extender does not bind the pod.
 * Otherwise it later calls `settled`, or `declined` when the plugins must bind the pod.
 */
export type ForeignBinder = (
  placement: Placement,
  settled: (error: string | undefined) => void,
  declined: () => void,
) => boolean

/**
 * The binding half of an attempt, for every assumed pod: Permit, PreBind, Bind, PostBind (v1.36, bindingCycle).
 * Upstream runs a goroutine for each pod; here each pod is a state machine that inputs advance.
 */
export class BindingCycles {
  private readonly context: SchedulerContext
  private readonly bindsElsewhere: ForeignBinder
  private readonly onMissingNode: ((name: string) => void) | undefined
  private readonly cycles = new Map<string, BindingCycle>()
  /**
   * Cycles that wait for something other than the outcome of the bind call. They are few and are checked in every step.
   */
  private readonly waitingCycles = new Set<BindingCycle>()
  /** Permit plugins ran since the last `reconsider`, so waiting pods may have become ready. */
  private permitAsked = false
  private readonly announces: boolean

  /** @param options `onMissingNode` is called for a node that the API server does not find. */
  constructor(
    context: SchedulerContext,
    options: { readonly binder?: ForeignBinder; readonly onMissingNode?: (name: string) => void } = {},
  ) {
    this.context = context
    this.announces = context.release.gates.has('NominatedNodeNameForExpectation')
    this.bindsElsewhere = options.binder ?? (() => false)
    this.onMissingNode = options.onMissingNode
  }

  /**
   * Runs Permit and, unless a plugin waits, the rest of the cycle.
   * @returns The status of a plugin that rejects the pod. The caller must then release the placement.
   */
  begin(placement: Placement): PluginStatus | undefined {
    const { status, waits } = runPermit(placement, this.context.now)
    if (status !== undefined) return status
    if (placement.profile.permit.length > 0) this.permitAsked = true
    const flight = preFlight(placement)
    const phase: BindingPhase = { kind: 'permit', waits, since: this.context.now }
    const cycle: BindingCycle = { placement, preBind: flight.plugins, phase }
    this.cycles.set(placement.assumed.uid, cycle)
    if (waits.size > 0 || flight.plugins.length > 0) this.waitingCycles.add(cycle)
    if (flight.error !== undefined) {
      this.fail(placement, errored(flight.error))
      return undefined
    }
    if (this.announces && (flight.takesTime || waits.size > 0)) this.announce(placement)
    if (waits.size === 0) this.afterPermit(placement)
    return undefined
  }

  /** Runs the plugins that pods wait for again after a change. Pods whose wait timed out are rejected. */
  reconsider(changed: boolean): void {
    const askPermit = changed || this.permitAsked
    this.permitAsked = false
    for (const { placement, phase } of [...this.waitingCycles]) {
      if (phase.kind === 'permit') this.reconsiderPermit(placement, phase, askPermit)
      else if (phase.kind === 'preBind' && (changed || isDue(phase.work, this.context.now))) this.runPreBind(placement)
    }
  }

  /** The time at which the next wait ends. */
  nextWakeAt(): number | undefined {
    let next: number | undefined
    const consider = (at: number | undefined): void => {
      if (at !== undefined && (next === undefined || at < next)) next = at
    }
    for (const { phase } of this.waitingCycles) {
      if (phase.kind === 'permit') for (const { deadlineAt } of phase.waits.values()) consider(deadlineAt)
      else if (phase.kind === 'preBind') consider(phase.work.deadlineAt)
    }
    return next
  }

  get size(): number {
    return this.cycles.size
  }

  get waiting(): boolean {
    return this.waitingCycles.size > 0
  }

  /**
   * Rejects a pod that is not bound yet in favor of a preemptor: it is retried instead of deleted. Before v1.36, this
   * applies only to a pod that waits for Permit.
   */
  preempt(uid: string, plugin: string): boolean {
    // Pods that an earlier attempt of this step allowed no longer wait, so the pods of a gang stay together (v1.36,
    // waitingPod.Preempt).
    if (this.permitAsked) this.reconsider(false)
    const cycle = this.cycles.get(uid)
    if (cycle === undefined || cycle.phase.kind === 'binding') return false
    const { placement, phase } = cycle
    const cancels = atLeast(this.context.release, '1.36')
    if (phase.kind === 'permit') {
      const reasons = ['preempted']
      this.endWait(placement, phase, { code: cancels ? 'Error' : 'Unschedulable', reasons, plugin })
      return true
    }
    if (!cancels) return false
    phase.work.preemptedBy ??= plugin
    if (phase.work.outstanding === 0) this.failPreempted(placement, phase.work, plugin)
    return true
  }

  /** The assumed pod was deleted. Returns whether it was waiting and was rejected. */
  rejectDeleted(uid: string): boolean {
    const cycle = this.cycles.get(uid)
    if (cycle === undefined || cycle.phase.kind !== 'permit') return false
    this.context.metrics.permitted('Unschedulable', this.context.now - cycle.phase.since)
    this.fail(cycle.placement, rejectedBy({ code: 'Unschedulable', reasons: ['removed'], plugin: '' }))
    return true
  }

  /** The state of every assumed pod, for inspection. */
  entries(): {
    readonly pod: string
    readonly node: string
    readonly phase: BindingPhase['kind']
    readonly waitsFor: string[]
  }[] {
    return [...this.cycles.values()].map(({ placement, phase }) => ({
      pod: placement.assumed.key,
      node: placement.node,
      phase: phase.kind,
      waitsFor: waitsFor(phase),
    }))
  }

  /** Undoes Reserve and removes the pod from the cache. Returns whether the pod was still assumed. */
  release({ profile, assumed, node, states }: Placement): boolean {
    for (const plugin of [...profile.reserve].reverse()) {
      // The outcome is ignored: the next attempt handles objects that a failed call leaves behind.
      for (const call of plugin.unreserve?.(assumed, node, states.get(plugin)) ?? []) {
        this.context.effects.call(call, () => {})
      }
    }
    if (!this.context.cache.isAssumed(assumed.uid)) return false
    this.context.cache.forgetPod(assumed)
    return true
  }

  /** Publishes the node before the bind, because binding takes time. */
  private announce({ assumed, node }: Placement): void {
    const current = this.context.objects.get('pods', assumed.key) ?? assumed.pod
    const patch = podStatusPatch(current, { nominating: { kind: 'set', node } }, this.context.wall)
    // The nomination is only a hint to others, so a failure does not prevent the bind.
    if (patch !== undefined) this.context.effects.call(patch, () => {})
  }

  private reconsiderPermit(placement: Placement, phase: BindingPhase & { kind: 'permit' }, ask: boolean): void {
    const { assumed, node, states } = placement
    for (const [plugin, wait] of phase.waits) {
      const answer = ask ? plugin.permit?.(assumed, node, states.get(plugin)) : undefined
      if (answer !== undefined && answer.code !== 'Wait') {
        phase.waits.delete(plugin)
        if (answer.code === 'Success') continue
        this.endWait(placement, phase, { ...answer, plugin: plugin.name })
        return
      }
      if (wait.deadlineAt > this.context.now) continue
      this.endWait(placement, phase, waitTimeout(plugin, wait))
      return
    }
    if (phase.waits.size > 0) return
    this.context.metrics.permitted('Success', this.context.now - phase.since)
    this.afterPermit(placement)
  }

  private endWait(placement: Placement, phase: BindingPhase & { kind: 'permit' }, status: PluginStatus): void {
    const rejected = isRejected(status)
    this.context.metrics.permitted(rejected ? 'Unschedulable' : 'Error', this.context.now - phase.since)
    const failure = rejected ? rejectedBy(status) : errored(`waiting on permit for pod: ${messageOf(status)}`)
    this.fail(placement, failure)
  }

  private afterPermit(placement: Placement): void {
    // From here on a failure is an error and not a rejection, so cluster events no longer affect the retry.
    this.context.queue.done(placement.assumed.uid)
    const plugins = this.cycles.get(placement.assumed.uid)?.preBind ?? []
    if (plugins.length === 0) {
      this.bind(placement)
      return
    }
    const work: PreBindWork = {
      plugins,
      next: 0,
      outcomes: [],
      outstanding: 0,
      deadlineAt: undefined,
      preemptedBy: undefined,
    }
    this.enter(placement, { kind: 'preBind', work })
    this.runPreBind(placement)
  }

  private runPreBind(placement: Placement): void {
    const phase = this.cycles.get(placement.assumed.uid)?.phase
    if (phase?.kind !== 'preBind') return
    const { work } = phase
    for (;;) {
      const plugin = work.plugins[work.next]
      if (plugin === undefined) break
      if (work.outstanding > 0) return
      const { assumed, node, states } = placement
      const outcomes = work.outcomes
      work.outcomes = []
      work.deadlineAt = undefined
      const turn = { objects: this.context.objects, now: this.context.now, outcomes }
      const progress: PreBindProgress = plugin.preBind?.(assumed, node, states.get(plugin), turn) ?? { kind: 'done' }
      for (const note of progress.notes ?? []) this.report(placement, note)
      // The plugin knows the outcome of its last call, so Unreserve undoes only what was written.
      if (work.preemptedBy !== undefined) {
        this.failPreempted(placement, work, work.preemptedBy)
        return
      }
      if (progress.kind === 'failed') {
        this.fail(placement, errored(`running PreBind plugin "${plugin.name}": ${messageOf(progress.status)}`))
        return
      }
      if (progress.kind === 'waiting') {
        work.deadlineAt = progress.deadlineAt
        this.callForPreBind(placement, work, progress.calls ?? [])
        return
      }
      work.next++
    }
    this.bind(placement)
  }

  private failPreempted(placement: Placement, { plugins, next }: PreBindWork, by: string): void {
    this.fail(placement, errored(`running PreBind plugin "${plugins[next]?.name ?? ''}": preempted by ${by}`))
  }

  private report({ assumed, profile }: Placement, note: PreBindNote): void {
    if (note.kind !== 'event') {
      this.context.metrics.devices(profile.schedulerName, note)
      return
    }
    const { reason, action, message } = note
    this.context.effects.event({ regarding: assumed.pod, type: 'Normal', reason, action, message })
  }

  private callForPreBind(placement: Placement, work: PreBindWork, calls: readonly Call[]): void {
    work.outstanding = calls.length
    const outcomes: { call: Call; outcome: Outcome }[] = []
    calls.forEach((call, i) => {
      this.context.effects.call(call, (outcome) => {
        outcomes[i] = { call, outcome }
        work.outstanding--
        if (work.outstanding > 0) return
        work.outcomes.push(...outcomes)
        this.runPreBind(placement)
      })
    })
  }

  private bind(placement: Placement): void {
    this.enter(placement, bindingPhase)
    const settled = (error: string | undefined): void => {
      if (error === undefined) this.bound(placement)
      else this.fail(placement, errored(error))
    }
    if (this.bindsElsewhere(placement, settled, () => this.bindByPlugin(placement, settled))) return
    this.bindByPlugin(placement, settled)
  }

  private bindByPlugin(placement: Placement, settled: (error: string | undefined) => void): void {
    const { profile, assumed, node } = placement
    for (const plugin of profile.bind) {
      const answer = plugin.bind?.(assumed, node)
      if (answer === undefined) continue
      if (typeof answer === 'object' && 'code' in answer) {
        if (answer.code === 'Skip') continue
        if (answer.code === 'Success') this.bound(placement)
        else this.fail(placement, errored(`running Bind plugin "${plugin.name}": ${messageOf(answer)}`))
        return
      }
      const answered = (outcome: Outcome): void => {
        if (!outcome.ok && outcome.status.reason === 'NotFound' && outcome.status.details?.kind === 'nodes') {
          this.onMissingNode?.(outcome.status.details.name ?? node)
        }
        settled(outcome.ok ? undefined : `running Bind plugin "${plugin.name}": ${outcome.status.message ?? ''}`)
      }
      if (answer === 'binding') this.context.effects.bind(assumed.pod, node, answered)
      else this.context.effects.call(answer, answered)
      return
    }
    this.fail(placement, errored('no Bind plugin bound the pod'))
  }

  private bound(placement: Placement): void {
    const { queued, assumed, node, profile, states, startedAt } = placement
    const { effects, metrics, now } = this.context
    this.drop(assumed.uid)
    const { namespace, name } = assumed.pod.metadata
    effects.event({
      regarding: assumed.pod,
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      message: `Successfully assigned ${namespace ?? ''}/${name} to ${node}`,
    })
    metrics.attempt('scheduled', profile.schedulerName, now - startedAt)
    metrics.bound(queued, now)
    for (const plugin of profile.postBind) plugin.postBind?.(assumed, node, states.get(plugin))
  }

  /**
   * Returns the pod to the queue, frees its resources and wakes the pods that may use them (handleBindingCycleError).
   */
  private fail(placement: Placement, failure: AttemptFailure): void {
    const { queued, assumed, node, startedAt } = placement
    const { queue, now } = this.context
    this.drop(assumed.uid)
    const freed = this.release(placement)
    const change = { event: assignedPodDelete, before: onNode(assumed.pod, node) }
    // A rejected pod must not be woken by its own removal. A failed pod is retried in any case.
    if (freed && failure.kind === 'error') queue.moveAll(change, now)
    handleFailure(this.context, queued, failure, startedAt)
    if (freed && failure.kind === 'rejected') queue.moveAll(change, now, (pod) => pod.uid !== assumed.uid)
  }

  private drop(uid: string): void {
    const cycle = this.cycles.get(uid)
    if (cycle === undefined) return
    this.cycles.delete(uid)
    this.waitingCycles.delete(cycle)
  }

  private enter(placement: Placement, phase: BindingPhase): void {
    const cycle = this.cycles.get(placement.assumed.uid)
    if (cycle === undefined) return
    cycle.phase = phase
    if (phase.kind === 'binding') this.waitingCycles.delete(cycle)
  }
}

function isDue(work: PreBindWork, now: number): boolean {
  return work.deadlineAt !== undefined && work.deadlineAt <= now
}

function waitsFor(phase: BindingPhase): string[] {
  if (phase.kind === 'permit') return [...phase.waits.keys()].map(({ name }) => name)
  if (phase.kind === 'preBind') return phase.work.plugins.slice(phase.work.next, phase.work.next + 1).map((p) => p.name)
  return []
}
