import type { Counter, Histogram, MetricRegistry } from '../base/metrics.ts'

export interface EvictionMeters {
  readonly deletions: Counter
  readonly latency: Histogram
}

interface EvictionMeterNames {
  readonly prefix: string
  readonly controller: string
  /** The interval that the latency measures. */
  readonly interval: string
}

/** The metrics of a controller that evicts pods because of taints, with upstream's names and texts. */
export function evictionMeters(
  metrics: MetricRegistry,
  { prefix, controller, interval }: EvictionMeterNames,
): EvictionMeters {
  return {
    deletions: metrics.counter({
      name: `${prefix}_pod_deletions_total`,
      help: `Total number of Pods deleted by ${controller} since its start.`,
    }),
    latency: metrics.histogram({
      name: `${prefix}_pod_deletion_duration_seconds`,
      help: `Latency, in seconds, ${interval}.`,
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    }),
  }
}
