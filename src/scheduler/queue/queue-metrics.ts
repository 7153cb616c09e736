import type { Counter, Gauge, MetricRegistry, MetricSeries } from '../../base/metrics.ts'
import type { QueuedPod } from './queued-pod.ts'
import { rejectorsOf } from './queued-pod.ts'

/** Upstream's metrics of the queue (v1.36, pkg/scheduler/metrics). */
export class QueueMetrics {
  private readonly incomingPods: Counter
  // Finding a series by its labels is slower than counting.
  private readonly incomingSeries = { active: new Map(), backoff: new Map(), unschedulable: new Map() } as Record<
    'active' | 'backoff' | 'unschedulable',
    Map<string, MetricSeries>
  >
  private readonly unschedulablePods: Gauge

  constructor(registry: MetricRegistry) {
    this.incomingPods = registry.counter({
      name: 'scheduler_queue_incoming_pods_total',
      help: 'Number of pods added to scheduling queues by event and queue type.',
      labels: ['queue', 'event'],
    })
    this.unschedulablePods = registry.gauge({
      name: 'scheduler_unschedulable_pods',
      help: 'The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.',
      labels: ['plugin', 'profile'],
    })
  }

  incoming(queue: 'active' | 'backoff' | 'unschedulable', event: string, pods: number): void {
    const known = this.incomingSeries[queue]
    let series = known.get(event)
    if (series === undefined) {
      series = this.incomingPods.with(queue, event)
      known.set(event, series)
    }
    series.value += pods
  }

  /** An attempt ended with a rejection by these plugins. */
  rejected(pod: QueuedPod): void {
    for (const plugin of rejectorsOf(pod)) this.unschedulablePods.with(plugin, pod.profile).value++
  }

  gated(pod: QueuedPod, plugin: string): void {
    this.unschedulablePods.with(plugin, pod.profile).value++
  }

  /** The pod is retried or deleted, so it no longer counts as rejected. */
  forgotten(pod: QueuedPod): void {
    for (const plugin of rejectorsOf(pod)) this.unschedulablePods.with(plugin, pod.profile).value--
  }
}
