import type { Call, GetCall, Outcome, UpdateCall } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import { parseLabelSelector } from '../../api/label-selector.ts'
import { updateStatusCall, withStatus } from '../../api/object-calls.ts'
import { keyOf } from '../../api/object-key.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerStatus } from '../../api/objects/autoscaling.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import type { EventNote } from '../../controllers/event-note.ts'
import { type ServedKind, ServedKinds } from '../../controllers/served-kinds.ts'
import type { ChangeOf, Controller, EventRecord } from '../../runtime/controller.ts'
import {
  type AfterResults,
  createReconcilerController,
  type KeyedResult,
  type ReconcileContext,
  type ReconcileResult,
} from '../../runtime/reconciler.ts'
import type { View } from '../../runtime/view.ts'
import {
  Conditions,
  decideScale,
  rescaleOutcome,
  type Scale,
  type ScaleDecision,
  type ScaleInput,
  statusAfter,
} from './decide-scale.ts'
import { actionFor, HorizontalMetrics } from './horizontal-metrics.ts'
import type { MetricsSource } from './metrics-source.ts'
import { defaultHorizontalOptions, type HorizontalOptions } from './options.ts'
import { ScalingHistory } from './scaling-history.ts'

export const horizontalName = 'horizontal-pod-autoscaler'
const autoscalers = 'horizontalpodautoscalers.autoscaling'

export interface HorizontalAutoscalerOptions {
  readonly source: MetricsSource
  readonly kinds: () => readonly ServedKind[]
  readonly release?: KubernetesRelease
  readonly options?: HorizontalOptions
  readonly metrics?: MetricRegistry
  /** Called for every autoscaler before its metrics are read for the first time. */
  readonly onFirst?: (autoscaler: HorizontalPodAutoscaler) => void
}

/** The Horizontal Pod Autoscaler (v1.36, pkg/controller/podautoscaler). */
export function createHorizontalPodAutoscaler(options: HorizontalAutoscalerOptions): Controller {
  const autoscaler = new HorizontalAutoscaler(options)
  return createReconcilerController({
    name: horizontalName,
    wakes: {
      [autoscalers]: (change: ChangeOf<typeof autoscalers>) => autoscaler.changed(change),
      pods: () => undefined,
    },
    reconcile: (key, context) => autoscaler.reconcile(key, context),
    onResults: (key, results) => autoscaler.answered(key, results),
  })
}

/** The state of one autoscaler. It is reconciled every 15 seconds, with up to three requests. */
interface Progress {
  dueAt: number | undefined
  isUrgent: boolean
  history: ScalingHistory | undefined
  /** In the format in which Go prints it in `status.selector` of the scale. */
  selector: string | undefined
  answer: Outcome | undefined
  /** Set after the metrics are evaluated, while the change of replicas is written. */
  pending: { readonly input: ScaleInput; readonly decision: ScaleDecision } | undefined
  stage: 'idle' | 'reading' | 'scaling' | 'writing'
}

class HorizontalAutoscaler {
  private readonly progress = new Map<string, Progress>()
  private readonly options: HorizontalOptions
  private readonly release: KubernetesRelease
  private readonly source: MetricsSource
  private readonly kinds: () => readonly ServedKind[]
  private readonly onFirst: HorizontalAutoscalerOptions['onFirst']
  private readonly metrics: HorizontalMetrics

  constructor({
    source,
    kinds,
    release = defaultRelease,
    options = defaultHorizontalOptions,
    metrics = new MetricRegistry(),
    onFirst,
  }: HorizontalAutoscalerOptions) {
    this.source = source
    this.kinds = kinds
    this.release = release
    this.options = options
    this.onFirst = onFirst
    this.metrics = new HorizontalMetrics(metrics, release)
  }

  changed({ key, before, after }: ChangeOf<typeof autoscalers>): string {
    const known = this.progress.get(key)
    const isChanged =
      this.release.gates.has('HPAGeneration') && before?.metadata.generation !== after?.metadata.generation
    if (known !== undefined && isChanged) known.isUrgent = true
    return key
  }

  reconcile(key: string, context: ReconcileContext): ReconcileResult | undefined {
    const autoscaler = context.view.get(autoscalers, key)
    if (autoscaler === undefined) {
      if (this.progress.delete(key)) this.metrics.count(this.progress.size)
      return undefined
    }
    const progress = this.progressOf(key, autoscaler, context.now)
    if (progress.stage === 'scaling') return this.afterRescale(progress, context)
    if (progress.stage === 'reading') return this.decide(key, autoscaler, progress, context)
    if (progress.dueAt !== undefined && context.now < progress.dueAt && !progress.isUrgent) {
      return { wakeAt: progress.dueAt }
    }
    progress.isUrgent = false
    return this.read(autoscaler, progress, context)
  }

  answered(key: string, results: readonly KeyedResult[]): AfterResults {
    const progress = this.progress.get(key)
    if (progress === undefined || progress.stage === 'writing') {
      if (progress !== undefined) progress.stage = 'idle'
      return 'again'
    }
    progress.answer = results[0]?.outcome
    return 'again'
  }

  private progressOf(key: string, autoscaler: HorizontalPodAutoscaler, now: number): Progress {
    let progress = this.progress.get(key)
    if (progress === undefined) {
      // Since v1.37, a new autoscaler is reconciled immediately.
      const dueAt = atLeast(this.release, '1.37') ? now : now + this.options.syncPeriodMs
      progress = {
        dueAt,
        isUrgent: false,
        history: undefined,
        selector: undefined,
        answer: undefined,
        pending: undefined,
        stage: 'idle',
      }
      this.progress.set(key, progress)
      this.metrics.count(this.progress.size)
      this.onFirst?.(autoscaler)
    }
    return progress
  }

  private read(autoscaler: HorizontalPodAutoscaler, progress: Progress, context: ReconcileContext): ReconcileResult {
    const { apiVersion = '', kind, name } = autoscaler.spec.scaleTargetRef
    const served = new ServedKinds(this.kinds()).ofReference({ apiVersion, kind })
    if (served === undefined) {
      const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
      return this.unableToRead(autoscaler, progress, context, `no matches for kind "${kind}" in group "${group}"`)
    }
    progress.stage = 'reading'
    const call: GetCall = { verb: 'get', ...this.place(served.resource, autoscaler, name), subresource: 'scale' }
    return { actions: [context.call(call)] }
  }

  private place(resource: string, { metadata }: HorizontalPodAutoscaler, name: string) {
    return { resource, namespace: metadata.namespace ?? '', name }
  }

  private decide(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    progress: Progress,
    context: ReconcileContext,
  ): ReconcileResult {
    const { answer } = progress
    if (answer === undefined || !answer.ok || answer.kind !== 'object') {
      const why = answer === undefined || answer.ok ? 'no answer' : (answer.status.message ?? '')
      return this.unableToRead(autoscaler, progress, context, why)
    }
    const input = this.inputOf(key, autoscaler, answer.object as Scale, progress, context)
    const decision = decideScale(input)
    this.metrics.computed(decision.computed)
    if (decision.rescale === undefined) return this.finish(progress, input, decision, false, context)
    progress.pending = { input, decision }
    progress.stage = 'scaling'
    return { actions: [context.call(this.scaleCall(input, decision.rescale.replicas))] }
  }

  private scaleCall({ autoscaler, scale }: ScaleInput, replicas: number): UpdateCall {
    const { apiVersion = '', kind, name } = autoscaler.spec.scaleTargetRef
    const resource = new ServedKinds(this.kinds()).ofReference({ apiVersion, kind })?.resource ?? ''
    const object = { ...scale, spec: { replicas } }
    return { verb: 'update', ...this.place(resource, autoscaler, name), subresource: 'scale', object }
  }

  private inputOf(
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    scale: Scale,
    progress: Progress,
    { view, now, wall }: ReconcileContext,
  ): ScaleInput {
    progress.history ??= new ScalingHistory(scale.spec.replicas ?? 0, now)
    progress.selector = scale.status.selector
    const namespace = autoscaler.metadata.namespace ?? ''
    const pods = podsOf(view, namespace, scale.status.selector)
    const observed = { target: { ...autoscaler.spec.scaleTargetRef, namespace }, pods, wall }
    return {
      autoscaler,
      scale,
      history: progress.history,
      source: this.source,
      observed,
      rivals: this.rivalsOf(key, namespace, pods, view),
      options: this.options,
      release: this.release,
      now,
      wall,
    }
  }

  /** Other autoscalers of the namespace that select one of the pods. */
  private rivalsOf(key: string, namespace: string, pods: readonly Pod[], view: View): readonly string[] {
    const others = view.list(autoscalers, namespace)
    if (others.length < 2) return []
    const selected = new Set(pods)
    const found = others.filter((other) => {
      const otherKey = keyOf(other)
      if (otherKey === key) return true
      const selector = this.progress.get(otherKey)?.selector
      return selector !== undefined && podsOf(view, namespace, selector).some((pod) => selected.has(pod))
    })
    return found.length < 2 ? [] : found.map(({ metadata }) => `{${metadata.name} ${metadata.namespace}}`)
  }

  /** A conflict is retried with the current scale, as in upstream. */
  private afterRescale(progress: Progress, context: ReconcileContext): ReconcileResult {
    const { pending, answer } = progress
    if (pending?.decision.rescale === undefined) return {}
    const { input, decision } = pending
    const { rescale } = decision
    progress.pending = undefined
    if (rescale === undefined) return {}
    if (answer !== undefined && !answer.ok && answer.status.reason === 'Conflict') {
      progress.stage = 'idle'
      progress.dueAt = undefined
      return { retry: true }
    }
    const error = answer === undefined || answer.ok ? undefined : (answer.status.message ?? '')
    const event = rescaleOutcome(input, rescale, decision.conditions, error)
    const isRescaled = error === undefined
    const { behavior } = input.autoscaler.spec
    if (isRescaled && behavior !== undefined) {
      const rules = { up: behavior.scaleUp ?? {}, down: behavior.scaleDown ?? {} }
      input.history.scaled(input.scale.spec.replicas ?? 0, rescale.replicas, rules, context.now)
    }
    const after = {
      ...decision,
      hasFailed: !isRescaled,
      isPartial: decision.isPartial || !isRescaled,
      events: [...decision.events, event],
    }
    return this.finish(progress, input, after, isRescaled, context)
  }

  private finish(
    progress: Progress,
    input: ScaleInput,
    decision: ScaleDecision,
    isRescaled: boolean,
    context: ReconcileContext,
  ): ReconcileResult {
    const { name, namespace = '' } = input.autoscaler.metadata
    const current = input.scale.spec.replicas ?? 0
    this.metrics.reconciled(isRescaled ? actionFor(decision.desired, current) : 'none', decision.isPartial)
    if (!decision.hasFailed) this.metrics.desired(namespace, name, isRescaled ? decision.desired : current)
    return this.written(progress, input.autoscaler, statusAfter(input, decision, isRescaled), decision.events, context)
  }

  private unableToRead(
    autoscaler: HorizontalPodAutoscaler,
    progress: Progress,
    context: ReconcileContext,
    why: string,
  ): ReconcileResult {
    const conditions = new Conditions(autoscaler.status?.conditions ?? [], context.wall)
    const message = `the HPA controller was unable to get the target's current scale: ${why}`
    conditions.set('AbleToScale', 'False', 'FailedGetScale', message)
    this.metrics.reconciled('none', true)
    const status = {
      desiredReplicas: 0,
      currentMetrics: null,
      ...autoscaler.status,
      conditions: conditions.list,
    }
    const event: EventNote = { type: 'Warning', reason: 'FailedGetScale', message: why }
    return this.written(progress, autoscaler, status, [event], context)
  }

  private written(
    progress: Progress,
    autoscaler: HorizontalPodAutoscaler,
    status: HorizontalPodAutoscalerStatus,
    notes: readonly EventNote[],
    { now, call }: ReconcileContext,
  ): ReconcileResult {
    progress.dueAt = now + this.options.syncPeriodMs
    progress.answer = undefined
    const events = notes.map((note): EventRecord => ({ ...note, regarding: referenceTo(autoscaler), api: 'core' }))
    if (semanticEqual(autoscaler.status ?? {}, status)) {
      progress.stage = 'idle'
      return { events, wakeAt: progress.dueAt }
    }
    progress.stage = 'writing'
    const write: Call = updateStatusCall(autoscalers, withStatus(autoscaler, status))
    return { actions: [call(write)], events, wakeAt: progress.dueAt }
  }
}

function podsOf(view: View, namespace: string, selector: string | undefined): readonly Pod[] {
  const parsed = selector === undefined || selector === '' ? undefined : parseLabelSelector(selector)
  return parsed?.ok === true ? view.selectedBy('pods', namespace, parsed.value) : []
}
