import { goSelectorText } from '../../api/go-selector-text.ts'
import type {
  HorizontalPodAutoscaler,
  MetricSourceType,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../api/objects/autoscaling.ts'
import { formatQuantity, milliQuantity, milliValueInt64, quantity } from '../../api/quantity.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { done, failed, type Result } from '../../base/result.ts'
import type { MetricsSource, Observed } from './metrics-source.ts'
import {
  type Proposal,
  type ReplicaContext,
  replicasForAverage,
  replicasForUtilization,
  replicasForValue,
  replicasForValuePerPod,
} from './replica-calculator.ts'

/** The proposal of one metric of an autoscaler. */
export interface MetricProposal {
  readonly replicas: number
  /** The name in events: `cpu resource utilization (percentage of request)`. */
  readonly name: string
  readonly status: MetricStatus
}

export interface MetricFailure {
  /** The reason of the condition ScalingActive and of the event. */
  readonly reason: string
  readonly message: string
  /** The text in the error about all metrics. */
  readonly summary: string
}

export interface EvaluationContext extends ReplicaContext {
  readonly source: MetricsSource
  readonly observed: Observed
  readonly statusReplicas: number
  readonly release: KubernetesRelease
}

export type MetricEvaluation =
  | { readonly ok: true; readonly value: MetricProposal }
  | ({ readonly ok: false } & MetricFailure)

const milli = (text: string): bigint => milliValueInt64(quantity(text))
const formatted = (value: bigint, resource = ''): string =>
  formatQuantity(milliQuantity(value, resource === 'memory' ? 'BinarySI' : 'DecimalSI'))

/** v1.36, computeReplicasForMetric. */
export function evaluateMetric(spec: MetricSpec, context: EvaluationContext): MetricEvaluation {
  const { reason, prefix, evaluate } = sources[spec.type]
  const result = evaluate(spec, context)
  if (result.ok) return result
  const { message, cause = message } = result
  return { ok: false, reason, message, summary: `failed to get ${prefix(spec)}: ${cause}` }
}

/**
 * `cause`: the message in the error about all metrics, if it differs from the message of the condition and the event.
 */
type Evaluated = Result<MetricProposal> & { readonly cause?: string }

const withCause = (prefix: string, message: string): Evaluated => ({
  ...failed(message),
  cause: `failed to get ${prefix}: ${message}`,
})

interface Source {
  readonly reason: string
  readonly prefix: (spec: MetricSpec) => string
  readonly evaluate: (spec: MetricSpec, context: EvaluationContext) => Evaluated
}

const sources: Readonly<Record<MetricSourceType, Source>> = {
  Resource: {
    reason: 'FailedGetResourceMetric',
    prefix: ({ resource }) => `${resource?.name} resource metric value`,
    evaluate: ({ resource }, context) => {
      if (resource === undefined) return failed('resource is not set')
      const { name, target } = resource
      return ofResource(name, '', target, context, (current) => ({ type: 'Resource', resource: { name, current } }))
    },
  },
  ContainerResource: {
    reason: 'FailedGetContainerResourceMetric',
    prefix: ({ containerResource }) => `${containerResource?.container} container metric value`,
    evaluate: ({ containerResource }, context) => {
      if (containerResource === undefined) return failed('containerResource is not set')
      const { name, container, target } = containerResource
      return ofResource(name, container, target, context, (current) => ({
        type: 'ContainerResource',
        containerResource: { name, container, current },
      }))
    },
  },
  Pods: {
    reason: 'FailedGetPodsMetric',
    prefix: () => 'pods metric value',
    evaluate: ({ pods }, context) => {
      if (pods === undefined) return failed('pods is not set')
      const { metric, target } = pods
      const metrics = context.source.ofPods(metric, context.observed)
      if (!metrics.ok) return failed(`unable to get metric ${metric.name}: ${metrics.message}`)
      const found = replicasForAverage(metrics.value, milli(target.averageValue ?? '0'), '', context)
      return proposal(found, `pods metric ${metric.name}`, ({ usage }) => ({
        type: 'Pods',
        pods: { metric, current: { averageValue: formatted(usage) } },
      }))
    },
  },
  Object: {
    reason: 'FailedGetObjectMetric',
    prefix: () => 'object metric value',
    evaluate: ({ object }, context) => (object === undefined ? failed('object is not set') : ofObject(object, context)),
  },
  External: {
    reason: 'FailedGetExternalMetric',
    prefix: ({ external }) => `${external?.metric.name} external metric value`,
    evaluate: ({ external }, context) =>
      external === undefined ? failed('external is not set') : ofExternal(external, context),
  },
}

function proposal(
  found: Result<Proposal>,
  name: string,
  statusOf: (found: Proposal) => MetricStatus,
): Result<MetricProposal> {
  return found.ok ? done({ replicas: found.value.replicas, name, status: statusOf(found.value) }) : found
}

function ofResource(
  resource: string,
  container: string,
  target: MetricTarget,
  context: EvaluationContext,
  statusOf: (current: MetricValueStatus) => MetricStatus,
): Result<MetricProposal> {
  const { averageValue, averageUtilization } = target
  const metrics = context.source.ofResource(resource, container, context.observed)
  const unable = metrics.ok ? undefined : `unable to get metrics for resource ${resource}: ${metrics.message}`
  if (averageValue !== undefined) {
    const found =
      metrics.ok && unable === undefined
        ? replicasForAverage(metrics.value, milli(averageValue), resource, context)
        : failed(unable ?? '')
    if (!found.ok) return failed(`failed to get ${resource} usage: ${found.message}`)
    return proposal(found, `${resource} resource`, ({ usage }) =>
      statusOf({ averageValue: formatted(usage, resource) }),
    )
  }
  if (averageUtilization === undefined) {
    return failed(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    )
  }
  const found =
    metrics.ok && unable === undefined
      ? replicasForUtilization(metrics.value, averageUtilization, { resource, container }, context)
      : failed(unable ?? '')
  if (!found.ok) return failed(`failed to get ${resource} utilization: ${found.message}`)
  const whose = container === '' ? '' : 'container '
  return proposal(found, `${resource} ${whose}resource utilization (percentage of request)`, ({ usage, utilization }) =>
    statusOf({ averageUtilization: utilization ?? 0, averageValue: formatted(usage, resource) }),
  )
}

function ofObject(spec: NonNullable<MetricSpec['object']>, context: EvaluationContext): Evaluated {
  const { metric, describedObject, target } = spec
  const { kind, name } = describedObject
  const found = context.source.ofObject(metric, describedObject, context.observed)
  const place = `${kind} ${context.observed.target.namespace}/${name}`
  const unable = found.ok
    ? ''
    : atLeast(context.release, '1.37')
      ? `unable to get metric ${metric.name} on ${place}: ${found.message}`
      : `unable to get metric ${metric.name}: ${kind} on ${context.observed.target.namespace} ${name}/${found.message}`
  const statusOf = (current: MetricValueStatus): MetricStatus => ({
    type: 'Object',
    object: { metric, current, describedObject },
  })
  if (target.type === 'Value' && target.value !== undefined) {
    if (!found.ok) return failed(unable)
    const replicas = replicasForValue(found.value, milli(target.value), context)
    return proposal(replicas, `${kind} metric ${metric.name}`, ({ usage }) => statusOf({ value: formatted(usage) }))
  }
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    if (!found.ok) return withCause(`${metric.name} object metric`, unable)
    const { statusReplicas, tolerances } = context
    const replicas = replicasForValuePerPod(found.value, milli(target.averageValue), statusReplicas, tolerances)
    return proposal(done(replicas), `external metric ${metric.name}(${goSelectorText(metric.selector)})`, ({ usage }) =>
      statusOf({ averageValue: formatted(usage) }),
    )
  }
  return failed('invalid object metric source: neither a value target nor an average value target was set')
}

function ofExternal({ metric, target }: NonNullable<MetricSpec['external']>, context: EvaluationContext): Evaluated {
  const found = context.source.ofExternal(metric, context.observed)
  const { namespace } = context.observed.target
  const shown = goSelectorText(metric.selector)
  const unable = found.ok ? '' : `unable to get external metric ${namespace}/${metric.name}/${shown}: ${found.message}`
  const usage = found.ok ? found.value.reduce((sum, value) => sum + value, 0n) : 0n
  const name = `external metric ${metric.name}(${shown})`
  const statusOf = (current: MetricValueStatus): MetricStatus => ({ type: 'External', external: { metric, current } })
  if (target.averageValue !== undefined) {
    if (!found.ok) return withCause(`${metric.name} external metric`, unable)
    const { statusReplicas, tolerances } = context
    const replicas = replicasForValuePerPod(usage, milli(target.averageValue), statusReplicas, tolerances)
    return proposal(done(replicas), name, (each) => statusOf({ averageValue: formatted(each.usage) }))
  }
  if (target.value !== undefined) {
    if (!found.ok) return withCause(`external metric ${metric.name}`, unable)
    const replicas = replicasForValue(usage, milli(target.value), context)
    return proposal(replicas, name, (each) => statusOf({ value: formatted(each.usage) }))
  }
  return failed('invalid external metric source: neither a value target nor an average value target was set')
}

/** The tolerances of an autoscaler. With the gate HPAConfigurableTolerance, it may have its own. */
export function tolerancesOf(
  { spec }: HorizontalPodAutoscaler,
  general: number,
  release: KubernetesRelease,
): ReplicaContext['tolerances'] {
  const of = (text: string | undefined): number =>
    text === undefined || !release.gates.has('HPAConfigurableTolerance') ? general : Number(milli(text)) / 1000
  return { up: of(spec.behavior?.scaleUp?.tolerance), down: of(spec.behavior?.scaleDown?.tolerance) }
}
