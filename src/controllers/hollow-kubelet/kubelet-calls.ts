import type { Call } from '../../api/call.ts'
import type { Node } from '../../api/objects/node.ts'
import { formatMicroTime } from '../../api/time.ts'
import { nodeLeaseNamespace } from '../../api/well-known.ts'

const leases = 'leases.coordination.k8s.io'
// v1.36, kubelet config: nodeLeaseDurationSeconds.
export const leaseSeconds = 40

export function statusPatch(
  resource: 'pods' | 'nodes',
  namespace: string | undefined,
  name: string,
  status: object,
): Call {
  return {
    verb: 'patch',
    resource,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    subresource: 'status',
    patch: { kind: 'strategic', patch: { status: status as never } },
  }
}

export function renewal(name: string, now: number): Call {
  return {
    verb: 'patch',
    resource: leases,
    namespace: nodeLeaseNamespace,
    name,
    patch: { kind: 'merge', patch: { spec: { renewTime: formatMicroTime(now) } } },
  }
}

export function firstLease(node: Node, now: number): Call {
  const { name, uid } = node.metadata
  const owner = uid === undefined ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] }
  return {
    verb: 'create',
    resource: leases,
    namespace: nodeLeaseNamespace,
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: nodeLeaseNamespace, ...owner },
      spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime: formatMicroTime(now) },
    } as never,
  }
}
