import type { DriverVolume } from '../../../api/csi-migration.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import type { CSINode } from '../../../api/objects/storage.ts'
import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import {
  failure,
  type NodeState,
  type ObjectReader,
  ok,
  type ParsedPod,
  type PluginStatus,
  skip,
  unresolvable,
  unschedulable,
} from '../../contract/contract.ts'
import {
  type CountedVolumes,
  type CountProblem,
  isAttachable,
  isProblem,
  migratesPortworx,
  volumesOf,
} from './attached-volumes.ts'
import { nodeVolumeLimitsColumns } from './columns.ts'
import { attachedTo, limitsOf } from './node-limits.ts'
import { PlacedVolumes } from './placed-volumes.ts'
import { nodeVolumeLimitsWake } from './wake.ts'

interface LimitState {
  readonly objects: ObjectReader
  /** The volumes of the pod on nodes with drivers, with and without Portworx, and without; computed on first use. */
  onDrivers?: CountedVolumes
  withoutPortworx?: CountedVolumes
  elsewhere?: CountedVolumes
}

/** The rules that differ between releases. */
export interface LimitRules {
  readonly migratesPortworx: (csiNode: CSINode) => boolean
  /** With VolumeLimitScaling: which missing drivers keep a pod off a node. */
  readonly missingDriver?: (driver: string, csiNode: CSINode | undefined, objects: ObjectReader) => boolean
}

const full = unschedulable('node(s) exceed max volume count')

/** Limits the number of volumes that a driver attaches to a node (v1.36, plugins/nodevolumelimits). */
export function createNodeVolumeLimits(release: KubernetesRelease): ColumnarPlugin<LimitState, undefined> {
  const placed = new PlacedVolumes()
  const rules = rulesOf(release)
  return defineColumnarPlugin<LimitState>({
    name: 'NodeVolumeLimits',
    preFilter(pod, { objects }) {
      if (!hasAttachable(pod)) return skip
      placed.look(objects)
      return { state: { objects } }
    },
    filter(pod, node, state) {
      const csiNode = state.objects.get('csinodes.storage.k8s.io', node.name)
      const migratesPortworx = csiNode !== undefined && rules.migratesPortworx(csiNode)
      const wanted = wantedOf(pod, state, csiNode !== undefined, migratesPortworx)
      if (isProblem(wanted)) return statusOf(wanted)
      if (wanted.length === 0) return ok
      const missing = wanted.find(({ driver }) => rules.missingDriver?.(driver, csiNode, state.objects) === true)
      if (missing !== undefined) return unschedulable(`${missing.driver} CSI driver is not installed on the node`)
      if (csiNode === undefined) return ok
      // The pods of a node with any limit are counted for all drivers. A volume that cannot be counted is an error.
      const limits = limitsOf(csiNode)
      if (limits.size === 0) return ok
      return checkLimits(wanted, limits, node, state, (placedPod) => placed.of(placedPod, migratesPortworx))
    },
    wakeOn: nodeVolumeLimitsWake(release),
    columns: nodeVolumeLimitsColumns(placed, full, rules),
  })
}

function rulesOf({ gates, changes }: KubernetesRelease): LimitRules {
  return {
    migratesPortworx: changes.has('MigrationWithoutAnnotation') ? () => true : migratesPortworx,
    ...(gates.has('VolumeLimitScaling') ? { missingDriver: missingDriver(changes.has('MissingDriverOptIn')) } : {}),
  }
}

const missingDriver =
  (needsOptIn: boolean): NonNullable<LimitRules['missingDriver']> =>
  (driver, csiNode, objects) => {
    const known = objects.get('csidrivers.storage.k8s.io', driver)
    if (known === undefined || (needsOptIn && known.spec.preventPodSchedulingIfMissing !== true)) return false
    return csiNode?.spec.drivers?.some(({ name }) => name === driver) !== true
  }

function hasAttachable({ pod }: ParsedPod): boolean {
  return (pod.spec.volumes ?? []).some(isAttachable)
}

function wantedOf(
  { pod }: ParsedPod,
  state: LimitState,
  hasDrivers: boolean,
  migratesPortworx: boolean,
): CountedVolumes {
  const { objects } = state
  const count = () => volumesOf(pod, { objects, hasDrivers, migratesPortworx, isPlaced: false })
  if (!hasDrivers) {
    state.elsewhere ??= count()
    return state.elsewhere
  }
  if (migratesPortworx) {
    state.onDrivers ??= count()
    return state.onDrivers
  }
  state.withoutPortworx ??= count()
  return state.withoutPortworx
}

function checkLimits(
  wanted: readonly DriverVolume[],
  limits: ReadonlyMap<string, number>,
  node: NodeState,
  state: LimitState,
  volumesOfPlaced: (pod: Pod) => CountedVolumes,
): PluginStatus {
  const present = new Set<string>()
  const counts = new Map<string, number>()
  const add = ({ name, driver }: DriverVolume): void => {
    if (present.has(name)) return
    present.add(name)
    counts.set(driver, (counts.get(driver) ?? 0) + 1)
  }
  for (const { pod } of node.pods) {
    const volumes = volumesOfPlaced(pod)
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

function statusOf({ kind, message }: CountProblem): PluginStatus {
  return kind === 'missing' ? unresolvable(message) : failure(message)
}
