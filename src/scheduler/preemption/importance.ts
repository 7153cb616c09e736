import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import type { ParsedPod } from '../framework/contract.ts'

// Upstream takes the present instant for pods that have not started, so they count as the youngest.
const NOT_STARTED = Number.POSITIVE_INFINITY

const starts = new WeakMap<Pod, number>()

/** When the pod started, in milliseconds since the epoch. */
export function startOf({ pod }: ParsedPod): number {
  let start = starts.get(pod)
  if (start === undefined) {
    start = parseTime(pod.status?.startTime) ?? NOT_STARTED
    starts.set(pod, start)
  }
  return start
}

/** Sorts the more important pod first: by priority, then the older one (v1.36, scheduler/util MoreImportantPod). */
export function byImportance(a: ParsedPod, b: ParsedPod): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  const startA = startOf(a)
  const startB = startOf(b)
  return startA < startB ? -1 : startA > startB ? 1 : 0
}
