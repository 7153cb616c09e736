import { inTreePluginOf, migratedAffinity, volumeHandle } from '../../../api/csi-migration.ts'
import type { LabelMatcher } from '../../../api/label-matcher.ts'
import { labelMatcher } from '../../../api/label-selector.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type {
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../api/objects/storage.ts'
import {
  classOfClaim,
  classOfVolume,
  isFullyBound,
  sizeOfClaim,
  waitsForConsumer,
} from '../../../api/persistent-volumes.ts'
import { intValue, quantityInt } from '../../../api/quantity.ts'
import { VolumeCandidates } from '../../../api/volume-matching.ts'
import { annotations } from '../../../api/well-known.ts'
import type { ObjectReader } from '../../contract/contract.ts'
import type { AssumedObjects } from './assumed-objects.ts'
import { claimNotFound, claimOf, foreignClaim } from './pod-claims.ts'

/** The assumed volumes and claims. */
export interface Assumptions {
  readonly volumes: AssumedObjects<PersistentVolume>
  readonly claims: AssumedObjects<PersistentVolumeClaim>
}

export interface BoundClaim {
  /** Absent when the volume was deleted. */
  readonly volume?: PersistentVolume
}

/** Nodes from which a driver has capacity. */
export interface VolumeRoom {
  readonly nodes: LabelMatcher
  readonly capacityBytes: number
}

/** A claim that is bound when its pod is scheduled. */
export interface DelayedClaim {
  readonly claim: PersistentVolumeClaim
  readonly storageClass: StorageClass
  /** The node for which a volume is being provisioned. */
  readonly selectedNode?: string
  readonly candidates: VolumeCandidates
  /** The places with capacity for the volume; absent when the driver does not report capacity. */
  readonly roomFor?: readonly VolumeRoom[]
}

export interface PodClaims {
  readonly bound: readonly BoundClaim[]
  readonly delayed: readonly DelayedClaim[]
  /** Reports whether a claim with immediate binding is unbound. */
  readonly hasUnboundImmediate: boolean
}

/**
 * The problem of the pod's claims that makes all nodes infeasible; also reports whether the pod has claims (v1.36,
 * podHasPVCs).
 */
export function claimProblem(pod: Pod, objects: ObjectReader): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimOf(pod, volume)
    if (name === undefined) continue
    const claim = objects.get('persistentvolumeclaims', `${pod.metadata.namespace ?? ''}/${name}`)
    const isEphemeral = volume.ephemeral !== undefined
    if (claim === undefined) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${JSON.stringify(name)}`
        : claimNotFound(name)
    }
    const quoted = JSON.stringify(name)
    if (claim.status?.phase === 'Lost') {
      const lost = JSON.stringify(claim.spec.volumeName ?? '')
      return `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${lost}`
    }
    if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim ${quoted} is being deleted`
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined
    if (foreign !== undefined) return foreign
  }
  return undefined
}

/** The claims of the pod by binding mode, or an error (v1.36, GetPodVolumeClaims). */
export function podClaims(pod: Pod, objects: ObjectReader, assumed: Assumptions): PodClaims | string {
  const bound: BoundClaim[] = []
  const delayed: DelayedClaim[] = []
  let hasUnboundImmediate = false
  for (const claim of claimsOf(pod, objects, assumed)) {
    if (isFullyBound(claim)) {
      const volume = objects.get('persistentvolumes', claim.spec.volumeName ?? '')
      bound.push(volume === undefined ? {} : { volume: assumed.volumes.over(volume) })
      continue
    }
    const className = classOfClaim(claim)
    const storageClass = className === '' ? undefined : objects.get('storageclasses.storage.k8s.io', className)
    if (storageClass !== undefined && storageClass.volumeBindingMode === undefined) {
      return `VolumeBindingMode not set for StorageClass ${JSON.stringify(className)}`
    }
    const isPrebound = (claim.spec.volumeName ?? '') !== ''
    if (storageClass === undefined || !waitsForConsumer(storageClass) || isPrebound) hasUnboundImmediate = true
    else delayed.push(delayedClaim(claim, storageClass, objects, assumed))
  }
  return { bound, delayed, hasUnboundImmediate }
}

/** The claims of a pod including assumed changes. A claim that is used twice is listed twice. */
export function claimsOf(pod: Pod, objects: ObjectReader, assumed: Assumptions): readonly PersistentVolumeClaim[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = claimOf(pod, volume)
    if (name === undefined) return []
    const claim = objects.get('persistentvolumeclaims', `${pod.metadata.namespace ?? ''}/${name}`)
    return claim === undefined ? [] : [assumed.claims.over(claim)]
  })
}

function delayedClaim(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  objects: ObjectReader,
  assumed: Assumptions,
): DelayedClaim {
  const selectedNode = claim.metadata.annotations?.[annotations.selectedNode]
  const volumes = volumesOfClass(storageClass.metadata.name, objects, assumed)
  const roomFor = rooms(claim, storageClass, objects)
  return {
    claim,
    storageClass,
    candidates: new VolumeCandidates(claim, selectedNode === undefined ? volumes : []),
    ...(selectedNode === undefined ? {} : { selectedNode }),
    ...(roomFor === undefined ? {} : { roomFor }),
  }
}

const byClass = new WeakMap<readonly PersistentVolume[], ReadonlyMap<string, readonly PersistentVolume[]>>()

function volumesOfClass(name: string, objects: ObjectReader, assumed: Assumptions): readonly PersistentVolume[] {
  const all = objects.list('persistentvolumes')
  let classes = byClass.get(all)
  if (classes === undefined) {
    classes = groupByClass(all)
    byClass.set(all, classes)
  }
  const found = classes.get(name) ?? []
  return assumed.volumes.size === 0 ? found : found.map((volume) => assumed.volumes.over(volume))
}

function groupByClass(volumes: readonly PersistentVolume[]): ReadonlyMap<string, readonly PersistentVolume[]> {
  const classes = new Map<string, PersistentVolume[]>()
  for (const volume of volumes) {
    const name = classOfVolume(volume)
    const others = classes.get(name)
    if (others === undefined) classes.set(name, [volume])
    else others.push(volume)
  }
  return classes
}

/** The nodes with enough capacity for the claim, if its driver reports capacity (v1.36, hasEnoughCapacity). */
function rooms(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  objects: ObjectReader,
): readonly VolumeRoom[] | undefined {
  if (claim.spec.resources?.requests?.['storage'] === undefined) return undefined
  if (objects.get('csidrivers.storage.k8s.io', provisioner)?.spec.storageCapacity !== true) return undefined
  const bytes = quantityInt(sizeOfClaim(claim))
  return objects
    .list('csistoragecapacities.storage.k8s.io')
    .flatMap((capacity) =>
      capacity.storageClassName === metadata.name &&
      capacity.nodeTopology !== undefined &&
      largestVolumeBytes(capacity) >= bytes
        ? [{ nodes: labelMatcher(capacity.nodeTopology), capacityBytes: intValue(capacity.capacity) }]
        : [],
    )
}

function largestVolumeBytes({ maximumVolumeSize, capacity }: CSIStorageCapacity): number {
  const limit = maximumVolumeSize ?? capacity
  return limit === undefined ? Number.NEGATIVE_INFINITY : intValue(limit)
}

/** The node affinity of a volume on a node, with CSI migration. */
export function affinityOn(
  volume: PersistentVolume,
  csiNode: CSINode | undefined,
): { readonly affinity: PersistentVolume['spec']['nodeAffinity'] } | { readonly problem: string } {
  const plugin = inTreePluginOf(volume.spec)
  const migrated = csiNode?.metadata.annotations?.[annotations.migratedPlugins]?.split(',') ?? []
  if (plugin?.scheduled !== true || !migrated.includes(plugin.name)) return { affinity: volume.spec.nodeAffinity }
  const handle = volumeHandle(plugin, volume)
  if (!handle.ok) return { problem: `could not translate pv: ${handle.message}` }
  return { affinity: migratedAffinity(plugin, volume) }
}
