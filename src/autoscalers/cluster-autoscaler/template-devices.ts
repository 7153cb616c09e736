import { allocationLike, slicesLike } from '../../api/local-slices.ts'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { isControlledBy } from '../../api/owner-references.ts'
import { consumerOf } from '../../api/pod-claims.ts'
import type { NodeDevices } from '../simulation/simulated-devices.ts'
import { completePools } from './device-utilization.ts'

// 1.36, simulator/dynamicresources/utils SanitizedNodeResourceSlices and SanitizedPodResourceClaims.

/**
 * The pods and the devices of a node on a copy of the node. A claim that was created for a pod is copied with the pod.
 */
export function copyDevices(
  { slices, claims }: NodeDevices,
  pods: readonly (readonly [pod: Pod, copy: Pod])[],
  like: string,
  name: string,
): { readonly devices: NodeDevices; readonly pods: readonly Pod[] } {
  const pools = new Set(slices.map(({ spec }) => spec.pool.name))
  const copies: ResourceClaim[] = []
  const made = pods.map(([pod, copy]) => {
    const own = claims.filter((claim) => isControlledBy(claim, pod))
    copies.push(...own.map((claim) => claimOf(claim, copy, pools, like, name)))
    return own.length === 0 ? copy : withOwnClaims(copy, own, name)
  })
  return { devices: { slices: slicesLike(slices, like, name), claims: copies }, pods: made }
}

function claimOf(
  claim: ResourceClaim,
  pod: Pod,
  pools: ReadonlySet<string>,
  like: string,
  name: string,
): ResourceClaim {
  const { uid: _, ownerReferences: __, ...metadata } = claim.metadata
  const owner = {
    apiVersion: 'v1',
    kind: 'Pod',
    name: pod.metadata.name,
    uid: pod.metadata.uid ?? '',
    controller: true,
  }
  const claimName = `${claim.metadata.name}-${name}`
  const allocation = claim.status?.allocation
  return {
    ...claim,
    metadata: {
      ...metadata,
      name: claimName,
      uid: `${metadata.namespace ?? ''}/${claimName}`,
      ownerReferences: [owner],
    },
    status:
      allocation === undefined
        ? {}
        : {
            allocation: allocationLike(allocation, pools, like, name),
            reservedFor: [consumerOf(pod, undefined, undefined)],
          },
  }
}

function withOwnClaims(pod: Pod, own: readonly ResourceClaim[], name: string): Pod {
  const names = new Set(own.map(({ metadata }) => metadata.name))
  const resourceClaimStatuses = (pod.status?.resourceClaimStatuses ?? []).map((status) => {
    const { resourceClaimName } = status
    const isOwn = resourceClaimName !== undefined && names.has(resourceClaimName)
    return isOwn ? { ...status, resourceClaimName: `${resourceClaimName}-${name}` } : status
  })
  return { ...pod, status: { ...pod.status, resourceClaimStatuses } as NonNullable<Pod['status']> }
}

/** The reason of the condition Ready. Only the autoscaler uses it. */
export const resourceNotReady = 'cluster-autoscaler.kubernetes.io/resource-not-ready'

/** A node that lacks devices of its group is not ready (1.36, customresources DraCustomResourcesProcessor). */
export function unreadyWithout(node: Node, expected: NodeDevices['slices'], found: NodeDevices['slices']): Node {
  const own = completePools(found)
  const lacks = [...completePools(expected)].some(([driver, count]) => (own.get(driver) ?? 0) < count)
  if (!lacks) return node
  const { creationTimestamp } = node.metadata
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
  const notReady = {
    type: 'Ready',
    status: 'False',
    reason: resourceNotReady,
    ...(creationTimestamp === undefined ? {} : { lastTransitionTime: creationTimestamp }),
  }
  return { ...node, status: { ...node.status, conditions: [notReady, ...others] } as NonNullable<Node['status']> }
}
