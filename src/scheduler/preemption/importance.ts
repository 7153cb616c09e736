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
 * insertion sort reverses them. From v1.37 on it reads the time once per pod, so that they keep the order `asFound`.
 */
export function sortByImportance(pods: readonly ParsedPod[], asFound?: readonly ParsedPod[]): ParsedPod[] {
  const order = new Map((asFound ?? pods).map((pod, i) => [pod, i]))
  const direction = asFound === undefined ? -1 : 1
  return [...pods].sort((a, b) => {
    if (a.priority !== b.priority) return b.priority - a.priority
    const startA = startOf(a)
    const startB = startOf(b)
    if (startA !== startB) return startA < startB ? -1 : 1
    return startA === notStarted ? direction * ((order.get(a) as number) - (order.get(b) as number)) : 0
  })
}
