import { isPodReady } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { parseTime } from '../../api/time.ts'
import { annotations } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { isPodActive, readySince } from '../pod-activity.ts'

const phaseOrder = lookupTable<number>({ Pending: 0, Unknown: 1, Running: 2 })
const wholeNumber = /^(0|[1-9][0-9]*|-[0-9]+)$/

/** The properties that decide the order, read once per pod. */
interface DeletionCandidate {
  readonly pod: Pod
  readonly assigned: boolean
  readonly phase: number
  readonly ready: boolean
  readonly cost: number
  readonly neighbors: number
  readonly readySince: number | undefined
  readonly restarts: number
  readonly sidecarRestarts: number
  readonly createdAt: number | undefined
}

/**
 * The `count` pods to delete first: unassigned before assigned; pending before unknown before running; not ready before
 * ready; low before high deletion cost; on a node with more related pods before fewer; ready for a short time before
 * ready for a long time; more restarts before fewer; young before old. Ages are compared by powers of two; equal ones
 * by uid (v1.36, pkg/controller ActivePodsWithRanks and replicaset getPodsRankedByRelatedPodsOnSameNode).
 */
export function podsToDelete(pods: readonly Pod[], related: Iterable<Pod>, count: number, now: number): readonly Pod[] {
  if (count >= pods.length) return pods
  const onNode = new Map<string, number>()
  for (const pod of related) {
    const node = pod.spec.nodeName ?? ''
    if (isPodActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1)
  }
  return pods
    .map((pod) => candidate(pod, onNode))
    .sort((a, b) => compare(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod)
}

function candidate(pod: Pod, onNode: ReadonlyMap<string, number>): DeletionCandidate {
  const node = pod.spec.nodeName ?? ''
  return {
    pod,
    assigned: node !== '',
    phase: phaseOrder[pod.status?.phase ?? ''] ?? 0,
    ready: isPodReady(pod),
    cost: deletionCost(pod),
    neighbors: onNode.get(node) ?? 0,
    readySince: readySince(pod),
    ...restartsOf(pod),
    createdAt: parseTime(pod.metadata.creationTimestamp),
  }
}

function compare(a: DeletionCandidate, b: DeletionCandidate, now: number): number {
  if (a.assigned !== b.assigned) return a.assigned ? 1 : -1
  if (a.phase !== b.phase) return a.phase - b.phase
  if (a.ready !== b.ready) return a.ready ? 1 : -1
  if (a.cost !== b.cost) return a.cost - b.cost
  if (a.neighbors !== b.neighbors) return b.neighbors - a.neighbors
  if (a.ready && a.readySince !== b.readySince) return youngerFirst(a, b, a.readySince, b.readySince, now)
  if (a.restarts !== b.restarts) return b.restarts - a.restarts
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts
  if (a.createdAt !== b.createdAt) return youngerFirst(a, b, a.createdAt, b.createdAt, now)
  return 0
}

/** A pod with unknown time counts as the youngest. */
function youngerFirst(
  a: DeletionCandidate,
  b: DeletionCandidate,
  atA: number | undefined,
  atB: number | undefined,
  now: number,
): number {
  if (atA === undefined || atB === undefined) return atA === undefined ? -1 : 1
  const difference = ageRank(atA, now) - ageRank(atB, now)
  if (difference !== 0) return difference
  return (a.pod.metadata.uid ?? '') < (b.pod.metadata.uid ?? '') ? -1 : 1
}

/** The power of two of an age in nanoseconds, upstream's unit of duration. */
function ageRank(at: number, now: number): number {
  const ageMs = now - at
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1
}

/** The value of the annotation if it is an int32 without a plus or leading zeros; undefined otherwise. */
export function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[annotations.podDeletionCost]
  if (text === undefined || !wholeNumber.test(text)) return 0
  const cost = Number(text)
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0
}

function restartsOf(pod: Pod): { readonly restarts: number; readonly sidecarRestarts: number } {
  let restarts = 0
  let sidecarRestarts = 0
  for (const { restartCount } of pod.status?.containerStatuses ?? []) restarts = Math.max(restarts, restartCount)
  for (const { name, restartCount } of pod.status?.initContainerStatuses ?? []) {
    const isSidecar = pod.spec.initContainers?.some((c) => c.name === name && c.restartPolicy === 'Always') ?? false
    if (isSidecar) sidecarRestarts = Math.max(sidecarRestarts, restartCount)
  }
  return { restarts, sidecarRestarts }
}
