import { lookupTable } from '../base/lookup-table.ts'
import type { MetricRegistry } from '../base/metrics.ts'

/** The metrics of a controller's work queue. */
export interface QueueMeter {
  added(key: string, now: number): void
  taken(key: string, now: number): void
  done(key: string, now: number): void
  retried(): void
}

// Queue names of v1.36. For a controller that is not listed here, its name without the suffix.
const queueNames = lookupTable<string>({
  'ttl-after-finished-controller': 'ttl_jobs_to_delete',
  'ephemeral-volume-controller': 'ephemeral_volume',
  'persistentvolumeclaim-protection-controller': 'pvcprotection',
  'persistentvolume-protection-controller': 'pvprotection',
  'persistentvolume-binder-controller': 'claims',
  'node-ipam-controller': 'cidrallocator_node',
})

// v1.36: k8s.io/component-base/metrics/prometheus/workqueue.
const buckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10]

/**
 * Upstream's work queue metrics. The wait of a key starts when it is added; its processing ends when the view shows its
 * writes.
 */
export function createQueueMeter(metrics: MetricRegistry, controller: string, depth: () => number): QueueMeter {
  const name = queueNames[controller] ?? controller.replace(/-controller$/, '').replaceAll('-', '_')
  const labels = ['name']
  const adds = metrics
    .counter({ name: 'workqueue_adds_total', help: 'Total number of adds handled by workqueue', labels })
    .with(name)
  const retries = metrics
    .counter({ name: 'workqueue_retries_total', help: 'Total number of retries handled by workqueue', labels })
    .with(name)
  const depths = metrics.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labels }).with(name)
  const waits = metrics
    .histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long in seconds an item stays in workqueue before being requested',
      labels,
      buckets,
    })
    .with(name)
  const works = metrics
    .histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long in seconds processing an item from workqueue takes',
      labels,
      buckets,
    })
    .with(name)
  const addedAt = new Map<string, number>()
  const takenAt = new Map<string, number>()
  const seconds = (since: number | undefined, now: number) => (since === undefined ? 0 : (now - since) / 1000)
  return {
    added(key, now) {
      adds.value++
      depths.value = depth()
      addedAt.set(key, now)
    },
    taken(key, now) {
      waits.observe(seconds(addedAt.get(key), now))
      addedAt.delete(key)
      takenAt.set(key, now)
      depths.value = depth()
    },
    done(key, now) {
      works.observe(seconds(takenAt.get(key), now))
      takenAt.delete(key)
    },
    retried() {
      retries.value++
    },
  }
}
