import { formatGoDurationMs } from '../../api/go-duration.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { PodStory } from '../facts/pod-story.ts'

/** A duration rounded for reading: to tenths of a second below a minute, to seconds above. */
export function span(ms: number): string {
  const step = ms < 60_000 ? 100 : 1_000
  return formatGoDurationMs(Math.round(ms / step) * step)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** At most `most` items; the last item is then the number of omitted items. */
export function listed(items: readonly string[], most = 4): string {
  if (items.length <= most) return items.join(', ')
  return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`
}

const disruptions = lookupTable<string>({
  DeletionByTaintManager: 'evicted by taint',
  DeletionByDeviceTaintManager: 'evicted by device taint',
  PreemptionByScheduler: 'preempted',
  EvictionByEvictionAPI: 'evicted',
  DeletionByPodGC: 'garbage-collected (node deleted)',
  TerminationByKubelet: 'terminated by the kubelet',
})

const deleters = lookupTable<string>({
  'replicaset-controller': 'scaled down',
  'statefulset-controller': 'deleted by its StatefulSet',
  'daemonset-controller': 'deleted by its DaemonSet',
  'job-controller': 'deleted by its Job',
  'pod-garbage-collector-controller': 'garbage-collected',
  'pod-garbage-collector': 'garbage-collected',
  'garbage-collector-controller': 'deleted with its owner',
  'garbage-collector': 'deleted with its owner',
  'namespace-controller': 'deleted with its namespace',
  scheduler: 'preempted',
  'taint-eviction-controller': 'evicted by taint',
})

/** The cause of the deletion of a pod. */
export function causeOf({ disruption, deletedBy }: PodStory): string {
  if (disruption !== undefined) return disruptions[disruption] ?? disruption
  if (deletedBy !== undefined) return deleters[deletedBy] ?? `deleted by ${deletedBy}`
  return 'deleted'
}
