import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** A pod that its kubelet tries in vain to bring up. One that is not ready because its node is silent is none. */
export function isStuck({ status }: Pod, node: Node | undefined): boolean {
  if (node === undefined || (status?.phase !== 'Running' && status?.phase !== 'Pending')) return false
  if (node.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'Unknown') return false
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status
  if (status.phase === 'Running') return ready !== 'True'
  const waiting = status.containerStatuses?.map(({ state }) => state?.waiting?.reason) ?? []
  return waiting.some((reason) => reason !== undefined && !STARTING.has(reason))
}

const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing'])
