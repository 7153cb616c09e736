import { RequiredNodeAffinity } from '../../../api/node-selector.ts'
import { findUntoleratedTaint } from '../../../api/tolerations.ts'
import type { SchedulerContext } from '../../context/context.ts'
import type { ParsedPod } from '../../contract/contract.ts'
import type { LegacyChecks } from '../../events/cluster-feed.ts'

/**
 * What the queue without hints asks before it moves pods: whether a node that appeared or changed would admit the pod
 * (requests, node affinity, name, ports, NoSchedule taints), and whether a pod that got a node may satisfy the pending
 * pod's affinity or spreading (v1.26, preCheckForNode and AssignedPodAdded).
 */
export function createLegacyChecks({ cache, objects }: SchedulerContext): LegacyChecks {
  return {
    nodeAdmits(node) {
      const state = cache.cluster(objects).node(node.metadata.name)
      return ({ parsed }) => {
        if (state === undefined) return false
        const { pod, shape } = parsed
        if (!fits(parsed, state)) return false
        if (!new RequiredNodeAffinity(pod).matches(node.metadata.labels, node.metadata.name)) return false
        if (pod.spec.nodeName !== undefined && pod.spec.nodeName !== '' && pod.spec.nodeName !== state.name)
          return false
        if (!state.portsFree(shape.hostPorts)) return false
        return findUntoleratedTaint(node.spec?.taints, pod.spec.tolerations, ['NoSchedule']) === undefined
      }
    },
    mayAttract(assigned) {
      const namespace = assigned.metadata.namespace ?? ''
      const namespaceLabels = objects.get('namespaces', namespace)?.metadata.labels
      return ({ parsed, unschedulablePlugins }) => {
        if (unschedulablePlugins.includes('PodTopologySpread') && parsed.shape.namespace === namespace) return true
        return parsed.shape.requiredAffinity.some(
          (term) =>
            (term.namespaces.has(namespace) || term.namespaceSelector.matches(namespaceLabels)) &&
            term.selector.matches(assigned.metadata.labels),
        )
      }
    },
  }
}

type Admitting = NonNullable<ReturnType<ReturnType<SchedulerContext['cache']['cluster']>['node']>>

function fits({ shape: { requests } }: ParsedPod, { allocatable, requested, pods }: Admitting): boolean {
  if (pods.length + 1 > allocatable.pods) return false
  const short = (wanted: number, offered: number, used: number): boolean => wanted > 0 && wanted > offered - used
  if (short(requests.cpuMilli, allocatable.cpuMilli, requested.cpuMilli)) return false
  if (short(requests.memoryBytes, allocatable.memoryBytes, requested.memoryBytes)) return false
  const storage = [requests, allocatable, requested].map(({ ephemeralStorageBytes }) => ephemeralStorageBytes)
  if (short(storage[0] ?? 0, storage[1] ?? 0, storage[2] ?? 0)) return false
  for (const [name, wanted] of requests.scalars) {
    if (short(wanted, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0)) return false
  }
  return true
}
