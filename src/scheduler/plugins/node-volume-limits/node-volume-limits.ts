import type { CSINode, VolumeAttachment } from '../../../api/objects/storage.ts'
import {
  definePlugin,
  failure,
  type NodeState,
  type ObjectReader,
  ok,
  type ParsedPod,
  type Status,
  skip,
  unresolvable,
  unschedulable,
} from '../../framework/contract.ts'
import { type AttachedVolumes, type CountProblem, countVolumes, isAttachable, nameOf } from './attached-volumes.ts'
import { nodeVolumeLimitsWake } from './wake.ts'

interface LimitState {
  readonly objects: ObjectReader
  /** Made when the first node with a limit is looked at. */
  attachments?: ReadonlyMap<string, readonly VolumeAttachment[]>
}

const full = unschedulable('node(s) exceed max volume count')

/** Drivers can attach so many volumes to a node and no more (v1.36, plugins/nodevolumelimits). */
export const nodeVolumeLimits = definePlugin<LimitState>({
  name: 'NodeVolumeLimits',
  preFilter: ({ pod }, { objects }) => ((pod.spec.volumes ?? []).some(isAttachable) ? { state: { objects } } : skip),
  filter(pod, node, state) {
    const { objects } = state
    const csiNode = objects.get('csinodes.storage.k8s.io', node.name)
    const wanted: AttachedVolumes = new Map()
    const problem = countVolumes(pod.pod, { objects, csiNode }, false, wanted)
    if (problem !== undefined) return statusOf(problem)
    const limits = limitsOf(csiNode)
    if (wanted.size === 0 || limits.size === 0) return ok
    return checkLimits(wanted, limits, node, csiNode, state)
  },
  wakeOn: nodeVolumeLimitsWake,
  columns: { open: ({ pod }: ParsedPod) => ((pod.spec.volumes ?? []).some(isAttachable) ? 'plain' : undefined) },
})

function checkLimits(
  wanted: AttachedVolumes,
  limits: ReadonlyMap<string, number>,
  node: NodeState,
  csiNode: CSINode | undefined,
  state: LimitState,
): Status {
  const { objects } = state
  const present: AttachedVolumes = new Map()
  for (const { pod } of node.pods) {
    const problem = countVolumes(pod, { objects, csiNode }, true, present)
    if (problem !== undefined) return statusOf(problem)
  }
  // A volume that another pod of the node uses is attached already; one that only is attached still costs its place.
  for (const name of present.keys()) wanted.delete(name)
  state.attachments ??= attachmentsByNode(objects)
  for (const attachment of state.attachments.get(node.name) ?? []) addAttachment(attachment, objects, present)
  const counts = new Map<string, number>()
  for (const driver of present.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1)
  for (const driver of wanted.values()) {
    const count = (counts.get(driver) ?? 0) + 1
    counts.set(driver, count)
    if (count > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return full
  }
  return ok
}

function statusOf({ kind, message }: CountProblem): Status {
  return kind === 'missing' ? unresolvable(message) : failure(message)
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  }
  return limits
}

function attachmentsByNode(objects: ObjectReader): ReadonlyMap<string, readonly VolumeAttachment[]> {
  const byNode = new Map<string, VolumeAttachment[]>()
  for (const attachment of objects.list('volumeattachments.storage.k8s.io')) {
    const { nodeName } = attachment.spec
    const others = byNode.get(nodeName)
    if (others === undefined) byNode.set(nodeName, [attachment])
    else others.push(attachment)
  }
  return byNode
}

function addAttachment({ spec }: VolumeAttachment, objects: ObjectReader, into: AttachedVolumes): void {
  const { attacher, source } = spec
  const volume = objects.get('persistentvolumes', source.persistentVolumeName ?? '')
  if (attacher === '' || volume?.spec.csi === undefined) return
  into.set(nameOf({ driver: attacher, handle: volume.spec.csi.volumeHandle }), attacher)
}
