import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import type { ParsedPod } from '../contract/contract.ts'

// Upstream uses the current time for pods without a start time, so they count as the youngest.
const notStarted = Number.POSITIVE_INFINITY

const starts = new WeakMap<Pod, number>()

/** The start time of the pod in milliseconds since the epoch. */
export function startOf({ pod }: ParsedPod): number {
  let start = starts.get(pod)
  if (start === undefined) {
    start = parseTime(pod.status?.startTime) ?? notStarted
    starts.set(pod, start)
  }
  return start
}

/**
 * Sorts by importance: priority, then age (v1.36, scheduler/util MoreImportantPod). Pods without a start time are
 * reversed: upstream uses the current time in every comparison, so the pod that it reads first is older, and its
 * insertion sort reverses them.
 */
export function sortByImportance(pods: readonly ParsedPod[]): ParsedPod[] {
  const order = new Map(pods.map((pod, i) => [pod, i]))
  return [...pods].sort((a, b) => {
    if (a.priority !== b.priority) return b.priority - a.priority
    const startA = startOf(a)
    const startB = startOf(b)
    if (startA !== startB) return startA < startB ? -1 : 1
    return startA === notStarted ? (order.get(b) as number) - (order.get(a) as number) : 0
  })
}
