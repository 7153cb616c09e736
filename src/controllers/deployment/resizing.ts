import type { UpdateCall } from '../../api/call.ts'
import { updateCall } from '../../api/object-calls.ts'
import type { Deployment, ReplicaSet } from '../../api/objects/workloads.ts'
import { annotations } from '../../api/well-known.ts'
import type { EventNote } from '../event-note.ts'
import { wantedBy } from './replica-sets.ts'
import { maxSurge, replicasOf } from './rollout-limits.ts'

/** A new size for a ReplicaSet, in the steps that are reported as events. */
export interface Resize {
  readonly replicaSet: ReplicaSet
  readonly sizes: readonly number[]
  /** Update the annotations even if the size stays. */
  readonly annotate?: boolean
}

/** A call, and the events to record when it has succeeded. */
export interface Planned<C = UpdateCall> {
  readonly call: C
  readonly notes: readonly EventNote[]
}

export function resizeCalls(deployment: Deployment, resizes: readonly Resize[]): readonly Planned[] {
  return resizes.flatMap((resize) => resizeCall(deployment, resize) ?? [])
}

function resizeCall(deployment: Deployment, { replicaSet, sizes, annotate }: Resize): Planned | undefined {
  const before = wantedBy(replicaSet)
  const replicas = sizes.at(-1) ?? before
  const annotated = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) }
  const isAnnotated = Object.entries(annotated).every(([key, text]) => replicaSet.metadata.annotations?.[key] === text)
  if (replicas === before && (annotate !== true || isAnnotated)) return undefined
  const resized = {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations: annotated },
    spec: { ...replicaSet.spec, replicas },
  } as ReplicaSet
  const notes: EventNote[] = []
  let from = before
  for (const to of sizes) {
    if (to !== from) notes.push(scaled(replicaSet.metadata.name, from, to))
    from = to
  }
  return { call: updateCall('replicasets.apps', resized), notes }
}

export function scaled(name: string, from: number, to: number): EventNote {
  const way = from < to ? 'up' : 'down'
  return {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${way} replica set ${name} from ${from} to ${to}`,
  }
}

/** The size that the Deployment wants. It distinguishes a change of scale from a rollout. */
export function sizeAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const replicas = replicasOf(deployment)
  return {
    [annotations.deploymentDesiredReplicas]: String(replicas),
    [annotations.deploymentMaxReplicas]: String(replicas + maxSurge(deployment)),
  }
}
