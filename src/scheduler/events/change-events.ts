import { semanticEqual } from '../../api/equality.ts'
import type { Node } from '../../api/objects/node.ts'
import type { ContainerStatus, Pod, PodStatus, ResourceList } from '../../api/objects/pod.ts'
import type { KnownResource } from '../../api/objects/resources.ts'
import { podRequests, type StatusCounting, statusCountingOf } from '../../api/pod-resources.ts'
import { compareQuantities, quantity, quantityMilli } from '../../api/quantity.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { ClusterEvent, EventResource } from '../contract/contract.ts'
import { ActionType, isAssigned } from '../contract/contract.ts'
import { claimStatuses } from '../queue/claim-statuses.ts'
import { clusterEvent, pendingPodEvents } from '../queue/cluster-event.ts'

/** The event resources of these kinds. Nodes and pods have more specific events. */
const eventResources: Partial<Record<KnownResource, EventResource>> = {
  persistentvolumes: 'PersistentVolume',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  'csinodes.storage.k8s.io': 'storage.k8s.io/CSINode',
  'csidrivers.storage.k8s.io': 'storage.k8s.io/CSIDriver',
  'csistoragecapacities.storage.k8s.io': 'storage.k8s.io/CSIStorageCapacity',
  'storageclasses.storage.k8s.io': 'storage.k8s.io/StorageClass',
  'volumeattachments.storage.k8s.io': 'storage.k8s.io/VolumeAttachment',
  'podgroups.scheduling.k8s.io': 'scheduling.k8s.io/PodGroup',
  'compositepodgroups.scheduling.k8s.io': 'scheduling.k8s.io/CompositePodGroup',
  'resourceclaims.resource.k8s.io': 'resource.k8s.io/ResourceClaim',
  'resourceslices.resource.k8s.io': 'resource.k8s.io/ResourceSlice',
  'deviceclasses.resource.k8s.io': 'resource.k8s.io/DeviceClass',
}

export const nodeAdd = clusterEvent('Node', ActionType.Add)
export const sliceUpdate = clusterEvent('resource.k8s.io/ResourceSlice', ActionType.Update)
export const nodeDelete = clusterEvent('Node', ActionType.Delete)

/** The event of a change of an object that is neither a node nor a pod; undefined when no plugin listens to it. */
export function eventOf(
  resource: string,
  change: { readonly before?: unknown; readonly after?: unknown },
): ClusterEvent | undefined {
  const name = Object.hasOwn(eventResources, resource) ? eventResources[resource as KnownResource] : undefined
  if (name === undefined) return undefined
  if (change.before === undefined) return clusterEvent(name, ActionType.Add)
  return clusterEvent(name, change.after === undefined ? ActionType.Delete : ActionType.Update)
}

/** The events of updates in a release. */
export interface UpdateEvents {
  /**
   * The events of a node update, most specific only (v1.36, framework.NodeSchedulingPropertiesChange). An update of
   * fields that the scheduler does not read has no events.
   */
  ofNode(before: Node, after: Node): readonly ClusterEvent[]
  /** The events of a pod update; a general update when no specific one applies (PodSchedulingPropertiesChange). */
  ofPod(before: Pod, after: Pod): readonly ClusterEvent[]
}

export function updateEvents(release: KubernetesRelease): UpdateEvents {
  const { target, namesScaleUp } = pendingPodEvents(release)
  const declaresFeatures = release.gates.has('NodeDeclaredFeatures')
  const counting = statusCountingOf(release)
  return {
    ofNode: (before, after) => nodeUpdateEvents(before, after, declaresFeatures),
    ofPod: (before, after) =>
      podUpdateEvents(before, after, isAssigned(after) ? 'AssignedPod' : target, { namesScaleUp, counting }),
  }
}

function nodeUpdateEvents(before: Node, after: Node, declaresFeatures: boolean): readonly ClusterEvent[] {
  const actions: number[] = []
  // Uncordoning is an update of the taints. Cordoning cannot make a pod schedulable.
  if (before.spec?.unschedulable === true && after.spec?.unschedulable !== true) {
    actions.push(ActionType.UpdateNodeTaint)
  }
  if (!sameAmounts(before.status?.allocatable, after.status?.allocatable)) {
    actions.push(ActionType.UpdateNodeAllocatable)
  }
  if (!semanticEqual(before.metadata.labels, after.metadata.labels)) actions.push(ActionType.UpdateNodeLabel)
  if (!semanticEqual(before.spec?.taints, after.spec?.taints)) actions.push(ActionType.UpdateNodeTaint)
  if (conditionsChanged(before, after)) actions.push(ActionType.UpdateNodeCondition)
  if (!semanticEqual(before.metadata.annotations, after.metadata.annotations)) {
    actions.push(ActionType.UpdateNodeAnnotation)
  }
  if (declaresFeatures && !semanticEqual(before.status?.declaredFeatures, after.status?.declaredFeatures)) {
    actions.push(ActionType.UpdateNodeDeclaredFeature)
  }
  return [...new Set(actions)].map((action) => clusterEvent('Node', action))
}

function podUpdateEvents(
  before: Pod,
  after: Pod,
  resource: EventResource,
  { namesScaleUp, counting }: { readonly namesScaleUp: boolean; readonly counting: StatusCounting },
): readonly ClusterEvent[] {
  const actions: number[] = []
  if (!semanticEqual(before.metadata.labels, after.metadata.labels)) actions.push(ActionType.UpdatePodLabel)
  if (mayBeResized(before, after)) {
    if (isScaledDown(before, after, counting)) actions.push(ActionType.UpdatePodScaleDown)
    if (namesScaleUp && isScaledDown(after, before, counting)) actions.push(ActionType.UpdatePodScaleUp)
  }
  if (lengthOf(before.spec.schedulingGates) > 0 && lengthOf(after.spec.schedulingGates) === 0) {
    actions.push(ActionType.UpdatePodSchedulingGatesEliminated)
  }
  // Tolerations can only be added, so comparing their number is enough.
  if (lengthOf(before.spec.tolerations) !== lengthOf(after.spec.tolerations)) {
    actions.push(ActionType.UpdatePodToleration)
  }
  if (!semanticEqual(claimStatuses(before.status), claimStatuses(after.status))) {
    actions.push(ActionType.UpdatePodGeneratedResourceClaim)
  }
  if (actions.length === 0) actions.push(ActionType.Update)
  return actions.map((action) => clusterEvent(resource, action))
}

function mayBeResized(before: Pod, after: Pod): boolean {
  return before.spec !== after.spec || !sameResizeStatus(before.status, after.status)
}

function isScaledDown(before: Pod, after: Pod, counting: StatusCounting): boolean {
  const options = { useStatus: counting }
  const now = podRequests(after, options)
  for (const [name, amount] of podRequests(before, options)) {
    const left = now.get(name)
    if (left === undefined || quantityMilli(amount) > quantityMilli(left)) return true
  }
  return false
}

// Stores reuse unchanged parts, so identity is enough for most updates.
function sameResizeStatus(before: PodStatus | undefined, after: PodStatus | undefined): boolean {
  if (before === after || (isOfNoResize(before) && isOfNoResize(after))) return true
  return (
    before?.containerStatuses === after?.containerStatuses &&
    before?.initContainerStatuses === after?.initContainerStatuses &&
    before?.resources === after?.resources &&
    before?.allocatedResources === after?.allocatedResources &&
    before?.conditions === after?.conditions
  )
}

function isOfNoResize(status: PodStatus | undefined): boolean {
  if (status === undefined) return true
  const isSilent = ({ resources, allocatedResources }: ContainerStatus): boolean =>
    resources === undefined && allocatedResources === undefined
  return (
    status.resources === undefined &&
    status.allocatedResources === undefined &&
    !(status.conditions ?? []).some(({ type }) => type === 'PodResizePending') &&
    (status.containerStatuses ?? []).every(isSilent) &&
    (status.initContainerStatuses ?? []).every(isSilent)
  )
}

/** Only the statuses of conditions count. Heartbeats and messages change often. */
function conditionsChanged(before: Node, after: Node): boolean {
  const old = before.status?.conditions ?? []
  const young = after.status?.conditions ?? []
  if (old === young) return false
  const statuses = new Map(old.map(({ type, status }) => [type, status]))
  const now = new Map(young.map(({ type, status }) => [type, status]))
  if (statuses.size !== now.size) return true
  for (const [type, status] of now) if (statuses.get(type) !== status) return true
  return false
}

function sameAmounts(before: ResourceList | undefined, after: ResourceList | undefined): boolean {
  if (before === after) return true
  const old = Object.entries(before ?? {})
  const young = after ?? {}
  if (old.length !== Object.keys(young).length) return false
  return old.every(([name, amount]) => {
    const other = Object.hasOwn(young, name) ? young[name] : undefined
    if (other === undefined) return false
    return amount === other || compareQuantities(quantity(amount), quantity(other)) === 0
  })
}

function lengthOf(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0
}
