import type { Call, Outcome } from '../api/call.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { ResourceName } from '../api/objects/resources.ts'
import { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import { bindPod, callAction, createActionIds, recordEvent } from '../runtime/actions.ts'
import type { Action, Controller, StepInput, StepOutput } from '../runtime/controller.ts'
import { referenceTo } from '../runtime/controller.ts'
import type { View } from '../runtime/view.ts'
import { Attempts } from './binding/attempt.ts'
import { BindingCycles } from './binding/binding-cycles.ts'
import { ClusterFeed } from './binding/cluster-feed.ts'
import type { Effects, PodEvent, ProfileRun, SchedulerContext } from './binding/context.ts'
import { inspectQueue, type SchedulerInspection } from './binding/inspection.ts'
import { createLegacyChecks } from './binding/legacy-checks.ts'
import { PreemptionExecutor } from './binding/preemption-executor.ts'
import { SchedulerMetrics } from './binding/scheduler-metrics.ts'
import { ColumnarCache } from './cache/scheduler-cache.ts'
import { createScheduling } from './cycle.ts'
import type { AnyPlugin, ObjectReader, Profile } from './framework/contract.ts'
import { ok, unresolvable } from './framework/contract.ts'
import { PodNominator } from './nominator.ts'
import { createDefaultProfile } from './plugins/default-plugins.ts'
import { defaultPreemptionWake } from './plugins/default-preemption/wake.ts'
import { hintTableOf } from './queue/hint-table.ts'
import { QueueMetrics } from './queue/queue-metrics.ts'
import { byQueueSort } from './queue/queued-pod.ts'
import { SchedulingQueue } from './queue/scheduling-queue.ts'

export interface SchedulerOptions {
  /** One for each schedulerName. Default: the default profile. */
  readonly profiles?: readonly Profile[]
  readonly initialBackoffMs?: number
  readonly maxBackoffMs?: number
  readonly maxUnschedulableMs?: number
  /** `legacy`: the queue before queueing hints. */
  readonly mode?: 'hints' | 'legacy'
  readonly metrics?: MetricRegistry
  /** How many pods one step may try to schedule, so that changes and results are heard of in between. */
  readonly cyclesPerStep?: number
}

const WATCHES: readonly ResourceName[] = [
  'pods',
  'nodes',
  'namespaces',
  'services',
  'replicationcontrollers',
  'replicasets.apps',
  'statefulsets.apps',
  'poddisruptionbudgets.policy',
  'persistentvolumes',
  'persistentvolumeclaims',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'csidrivers.storage.k8s.io',
  'csistoragecapacities.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]

const DEFAULT_CYCLES_PER_STEP = 64

export function createScheduler(options: SchedulerOptions = {}): Controller {
  return new Scheduler(options)
}

/**
 * The scheduler as a controller: what changed goes into cache and queue, then pods are taken from the queue one by
 * one, and what follows from each attempt goes out as actions.
 */
class Scheduler implements Controller {
  readonly name = 'scheduler'
  readonly watches = WATCHES
  private readonly cyclesPerStep: number
  private readonly outbox = new Outbox()
  private readonly context: StepContext
  private readonly bindings: BindingCycles
  private readonly preemptions: PreemptionExecutor
  private readonly attempts: Attempts
  private readonly feed: ClusterFeed

  constructor(options: SchedulerOptions) {
    this.cyclesPerStep = options.cyclesPerStep ?? DEFAULT_CYCLES_PER_STEP
    const gate: AnyPlugin = {
      name: 'DefaultPreemption',
      preEnqueue: (pod) =>
        this.preemptions.isRunning(pod.metadata.uid ?? '')
          ? unresolvable('waiting for the preemption for this pod to be finished')
          : ok,
      wakeOn: defaultPreemptionWake,
    }
    this.context = new StepContext(options, gate, this.outbox, () => this.bindings.size)
    this.bindings = new BindingCycles(this.context)
    this.preemptions = new PreemptionExecutor(this.context, this.bindings)
    this.attempts = new Attempts(this.context, this.bindings, this.preemptions)
    const legacy = options.mode === 'legacy' ? createLegacyChecks(this.context) : undefined
    this.feed = new ClusterFeed(this.context, this.bindings, legacy)
  }

  step(input: StepInput): StepOutput {
    const { queue } = this.context
    this.context.begin(input.now, input.view)
    queue.flush(input.now)
    for (const change of input.changes) this.feed.take(change)
    for (const { id, outcome } of input.results) this.outbox.settle(id, outcome)
    if (this.bindings.waiting) this.bindings.reconsider(input.changes.length > 0)
    this.runCycles(input.random)
    if (this.bindings.waiting) this.bindings.reconsider(false)
    return this.outbox.take(this.nextWakeAt(input.now))
  }

  inspect(): SchedulerInspection {
    return inspectQueue(this.context, this.bindings, this.preemptions)
  }

  private runCycles(random: Random): void {
    const { queue, now } = this.context
    for (let left = this.cyclesPerStep; left > 0; left--) {
      const queued = queue.pop(now)
      if (queued === undefined) return
      const attempt = this.attempts.begin(queued)
      if (attempt !== undefined) this.attempts.conclude(attempt, this.attempts.runCycle(attempt, random))
    }
  }

  private nextWakeAt(now: number): number | undefined {
    const queue = this.context.queue.nextWakeAt(now)
    const bindings = this.bindings.nextWakeAt()
    if (queue === undefined || bindings === undefined) return queue ?? bindings
    return Math.min(queue, bindings)
  }
}

/** The context of the parts, moved along from step to step. */
class StepContext implements SchedulerContext {
  readonly cache = new ColumnarCache()
  readonly nominator: PodNominator
  readonly queue: SchedulingQueue
  readonly metrics: SchedulerMetrics
  readonly objects: ObjectReader
  readonly effects: Effects
  now = 0
  private view: View | undefined
  private readonly runs = new Map<string, ProfileRun>()

  constructor(options: SchedulerOptions, gate: AnyPlugin, outbox: Outbox, assumed: () => number) {
    this.effects = outbox
    this.objects = {
      get: (resource, key) => this.view?.get(resource, key),
      list: (resource, namespace) => this.view?.list(resource, namespace) ?? [],
    }
    this.nominator = new PodNominator((pod) => this.objects.get('pods', pod.key))
    for (const profile of options.profiles ?? [createDefaultProfile()]) {
      const preempts = profile.postFilter.some(({ name }) => name === gate.name)
      const gated = preempts ? { ...profile, preEnqueue: [...profile.preEnqueue, gate] } : profile
      const scheduling = createScheduling({ profile: gated, cache: this.cache, nominator: this.nominator })
      this.runs.set(profile.schedulerName, { profile: gated, scheduling })
    }
    const registry = options.metrics ?? new MetricRegistry()
    this.queue = this.createQueue(options, registry)
    this.metrics = new SchedulerMetrics(registry, {
      queued: () => this.queue.counts(),
      cached: () => ({ nodes: this.cache.nodeCount, pods: this.cache.podCount, assumed: assumed() }),
    })
  }

  begin(now: number, view: View): void {
    this.now = now
    this.view = view
  }

  runOf(schedulerName: string): ProfileRun | undefined {
    return this.runs.get(schedulerName)
  }

  private createQueue(options: SchedulerOptions, registry: MetricRegistry): SchedulingQueue {
    const { initialBackoffMs, maxBackoffMs, maxUnschedulableMs, mode = 'hints' } = options
    const profiles = [...this.runs.values()].map(({ profile }) => profile)
    const sort = profiles[0]?.queueSort
    return new SchedulingQueue({
      hints: hintTableOf(profiles, mode === 'legacy'),
      profiles: new Map(profiles.map((profile) => [profile.schedulerName, profile])),
      parser: this.cache.parser,
      nominator: this.nominator,
      objects: this.objects,
      mode,
      metrics: new QueueMetrics(registry),
      ...(sort?.queueSort === undefined || sort.name === 'PrioritySort'
        ? {}
        : { compare: byQueueSort(sort.queueSort) }),
      ...(initialBackoffMs === undefined ? {} : { initialBackoffMs }),
      ...(maxBackoffMs === undefined ? {} : { maxBackoffMs }),
      ...(maxUnschedulableMs === undefined ? {} : { maxUnschedulableMs }),
    })
  }
}

/** Collects what a step does, and remembers what waits for an outcome. */
class Outbox implements Effects {
  private readonly ids = createActionIds()
  private readonly waiting = new Map<number, (outcome: Outcome) => void>()
  private actions: Action[] = []

  call(call: Call, settled: (outcome: Outcome) => void): void {
    this.send(callAction(this.ids, call), settled)
  }

  bind(pod: Pod, node: string, settled: (outcome: Outcome) => void): void {
    this.send(bindPod(this.ids, { pod, node }), settled)
  }

  event({ regarding, related, type, reason, action, message }: PodEvent): void {
    const kind = { apiVersion: 'v1', kind: 'Pod' }
    this.actions.push(
      recordEvent({
        regarding: referenceTo(regarding, kind),
        ...(related === undefined ? {} : { related: referenceTo(related, kind) }),
        type,
        reason,
        action,
        message,
        api: 'events',
        component: (related ?? regarding).spec.schedulerName ?? 'default-scheduler',
      }),
    )
  }

  settle(id: number, outcome: Outcome): void {
    const settled = this.waiting.get(id)
    this.waiting.delete(id)
    settled?.(outcome)
  }

  take(wakeAt: number | undefined): StepOutput {
    const { actions } = this
    this.actions = []
    return { actions, ...(wakeAt === undefined ? {} : { wakeAt }) }
  }

  private send(action: Action & { readonly kind: 'call' }, settled: (outcome: Outcome) => void): void {
    this.waiting.set(action.id, settled)
    this.actions.push(action)
  }
}
