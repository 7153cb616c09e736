import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { Counter, Gauge, MetricRegistry, MetricSeries } from '../../base/metrics.ts'
import type { QueuedEntry, QueuedPod } from './queued-pod.ts'
import { entityOf, rejectorsOf, sizeOf } from './queued-pod.ts'

type IncomingQueue = 'active' | 'backoff' | 'unschedulable'

/** The series of each event. Finding a series by its labels is slower than counting. */
class SeriesByEvent {
  private readonly known = new Map<string, MetricSeries>()
  /** The last event is cached, because one event may concern many pods. */
  private lastEvent = ''
  private last: MetricSeries | undefined

  get(event: string, create: () => MetricSeries): MetricSeries {
    if (this.last !== undefined && event === this.lastEvent) return this.last
    let series = this.known.get(event)
    if (series === undefined) {
      series = create()
      this.known.set(event, series)
    }
    this.lastEvent = event
    this.last = series
    return series
  }
}

const perQueue = (): Readonly<Record<IncomingQueue, SeriesByEvent>> => ({
  active: new SeriesByEvent(),
  backoff: new SeriesByEvent(),
  unschedulable: new SeriesByEvent(),
})

/** Upstream's metrics of the queue (v1.36, pkg/scheduler/metrics). */
export class QueueMetrics {
  private readonly incomingPods: Counter
  private readonly podSeries = perQueue()
  /** Absent: the release does not count entries. */
  private readonly incomingEntities: Counter | undefined
  private readonly entitySeries = { pod: perQueue(), podgroup: perQueue() }
  private readonly unschedulablePods: Gauge

  constructor(registry: MetricRegistry, release: KubernetesRelease) {
    this.incomingPods = registry.counter({
      name: 'scheduler_queue_incoming_pods_total',
      help: 'Number of pods added to scheduling queues by event and queue type.',
      labels: ['queue', 'event'],
    })
    this.incomingEntities = atLeast(release, '1.37')
      ? registry.counter({
          name: 'scheduler_queue_incoming_entities_total',
          help: "Number of scheduling entities added to scheduling queues by event, queue type, and entity type. Entity types are either 'pod' (for individual pods that are not members of any podgroup) or 'podgroup'.",
          labels: ['queue', 'event', 'type'],
        })
      : undefined
    this.unschedulablePods = registry.gauge({
      name: 'scheduler_unschedulable_pods',
      help: 'The number of unschedulable pods broken down by plugin name. A pod will increment the gauge for all plugins that caused it to not schedule and so this metric have meaning only when broken down by plugin.',
      labels: ['plugin', 'profile'],
    })
  }

  /**
   * An entry was added to a queue.
   *
   * @param meant The intended queue of an entry that is queued again. Upstream counts the entity only if it
   *   is added to a different queue (v1.37, recordIncomingEntitiesMetrics).
   */
  incoming(queue: IncomingQueue, event: string, entry: QueuedEntry, meant?: IncomingQueue): void {
    this.joined(queue, event, sizeOf(entry))
    const { incomingEntities } = this
    if (incomingEntities === undefined || queue === meant) return
    const entity = entityOf(entry)
    if (entity === undefined) return
    this.entitySeries[entity][queue].get(event, () => incomingEntities.with(queue, event, entity)).value++
  }

  /** Pods were added to a queue, to an entry that is in it. */
  joined(queue: IncomingQueue, event: string, pods: number): void {
    this.podSeries[queue].get(event, () => this.incomingPods.with(queue, event)).value += pods
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
