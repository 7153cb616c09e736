import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
} from '../../api/objects/autoscaling.ts'
import type { Condition, KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { formatTime } from '../../api/time.ts'
import type { EventNote } from '../../controllers/event-note.ts'
import { type EvaluationContext, evaluateMetric, tolerancesOf } from './evaluate-metric.ts'
import { actionFor, type MetricComputation } from './horizontal-metrics.ts'
import type { MetricsSource, Observed } from './metrics-source.ts'
import type { HorizontalOptions } from './options.ts'
import { type Bounds, limitByRules, type ScalingHistory } from './scaling-history.ts'

/** autoscaling/v1. */
export interface Scale extends KubeObject {
  readonly spec: { readonly replicas?: number }
  readonly status: { readonly replicas: number; readonly selector?: string }
}

export interface ScaleInput {
  readonly autoscaler: HorizontalPodAutoscaler
  readonly scale: Scale
  readonly history: ScalingHistory
  readonly source: MetricsSource
  readonly observed: Observed
  /**
   * Autoscalers that select the same pods, including this one, in the format of Go; empty if no other autoscaler
   * selects them.
   */
  readonly rivals: readonly string[]
  readonly options: HorizontalOptions
  readonly release: KubernetesRelease
  readonly now: number
  readonly wall: number
}

/** The decision after one evaluation of the metrics. */
export interface ScaleDecision {
  /** Absent: the number of replicas does not change. */
  readonly rescale?: { readonly replicas: number; readonly reason: string }
  readonly desired: number
  readonly metrics: readonly MetricStatus[] | null
  readonly conditions: Conditions
  readonly events: readonly EventNote[]
  /** The proposal of each metric. */
  readonly computed: readonly MetricComputation[]
  /** Metrics failed and no decision was made: the desired replicas of the status do not change. */
  readonly hasFailed: boolean
  /** Some metrics failed. */
  readonly isPartial: boolean
}

const warning = (reason: string, message: string): EventNote => ({ type: 'Warning', reason, message })

/** The conditions of an autoscaler while it is reconciled. */
export class Conditions {
  list: readonly Condition[]
  private readonly wall: number

  constructor(list: readonly Condition[], wall: number) {
    this.list = list
    this.wall = wall
  }

  set(type: string, status: 'True' | 'False', reason: string, message: string): void {
    const found = this.list.find((condition) => condition.type === type)
    const lastTransitionTime = found?.status === status ? found.lastTransitionTime : formatTime(this.wall)
    const next: Condition = { type, status, ...(lastTransitionTime && { lastTransitionTime }), reason, message }
    this.list = found === undefined ? [...this.list, next] : this.list.map((each) => (each === found ? next : each))
  }

  remove(type: string): void {
    this.list = this.list.filter((condition) => condition.type !== type)
  }

  isTrue(type: string): boolean {
    return this.list.some((condition) => condition.type === type && condition.status === 'True')
  }
}

const hasWorkIndependentMetric = ({ spec }: HorizontalPodAutoscaler): boolean =>
  (spec.metrics ?? []).some(({ type }) => type === 'Object' || type === 'External')

/** The number of replicas that an autoscaler sets (v1.36, reconcileAutoscaler). */
export function decideScale(input: ScaleInput): ScaleDecision {
  const { autoscaler, scale, release, wall } = input
  const { minReplicas: min = 1, maxReplicas: max } = autoscaler.spec
  const conditions = new Conditions(autoscaler.status?.conditions ?? [], wall)
  conditions.set(
    'AbleToScale',
    'True',
    'SucceededGetScale',
    "the HPA controller was able to get the target's current scale",
  )
  const current = scale.spec.replicas ?? 0
  const result = { metrics: null, conditions, events: [], computed: [], hasFailed: false, isPartial: false }
  const canBeZero = release.gates.has('HPAScaleToZero')
  const wasScaledToZero = canBeZero && conditions.isTrue('ScaledToZero')
  if (current === 0 && !(wasScaledToZero && (min !== 0 || hasWorkIndependentMetric(autoscaler)))) {
    conditions.set(
      'ScalingActive',
      'False',
      'ScalingDisabled',
      'scaling is disabled since the replica count of the target is zero',
    )
    if (!canBeZero) conditions.remove('ScaledToZero')
    return { ...result, desired: current }
  }
  if (current > max) {
    return {
      ...result,
      desired: max,
      rescale: { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' },
    }
  }
  if (current !== 0 && current < min) {
    return { ...result, desired: min, rescale: { replicas: min, reason: belowMinimum } }
  }
  return decideByMetrics(input, conditions, wasScaledToZero)
}

const belowMinimum = 'Current number of replicas below Spec.MinReplicas'

function decideByMetrics(input: ScaleInput, conditions: Conditions, wasScaledToZero: boolean): ScaleDecision {
  const { autoscaler, scale } = input
  const { minReplicas: min = 1, maxReplicas: max } = autoscaler.spec
  const current = scale.spec.replicas ?? 0
  const found = evaluateMetrics(input, conditions)
  if (found.error !== undefined && found.replicas === undefined) {
    const events = [...found.events, warning('FailedComputeMetricsReplicas', found.error)]
    const { statuses: metrics, computed } = found
    return { desired: current, metrics, conditions, events, computed, hasFailed: true, isPartial: true }
  }
  const proposed = found.replicas ?? 0
  let reason = ''
  if (proposed > current) reason = `${found.metric} above target`
  if (proposed < current) reason = 'All metrics below target'
  let desired = limit(input, { current, desired: proposed, min, max }, conditions)
  if (current === 0 && min !== 0 && wasScaledToZero && desired < min) {
    desired = min
    reason ||= belowMinimum
  }
  const decision = {
    desired,
    metrics: found.statuses,
    conditions,
    events: found.events,
    computed: found.computed,
    hasFailed: false,
    isPartial: found.error !== undefined,
  }
  return desired === current ? decision : { ...decision, rescale: { replicas: desired, reason } }
}

interface Evaluated {
  /** Absent: no decision is possible. */
  readonly replicas?: number
  readonly metric: string
  readonly statuses: readonly MetricStatus[] | null
  readonly events: readonly EventNote[]
  readonly computed: readonly MetricComputation[]
  readonly error?: string
}

/** The highest number of replicas that a metric proposes (v1.36, computeReplicasForMetrics). */
function evaluateMetrics(input: ScaleInput, conditions: Conditions): Evaluated {
  const { autoscaler, scale, rivals } = input
  const refused = refusedSelector(scale.status.selector, rivals, input)
  if (refused !== undefined) {
    conditions.set('ScalingActive', 'False', refused.reason, refused.message)
    return { metric: '', statuses: null, events: [refused.event], computed: [], error: refused.event.message }
  }
  const specs: readonly MetricSpec[] = autoscaler.spec.metrics ?? []
  const statuses: MetricStatus[] = []
  const events: EventNote[] = []
  const failures: { readonly reason: string; readonly message: string; readonly summary: string }[] = []
  let replicas = 0
  let metric = ''
  const computed: MetricComputation[] = []
  const context = evaluationContext(input)
  const counted = autoscaler.status?.currentReplicas ?? 0
  for (const spec of specs) {
    const evaluation = evaluateMetric(spec, context)
    const action = evaluation.ok ? actionFor(evaluation.value.replicas, counted) : 'none'
    computed.push({ type: spec.type, action, hasFailed: !evaluation.ok })
    if (!evaluation.ok) {
      statuses.push({ type: '' })
      events.push(warning(evaluation.reason, evaluation.message))
      failures.push(evaluation)
      continue
    }
    statuses.push(evaluation.value.status)
    if (replicas !== 0 && evaluation.value.replicas <= replicas) continue
    replicas = evaluation.value.replicas
    metric = evaluation.value.name
  }
  const [first] = failures
  const error =
    first && `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.summary}`
  if (failures.length >= specs.length || (first !== undefined && replicas < context.currentReplicas)) {
    const { reason = '', message = '' } = first ?? {}
    conditions.set('ScalingActive', 'False', reason, `the HPA was unable to compute the replica count: ${message}`)
    return { metric: '', statuses, events, computed, error: error ?? '' }
  }
  conditions.set(
    'ScalingActive',
    'True',
    'ValidMetricFound',
    `the HPA was able to successfully calculate a replica count from ${metric}`,
  )
  return { replicas, metric, statuses, events, computed, ...(error === undefined ? {} : { error }) }
}

function evaluationContext(input: ScaleInput): EvaluationContext {
  const { autoscaler, scale, observed, options, release, source, wall } = input
  return {
    source,
    observed,
    pods: observed.pods,
    currentReplicas: scale.spec.replicas ?? 0,
    statusReplicas: scale.status.replicas,
    tolerances: tolerancesOf(autoscaler, options.tolerance, release),
    wall,
    cpuInitializationMs: options.cpuInitializationMs,
    initialReadinessMs: options.initialReadinessMs,
    release,
  }
}

function refusedSelector(selector: string | undefined, rivals: readonly string[], { release }: ScaleInput) {
  if (selector === undefined || selector === '') {
    const event = warning('SelectorRequired', 'selector is required')
    return { reason: 'InvalidSelector', message: "the HPA target's scale is missing a selector", event }
  }
  if (rivals.length < 2) return undefined
  const message = release.gates.has('HPAOptimizedSelectorStore')
    ? `pods by selector ${selector} are controlled by more than one HPA (e.g. [${rivals.slice(0, 2).join(' ')}])`
    : `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`
  return { reason: 'AmbiguousSelector', message, event: warning('AmbiguousSelector', message) }
}

function limit({ autoscaler, history, options, now }: ScaleInput, bounds: Bounds, conditions: Conditions): number {
  const { behavior } = autoscaler.spec
  const windowMs = options.downscaleStabilizationMs
  const rules = behavior && {
    up: behavior.scaleUp ?? {},
    down: { stabilizationWindowSeconds: Math.trunc(windowMs / 1000), ...behavior.scaleDown },
  }
  const stable = rules ? history.stabilizeWith(rules, bounds, now) : history.stabilize(bounds.desired, windowMs, now)
  if (stable.replicas !== bounds.desired) conditions.set('AbleToScale', 'True', stable.reason, stable.message)
  else conditions.set('AbleToScale', 'True', 'ReadyForNewScale', 'recommended size matches current size')
  const stableBounds = { ...bounds, desired: stable.replicas }
  const limited = rules ? history.limitWith(rules, stableBounds, now) : limitByRules(stableBounds)
  const isLimited = limited.replicas !== stable.replicas
  conditions.set('ScalingLimited', isLimited ? 'True' : 'False', limited.reason, limited.message)
  return limited.replicas
}

/** The conditions and the event of a change of replicas that was written, or refused with a message. */
export function rescaleOutcome(
  { autoscaler, scale, release }: ScaleInput,
  { replicas, reason }: NonNullable<ScaleDecision['rescale']>,
  conditions: Conditions,
  error: string | undefined,
): EventNote {
  if (error !== undefined) {
    const why = `the HPA controller was unable to update the target scale: ${error}`
    conditions.set('AbleToScale', 'False', 'FailedUpdateScale', why)
    return warning('FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${error}`)
  }
  const done = `the HPA controller was able to update the target scale to ${replicas}`
  conditions.set('AbleToScale', 'True', 'SucceededRescale', done)
  const { minReplicas: min = 1 } = autoscaler.spec
  if (!release.gates.has('HPAScaleToZero')) conditions.remove('ScaledToZero')
  else if ((scale.spec.replicas ?? 0) > 0 && replicas === 0 && min === 0 && hasWorkIndependentMetric(autoscaler)) {
    conditions.set('ScaledToZero', 'True', 'ScaledToZero', 'the HPA controller scaled the workload to zero')
  } else {
    conditions.set('ScaledToZero', 'False', 'NotScaledToZero', 'the HPA controller did not scale the workload to zero')
  }
  return { type: 'Normal', reason: 'SuccessfulRescale', message: `New size: ${replicas}; reason: ${reason}` }
}

/** The status after a decision. `isRescaled`: the replicas were written. */
export function statusAfter(
  { autoscaler, scale, release, wall }: ScaleInput,
  { desired, metrics, conditions, hasFailed }: ScaleDecision,
  isRescaled: boolean,
): HorizontalPodAutoscalerStatus {
  const { lastScaleTime, desiredReplicas = 0 } = autoscaler.status ?? {}
  const scaledAt = isRescaled ? formatTime(wall) : lastScaleTime
  const current = scale.spec.replicas ?? 0
  const { generation } = autoscaler.metadata
  return {
    ...(release.gates.has('HPAGeneration') && generation !== undefined ? { observedGeneration: generation } : {}),
    ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
    currentReplicas: current,
    desiredReplicas: hasFailed ? desiredReplicas : desired,
    currentMetrics: metrics,
    conditions: conditions.list,
  }
}
