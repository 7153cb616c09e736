import type { Call, GetCall, Outcome } from '../api/call.ts'
import { referenceTo } from '../api/object-reference.ts'
import type { Pod } from '../api/objects/pod.ts'
import type { KnownResource } from '../api/objects/resources.ts'
import { statusCountingOf } from '../api/pod-resources.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { failedWith } from '../api/status.ts'
import { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import { bindPod, callAction, createActionIds, recordEvent } from '../runtime/actions.ts'
import type { Action, Answer, Ask, Change, Controller, StepInput, StepOutput } from '../runtime/controller.ts'
import type { View } from '../runtime/view.ts'
import { type Attempt, Attempts } from './attempt/attempt.ts'
import { PreemptionExecutor } from './attempt/preemption-executor.ts'
import { BindingCycles } from './binding/binding-cycles.ts'
import { GroupForest } from './cache/group-forest.ts'
import { GroupStates, groupKeyOf } from './cache/group-states.ts'
import { createPodParser } from './cache/pod-parser.ts'
import { SchedulerCache } from './cache/scheduler-cache.ts'
import type { ExtenderConfiguration } from './config/scheduler-configuration.ts'
import type { Effects, KnownGroups, PodEvent, ProfileRun, SchedulerContext } from './context/context.ts'
import type { AnyPlugin, ObjectReader, PluginStatus, Profile } from './contract/contract.ts'
import { ok, unresolvable } from './contract/contract.ts'
import { groupFeaturesOf } from './contract/groups.ts'
import { createScheduling } from './cycle.ts'
import { ClusterFeed } from './events/cluster-feed.ts'
import { type ExtendedCycle, runExtended } from './extenders/extended-cycle.ts'
import { createExtenders, type Extender, type ExtenderAnswer, type ExtenderRequest } from './extenders/extender.ts'
import { createExtenderBinder } from './extenders/extender-binding.ts'
import { createGroupAttempts } from './groups/create-group-attempts.ts'
import type { GroupAttempts } from './groups/group-attempts.ts'
import { withGroups } from './groups/group-profile.ts'
import { inspectQueue, type SchedulerInspection } from './observe/inspection.ts'
import { SchedulerMetrics } from './observe/scheduler-metrics.ts'
import { createDefaultProfile } from './plugins/default-plugins.ts'
import { defaultPreemptionWake } from './plugins/default-preemption/wake.ts'
import { hintTableOf } from './queue/hint-table.ts'
import { PodNominator } from './queue/nominator.ts'
import { QueueMetrics } from './queue/queue-metrics.ts'
import { byQueueSort, isGroup } from './queue/queued-pod.ts'
import type { QueueMode } from './queue/requeue-policy.ts'
import { SchedulingQueue } from './queue/scheduling-queue.ts'
import { groupResources, watchedResourcesOf } from './watched-resources.ts'

export interface SchedulerOptions {
  readonly release?: KubernetesRelease
  /** One per schedulerName. Default: the default profile. */
  readonly profiles?: readonly Profile[]
  readonly extenders?: readonly ExtenderConfiguration[]
  readonly initialBackoffMs?: number
  readonly maxBackoffMs?: number
  readonly maxUnschedulableMs?: number
  /** `legacy`: the queue of releases before queueing hints. */
  readonly mode?: QueueMode
  readonly metrics?: MetricRegistry
  /** The maximum number of attempts per step, so that changes and results are processed in between. */
  readonly cyclesPerStep?: number
}

const defaultCyclesPerStep = 64
const readTimeoutMs = 30_000

export function createScheduler(options: SchedulerOptions = {}): Controller {
  return new Scheduler(options)
}

/**
 * The scheduler as a controller: a step applies the changes to the cache and the queue, runs attempts for the pods in
 * the queue, and returns their effects as actions.
 */
class Scheduler implements Controller {
  readonly name = 'scheduler'
  readonly watches: readonly KnownResource[]
  private readonly extenders: readonly Extender[]
  /** An extender filters or scores. */
  private readonly extendersWeigh: boolean
  private suspended: SuspendedCycle | undefined
  private readonly cyclesPerStep: number
  private readonly outbox = new Outbox()
  private readonly context: SchedulerStep
  private readonly bindings: BindingCycles
  private readonly preemptions: PreemptionExecutor
  private readonly attempts: Attempts
  private readonly feed: ClusterFeed
  private readonly groupAttempts: GroupAttempts | undefined

  constructor(options: SchedulerOptions) {
    this.cyclesPerStep = options.cyclesPerStep ?? defaultCyclesPerStep
    const gate: AnyPlugin = {
      name: 'DefaultPreemption',
      preEnqueue: (pod) => this.admitPreemptor(pod),
      wakeOn: defaultPreemptionWake(options.release ?? defaultRelease),
    }
    this.context = new SchedulerStep(options, gate, this.outbox, () => this.bindings.size)
    const { groups } = this.context
    const watched = watchedResourcesOf(this.context.release)
    this.watches = [...watched, ...groupResources(groups?.features)]
    this.extenders = createExtenders(options.extenders ?? [])
    this.extendersWeigh = this.extenders.some(({ filters, prioritizes }) => filters || prioritizes)
    const binder = createExtenderBinder(this.extenders, (request, answered) => {
      this.outbox.ask(request, this.context.now, answered)
    })
    this.bindings = new BindingCycles(this.context, {
      binder,
      ...(this.context.queue.policy.rereadsMissingNodes ? { onMissingNode: (name) => this.readAgain(name) } : {}),
    })
    this.preemptions = new PreemptionExecutor(this.context, this.bindings)
    this.attempts = new Attempts(this.context, this.bindings, this.preemptions)
    this.feed = new ClusterFeed(this.context, this.bindings)
    this.groupAttempts =
      groups &&
      createGroupAttempts({
        ...{ context: this.context, groups, attempts: this.attempts },
        ...{ bindings: this.bindings, preemptions: this.preemptions },
      })
  }

  /** Keeps a preemptor out of the queue while its victims are removed (v1.36, defaultpreemption PreEnqueue). */
  private admitPreemptor(pod: Pod): PluginStatus {
    if (this.context.groups?.features.preempts === true && groupKeyOf(pod) !== undefined) {
      const root = this.context.groups.forest.rootOfPod(pod)
      return root !== undefined && this.preemptions.isRunning(root.object.metadata.uid ?? '')
        ? unresolvable('waiting for the preemption for this pod group to be finished')
        : ok
    }
    return this.preemptions.isRunning(pod.metadata.uid ?? '')
      ? unresolvable('waiting for the preemption for this pod to be finished')
      : ok
  }

  step(input: StepInput): StepOutput {
    this.context.begin(input.now, input.wall, input.view)
    if (this.suspended === undefined) this.takeIn(input)
    else this.resume(this.suspended, input)
    if (this.suspended !== undefined) return this.outbox.take(undefined)
    this.runCycles(input.random)
    if (this.bindings.waiting) this.bindings.reconsider(false)
    return this.outbox.take(this.suspended === undefined ? this.nextWakeAt(input.now) : undefined)
  }

  inspect(): SchedulerInspection {
    return inspectQueue(this.context, this.bindings, this.preemptions)
  }

  private takeIn({ changes, results, answers, now }: BufferedInput & { readonly now: number }): void {
    this.context.queue.flush(now)
    for (let i = 0; i < changes.length; i++) this.feed.take(changes[i] as Change)
    for (const { id, outcome } of results) this.outbox.settle(id, outcome)
    for (const answer of answers) this.outbox.answered(answer)
    if (this.bindings.waiting) this.bindings.reconsider(changes.length > 0)
  }

  private runCycles(random: Random): void {
    const { queue, now } = this.context
    for (let left = this.cyclesPerStep; left > 0; left--) {
      const queued = queue.pop(now)
      if (queued === undefined) return
      if (this.groupAttempts !== undefined && groupKeyOf(queued.parsed.pod) !== undefined) {
        this.groupAttempts.run(queued, random)
        continue
      }
      if (isGroup(queued)) continue
      const attempt = this.attempts.begin(queued)
      if (attempt === undefined) continue
      if (this.extenders.length === 0) this.attempts.conclude(attempt, this.attempts.runCycle(attempt, random))
      else if (!this.runExtended(attempt, random)) return
    }
  }

  /** Runs a cycle that may call extenders. Returns whether the cycle ended. */
  private runExtended(attempt: Attempt, random: Random): boolean {
    const { objects, cache } = this.context
    const { parsed } = attempt.queued
    const cycle = runExtended({
      pod: parsed.pod,
      extenders: this.extenders,
      begin: (reviewCandidates) =>
        attempt.run.scheduling.begin(parsed, { objects, random, reviewCandidates, extended: this.extendersWeigh }),
      cluster: () => cache.cluster(objects),
    })
    return this.advance({ attempt, cycle, waitsFor: new Set(), answers: [], buffered: [] }, cycle.next())
  }

  private advance(suspended: SuspendedCycle, progress: ReturnType<ExtendedCycle['next']>): boolean {
    if (progress.done === true) {
      this.suspended = undefined
      // Changes during the suspension are applied before the result is handled, as for any pod in flight.
      const incoming: BufferedInput = {
        changes: suspended.buffered.flatMap(({ changes }) => changes),
        results: suspended.buffered.flatMap(({ results }) => results),
        answers: suspended.buffered.flatMap(({ answers }) => answers),
      }
      this.takeIn({ ...incoming, now: this.context.now })
      this.attempts.conclude(suspended.attempt, progress.value)
      return true
    }
    this.suspended = suspended
    suspended.answers = []
    progress.value.forEach((request, i) => {
      const id = this.outbox.ask(request, this.context.now, (answer) => {
        suspended.waitsFor.delete(id)
        suspended.answers[i] = answer
      })
      suspended.waitsFor.add(id)
    })
    return false
  }

  /** The cache must not change between the halves of a cycle, so all inputs except the awaited answers are buffered. */
  private resume(suspended: SuspendedCycle, input: StepInput): void {
    const awaited = input.answers.filter(({ id }) => suspended.waitsFor.has(id))
    const others = input.answers.filter(({ id }) => !suspended.waitsFor.has(id))
    suspended.buffered.push({ changes: input.changes, results: input.results, answers: others })
    for (const answer of awaited) this.outbox.answered(answer)
    if (suspended.waitsFor.size === 0) this.advance(suspended, suspended.cycle.next(suspended.answers))
  }

  /** Reads a node that the API server did not find again, and removes it only if it is deleted (up to v1.29). */
  private readAgain(name: string): void {
    this.outbox.read({ verb: 'get', resource: 'nodes', name }, this.context.now, (outcome) => {
      if (failedWith(outcome, 'NotFound')) this.context.cache.removeNode({ metadata: { name } })
    })
  }

  private nextWakeAt(now: number): number | undefined {
    const queue = this.context.queue.nextWakeAt(now)
    const bindings = this.bindings.nextWakeAt()
    if (queue === undefined || bindings === undefined) return queue ?? bindings
    return Math.min(queue, bindings)
  }
}

type BufferedInput = Pick<StepInput, 'changes' | 'results' | 'answers'>

/** A cycle that waits for extenders, with the inputs that arrived since. */
interface SuspendedCycle {
  readonly attempt: Attempt
  readonly cycle: ExtendedCycle
  readonly waitsFor: Set<number>
  answers: ExtenderAnswer[]
  readonly buffered: BufferedInput[]
}

/** The context of the parts of the scheduler. */
class SchedulerStep implements SchedulerContext {
  readonly release: KubernetesRelease
  readonly groups?: KnownGroups
  readonly cache: SchedulerCache
  readonly nominator: PodNominator
  readonly queue: SchedulingQueue
  readonly metrics: SchedulerMetrics
  readonly objects: ObjectReader
  readonly effects: Effects
  now = 0
  wall = 0
  private view: View | undefined
  private readonly runs = new Map<string, ProfileRun>()

  constructor(options: SchedulerOptions, gate: AnyPlugin, outbox: Outbox, assumed: () => number) {
    this.release = options.release ?? defaultRelease
    this.effects = outbox
    const features = groupFeaturesOf(this.release)
    if (features !== undefined) {
      this.groups = { states: new GroupStates(), forest: new GroupForest(features.composes), features }
    }
    this.cache = new SchedulerCache(createPodParser(statusCountingOf(this.release)), this.groups?.states)
    this.objects = {
      get: (resource, key) => this.view?.get(resource, key),
      list: (resource, namespace) => this.view?.list(resource, namespace) ?? [],
    }
    this.nominator = new PodNominator((pod) => this.objects.get('pods', pod.key))
    for (const profile of options.profiles ?? [createDefaultProfile({ release: this.release })]) {
      const preempts = profile.postFilter.some(({ name }) => name === gate.name)
      const own = this.groups ? withGroups(profile, this.groups, this.cache, this.objects) : profile
      const gated = preempts ? { ...own, preEnqueue: [...own.preEnqueue, gate] } : own
      const scheduling = createScheduling({ profile: gated, cache: this.cache, nominator: this.nominator })
      this.runs.set(profile.schedulerName, { profile: gated, scheduling })
    }
    const registry = options.metrics ?? new MetricRegistry()
    this.queue = this.createQueue(options, registry)
    const sources = {
      queued: () => this.queue.counts(),
      entries: () => this.queue.entryCounts(),
      cached: () => ({ nodes: this.cache.nodeCount, pods: this.cache.podCount, assumed: assumed() }),
    }
    this.metrics = new SchedulerMetrics(registry, sources, this.release)
  }

  begin(now: number, wall: number, view: View): void {
    this.now = now
    this.wall = wall
    this.cache.devices.wall = wall
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
      hints: hintTableOf(profiles, { mode, extenders: (options.extenders ?? []).length > 0, release: this.release }),
      release: this.release,
      profiles: new Map(profiles.map((profile) => [profile.schedulerName, profile])),
      parser: this.cache.parser,
      nominator: this.nominator,
      objects: this.objects,
      mode,
      ...(this.groups === undefined
        ? {}
        : this.release.minor === '1.36'
          ? { hasGroups: true }
          : { hierarchies: this.groups.forest }),
      metrics: new QueueMetrics(registry, this.release),
      ...(sort?.queueSort === undefined || sort.name === 'PrioritySort'
        ? {}
        : { compare: byQueueSort(sort.queueSort) }),
      ...(initialBackoffMs === undefined ? {} : { initialBackoffMs }),
      ...(maxBackoffMs === undefined ? {} : { maxBackoffMs }),
      ...(maxUnschedulableMs === undefined ? {} : { maxUnschedulableMs }),
    })
  }
}

/** Collects the effects of a step, and the callbacks for their outcomes. */
class Outbox implements Effects {
  private readonly ids = createActionIds()
  private readonly waiting = new Map<number, (outcome: Outcome) => void>()
  private readonly asking = new Map<number, (outcome: Answer['outcome']) => void>()
  private actions: Action[] = []
  private asks: Ask[] = []

  call(call: Call, settled: (outcome: Outcome) => void): void {
    this.send(callAction(this.ids, call), settled)
  }

  bind(pod: Pod, node: string, settled: (outcome: Outcome) => void): void {
    this.send(bindPod(this.ids, { pod, node }), settled)
  }

  event({ regarding, onBehalfOf, related, type, reason, action, message }: PodEvent): void {
    this.actions.push(
      recordEvent({
        regarding: referenceTo(regarding, { apiVersion: 'v1', kind: 'Pod' }),
        ...(related === undefined ? {} : { related: referenceTo(related) }),
        type,
        reason,
        action,
        message,
        api: 'events',
        component: (onBehalfOf ?? regarding).spec.schedulerName ?? 'default-scheduler',
      }),
    )
  }

  settle(id: number, outcome: Outcome): void {
    const settled = this.waiting.get(id)
    this.waiting.delete(id)
    settled?.(outcome)
  }

  ask({ extender, url, body }: ExtenderRequest, now: number, answered: (answer: ExtenderAnswer) => void): number {
    const id = this.ids.next()
    this.asking.set(id, (outcome) => answered(readAnswer(outcome)))
    this.asks.push({
      id,
      deadlineAt: now + extender.timeoutMs,
      request: {
        kind: 'http',
        method: 'POST',
        url,
        body,
        headers: { 'Content-Type': 'application/json' },
        ...(extender.tls === undefined ? {} : { tls: extender.tls }),
        ignorable: extender.ignorable,
      },
    })
    return id
  }

  /** A read that times out has no outcome. */
  read(call: GetCall, now: number, settled: (outcome: Outcome) => void): void {
    const id = this.ids.next()
    this.asking.set(id, (answer) => {
      if (answer.kind === 'ok') settled(answer.value as Outcome)
    })
    this.asks.push({ id, deadlineAt: now + readTimeoutMs, request: { kind: 'read', call } })
  }

  answered({ id, outcome }: Answer): void {
    const answered = this.asking.get(id)
    this.asking.delete(id)
    answered?.(outcome)
  }

  take(wakeAt: number | undefined): StepOutput {
    const { actions, asks } = this
    this.actions = []
    if (asks.length > 0) this.asks = []
    return { actions, ...(asks.length === 0 ? {} : { asks }), ...(wakeAt === undefined ? {} : { wakeAt }) }
  }

  private send(action: Action & { readonly kind: 'call' }, settled: (outcome: Outcome) => void): void {
    this.waiting.set(action.id, settled)
    this.actions.push(action)
  }
}

/** An HTTP answer has a status and a text body. A recorded answer is the parsed body. */
function readAnswer(outcome: Answer['outcome']): ExtenderAnswer {
  if (outcome.kind === 'timeout') return { ok: false, message: 'context deadline exceeded' }
  if (outcome.kind === 'skipped') return { ok: false, message: 'extenders are not called in virtual time' }
  if (outcome.kind === 'failed') return { ok: false, message: outcome.message }
  const { value } = outcome
  if (typeof value !== 'object' || value === null || !('status' in value) || !('body' in value)) {
    return { ok: true, body: value }
  }
  if (value.status !== 200) return { ok: false, message: `failed with extender, code ${String(value.status)}` }
  if (typeof value.body !== 'string') return { ok: true, body: value.body }
  try {
    return { ok: true, body: JSON.parse(value.body) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}
