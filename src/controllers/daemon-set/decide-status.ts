import { isPodReady } from '../../api/conditions.ts'
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

/** The status to write; undefined if it is up to date (v1.36, daemon updateDaemonSetStatus). */
export function decideStatus({
  daemonSet,
  nodes,
  podsByNode,
  hash,
  now,
  tolerations,
}: DaemonInput): DaemonSetStatus | undefined {
  let desiredNumberScheduled = 0
  let currentNumberScheduled = 0
  let numberMisscheduled = 0
  let numberReady = 0
  let updatedNumberScheduled = 0
  let numberAvailable = 0
  for (const node of nodes) {
    const pods = podsByNode.get(node.metadata.name) ?? []
    if (!eligibilityOf(daemonSet, node, tolerations).starts) {
      if (pods.length > 0) numberMisscheduled++
      continue
    }
    desiredNumberScheduled++
    const pod = pods.length > 1 ? [...pods].sort(scheduledThenOldest)[0] : pods[0]
    if (pod === undefined) continue
    currentNumberScheduled++
    if (isPodReady(pod)) numberReady++
    if (isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now)) numberAvailable++
    if (isUpdated(daemonSet, pod, hash)) updatedNumberScheduled++
  }
  const { status: old, metadata } = daemonSet
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
