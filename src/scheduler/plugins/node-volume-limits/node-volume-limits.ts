import type { CSINode, VolumeAttachment } from '../../../api/objects/storage.ts'
import {
  definePlugin,
  failure,
  type NodeState,
  type ObjectReader,
  ok,
  type ParsedPod,
  type Plugin,
  type Status,
  skip,
  unresolvable,
  unschedulable,
} from '../../framework/contract.ts'
import {
  type CountedVolumes,
  type CountProblem,
  type DriverVolume,
  driverVolumeOf,
  isAttachable,
  isProblem,
  volumesOf,
} from './attached-volumes.ts'
import { PlacedVolumes } from './placed-volumes.ts'
import { nodeVolumeLimitsWake } from './wake.ts'

interface LimitState {
  readonly objects: ObjectReader
  /** The pod's volumes on nodes with drivers and on those without; made when the first such node is looked at. */
  onDrivers?: CountedVolumes
  elsewhere?: CountedVolumes
  attachments?: ReadonlyMap<string, readonly VolumeAttachment[]>
}

const full = unschedulable('node(s) exceed max volume count')

/** Drivers can attach so many volumes to a node and no more (v1.36, plugins/nodevolumelimits). */
export function createNodeVolumeLimits(): Plugin<LimitState, undefined> {
  const placed = new PlacedVolumes()
  return definePlugin<LimitState>({
    name: 'NodeVolumeLimits',
    preFilter(pod, { objects }) {
      if (!hasAttachable(pod)) return skip
      placed.look(objects)
      return { state: { objects } }
    },
    filter(pod, node, state) {
      const csiNode = state.objects.get('csinodes.storage.k8s.io', node.name)
      const wanted = wantedOf(pod, state, csiNode !== undefined)
      if (isProblem(wanted)) return statusOf(wanted)
      if (wanted.length === 0 || csiNode === undefined) return ok
      const limits = limitsOf(csiNode)
      return wanted.some(({ driver }) => limits.has(driver)) ? checkLimits(wanted, limits, node, state, placed) : ok
    },
    wakeOn: nodeVolumeLimitsWake,
    columns: {
      keyOf: (pod, { objects }) => (isLimited(pod, objects) ? 'live' : ''),
      open: (pod, { objects }) => (isLimited(pod, objects) ? 'live' : undefined),
    },
  })
}

function hasAttachable({ pod }: ParsedPod): boolean {
  return (pod.spec.volumes ?? []).some(isAttachable)
}

/** Whether the pod has volumes of a driver that names a limit on any node. */
function isLimited(pod: ParsedPod, objects: ObjectReader): boolean {
  if (!hasAttachable(pod)) return false
  const wanted = volumesOf(pod.pod, { objects, hasDrivers: true, isPlaced: false })
  if (isProblem(wanted)) return true
  const limited = limitedDrivers(objects)
  return wanted.some(({ driver }) => limited.has(driver))
}

const knownDrivers = new WeakMap<readonly CSINode[], ReadonlySet<string>>()

function limitedDrivers(objects: ObjectReader): ReadonlySet<string> {
  const all = objects.list('csinodes.storage.k8s.io')
  let drivers = knownDrivers.get(all)
  if (drivers === undefined) {
    drivers = new Set(all.flatMap((csiNode) => [...limitsOf(csiNode).keys()]))
    knownDrivers.set(all, drivers)
  }
  return drivers
}

function wantedOf({ pod }: ParsedPod, state: LimitState, hasDrivers: boolean): CountedVolumes {
  const { objects } = state
  if (hasDrivers) {
    state.onDrivers ??= volumesOf(pod, { objects, hasDrivers, isPlaced: false })
    return state.onDrivers
  }
  state.elsewhere ??= volumesOf(pod, { objects, hasDrivers, isPlaced: false })
  return state.elsewhere
}

function checkLimits(
  wanted: readonly DriverVolume[],
  limits: ReadonlyMap<string, number>,
  node: NodeState,
  state: LimitState,
  placed: PlacedVolumes,
): Status {
  const present = new Set<string>()
  const counts = new Map<string, number>()
  const add = ({ name, driver }: DriverVolume): void => {
    if (present.has(name)) return
    present.add(name)
    counts.set(driver, (counts.get(driver) ?? 0) + 1)
  }
  for (const { pod } of node.pods) {
    const volumes = placed.of(pod, true)
    if (isProblem(volumes)) return statusOf(volumes)
    for (const volume of volumes) add(volume)
  }
  // What another pod of the node uses is attached already; what only is attached costs its place and the pod's own.
  const added = new Map<string, string>()
  for (const { name, driver } of wanted) if (!present.has(name)) added.set(name, driver)
  state.attachments ??= attachmentsByNode(state.objects)
  for (const attachment of state.attachments.get(node.name) ?? []) {
    const volume = attached(attachment, state.objects)
    if (volume !== undefined) add(volume)
  }
  for (const driver of added.values()) {
    const count = (counts.get(driver) ?? 0) + 1
    counts.set(driver, count)
    if (count > (limits.get(driver) ?? Number.POSITIVE_INFINITY)) return full
  }
  return ok
}

function statusOf({ kind, message }: CountProblem): Status {
  return kind === 'missing' ? unresolvable(message) : failure(message)
}

const knownLimits = new WeakMap<CSINode, ReadonlyMap<string, number>>()

function limitsOf(csiNode: CSINode): ReadonlyMap<string, number> {
  const known = knownLimits.get(csiNode)
  if (known !== undefined) return known
  const limits = new Map<string, number>()
  for (const { name, allocatable } of csiNode.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count)
  }
  knownLimits.set(csiNode, limits)
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

function attached({ spec }: VolumeAttachment, objects: ObjectReader): DriverVolume | undefined {
  const volume = objects.get('persistentvolumes', spec.source.persistentVolumeName ?? '')
  return volume?.spec.csi === undefined ? undefined : driverVolumeOf(spec.attacher, volume.spec.csi.volumeHandle)
}
