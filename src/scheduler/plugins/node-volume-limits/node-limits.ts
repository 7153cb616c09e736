import { type DriverVolume, driverVolumeOf } from '../../../api/csi-migration.ts'
import type { CSINode, VolumeAttachment } from '../../../api/objects/storage.ts'
import type { ObjectReader } from '../../contract/contract.ts'

// Lists and objects are replaced when they change, so they can be keys of what is derived from them.
const knownLimits = new WeakMap<CSINode, ReadonlyMap<string, number>>()
const knownDrivers = new WeakMap<readonly CSINode[], ReadonlySet<string>>()
const knownAttachments = new WeakMap<readonly VolumeAttachment[], ReadonlyMap<string, readonly VolumeAttachment[]>>()

/** The attach limit of each driver of a node; drivers without a limit are absent. */
export function limitsOf(csiNode: CSINode): ReadonlyMap<string, number> {
  const known = knownLimits.get(csiNode)
  if (known !== undefined) return known
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  }
  knownLimits.set(csiNode, limits)
  return limits
}

/** The drivers with a limit on any node. */
export function limitedDrivers(objects: ObjectReader): ReadonlySet<string> {
  const all = objects.list('csinodes.storage.k8s.io')
  let drivers = knownDrivers.get(all)
  if (drivers === undefined) {
    drivers = new Set(all.flatMap((csiNode) => [...limitsOf(csiNode).keys()]))
    knownDrivers.set(all, drivers)
  }
  return drivers
}

/** The volumes attached to a node, used by a pod or not. */
export function attachedTo(node: string, objects: ObjectReader): readonly DriverVolume[] {
  const all = objects.list('volumeattachments.storage.k8s.io')
  if (all.length === 0) return []
  let byNode = knownAttachments.get(all)
  if (byNode === undefined) {
    byNode = groupByNode(all)
    knownAttachments.set(all, byNode)
  }
  return (byNode.get(node) ?? []).flatMap(({ spec }) => {
    const { csi } = objects.get('persistentvolumes', spec.source.persistentVolumeName ?? '')?.spec ?? {}
    return csi === undefined ? [] : (driverVolumeOf(spec.attacher, csi.volumeHandle) ?? [])
  })
}

function groupByNode(attachments: readonly VolumeAttachment[]): ReadonlyMap<string, readonly VolumeAttachment[]> {
  const byNode = new Map<string, VolumeAttachment[]>()
  for (const attachment of attachments) {
    const { nodeName } = attachment.spec
    const others = byNode.get(nodeName)
    if (others === undefined) byNode.set(nodeName, [attachment])
    else others.push(attachment)
  }
  return byNode
}
