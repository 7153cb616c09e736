import { formatGoDurationMs } from '../../api/go-duration.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { PodStory } from '../facts/pod-story.ts'

/** A span as people read it: tenths of a second below a minute, whole seconds above. */
export function span(ms: number): string {
  const step = ms < 60_000 ? 100 : 1_000
  return formatGoDurationMs(Math.round(ms / step) * step)
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The first few of a list, and how many more there are. */
export function listed(items: readonly string[], most = 4): string {
  if (items.length <= most) return items.join(', ')
  return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`
}

const disruptions = lookupTable<string>({
  DeletionByTaintManager: 'evicted by a taint',
  PreemptionByScheduler: 'preempted',
  EvictionByEvictionAPI: 'evicted',
  DeletionByPodGC: 'collected, its node being gone',
  TerminationByKubelet: 'ended by its kubelet',
})

const deleters = lookupTable<string>({
  'replicaset-controller': 'scaled down',
  'statefulset-controller': 'replaced by its StatefulSet',
  'daemonset-controller': 'removed by its DaemonSet',
  'job-controller': 'removed by its Job',
  'pod-garbage-collector-controller': 'collected',
  'pod-garbage-collector': 'collected',
  'garbage-collector-controller': 'deleted with its owner',
  'garbage-collector': 'deleted with its owner',
  'namespace-controller': 'deleted with its namespace',
  scheduler: 'preempted',
  'taint-eviction-controller': 'evicted by a taint',
})

/** Why a pod was deleted. */
export function causeOf({ disruption, deletedBy }: PodStory): string {
  if (disruption !== undefined) return disruptions[disruption] ?? disruption
  if (deletedBy !== undefined) return deleters[deletedBy] ?? `deleted by ${deletedBy}`
  return 'deleted'
}
