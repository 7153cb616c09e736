import { isPodTerminal } from '../../api/conditions.ts'
import { updateCall } from '../../api/object-calls.ts'
import { objectKey } from '../../api/object-key.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController } from '../../runtime/reconciler.ts'

const groupFinalizer = 'scheduling.k8s.io/podgroup-protection'
const groupResource = 'podgroups.scheduling.k8s.io'

/**
 * Removes the finalizer of a deleted PodGroup when none of its pods is active (v1.36,
 * pkg/controller/scheduling/podgroupprotection).
 */
export function createPodGroupProtection(): Controller {
  const active = new Map<string, Set<string>>()
  return createReconcilerController({
    name: 'podgroup-protection-controller',
    wakes: {
      [groupResource]: ({ key, after }) => (after?.metadata.deletionTimestamp === undefined ? undefined : key),
      pods: ({ key, before, after }) => {
        const [was, is] = [activeGroupOf(before), activeGroupOf(after)]
        if (was !== undefined && was !== is) active.get(was)?.delete(key)
        if (is !== undefined) active.set(is, (active.get(is) ?? new Set()).add(key))
        if (was !== undefined && active.get(was)?.size === 0) active.delete(was)
        return was !== undefined && was !== is ? was : undefined
      },
    },
    reconcile(key, { view, call }) {
      const group = view.get(groupResource, key)
      const { deletionTimestamp, finalizers = [], ...metadata } = group?.metadata ?? { name: '' }
      const isCandidate = deletionTimestamp !== undefined && finalizers.includes(groupFinalizer)
      if (group === undefined || !isCandidate || active.has(key)) return undefined
      const left = finalizers.filter((one) => one !== groupFinalizer)
      const rest = { ...metadata, deletionTimestamp, ...(left.length === 0 ? {} : { finalizers: left }) }
      return { actions: [call(updateCall(groupResource, { ...group, metadata: rest }))] }
    },
  })
}

function activeGroupOf(pod: Pod | undefined): string | undefined {
  const name = pod === undefined || isPodTerminal(pod) ? undefined : groupNameOf(pod)
  return name === undefined ? undefined : objectKey(pod?.metadata.namespace, name)
}
