import type { Node } from '../../api/objects/node.ts'
import { intValue } from '../../api/quantity.ts'
import type { Gauge, MetricRegistry } from '../../base/metrics.ts'
import type { ClusterState } from './cluster-state.ts'
import type { NodeGroup } from './node-group.ts'
import { readinessOf } from './node-readiness.ts'
import type { AutoscalerOptions } from './options.ts'
import type { Unremovable, UnremovableReason } from './scale-down-planner.ts'
import { toBeDeletedTaint } from './taints.ts'

export type Activity = 'main' | 'autoscaling' | 'scaleUp' | 'scaleDown'

export interface FailedScaleUp {
  readonly reason: string
  readonly nodes: number
}

const bytesPerGi = 2 ** 30
const gpuLabels = ['gpu_resource_name', 'gpu_name', 'dra_drivers']
// Nodes of hollow groups have no GPUs.
const noGpu = ['', '', ''] as const

// The number of each reason, which upstream prints (1.36, simulator UnremovableReason).
const numberOf: Readonly<Record<UnremovableReason, number>> = {
  ScaleDownDisabledAnnotation: 1,
  ScaleDownUnreadyDisabled: 2,
  NotAutoscaled: 3,
  NotUnneededLongEnough: 4,
  NotUnreadyLongEnough: 5,
  NodeGroupMinSizeReached: 6,
  MinimalResourceLimitExceeded: 9,
  CurrentlyBeingDeleted: 10,
  NotUnderutilized: 11,
  RecentlyUnremovable: 13,
  NoPlaceToMovePods: 14,
  BlockedByPod: 15,
  UnexpectedError: 16,
  BlockedByOnCompletionPod: 18,
}

/**
 * The metrics of Cluster Autoscaler (1.36, metrics.go), without the metrics of durations, GPUs and autoprovisioning.
 */
export class AutoscalerMetrics {
  private readonly options: AutoscalerOptions
  private readonly groups: readonly NodeGroup[]
  private readonly registry: MetricRegistry
  private readonly lastActivity: Gauge

  constructor(registry: MetricRegistry, options: AutoscalerOptions, groups: readonly NodeGroup[]) {
    this.registry = registry
    this.options = options
    this.groups = groups
    this.lastActivity = this.gauge('last_activity', 'Last time certain part of CA logic executed.', 'activity')
    this.setLimits()
    this.startCounters()
  }

  /** Records the nodes at the start of a loop. */
  begin(nodes: readonly Node[], wall: number): void {
    this.note('main', wall)
    const staying = nodes.filter(({ spec }) => !(spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint))
    this.gauge('cluster_cpu_current_cores', 'Current number of cores in the cluster, minus deleting nodes.').set(
      capacityOf(staying, 'cpu'),
    )
    this.gauge(
      'cluster_memory_current_bytes',
      'Current number of bytes of memory in the cluster, minus deleting nodes.',
    ).set(capacityOf(staying, 'memory'))
  }

  state(state: ClusterState): void {
    const safe = 'Whether or not cluster is healthy enough for autoscaling. 1 if it is, 0 otherwise.'
    this.gauge('cluster_safe_to_autoscale', safe).set(state.isHealthy ? 1 : 0)
    const { ready, unready, notStarted, longUnregistered, unregistered } = state.total
    const nodes = this.gauge('nodes_count', 'Number of nodes in cluster.', 'state')
    const counts = { ready, unready, notStarted: notStarted.length, suspended: 0, longUnregistered, unregistered }
    for (const [name, count] of Object.entries(counts)) nodes.set(count, name)
    if (this.options['emit-per-nodegroup-metrics']) this.perGroup(state)
  }

  /** Records pods for which the scheduler found no node. */
  unschedulable(pods: number, wall: number): void {
    this.note('autoscaling', wall)
    const gauge = this.gauge('unschedulable_pods_count', 'Number of unschedulable pods in the cluster.', 'type')
    gauge.set(pods, 'unschedulable')
    gauge.set(0, 'scheduler_unprocessed')
    this.gauge(
      'overflowing_controllers_count',
      'Number of controllers that own a large set of heterogenous pods, preventing CA from treating these pods as equivalent.',
    ).set(0)
  }

  note(activity: Activity, wall: number): void {
    this.lastActivity.set(Math.floor(wall / 1000), activity)
  }

  scaledUp(nodes: number): void {
    this.counter('scaled_up_nodes_total', 'Number of nodes added by CA.', ...gpuLabels).inc(nodes, ...noGpu)
  }

  failed({ reason, nodes }: FailedScaleUp): void {
    const help = 'Number of times scale-up operation has failed.'
    this.counter('failed_scale_ups_total', help, 'reason', ...gpuLabels).inc(1, reason, ...noGpu)
    const created = this.counter(
      'failed_node_creations_total',
      'Number of nodes which failed to be added by CA.',
      'reason',
    )
    created.inc(nodes, reason)
  }

  unregisteredRemoved(nodes: number): void {
    this.counter('old_unregistered_nodes_removed_count', 'Number of unregistered nodes removed by CA.').inc(nodes)
  }

  planned(of: {
    readonly unneeded: number
    readonly isCoolingDown: boolean
    readonly unremovable: Iterable<Unremovable>
    readonly deleting: number
    readonly wall: number
  }): void {
    this.gauge('unneeded_nodes_count', 'Number of nodes currently considered unneeded by CA.').set(of.unneeded)
    this.gauge('scale_down_in_cooldown', 'Whether or not the scale down is in cooldown. 1 if its, 0 otherwise.').set(
      of.isCoolingDown ? 1 : 0,
    )
    this.gauge(
      'pending_node_deletions',
      "Number of nodes that haven't been removed or aborted after finished scale-down phase.",
    ).set(of.deleting)
    if (of.isCoolingDown) return
    this.note('scaleDown', of.wall)
    const counts = new Map<string, number>()
    for (const { reason } of of.unremovable)
      counts.set(String(numberOf[reason]), (counts.get(String(numberOf[reason])) ?? 0) + 1)
    const help = 'Number of nodes currently considered unremovable by CA.'
    const gauge = this.gauge('unremovable_nodes_count', help, 'reason')
    for (const [reason, count] of counts) gauge.set(count, reason)
  }

  removed(node: Node | undefined, wasDrained: boolean): void {
    const isReady = node !== undefined && readinessOf(node).isReady
    const reason = !isReady ? 'unready' : wasDrained ? 'underutilized' : 'empty'
    this.scaledDown.inc(1, reason, ...noGpu)
  }

  evicted(pods: number, result: 'succeeded' | 'failed'): void {
    this.evictions.inc(pods, result)
  }

  private get scaledDown() {
    return this.counter('scaled_down_nodes_total', 'Number of nodes removed by CA.', 'reason', ...gpuLabels)
  }

  private get evictions() {
    return this.counter('evicted_pods_total', 'Number of pods evicted by CA', 'eviction_result')
  }

  private setLimits(): void {
    const { options, groups } = this
    const most = groups.reduce((sum, { max }) => sum + max, 0)
    const total = options['max-nodes-total']
    this.gauge('max_nodes_count', 'Maximum number of nodes in all node groups').set(
      total > 0 ? Math.min(total, most) : most,
    )
    const count = this.gauge('node_groups_count', 'Number of node groups managed by CA.', 'node_group_type')
    count.set(groups.length, 'autoscaled')
    count.set(0, 'autoprovisioned')
    const cores = options['cores-total']
    const cpu = this.gauge('cpu_limits_cores', 'Minimum and maximum number of cores in the cluster.', 'direction')
    cpu.set(cores.min, 'minimum')
    cpu.set(cores.max, 'maximum')
    const memory = options['memory-total']
    const help = 'Minimum and maximum number of bytes of memory in cluster.'
    const bytes = this.gauge('memory_limits_bytes', help, 'direction')
    bytes.set(memory.min * bytesPerGi, 'minimum')
    bytes.set(memory.max * bytesPerGi, 'maximum')
  }

  /** Series that upstream has from the start. */
  private startCounters(): void {
    const errors = this.counter('errors_total', 'The number of CA loops failed due to an error.', 'type')
    for (const type of errorTypes) errors.with(type)
    const failures = this.counter(
      'failed_scale_ups_total',
      'Number of times scale-up operation has failed.',
      'reason',
      ...gpuLabels,
    )
    for (const reason of ['cloudProviderError', 'apiCallError', 'timeout']) failures.with(reason, ...noGpu)
    for (const reason of ['underutilized', 'empty', 'unready']) this.scaledDown.with(reason, ...noGpu)
    for (const result of ['succeeded', 'failed']) this.evictions.with(result)
    const help = 'Count of scaling events that the CA has chosen to skip.'
    const skipped = this.counter('skipped_scale_events_count', help, 'direction', 'reason')
    for (const direction of ['down', 'up'])
      for (const reason of ['CpuResourceLimit', 'MemoryResourceLimit']) skipped.with(direction, reason)
    this.unregisteredRemoved(0)
  }

  private perGroup(state: ClusterState): void {
    const min = this.gauge('node_group_min_count', 'Minimum number of nodes in the node group', 'node_group')
    const max = this.gauge('node_group_max_count', 'Maximum number of nodes in the node group', 'node_group')
    const target = this.gauge(
      'node_group_target_count',
      'Target number of nodes in the node group by CA.',
      'node_group',
    )
    const help = 'Whether or not node group is healthy enough for autoscaling. 1 if it is, 0 otherwise.'
    const healthy = this.gauge('node_group_healthiness', help, 'node_group')
    for (const group of this.groups) {
      min.set(group.min, group.name)
      max.set(group.max, group.name)
      target.set(state.targetOf(group), group.name)
      healthy.set(state.isGroupHealthy(group) ? 1 : 0, group.name)
    }
  }

  private gauge(name: string, help: string, ...labels: readonly string[]): Gauge {
    return this.registry.gauge({ name: `cluster_autoscaler_${name}`, help, labels })
  }

  private counter(name: string, help: string, ...labels: readonly string[]) {
    return this.registry.counter({ name: `cluster_autoscaler_${name}`, help, labels })
  }
}

// 1.36, utils/errors AutoscalerErrorType.
const errorTypes = [
  'cloudProviderError',
  'apiCallError',
  'internalError',
  'transientError',
  'configurationError',
  'nodeGroupDoesNotExistError',
  'unexpectedScaleDownStateError',
]

function capacityOf(nodes: readonly Node[], resource: string): number {
  return nodes.reduce((sum, { status }) => sum + Math.max(0, intValue(status?.capacity?.[resource])), 0)
}
