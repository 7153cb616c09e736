import { exponentialBuckets, type MetricRegistry } from '../../base/metrics.ts'

/** The metrics of one range. */
export interface RangeMeter {
  allocated(blocks: number): void
  released(blocks: number): void
  tried(places: number): void
  usage(used: number, max: number): void
  /** Removes the metrics of a removed range. */
  forget(): void
}

interface MetricNames {
  readonly prefix: string
  /** Upstream misspells the metric of one allocator only. */
  readonly max: string
  readonly tries: string
  readonly labels: readonly string[]
}

// v1.36, nodeipam/ipam/cidrset, metrics: names and help texts, including a help text that belongs to another metric.
const oneRange: MetricNames = {
  prefix: 'node_ipam_controller_cidrset',
  max: 'node_ipam_controller_cirdset_max_cidrs',
  tries: 'Number of endpoints added on each Service sync',
  labels: ['clusterCIDR'],
}

// sigs.k8s.io/node-ipam-controller, multicidrset, metrics.
const manyRanges: MetricNames = {
  prefix: 'node_ipam_controller_multicidrset',
  max: 'node_ipam_controller_multicidrset_max_cidrs',
  tries: 'Histogram measuring CIDR allocation tries per request.',
  labels: ['clusterCIDR', 'clusterCIDRName'],
}

export type MeterMaker = (max: number, ...labelValues: readonly string[]) => RangeMeter

/** Metrics of the ranges from flags, by CIDR. */
export const rangeMeters = (metrics: MetricRegistry): MeterMaker => metersUnder(metrics, oneRange)

/** Metrics of ClusterCIDR ranges, by CIDR and name. */
export const clusterCidrMeters = (metrics: MetricRegistry): MeterMaker => metersUnder(metrics, manyRanges)

function metersUnder(metrics: MetricRegistry, names: MetricNames): MeterMaker {
  const { prefix, labels } = names
  const allocations = metrics.counter({
    name: `${prefix}_cidrs_allocations_total`,
    help: 'Counter measuring total number of CIDR allocations.',
    labels,
  })
  const releases = metrics.counter({
    name: `${prefix}_cidrs_releases_total`,
    help: 'Counter measuring total number of CIDR releases.',
    labels,
  })
  const most = metrics.gauge({ name: names.max, help: 'Maximum number of CIDRs that can be allocated.', labels })
  const usage = metrics.gauge({
    name: `${prefix}_usage_cidrs`,
    help: 'Gauge measuring percentage of allocated CIDRs.',
    labels,
  })
  const tries = metrics.histogram({
    name: `${prefix}_allocation_tries_per_request`,
    help: names.tries,
    labels,
    buckets: exponentialBuckets(1, 5, 5),
  })
  return (max, ...labelValues) => {
    most.set(max, ...labelValues)
    const allocated = allocations.with(...labelValues)
    const released = releases.with(...labelValues)
    const used = usage.with(...labelValues)
    const tried = tries.with(...labelValues)
    return {
      allocated: (blocks) => {
        allocated.value += blocks
      },
      released: (blocks) => {
        released.value += blocks
      },
      tried: (places) => tried.observe(places),
      usage: (count, of) => {
        used.value = of === 0 ? 0 : count / of
      },
      forget: () => {
        most.remove(...labelValues)
        usage.remove(...labelValues)
      },
    }
  }
}
