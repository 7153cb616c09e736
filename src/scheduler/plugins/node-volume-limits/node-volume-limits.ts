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
  /** The volumes of the pod on nodes with and without drivers, computed on first use. */
  onDrivers?: CountedVolumes
  elsewhere?: CountedVolumes
}

const full = unschedulable('node(s) exceed max volume count')

/** Limits the number of volumes that a driver attaches to a node (v1.36, plugins/nodevolumelimits). */
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
      // The pods of a node with any limit are counted for all drivers. A volume that cannot be counted is an error.
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
  // A volume that another pod of the node uses is already attached. A volume that is only attached counts in addition
  // to the volumes of the pod.
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
