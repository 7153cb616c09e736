import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** Reports whether a pod is running and ready, that is, not stuck. */
export function isUp({ status }: Pod): boolean {
  if (status?.phase !== 'Running') return false
  for (const condition of status.conditions ?? none) if (condition.type === 'Ready') return condition.status === 'True'
  return false
}

const none: readonly never[] = []

/**
 * Reports whether the kubelet fails to start the pod. A pod that is not ready because its node is silent does not
 * count.
 */
export function isStuck({ status }: Pod, node: Node | undefined): boolean {
  if (node === undefined || (status?.phase !== 'Running' && status?.phase !== 'Pending')) return false
  if (node.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'Unknown') return false
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status
  if (status.phase === 'Running') return ready !== 'True'
  const waiting = status.containerStatuses?.map(({ state }) => state?.waiting?.reason) ?? []
  return waiting.some((reason) => reason !== undefined && !starting.has(reason))
}

const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])
