import { deepEqual } from '../../api/equality.ts'
import type { Container, ContainerStatus, Pod, PodSpec, PodStatus, Volume } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { PodShape } from '../contract/parsed-pod.ts'

// Determines whether pods have the same shape: by comparison of two pods and, where that is not enough, by signatures.

const none: readonly never[] = []

/** Reports whether two specs consist of identical parts, apart from the node name. */
export function sameSpec(a: PodSpec, b: PodSpec): boolean {
  if (a === b) return true
  for (const key in a) {
    if (key !== 'nodeName' && a[key as keyof PodSpec] !== b[key as keyof PodSpec]) return false
  }
  for (const key in b) if (!(key in a) && key !== 'nodeName') return false
  return true
}

/** Reports whether the allocated resources in the status are equal; `a` is the status of a pod of the shape. */
export function sameResources({ isResized }: PodShape, a: PodStatus | undefined, b: PodStatus | undefined): boolean {
  if (a === b) return true
  if (b === undefined) return !isResized
  if (isResized) return deepEqual(resizeSignature(a), resizeSignature(b))
  const { containerStatuses, initContainerStatuses } = b
  return (
    b.resources === undefined &&
    (b.conditions === a?.conditions || resizePending(b) !== 'Infeasible') &&
    (containerStatuses === a?.containerStatuses || !anyGiven(containerStatuses ?? none)) &&
    (initContainerStatuses === a?.initContainerStatuses || !anyGiven(initContainerStatuses ?? none))
  )
}

/** The reason of a pending resize. */
function resizePending(status: Pod['status']): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason
}

// Built-in plugins read nothing of a pod except these signatures, its priority, name and age.
export function identitySignature(pod: Pod): string {
  const { namespace, labels } = pod.metadata
  const owner = controllerOf(pod)
  return encodeJson([namespace, labels, owner === undefined ? 0 : [owner.apiVersion, owner.kind, owner.name]])
}

export function imagesSignature({ spec }: Pod): string {
  let text = ''
  for (const { image } of spec.initContainers ?? none) text += `${image ?? ''}\n`
  text += '\n'
  for (const { image } of spec.containers) text += `${image ?? ''}\n`
  return text
}

/** Reports whether a pod has a shape. Pods with volumes that plugins read need a signature instead. */
export function isAlike(shape: PodShape, pod: Pod): boolean {
  const { example } = shape
  const { spec } = example
  if (example.metadata.namespace !== pod.metadata.namespace) return false
  return (
    deepEqual(shape.labels, pod.metadata.labels) &&
    sameController(example, pod) &&
    alikeContainers(spec.containers, pod.spec.containers) &&
    alikeContainers(spec.initContainers ?? none, pod.spec.initContainers ?? none) &&
    hasPlainVolumes(example) &&
    (spec.volumes === pod.spec.volumes || hasPlainVolumes(pod)) &&
    sameResources(shape, example.status, pod.status) &&
    alikeSpecs(spec, pod.spec)
  )
}

/** As `isAlike`, for a pod that differs from a pod of the shape `like` only in labels and controller. */
export function isRelabeled(shape: PodShape, like: PodShape, pod: Pod): boolean {
  return (
    shape.namespace === like.namespace &&
    shape.specId === like.specId &&
    shape.imagesId === like.imagesId &&
    shape.claims.length === 0 &&
    like.claims.length === 0 &&
    deepEqual(shape.labels, pod.metadata.labels) &&
    sameController(shape.example, pod)
  )
}

/**
 * The fields of a shape besides containers and volumes. Compared one by one, because most are absent and this runs for
 * every pod.
 */
function alikeSpecs(a: PodSpec, b: PodSpec): boolean {
  return (
    a.hostNetwork === b.hostNetwork &&
    a.hostUsers === b.hostUsers &&
    same(a.nodeSelector, b.nodeSelector) &&
    same(a.affinity, b.affinity) &&
    same(a.tolerations, b.tolerations) &&
    same(a.topologySpreadConstraints, b.topologySpreadConstraints) &&
    same(a.overhead, b.overhead) &&
    same(a.resources, b.resources)
  )
}

function same(a: unknown, b: unknown): boolean {
  return a === b || deepEqual(a, b)
}

function sameController(a: Pod, b: Pod): boolean {
  if (a.metadata.ownerReferences === b.metadata.ownerReferences) return true
  const one = controllerOf(a)
  const other = controllerOf(b)
  return one?.kind === other?.kind && one?.name === other?.name && one?.apiVersion === other?.apiVersion
}

function alikeContainers(a: readonly Container[], b: readonly Container[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const one = a[i] as Container
    const other = b[i] as Container
    if (one.image !== other.image || one.restartPolicy !== other.restartPolicy) return false
    if (!same(one.resources?.requests, other.resources?.requests)) return false
    if (!same(one.ports, other.ports) || !same(one.restartPolicyRules, other.restartPolicyRules)) return false
  }
  return true
}

function hasPlainVolumes({ spec }: Pod): boolean {
  const volumes = spec.volumes ?? none
  for (let i = 0; i < volumes.length; i++) if (!isPlainVolume(volumes[i] as Volume)) return false
  return true
}

/** Reports whether the signature of the volume is empty. */
function isPlainVolume(volume: Volume): boolean {
  return (
    volume.persistentVolumeClaim === undefined &&
    volume.ephemeral === undefined &&
    volume.gcePersistentDisk === undefined &&
    volume.awsElasticBlockStore === undefined &&
    volume.azureDisk === undefined &&
    volume.rbd === undefined &&
    volume.iscsi === undefined &&
    volume.csi === undefined &&
    volume.cinder === undefined &&
    volume.portworxVolume === undefined &&
    volume.image === undefined
  )
}

export function specSignature({ spec, status }: Pod): string {
  return encodeJson([
    spec.containers.map(containerSignature),
    spec.initContainers?.map(containerSignature),
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
    spec.overhead,
    spec.resources,
    spec.hostNetwork,
    spec.hostUsers,
    resizeSignature(status),
    ...(spec.volumes ?? none).flatMap(volumeSignature),
  ])
}

// Most pods have a service account token volume with a random name, which no plugin reads.
function volumeSignature(volume: Volume): unknown[] {
  if (isPlainVolume(volume)) return []
  const { persistentVolumeClaim, ephemeral, gcePersistentDisk, awsElasticBlockStore, azureDisk, rbd, iscsi, csi } =
    volume
  const read = {
    // The claim name is part of the shape but not of the spec; volume plugins have their own keys for claims.
    persistentVolumeClaim: persistentVolumeClaim === undefined ? undefined : true,
    gcePersistentDisk,
    awsElasticBlockStore,
    azureDisk,
    rbd,
    iscsi,
    csi,
    cinder: volume.cinder,
    portworxVolume: volume.portworxVolume,
    image: volume.image,
  }
  return ephemeral === undefined ? [read] : [read, volume.name, ephemeral]
}

function containerSignature(container: Container): unknown {
  return [
    container.resources?.requests,
    container.ports?.filter(({ hostPort }) => (hostPort ?? 0) > 0),
    container.restartPolicy,
    container.restartPolicyRules,
  ]
}

export function resizeSignature(status: Pod['status']): unknown {
  if (status === undefined) return undefined
  const { containerStatuses = none, initContainerStatuses = none } = status
  const pending = resizePending(status)
  if (
    status.resources === undefined &&
    pending !== 'Infeasible' &&
    !anyGiven(containerStatuses) &&
    !anyGiven(initContainerStatuses)
  ) {
    return undefined
  }
  const given = [...containerStatuses, ...initContainerStatuses].filter(isGiven)
  return [
    given.map(({ name, resources, allocatedResources }) => [name, resources?.requests, allocatedResources]),
    status.resources,
    status.allocatedResources,
    pending,
  ]
}

function anyGiven(statuses: readonly ContainerStatus[]): boolean {
  for (let i = 0; i < statuses.length; i++) if (isGiven(statuses[i] as ContainerStatus)) return true
  return false
}

// Up to v1.36, allocated resources count only if the status also reports the resources in use.
function isGiven({ resources, allocatedResources }: ContainerStatus): boolean {
  return resources !== undefined || allocatedResources !== undefined
}
