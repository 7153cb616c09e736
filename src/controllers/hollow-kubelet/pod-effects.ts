import type { Call } from '../../api/call.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, PodStatus } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import type { EventRecord } from '../../runtime/controller.ts'
import type { CompiledStage } from './compiled-stage.ts'
import { statusPatch } from './kubelet-calls.ts'
import { podScope } from './pod-scope.ts'
import { completedStatus } from './pod-upkeep.ts'
import type { Stage } from './stage.ts'

export interface PodEffectContext {
  readonly node: Node
  readonly wall: number
  /** The addresses of the pod, assigned when the patch first needs them. */
  takeIps(hostIps: readonly string[]): readonly string[]
  /** Statuses include what a kubelet of v1.36 reports besides the stages. */
  readonly isComplete?: boolean
}

/** The request that carries out a stage of a pod. */
export function podCall(
  { stage, patch }: CompiledStage,
  pod: Pod,
  { node, wall, takeIps, isComplete = false }: PodEffectContext,
): Call {
  const { name, namespace, uid } = pod.metadata
  const where = { resource: 'pods', ...(namespace === undefined ? {} : { namespace }), name } as const
  if (stage.next.kind === 'delete') {
    const preconditions = uid === undefined ? {} : { preconditions: { uid } }
    return { verb: 'delete', ...where, options: { gracePeriodSeconds: 0, ...preconditions } }
  }
  const hostIps = hostAddresses(node)
  const scope = podScope({ pod, now: formatTime(wall), hostIps, podIps: () => takeIps(hostIps) })
  const filled = (patch as NonNullable<typeof patch>)(scope) as object
  if (stage.next.kind === 'status') {
    const status = isComplete ? completedStatus(pod, filled as PodStatus, formatTime(wall)) : filled
    return statusPatch('pods', namespace, name, status)
  }
  return { verb: 'patch', ...where, patch: { kind: 'strategic', patch: filled as never } }
}

/** The events that the kubelet on `host` records for a stage of a pod. */
export function podEvents({ next }: Stage, pod: Pod, host: string): readonly EventRecord[] {
  const regarding = referenceTo(pod, { apiVersion: 'v1', kind: 'Pod' })
  return (next.events ?? []).map((event) => ({ ...event, regarding, api: 'core', component: 'kubelet', host }))
}

/** The host addresses that pods of a node report: the first internal address of each family. */
function hostAddresses({ status }: Node): readonly string[] {
  const internal = (status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address)
  const [first] = internal
  const other = internal.find((address) => address.includes(':') !== first?.includes(':'))
  return first === undefined ? [] : other === undefined ? [first] : [first, other]
}
