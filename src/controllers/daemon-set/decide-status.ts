import { isPodReady } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { isPodAvailable } from '../pod-activity.ts'
import { withoutZeros } from '../without-zeros.ts'
import { eligibilityOf, isUpdated, scheduledThenOldest } from './daemon-pod.ts'
import type { DaemonInput } from './decide-daemons.ts'

type DaemonSetStatus = NonNullable<DaemonSet['status']>

const counters = [
  'desiredNumberScheduled',
  'currentNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
] as const

/** The nodes and daemon pods that a status counts. */
export interface DaemonCounts {
  readonly desired: number
  readonly current: number
  readonly misscheduled: number
  readonly ready: number
  readonly updated: number
  readonly available: number
}

export const noCounts: DaemonCounts = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 }
const misscheduled: DaemonCounts = { ...noCounts, misscheduled: 1 }
const missing: DaemonCounts = { ...noCounts, desired: 1 }

export function addCounts(a: DaemonCounts, b: DaemonCounts, sign: 1 | -1 = 1): DaemonCounts {
  return {
    desired: a.desired + sign * b.desired,
    current: a.current + sign * b.current,
    misscheduled: a.misscheduled + sign * b.misscheduled,
    ready: a.ready + sign * b.ready,
    updated: a.updated + sign * b.updated,
    available: a.available + sign * b.available,
  }
}

/** The contribution of one node to the counts. */
export function countOn(
  { daemonSet, hash, now, tolerations }: Pick<DaemonInput, 'daemonSet' | 'hash' | 'now' | 'tolerations'>,
  node: Node,
  pods: readonly Pod[],
): DaemonCounts {
  if (!eligibilityOf(daemonSet, node, tolerations).starts) return pods.length > 0 ? misscheduled : noCounts
  const pod = pods.length > 1 ? [...pods].sort(scheduledThenOldest)[0] : pods[0]
  if (pod === undefined) return missing
  return {
    desired: 1,
    current: 1,
    misscheduled: 0,
    ready: isPodReady(pod) ? 1 : 0,
    updated: isUpdated(daemonSet, pod, hash) ? 1 : 0,
    available: isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now) ? 1 : 0,
  }
}

export function countDaemons(input: DaemonInput): DaemonCounts {
  let counts = noCounts
  for (const node of input.nodes)
    counts = addCounts(counts, countOn(input, node, input.podsByNode.get(node.metadata.name) ?? []))
  return counts
}

/** The status to write; undefined if it is up to date (v1.36, daemon updateDaemonSetStatus). */
export function decideStatus(
  { status: old, metadata }: DaemonSet,
  {
    desired: desiredNumberScheduled,
    current: currentNumberScheduled,
    misscheduled: numberMisscheduled,
    ready: numberReady,
    updated: updatedNumberScheduled,
    available: numberAvailable,
  }: DaemonCounts,
): DaemonSetStatus | undefined {
  const status: DaemonSetStatus = {
    ...(old?.conditions === undefined ? {} : { conditions: old.conditions }),
    ...(old?.collisionCount === undefined ? {} : { collisionCount: old.collisionCount }),
    desiredNumberScheduled,
    currentNumberScheduled,
    numberMisscheduled,
    numberReady,
    ...withoutZeros({
      updatedNumberScheduled,
      numberAvailable,
      numberUnavailable: desiredNumberScheduled - numberAvailable,
      observedGeneration: metadata.generation ?? 0,
    }),
  }
  const isSame =
    old !== undefined &&
    counters.every((counter) => (old[counter] ?? 0) === (status[counter] ?? 0)) &&
    (old.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  return isSame ? undefined : status
}
