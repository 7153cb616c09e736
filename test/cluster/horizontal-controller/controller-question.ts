import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  ScalingRules,
} from '../../../src/api/objects/autoscaling.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import type { KubernetesRelease } from '../../../src/api/releases/kubernetes-release.ts'
import { releaseOf } from '../../../src/api/releases/release-of.ts'
import { formatTime } from '../../../src/api/time.ts'
import {
  decideScale,
  rescaleOutcome,
  type Scale,
  type ScaleInput,
  statusAfter,
} from '../../../src/autoscalers/horizontal-pod-autoscaler/decide-scale.ts'
import type { MetricsSource } from '../../../src/autoscalers/horizontal-pod-autoscaler/metrics-source.ts'
import { defaultHorizontalOptions } from '../../../src/autoscalers/horizontal-pod-autoscaler/options.ts'
import type { PodMetrics } from '../../../src/autoscalers/horizontal-pod-autoscaler/replica-calculator.ts'
import { ScalingHistory } from '../../../src/autoscalers/horizontal-pod-autoscaler/scaling-history.ts'
import type { RandomStream } from '../../../src/base/random.ts'
import { done, failed, must, type Result } from '../../../src/base/result.ts'

/** One reconciliation. Usage is that of the pods in turn, null for one without metrics. Values are thousandths. */
export interface ControllerStep {
  /** Seconds since the step before. */
  readonly after: number
  readonly usage: readonly (number | null)[]
  readonly object?: number
  readonly external?: number
  /** Set by another client before the step. */
  readonly replicas?: number
}

export interface ControllerQuestion {
  readonly spec: HorizontalPodAutoscaler['spec']
  readonly replicas: number
  readonly steps: readonly ControllerStep[]
}

/** After a step: the replicas, the status, and events as Go's recorder for tests prints them. */
export interface ControllerAnswer {
  readonly replicas: number
  readonly desired: number
  readonly observed?: number
  readonly conditions: readonly (readonly string[])[] | null
  readonly events: readonly string[]
}

const named = { metric: { name: 'm' } }
const service = { apiVersion: 'v1', kind: 'Service', name: 's' }

const metricKinds: readonly ((random: RandomStream) => MetricSpec)[] = [
  (random) => ({
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: random.pick([20, 50, 80, 120]) } },
  }),
  (random) => ({
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: random.pick(['200m', '500m', '1']) } },
  }),
  (random) => ({
    type: 'Pods',
    pods: { ...named, target: { type: 'AverageValue', averageValue: random.pick(['300m', '1']) } },
  }),
  (random) => ({
    type: 'Object',
    object: { ...named, describedObject: service, target: random.pick([value('Value', 'value'), average]) },
  }),
  (random) => ({
    type: 'External',
    external: { ...named, target: random.pick([value('Value', 'value'), average]) },
  }),
]

const value = (type: 'Value' | 'AverageValue', field: 'value' | 'averageValue') => ({ type, [field]: '2' })
const average = value('AverageValue', 'averageValue')

function randomRules(random: RandomStream, isDown: boolean): ScalingRules {
  const policy = () => ({
    type: random.pick(['Pods', 'Percent'] as const),
    value: random.pick([1, 2, 4, 10, 50, 100]),
    periodSeconds: random.pick([15, 30, 60, 120]),
  })
  const tolerance = random.int(4) === 0 ? { tolerance: random.pick(['0', '50m', '300m']) } : {}
  // Upstream sets the window of scale-downs itself if it is absent; other defaults are set by the API server.
  const window = isDown && random.int(3) === 0 ? {} : { stabilizationWindowSeconds: random.pick([0, 0, 30, 60, 300]) }
  return {
    ...window,
    ...tolerance,
    selectPolicy: random.pick(['Max', 'Max', 'Min', 'Disabled'] as const),
    policies: Array.from({ length: 1 + random.int(3) }, policy),
  } as ScalingRules
}

/** An autoscaler of every kind of metric and behavior, over up to twelve reconciliations. */
export function randomControllerQuestion(random: RandomStream, release = v136): ControllerQuestion {
  const metrics = Array.from({ length: 1 + random.int(3) }, () => random.pick(metricKinds)(random))
  const canBeZero = release.gates.has('HPAScaleToZero') && metrics.some(({ type }) => /Object|External/.test(type))
  const min = canBeZero ? Math.max(0, random.int(7) - 2) : 1 + random.int(4)
  const behavior =
    random.int(3) === 0
      ? {}
      : { behavior: { scaleUp: randomRules(random, false), scaleDown: randomRules(random, true) } }
  const loads = [0, 50, 180, 205, 480, 520, 560, 900, 2000, 6000]
  const steps = Array.from({ length: 1 + random.int(12) }, (): ControllerStep => {
    const load = random.pick(loads)
    const usage = Array.from({ length: 1 + random.int(3) }, () => (random.int(8) === 0 ? null : load + random.int(60)))
    return {
      after: random.pick([15, 15, 15, 30, 45, 90, 310]),
      usage,
      ...(random.int(8) === 0 ? {} : { object: random.pick(loads) * 4 }),
      ...(random.int(8) === 0 ? {} : { external: random.pick(loads) * 4 }),
      ...(random.int(15) === 0 ? { replicas: random.int(20) } : {}),
    }
  })
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  return {
    spec: { scaleTargetRef, minReplicas: min, maxReplicas: Math.max(1, min + random.int(20)), metrics, ...behavior },
    replicas: random.int(12),
    steps,
  }
}

const v136 = must(releaseOf('1.36'))

/** The actions of the controller of berth in each step, without other requests. */
export function controllerAnswers(
  { spec, replicas, steps }: ControllerQuestion,
  release = v136,
): readonly ControllerAnswer[] {
  let now = Date.UTC(2026, 0, 1)
  let current = replicas
  let status: HorizontalPodAutoscalerStatus | undefined
  let history: ScalingHistory | undefined
  return steps.map((step) => {
    now += step.after * 1000
    current = step.replicas ?? current
    history ??= new ScalingHistory(current, now)
    const input = inputOf({ spec, status, release }, current, step, history, now)
    const decision = decideScale(input)
    const events = [...decision.events]
    const isRescaled = decision.rescale !== undefined
    if (decision.rescale !== undefined) {
      events.push(rescaleOutcome(input, decision.rescale, decision.conditions, undefined))
      const rules = { up: spec.behavior?.scaleUp ?? {}, down: spec.behavior?.scaleDown ?? {} }
      if (spec.behavior !== undefined) history.scaled(current, decision.rescale.replicas, rules, now)
      current = decision.rescale.replicas
    }
    status = statusAfter(input, decision, isRescaled)
    return {
      replicas: current,
      desired: status.desiredReplicas ?? 0,
      ...(status.observedGeneration === undefined ? {} : { observed: status.observedGeneration }),
      conditions: (status.conditions ?? []).map(({ type, status: is, reason = '', message = '' }) => [
        ...[type, is, reason, message],
      ]),
      events: events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    }
  })
}

function inputOf(
  known: {
    readonly spec: HorizontalPodAutoscaler['spec']
    readonly status: HorizontalPodAutoscalerStatus | undefined
    readonly release: KubernetesRelease
  },
  replicas: number,
  step: ControllerStep,
  history: ScalingHistory,
  now: number,
): ScaleInput {
  const { spec, status, release } = known
  const metadata = { name: 'web', namespace: 'default', generation: 1 }
  const autoscaler = { metadata, spec, ...(status === undefined ? {} : { status }) } as HorizontalPodAutoscaler
  const scale = { metadata, spec: { replicas }, status: { replicas, selector: 'app=web' } } as Scale
  const pods = Array.from({ length: replicas }, (_, at) => podOf(at, now))
  const observed = { target: { ...spec.scaleTargetRef, namespace: 'default' }, pods, wall: now }
  const source = sourceOf(step, pods, now)
  const rest = { history, source, observed, rivals: [], options: defaultHorizontalOptions, release, now, wall: now }
  return { autoscaler, scale, ...rest }
}

function sourceOf({ usage, object, external }: ControllerStep, pods: readonly Pod[], now: number): MetricsSource {
  const samples = (): Result<PodMetrics> => {
    const found: PodMetrics = new Map(
      pods.flatMap(({ metadata }, at) => {
        const own = usage[at % usage.length]
        if (own === null || own === undefined) return []
        return [[metadata.name, { value: BigInt(own), timestamp: now, windowMs: 15_000 }] as const]
      }),
    )
    return found.size === 0 ? failed('no metrics') : done(found)
  }
  const single = (given: number | undefined): Result<bigint> =>
    given === undefined ? failed('no metrics') : done(BigInt(given))
  return {
    ofResource: samples,
    ofPods: samples,
    ofObject: () => single(object),
    ofExternal: () => {
      const found = single(external)
      return found.ok ? done([found.value]) : found
    },
  }
}

function podOf(at: number, now: number): Pod {
  const before = formatTime(now - 3_600_000)
  return {
    metadata: { name: `p${at}`, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
    status: {
      phase: 'Running',
      startTime: before,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: before }],
    },
  } as unknown as Pod
}
