import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import type { ParsedPod } from '../contract/contract.ts'

// Upstream takes the present instant for pods that have not started, so they count as the youngest.
const notStarted = Number.POSITIVE_INFINITY

const starts = new WeakMap<Pod, number>()

/** When the pod started, in milliseconds since the epoch. */
export function startOf({ pod }: ParsedPod): number {
  let start = starts.get(pod)
  if (start === undefined) {
    start = parseTime(pod.status?.startTime) ?? notStarted
    starts.set(pod, start)
  }
  return start
}

/**
 * The more important first: by priority, then the older (v1.36, scheduler/util MoreImportantPod). Of pods that have not
 * started the later in the list goes first: upstream takes the present for the start of each when it compares two, so
 * that the one it looks at first is the older, and its insertion sort turns them around.
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
