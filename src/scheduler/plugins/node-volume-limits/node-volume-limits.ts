import type { DriverVolume } from '../../../api/csi-migration.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import {
  failure,
  type NodeState,
  type ObjectReader,
  ok,
  type ParsedPod,
  type Status,
  skip,
  unresolvable,
  unschedulable,
} from '../../contract/contract.ts'
import { type CountedVolumes, type CountProblem, isAttachable, isProblem, volumesOf } from './attached-volumes.ts'
import { nodeVolumeLimitsColumns } from './columns.ts'
import { attachedTo, limitsOf } from './node-limits.ts'
import { PlacedVolumes } from './placed-volumes.ts'
import { nodeVolumeLimitsWake } from './wake.ts'

interface LimitState {
  readonly objects: ObjectReader
  /** The pod's volumes on nodes with drivers and on those without; made when the first such node is looked at. */
  onDrivers?: CountedVolumes
  elsewhere?: CountedVolumes
}

const full = unschedulable('node(s) exceed max volume count')

/** Drivers can attach so many volumes to a node and no more (v1.36, plugins/nodevolumelimits). */
export function createNodeVolumeLimits(): ColumnarPlugin<LimitState, undefined> {
  const placed = new PlacedVolumes()
  return defineColumnarPlugin<LimitState>({
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
      // Pods of a node with any limit are counted whatever driver is wanted, and one that cannot be is an error.
      const limits = limitsOf(csiNode)
      return limits.size === 0 ? ok : checkLimits(wanted, limits, node, state, placed)
    },
    wakeOn: nodeVolumeLimitsWake,
    columns: nodeVolumeLimitsColumns(placed, full),
  })
}

function hasAttachable({ pod }: ParsedPod): boolean {
  return (pod.spec.volumes ?? []).some(isAttachable)
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
  for (const volume of attachedTo(node.name, state.objects)) add(volume)
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
