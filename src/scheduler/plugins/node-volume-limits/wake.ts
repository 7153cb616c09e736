import { inlineHandle, inTreePluginOf } from '../../../api/csi-migration.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { CSINode, VolumeAttachment } from '../../../api/objects/storage.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { WakeChange, WakeRule } from '../../contract/contract.ts'
import { ActionType, assignedPod } from '../../contract/contract.ts'
import { claimOf } from '../volume-binding/pod-claims.ts'

function detaches(_pod: Pod, { before }: WakeChange<Pod>): boolean {
  if (before === undefined || (!before.spec.nodeName && !before.status?.nominatedNodeName)) return false
  return (before.spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim !== undefined ||
      volume.ephemeral !== undefined ||
      inTreePluginOf(volume) !== undefined,
  )
}

function attachmentEnds(pod: Pod, { before }: WakeChange<VolumeAttachment>): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return true
    const plugin = inTreePluginOf(volume)
    if (plugin === undefined) return false
    // A disk that cannot be migrated may be any disk.
    return plugin.driver === before?.spec.attacher || !inlineHandle(plugin, volume).ok
  })
}

function limitsGrow(_pod: Pod, { before, after }: WakeChange<CSINode>): boolean {
  const limits = new Map((before?.spec.drivers ?? []).map(({ name, allocatable }) => [name, allocatable?.count ?? 0]))
  return (after?.spec.drivers ?? []).some(
    ({ name, allocatable }) => (allocatable?.count ?? 0) > (limits.get(name) ?? 0),
  )
}

export function nodeVolumeLimitsWake(release: KubernetesRelease): readonly WakeRule[] {
  return [
    { on: { resource: 'storage.k8s.io/CSINode', action: ActionType.Add } },
    {
      on: { resource: 'storage.k8s.io/CSINode', action: ActionType.Update },
      hint: (pod, change) => limitsGrow(pod, change as WakeChange<CSINode>),
    },
    {
      on: { resource: assignedPod(release), action: ActionType.Delete },
      hint: (pod, change) => detaches(pod, change as WakeChange<Pod>),
    },
    {
      on: { resource: 'PersistentVolumeClaim', action: ActionType.Add },
      hint: (pod, { after }) =>
        after?.metadata.namespace === pod.metadata.namespace &&
        (pod.spec.volumes ?? []).some((volume) => claimOf(pod, volume) === after?.metadata.name),
    },
    {
      on: { resource: 'storage.k8s.io/VolumeAttachment', action: ActionType.Delete },
      hint: (pod, change) => attachmentEnds(pod, change as WakeChange<VolumeAttachment>),
    },
  ]
}
