import type { Pod } from '../../../api/objects/pod.ts'
import { hostPortsOf } from '../../cache/pod-parser.ts'
import type { HostPort, WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType } from '../../contract/contract.ts'

const everyAddress = '0.0.0.0'

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false
  return a.ip === b.ip || a.ip === everyAddress || b.ip === everyAddress
}

function frees(pod: Pod, { before }: WakeChange<Pod>): boolean {
  if (before === undefined || (!before.spec.nodeName && !before.status?.nominatedNodeName)) return false
  const freed = hostPortsOf(before)
  return freed.length > 0 && hostPortsOf(pod).some((wanted) => freed.some((port) => collide(wanted, port)))
}

export const nodePortsWake: readonly WakeRule[] = [
  {
    on: { resource: 'Pod', action: ActionType.Delete },
    hint: (pod, change) => frees(pod, change as WakeChange<Pod>),
  },
  { on: { resource: 'Node', action: ActionType.Add } },
]
