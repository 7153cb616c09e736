import type { CrossVersionObjectReference, MetricIdentifier } from '../../api/objects/autoscaling.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Result } from '../../base/result.ts'
import type { PodMetrics } from './replica-calculator.ts'

/** The workload that an autoscaler scales. */
export interface ScaleTarget extends CrossVersionObjectReference {
  readonly namespace: string
}

/** The pods of a target at one time. */
export interface Observed {
  readonly target: ScaleTarget
  readonly pods: readonly Pod[]
  /** Wall time. */
  readonly wall: number
}

/**
 * The answers of the APIs metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io. Values are thousandths.
 */
export interface MetricsSource {
  /** `container` is empty for whole pods. */
  ofResource(resource: string, container: string, observed: Observed): Result<PodMetrics>
  ofPods(metric: MetricIdentifier, observed: Observed): Result<PodMetrics>
  ofObject(metric: MetricIdentifier, object: CrossVersionObjectReference, observed: Observed): Result<bigint>
  ofExternal(metric: MetricIdentifier, observed: Observed): Result<readonly bigint[]>
}
