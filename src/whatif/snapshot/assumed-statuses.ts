import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { formatTime } from '../../api/time.ts'
import { nodeDefaults } from '../../controllers/hollow-kubelet/node-status.ts'
import type { ForecastNote } from '../report/forecast.ts'
import { counted } from '../report/phrases.ts'
import type { KindObjects } from './sorted-objects.ts'

/**
 * Completes nodes and pods without a status, as in manifests and in cleaned-up dumps: nodes become ready, and pods on
 * them run. Otherwise no node would be ready and no pod available.
 */
export function supplyStatuses(byResource: ReadonlyMap<string, KindObjects>, nowMs: number): readonly ForecastNote[] {
  const now = formatTime(nowMs)
  return [...nodeNotes(byResource.get('nodes')?.byKey, now), ...podNotes(byResource.get('pods')?.byKey)]
}

function nodeNotes(nodes: Map<string, KubeObject> = new Map(), now: string): readonly ForecastNote[] {
  let silent = 0
  for (const [key, object] of nodes) {
    const { status } = object as Node
    const allocatable = sizeOf(object as Node) ?? assumedSize
    const isReported = status?.conditions?.some(({ type }) => type === 'Ready') === true
    if (!isReported) silent++
    if (isReported && allocatable === status?.allocatable) continue
    const conditions = isReported
      ? status?.conditions
      : [...(status?.conditions ?? []), { ...ready, lastHeartbeatTime: now, lastTransitionTime: now }]
    nodes.set(key, { ...object, status: { ...status, allocatable, conditions } } as KubeObject)
  }
  if (silent === 0) return []
  return [
    { kind: 'assumed', text: `${counted(silent, 'node has', 'nodes have')} no condition Ready: assumed to be ready` },
  ]
}

/** The capacity of a hollow node. */
const assumedSize = nodeDefaults(defaultRelease.version).capacity

/** The size of nodes determines which pods fit, so an assumed size could change any answer. */
export function sizeNotes(nodes: Iterable<KubeObject>): readonly ForecastNote[] {
  let unsized = 0
  for (const node of nodes) if (sizeOf(node as Node) === undefined) unsized++
  if (unsized === 0) return []
  const { cpu, memory, pods } = assumedSize
  const size = `${cpu} CPUs, ${memory} of memory and ${pods} pods`
  const text = `${counted(unsized, 'node has', 'nodes have')} no allocatable resources: ${size} are assumed`
  return [{ kind: 'missing', about: 'status of Node', text, matters: true }]
}

function sizeOf({ status }: Node): NonNullable<Node['status']>['allocatable'] | undefined {
  return filled(status?.allocatable) ?? filled(status?.capacity)
}

const filled = <T extends object>(resources: T | undefined): T | undefined =>
  resources === undefined || Object.keys(resources).length === 0 ? undefined : resources

// The condition has no time, because startup times are learned from the times of conditions.
const ready = { type: 'Ready', status: 'True' } as const

function podNotes(pods: Map<string, KubeObject> = new Map()): readonly ForecastNote[] {
  let assumed = 0
  for (const [key, object] of pods) {
    const { spec, status } = object as Pod
    const isOn = spec.nodeName !== undefined && spec.nodeName !== ''
    if (status?.phase !== undefined && !(status.phase === 'Running' && status.conditions === undefined)) continue
    if (isOn) assumed++
    pods.set(key, {
      ...object,
      status: { ...status, ...(isOn ? { phase: 'Running', conditions: [ready] } : { phase: 'Pending' }) },
    } as KubeObject)
  }
  if (assumed === 0) return []
  return [
    {
      kind: 'assumed',
      text: `${counted(assumed, 'pod has', 'pods have')} a node but no status: assumed to be ready`,
    },
  ]
}
