import type { Failure } from '../../api/call.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { podRequests, toQuantities } from '../../api/pod-resources.ts'
import { compareQuantities, milliValueInt64, type Quantity, valueInt64, zeroQuantity } from '../../api/quantity.ts'
import type { Store } from '../../store/contract.ts'
import type { Kind } from '../kinds/kind.ts'
import { refuse } from './forbidden.ts'

const osLabel = 'kubernetes.io/os'

/** Rejects a resize that the node of the pod can never hold (v1.36, PodResizeValidator). */
export function resizeRefusal(kind: Kind, pod: Pod, old: Pod, store: Store): Failure | undefined {
  const { nodeName = '' } = pod.spec
  if (nodeName === '' || pod.metadata.generation === old.metadata.generation) return undefined
  const { name } = pod.metadata
  const node = store.get('nodes', nodeName) as Node | undefined
  if (node === undefined) return refuse(kind, name, `node ${JSON.stringify(nodeName)} not found`)
  const os = node.metadata.labels?.[osLabel]
  if (os !== undefined && os !== 'linux') {
    const why = `pod resize is only supported on linux nodes, node ${JSON.stringify(nodeName)} is ${JSON.stringify(os)}`
    return withCause(refuse(kind, name, why), 'UnsupportedPlatform')
  }
  const lacking = lackingOn(node, pod)
  if (lacking.length === 0) return undefined
  const why = `node didn't have enough allocatable resources: ${lacking.join('; ')}`
  return withCause(refuse(kind, name, why), 'NodeCapacity')
}

function lackingOn(node: Node, pod: Pod): readonly string[] {
  const allocatable = toQuantities(node.status?.allocatable)
  const requests = podRequests(pod)
  const amounts: readonly (readonly [string, (amount: Quantity) => bigint])[] = [
    ['cpu', milliValueInt64],
    ['memory', valueInt64],
  ]
  return amounts.flatMap(([resource, shown]) => {
    const [wanted, there] = [requests.get(resource) ?? zeroQuantity, allocatable.get(resource) ?? zeroQuantity]
    if (compareQuantities(wanted, there) <= 0) return []
    return [`${resource}, requested: ${shown(wanted)}, allocatable: ${shown(there)}`]
  })
}

function withCause(refusal: Failure, reason: string): Failure {
  const { status } = refusal
  return { ...refusal, status: { ...status, details: { ...status.details, causes: [{ reason }] } } }
}
