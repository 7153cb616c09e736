import type { Pod, Toleration } from '../../../api/objects/pod.ts'
import type { Amounts } from './amounts.ts'
import { requestsOf } from './amounts.ts'
import { podRequirements, type Requirements, strictRequirements } from './requirements.ts'
import type { Topology } from './topology.ts'
import type { TopologyGroup } from './topology-group.ts'

/** What a pod needs of its node, computed once per attempt. */
export interface PodNeeds {
  readonly requests: Amounts
  /** Pods of the same requests and tolerations have the same shape. */
  readonly shape: string
  readonly tolerations: readonly Toleration[] | undefined
  /** With preferences, as long as they are not relaxed. */
  readonly requirements: Requirements
  readonly strict: Requirements
  readonly topologies: readonly TopologyGroup[]
  /** Alternatives of where its volumes are; `undefined` stands for anywhere. Never empty. */
  readonly volumes: readonly (Requirements | undefined)[]
  /** Volumes by driver. */
  readonly mounted: ReadonlyMap<string, ReadonlySet<string>>
}

export interface VolumeNeeds {
  readonly alternatives: readonly (Requirements | undefined)[]
  readonly mounted: ReadonlyMap<string, ReadonlySet<string>>
}

export function needsOf(
  pod: Pod,
  topology: Topology,
  volumes: VolumeNeeds,
  respectsPreferences: boolean,
  known?: PodNeeds,
): PodNeeds {
  const hasPreference =
    (pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0
  const strict = strictRequirements(pod)
  const requests = known?.requests ?? requestsOf(pod)
  const { tolerations } = pod.spec
  return {
    requests,
    shape: known !== undefined && known.tolerations === tolerations ? known.shape : shapeOf(requests, tolerations),
    tolerations,
    requirements: respectsPreferences && hasPreference ? podRequirements(pod) : strict,
    strict,
    topologies: topology.matching(pod),
    volumes: volumes.alternatives,
    mounted: volumes.mounted,
  }
}

function shapeOf(requests: Amounts, tolerations: readonly Toleration[] | undefined): string {
  const amounts = JSON.stringify([...requests])
  return tolerations === undefined || tolerations.length === 0 ? amounts : `${amounts} ${JSON.stringify(tolerations)}`
}
