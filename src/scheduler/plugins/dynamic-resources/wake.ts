import { semanticEqual } from '../../../api/equality.ts'
import { keyOf, objectKey } from '../../../api/object-key.ts'
import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { targetPod } from '../../contract/cluster-event.ts'
import {
  ActionType,
  type AwaitedObjects,
  type ObjectReader,
  type WakeChange,
  type WakeRule,
} from '../../contract/contract.ts'
import { podClaims } from './pod-claims.ts'

/** The changes that may make a pod schedulable if it waits for devices (v1.36, EventsToRegister). */
export function dynamicResourcesWake(release: KubernetesRelease): readonly WakeRule[] {
  const addOrUpdate = ActionType.Add | ActionType.Update
  // From v1.37 on the deletion of a claim that is still allocated counts.
  const acceptsGroup = release.gates.has('DRAWorkloadResourceClaims')
  const claimChange = release.changes.has('TargetPodEvents') ? addOrUpdate | ActionType.Delete : addOrUpdate
  return [
    {
      on: {
        resource: 'Node',
        action: ActionType.Add | ActionType.UpdateNodeLabel | ActionType.UpdateNodeAllocatable,
      },
    },
    {
      on: { resource: 'resource.k8s.io/ResourceClaim', action: claimChange },
      hint: (pod, change, objects) => claimHelps(pod, change as WakeChange<ResourceClaim>, objects, acceptsGroup),
      awaits: ownClaims,
    },
    {
      on: { resource: targetPod(release), action: ActionType.UpdatePodGeneratedResourceClaim },
      hint: (pod, change, objects) => podHelps(pod, change as WakeChange<Pod>, objects, acceptsGroup),
    },
    { on: { resource: 'resource.k8s.io/DeviceClass', action: addOrUpdate } },
    { on: { resource: 'resource.k8s.io/ResourceSlice', action: addOrUpdate } },
  ]
}

// Many pods may wait for their claims, and most changes of claims concern one of them.
const ownClaims: AwaitedObjects = {
  ofPod: ({ metadata: { namespace }, spec, status }) =>
    [...(spec.resourceClaims ?? []), ...(status?.resourceClaimStatuses ?? [])].flatMap(({ resourceClaimName: name }) =>
      name === undefined ? [] : [objectKey(namespace, name)],
    ),
  ofChange: ({ before, after }: WakeChange<ResourceClaim>) =>
    after === undefined || isDeallocation(before, after) ? undefined : keyOf(after),
}

function isDeallocation(before: ResourceClaim | undefined, after: ResourceClaim): boolean {
  return before?.status?.allocation !== undefined && after.status?.allocation === undefined
}

function claimHelps(
  pod: Pod,
  { before, after }: WakeChange<ResourceClaim>,
  objects: ObjectReader,
  acceptsGroup: boolean,
): boolean {
  if (after === undefined) return before?.status?.allocation !== undefined
  // A deallocation may free devices for any pod.
  const frees = isDeallocation(before, after)
  if (!frees && !ownClaims.ofPod(pod).includes(keyOf(after))) return false
  const claims = podClaims(pod, (key) => objects.get('resourceclaims.resource.k8s.io', key), acceptsGroup)
  if ('problem' in claims) return false
  if (frees) return true
  if (!claims.some(({ metadata }) => metadata.uid === after.metadata.uid)) return false
  return before === undefined || !semanticEqual(before.status, after.status)
}

function podHelps(pod: Pod, { after }: WakeChange<Pod>, objects: ObjectReader, acceptsGroup: boolean): boolean {
  if (after === undefined || after.metadata.uid !== pod.metadata.uid) return false
  return !('problem' in podClaims(after, (key) => objects.get('resourceclaims.resource.k8s.io', key), acceptsGroup))
}
