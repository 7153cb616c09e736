import type { Call } from '../../api/call.ts'
import type { JsonObject, ObjectReference } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { formatTime } from '../../api/time.ts'
import type { EventRecord } from '../../runtime/controller.ts'

/** The blocks of a node, in the order in which the node lists them. */
export function podCidrsOf(node: Node | undefined): readonly string[] {
  const { podCIDRs, podCIDR } = node?.spec ?? {}
  if (podCIDRs !== undefined && podCIDRs.length > 0) return podCIDRs
  return podCIDR === undefined || podCIDR === '' ? [] : [podCIDR]
}

/** Writes both fields in one patch (v1.36, component-helpers node/util PatchNodeCIDRs). */
export function assignBlocks(node: string, cidrs: readonly string[], uid?: string): Call {
  const spec = { podCIDR: cidrs[0] as string, podCIDRs: cidrs }
  // With the uid, the patch cannot change a new node of the same name.
  const patch: JsonObject = uid === undefined ? { spec } : { metadata: { uid }, spec }
  return { verb: 'patch', resource: 'nodes', name: node, patch: { kind: 'strategic', patch } }
}

/** Sets a condition of a node as the cloud allocators do (v1.28, component-helpers node/util SetNodeCondition). */
export function networkAvailable(node: string, message: string, now: number): Call {
  const at = formatTime(now)
  const condition = {
    type: 'NetworkUnavailable',
    status: 'False',
    reason: 'RouteCreated',
    message,
    lastTransitionTime: at,
    lastHeartbeatTime: at,
  }
  return {
    verb: 'patch',
    resource: 'nodes',
    name: node,
    subresource: 'status',
    patch: { kind: 'strategic', patch: { status: { conditions: [condition] } } },
  }
}

/** v1.36, pkg/controller/util/node RecordNodeStatusChange: type Normal, although it reports a problem. */
export function statusChange(node: Node, status: string, component: string): EventRecord {
  const message = `Node ${node.metadata.name} status is now: ${status}`
  return { regarding: nodeReference(node), type: 'Normal', reason: status, message, api: 'core', component }
}

/** An event that upstream does not have. */
export function nodeWarning(node: Node, reason: string, message: string, component: string): EventRecord {
  return { regarding: nodeReference(node), type: 'Warning', reason, message, api: 'core', component }
}

/** Without the resourceVersion, as in upstream's node events. */
function nodeReference({ metadata: { name, uid } }: Node): ObjectReference {
  return { apiVersion: 'v1', kind: 'Node', name, ...(uid === undefined ? {} : { uid }) }
}
