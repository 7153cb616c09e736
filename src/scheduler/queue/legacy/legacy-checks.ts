import { semanticEqual } from '../../../api/equality.ts'
import { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import type { Node } from '../../../api/objects/node.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { findUntoleratedTaint } from '../../../api/tolerations.ts'
import type { ClusterState, NodeState, ParsedPod } from '../../contract/contract.ts'
import { claimStatuses } from '../claim-statuses.ts'
import type { PodSelection } from '../requeue-policy.ts'

/**
 * Selects the pods that an added or updated node would admit: requests, node affinity, name, ports and NoSchedule
 * taints (v1.26, preCheckForNode).
 */
export function podsForNode(node: Node, cluster: () => ClusterState): PodSelection {
  const state = cluster().node(node.metadata.name)
  return ({ parsed }) => {
    if (state === undefined) return false
    const { pod, shape } = parsed
    const nodeName = pod.spec.nodeName ?? ''
    return (
      fits(parsed, state) &&
      new RequiredNodeAffinity(pod).matches(node.metadata.labels, node.metadata.name) &&
      (nodeName === '' || nodeName === state.name) &&
      state.portsFree(shape.hostPorts) &&
      findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, ['NoSchedule']) === undefined
    )
  }
}

/** Selects the pods whose affinity or topology spread an assigned pod may satisfy (v1.26, AssignedPodAdded). */
export function podsAttractedBy(assigned: Pod, cluster: () => ClusterState): PodSelection {
  const namespace = assigned.metadata.namespace ?? ''
  const namespaceLabels = cluster().objects.get('namespaces', namespace)?.metadata.labels
  return ({ parsed, unschedulablePlugins }) => {
    if (unschedulablePlugins.includes('PodTopologySpread') && parsed.shape.namespace === namespace) return true
    return parsed.shape.requiredAffinity.some(
      (term) =>
        (term.namespaces.has(namespace) || term.namespaceSelector.matches(namespaceLabels)) &&
        term.selector.matches(assigned.metadata.labels),
    )
  }
}

/** Reports whether anything but the status and bookkeeping fields changed (v1.36, backend/queue isPodUpdated). */
export function specificationChanged(before: Pod, after: Pod): boolean {
  return (
    !semanticEqual(before.spec, after.spec) ||
    !semanticEqual(significantMeta(before), significantMeta(after)) ||
    !semanticEqual(claimStatuses(before.status), claimStatuses(after.status))
  )
}

function significantMeta(pod: Pod): object {
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _managed,
    finalizers: _finalizers,
    ...rest
  } = pod.metadata
  return rest
}

function fits({ shape: { requests } }: ParsedPod, { allocatable, requested, pods }: NodeState): boolean {
  const hasRoom = (request: number, total: number, used: number): boolean => request <= 0 || request <= total - used
  return (
    pods.length + 1 <= allocatable.pods &&
    hasRoom(requests.cpuMilli, allocatable.cpuMilli, requested.cpuMilli) &&
    hasRoom(requests.memoryBytes, allocatable.memoryBytes, requested.memoryBytes) &&
    hasRoom(requests.ephemeralStorageBytes, allocatable.ephemeralStorageBytes, requested.ephemeralStorageBytes) &&
    [...requests.scalars].every(([name, request]) =>
      hasRoom(request, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0),
    )
  )
}
