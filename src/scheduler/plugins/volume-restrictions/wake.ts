import type { Pod, Volume } from '../../../api/objects/pod.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, assignedPod } from '../../contract/contract.ts'

function claimNames(pod: Pod): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
  )
}

/** Two pods cannot share these disks unless both only read (v1.36, volumerestrictions isVolumeConflict). */
export function volumesConflict(a: Volume, b: Volume): boolean {
  if (a.gcePersistentDisk !== undefined && b.gcePersistentDisk !== undefined) {
    const same = a.gcePersistentDisk.pdName === b.gcePersistentDisk.pdName
    if (same && !(a.gcePersistentDisk.readOnly && b.gcePersistentDisk.readOnly)) return true
  }
  if (a.awsElasticBlockStore !== undefined && b.awsElasticBlockStore !== undefined) {
    if (a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore.volumeID) return true
  }
  if (a.iscsi !== undefined && b.iscsi !== undefined) {
    if (a.iscsi.iqn === b.iscsi.iqn && !(a.iscsi.readOnly && b.iscsi.readOnly)) return true
  }
  if (a.rbd !== undefined && b.rbd !== undefined) {
    const monitors = b.rbd.monitors
    const overlap = a.rbd.monitors.some((monitor) => monitors.includes(monitor))
    const same = overlap && poolOf(a.rbd) === poolOf(b.rbd) && a.rbd.image === b.rbd.image
    if (same && !(a.rbd.readOnly && b.rbd.readOnly)) return true
  }
  return false
}

function poolOf(rbd: NonNullable<Volume['rbd']>): string {
  return rbd.pool ?? ''
}

function releases(pod: Pod, { before }: WakeChange<Pod>): boolean {
  if (before === undefined || before.metadata.namespace !== pod.metadata.namespace) return false
  const released = before.spec.volumes ?? []
  const wanted = pod.spec.volumes ?? []
  if (wanted.some((volume) => released.some((other) => volumesConflict(volume, other)))) return true
  const claims = claimNames(pod)
  return claimNames(before).some((claim) => claims.includes(claim))
}

export function volumeRestrictionsWake(release: KubernetesRelease): readonly WakeRule[] {
  return [
    {
      on: { resource: assignedPod(release), action: ActionType.Delete },
      hint: (pod, change) => releases(pod, change as WakeChange<Pod>),
    },
    { on: { resource: 'Node', action: ActionType.Add } },
    {
      on: { resource: 'PersistentVolumeClaim', action: ActionType.Add },
      hint: (pod, { after }) =>
        after?.metadata.namespace === pod.metadata.namespace && claimNames(pod).includes(after?.metadata.name ?? ''),
    },
  ]
}
