import type { Pod, Toleration } from '../../../api/objects/pod.ts'
import type { Amounts } from './amounts.ts'
import { requestsOf } from './amounts.ts'
import { podRequirements, type Requirements, strictRequirements } from './requirements.ts'
import type { Topology } from './topology.ts'
import type { TopologyGroup } from './topology-group.ts'

/** The requirements of a pod for its node, computed once per attempt. */
export interface PodNeeds {
  readonly requests: Amounts
  /** Pods with the same requests and tolerations have the same shape. */
  readonly shape: string
  /** Includes preferences, until they are relaxed. */
  readonly requirements: Requirements
  readonly strict: Requirements
  readonly topologies: readonly TopologyGroup[]
  /** Alternative topologies of its volumes; `undefined` means any node. Never empty. */
  readonly volumes: readonly (Requirements | undefined)[]
  /** Volumes by driver. */
  readonly mounted: ReadonlyMap<string, ReadonlySet<string>>
}

export interface VolumeNeeds {
  readonly alternatives: readonly (Requirements | undefined)[]
  readonly mounted: ReadonlyMap<string, ReadonlySet<string>>
}

/** The facts that depend only on the pod. Simulations need those of the same pods many times. */
interface OwnNeeds {
  readonly requests: Amounts
  readonly shape: string
  readonly strict: Requirements
  /** Includes the preference with the highest weight. */
  readonly preferred: Requirements
}

const ownNeeds = new WeakMap<Pod, OwnNeeds>()

function ownNeedsOf(pod: Pod): OwnNeeds {
  const known = ownNeeds.get(pod)
  if (known !== undefined) return known
  const hasPreference =
    (pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0
  const requests = requestsOf(pod)
  const strict = strictRequirements(pod)
  const preferred = hasPreference ? podRequirements(pod) : strict
  const made = { requests, shape: shapeOf(requests, pod.spec.tolerations), strict, preferred }
  ownNeeds.set(pod, made)
  return made
}

export function needsOf(pod: Pod, topology: Topology, volumes: VolumeNeeds, respectsPreferences: boolean): PodNeeds {
  const { requests, shape, strict, preferred } = ownNeedsOf(pod)
  return {
    requests,
    shape,
    requirements: respectsPreferences ? preferred : strict,
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

/** Karpenter ignores such pods with --ignore-dra-requests, which is the default of v1.14. */
export function hasClaims({ spec }: Pod): boolean {
  return (spec.resourceClaims?.length ?? 0) > 0
}

export const claimsProblem = 'pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter'
