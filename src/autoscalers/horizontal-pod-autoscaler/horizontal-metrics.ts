import type { MetricSourceType } from '../../api/objects/autoscaling.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Counter, Gauge, Histogram, MetricRegistry } from '../../base/metrics.ts'

type Action = 'scale_up' | 'scale_down' | 'none'

/** The proposal of one metric of an autoscaler. */
export interface MetricComputation {
  readonly type: MetricSourceType
  readonly action: Action
  readonly hasFailed: boolean
}

export function actionFor(wanted: number, current: number): Action {
  return wanted === current ? 'none' : wanted > current ? 'scale_up' : 'scale_down'
}

const prefix = 'horizontal_pod_autoscaler_controller'
const buckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power)
const labelHelp =
  "The label 'action' should be either 'scale_down', 'scale_up', or 'none'. Also, the label 'error' should be either 'spec', 'internal', or 'none'."
const firstHelp =
  'Note that if both spec and internal errors happen during a reconciliation, the first one to occur is reported in `error` label.'
const typeHelp = "The label 'metric_type' corresponds to HPA.spec.metrics[*].type"

/** The metrics of the controller (v1.36, podautoscaler/monitor). Decisions take no time, so all durations are 0. */
export class HorizontalMetrics {
  private readonly reconciliations: Counter
  private readonly reconciliationSeconds: Histogram
  private readonly computations: Counter
  private readonly computationSeconds: Histogram
  private readonly autoscalers: Gauge | undefined
  private readonly replicas: Gauge | undefined

  constructor(registry: MetricRegistry, release: KubernetesRelease) {
    const labels = ['action', 'error']
    this.reconciliations = registry.counter({
      name: `${prefix}_reconciliations_total`,
      help: `Number of reconciliations of HPA controller. ${labelHelp} ${firstHelp}`,
      labels,
    })
    this.reconciliationSeconds = registry.histogram({
      name: `${prefix}_reconciliation_duration_seconds`,
      help: `The time(seconds) that the HPA controller takes to reconcile once. ${labelHelp} ${firstHelp}`,
      labels,
      buckets,
    })
    this.computations = registry.counter({
      name: `${prefix}_metric_computation_total`,
      help: `Number of metric computations. ${labelHelp} ${typeHelp}`,
      labels: [...labels, 'metric_type'],
    })
    this.computationSeconds = registry.histogram({
      name: `${prefix}_metric_computation_duration_seconds`,
      help: `The time(seconds) that the HPA controller takes to calculate one metric. ${labelHelp.replace(' Also, the', ' The')} ${typeHelp}`,
      labels: [...labels, 'metric_type'],
      buckets,
    })
    if (!atLeast(release, '1.36')) return
    this.autoscalers = registry.gauge({
      name: `${prefix}_num_horizontal_pod_autoscalers`,
      help: 'Current number of controlled HPA objects.',
    })
    this.replicas = registry.gauge({
      name: `${prefix}_desired_replicas`,
      help: 'Current desired replica count for HPA objects.',
      labels: ['namespace', 'hpa_name'],
    })
  }

  count(autoscalers: number): void {
    this.autoscalers?.set(autoscalers)
  }

  computed(all: readonly MetricComputation[]): void {
    for (const { type, action, hasFailed } of all) {
      const error = hasFailed ? 'internal' : 'none'
      this.computations.inc(1, action, error, type)
      this.computationSeconds.observe(0, action, error, type)
    }
  }

  reconciled(action: Action, hasFailed: boolean): void {
    const error = hasFailed ? 'internal' : 'none'
    this.reconciliations.inc(1, action, error)
    this.reconciliationSeconds.observe(0, action, error)
  }

  desired(namespace: string, autoscaler: string, replicas: number): void {
    this.replicas?.set(replicas, namespace, autoscaler)
  }
}
