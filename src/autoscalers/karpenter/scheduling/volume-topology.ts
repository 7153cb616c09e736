import { objectKey } from '../../../api/object-key.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/objects/storage.ts'
import { labels } from '../../../api/well-known.ts'
import type { View } from '../../../runtime/view.ts'
import { Requirement } from './requirement.ts'
import { Requirements } from './requirements.ts'

type Volume = NonNullable<Pod['spec']['volumes']>[number]

/** The claim of a volume of a pod; `none` for volumes without a claim. */
function claimFor(pod: Pod, volume: Volume, view: View): PersistentVolumeClaim | 'none' | 'missing' {
  const name =
    volume.persistentVolumeClaim?.claimName ??
    (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`)
  if (name === undefined) return 'none'
  return view.get('persistentvolumeclaims', objectKey(pod.metadata.namespace ?? 'default', name)) ?? 'missing'
}

/**
 * The alternative topologies that the volumes of the pod allow (v1.14, scheduling.VolumeTopology). `missing`: a claim,
 * volume or class does not exist.
 */
export function volumeAlternatives(pod: Pod, view: View): readonly (Requirements | undefined)[] | 'missing' {
  let all: readonly (Requirements | undefined)[] = [undefined]
  for (const volume of pod.spec.volumes ?? []) {
    const claim = claimFor(pod, volume, view)
    if (claim === 'none') continue
    const own = claim === 'missing' ? claim : alternativesOf(claim, view)
    if (own === 'missing') return own
    if (own.length > 0) all = crossed(all, own)
  }
  return all
}

function alternativesOf({ spec }: PersistentVolumeClaim, view: View): readonly Requirements[] | 'missing' {
  if ((spec.volumeName ?? '') !== '') {
    const volume = view.get('persistentvolumes', spec.volumeName as string)
    return volume === undefined ? 'missing' : ofVolume(volume)
  }
  if ((spec.storageClassName ?? '') === '') return []
  const storage = view.get('storageclasses.storage.k8s.io', spec.storageClassName as string)
  if (storage === undefined) return 'missing'
  return (storage.allowedTopologies ?? []).flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.length === 0
      ? []
      : [Requirements.of(matchLabelExpressions.map(({ key, values }) => Requirement.in(key, values)))],
  )
}

function ofVolume({ spec }: PersistentVolume): readonly Requirements[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  // A moved pod does not keep its local volume, so the host name of the volume does not restrict it.
  const isLocal = spec.local !== undefined || spec.hostPath !== undefined
  return terms.flatMap(({ matchExpressions = [] }) => {
    const kept = isLocal ? matchExpressions.filter(({ key }) => key !== labels.hostname) : matchExpressions
    if (kept.length > 0) return [Requirements.fromFields(kept)]
    return isLocal && matchExpressions.length > 0 ? [Requirements.none] : []
  })
}

/** Contradictory combinations are omitted, unless all of them are contradictory. */
function crossed(all: readonly (Requirements | undefined)[], own: readonly Requirements[]): readonly Requirements[] {
  const pairs = all.flatMap((existing) => own.map((each) => ({ existing, each })))
  const possible = pairs.filter(({ existing, each }) => existing?.conflict(each) === undefined)
  return (possible.length > 0 ? possible : pairs).map(({ existing, each }) => existing?.and(each) ?? each)
}

/** The reason why Karpenter ignores a pod with these volumes, or undefined (ValidatePersistentVolumeClaims). */
export function volumeProblem(pod: Pod, view: View): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const claim = claimFor(pod, volume, view)
    if (claim === 'none') continue
    const problem = claim === 'missing' ? 'persistentvolumeclaim not found' : claimProblem(claim, view)
    if (problem !== undefined) return problem
  }
  return undefined
}

function claimProblem({ metadata, spec, status }: PersistentVolumeClaim, view: View): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'persistentvolumeclaim is being deleted'
  if (status?.phase === 'Lost') return 'persistentvolumeclaim bound to non-existent persistentvolume'
  if ((spec.volumeName ?? '') !== '') {
    const volume = view.get('persistentvolumes', spec.volumeName as string)
    if (volume === undefined) return 'failed to validate pvc, persistentvolume not found'
    if (volume.metadata.deletionTimestamp !== undefined)
      return 'failed to validate pvc, persistentvolume is being deleted'
    return metadata.annotations?.['pv.kubernetes.io/bind-completed'] === undefined
      ? 'pvc is considered unbound because it does not contain annotation'
      : undefined
  }
  if ((spec.storageClassName ?? '') === '') return 'unbound pvc must define a storage class'
  const storage = view.get('storageclasses.storage.k8s.io', spec.storageClassName as string)
  if (storage === undefined) return 'failed to validate pvc, failed to get storage class'
  return storage.volumeBindingMode === 'Immediate'
    ? 'failed to validate pvc, pvc with immediate volume binding mode must be bound'
    : undefined
}

const noVolumes: ReadonlyMap<string, ReadonlySet<string>> = new Map()

/** The claims of the pod by the driver of their volumes. */
export function mountedVolumes(pod: Pod, view: View): ReadonlyMap<string, ReadonlySet<string>> {
  if ((pod.spec.volumes?.length ?? 0) === 0) return noVolumes
  const mounted = new Map<string, Set<string>>()
  for (const volume of pod.spec.volumes ?? []) {
    const claim = claimFor(pod, volume, view)
    if (typeof claim === 'string') continue
    const driver = driverOf(claim, view)
    if (driver === undefined) continue
    const key = objectKey(claim.metadata.namespace, claim.metadata.name)
    mounted.set(driver, (mounted.get(driver) ?? new Set()).add(key))
  }
  return mounted
}

function driverOf({ spec }: PersistentVolumeClaim, view: View): string | undefined {
  if ((spec.volumeName ?? '') !== '') {
    const volume = view.get('persistentvolumes', spec.volumeName as string)
    if (volume?.spec.csi !== undefined) return volume.spec.csi.driver
    return volume?.spec.awsElasticBlockStore === undefined ? undefined : 'ebs.csi.aws.com'
  }
  if ((spec.storageClassName ?? '') === '') return undefined
  const provisioner = view.get('storageclasses.storage.k8s.io', spec.storageClassName as string)?.provisioner
  return provisioner === undefined ? undefined : (migrated.get(provisioner) ?? provisioner)
}

const migrated: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/aws-ebs', 'ebs.csi.aws.com'],
  ['kubernetes.io/gce-pd', 'pd.csi.storage.gke.io'],
  ['kubernetes.io/azure-disk', 'disk.csi.azure.com'],
  ['kubernetes.io/azure-file', 'file.csi.azure.com'],
  ['kubernetes.io/cinder', 'cinder.csi.openstack.org'],
  ['kubernetes.io/vsphere-volume', 'csi.vsphere.vmware.com'],
  ['kubernetes.io/portworx-volume', 'pxd.portworx.com'],
])
