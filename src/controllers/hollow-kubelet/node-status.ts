import { findCondition } from '../../api/conditions.ts'
import type { Node, NodeCondition, NodeStatus } from '../../api/objects/node.ts'
import type { ResourceList } from '../../api/objects/pod.ts'
import { isExtendedResource } from '../../api/resource-names.ts'
import { labels } from '../../api/well-known.ts'
import { hollowAnnotations } from './hollow-names.ts'

export const pressures = ['memory', 'disk', 'pid'] as const
export type Pressure = (typeof pressures)[number]

/** The report of a kubelet about its node. */
export interface NodeReport {
  readonly pressures: ReadonlySet<Pressure>
  /** The reason why the node is not ready; undefined if it is ready. */
  readonly notReady?: string
}

export const healthy: NodeReport = { pressures: new Set() }

export function isPressure(text: string): text is Pressure {
  return (pressures as readonly string[]).includes(text)
}

type Said = Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>

const said = (type: string, status: 'True' | 'False', reason: string, message: string): Said => ({
  type,
  status,
  reason,
  message,
})

// v1.36, kubelet nodestatus: the reasons and messages of its setters.
const pressureConditions: Readonly<Record<Pressure, { readonly on: Said; readonly off: Said }>> = {
  memory: {
    on: said('MemoryPressure', 'True', 'KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'),
    off: said('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  },
  disk: {
    on: said('DiskPressure', 'True', 'KubeletHasDiskPressure', 'kubelet has disk pressure'),
    off: said('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  },
  pid: {
    on: said('PIDPressure', 'True', 'KubeletHasInsufficientPID', 'kubelet has insufficient PID available'),
    off: said('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  },
}

export function conditionsOf({ pressures: pressed, notReady }: NodeReport): readonly Said[] {
  const ready =
    notReady === undefined
      ? said('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status')
      : said('Ready', 'False', 'KubeletNotReady', notReady)
  return [...pressures.map((kind) => pressureConditions[kind][pressed.has(kind) ? 'on' : 'off']), ready]
}

/** The last report of a kubelet, from the conditions of a node that a real kubelet has reported on. */
export function reportFound(node: Node): NodeReport | undefined {
  const conditions = node.status?.conditions
  const ready = findCondition(conditions, 'Ready')
  if (ready === undefined || ready.status === 'Unknown') return undefined
  const pressed = pressures.filter((kind) => {
    return findCondition(conditions, pressureConditions[kind].on.type)?.status === 'True'
  })
  return {
    pressures: new Set(pressed),
    ...(ready.status === 'False' ? { notReady: ready.message ?? 'the kubelet is not ready' } : {}),
  }
}

export interface NodeDefaults {
  readonly capacity: ResourceList
  readonly kubeletVersion: string
}

/** `version`: the release of the kubelet, for example 1.36.4. */
export function nodeDefaults(version: string): NodeDefaults {
  return {
    capacity: { cpu: '8', memory: '32Gi', 'ephemeral-storage': '100Gi', pods: '110' },
    kubeletVersion: `v${version}`,
  }
}

/**
 * The status to post, as a patch; undefined if nothing changed and no heartbeat is due. A heartbeat repeats all
 * conditions with the current time.
 */
export function decideNodeStatus({
  node,
  report,
  now,
  heartbeatDue,
  takeAddresses,
  defaults,
}: {
  readonly node: Node
  readonly report: NodeReport
  /** In the format of Kubernetes. */
  readonly now: string
  readonly heartbeatDue: boolean
  readonly takeAddresses: () => readonly string[]
  readonly defaults: NodeDefaults
}): NodeStatus | undefined {
  const status = node.status ?? {}
  const patch: { -readonly [K in keyof NodeStatus]: NodeStatus[K] } = {}
  const conditions: NodeCondition[] = []
  for (const condition of conditionsOf(report)) {
    const old = findCondition(status.conditions, condition.type)
    const isSame = old?.status === condition.status
    if (isSame && !heartbeatDue) continue
    // While the status does not change, the reason and message of a real kubelet are kept.
    const kept = isSame ? { reason: old.reason, message: old.message } : {}
    const since = (isSame ? old.lastTransitionTime : undefined) ?? now
    conditions.push({ ...condition, ...kept, lastHeartbeatTime: now, lastTransitionTime: since } as NodeCondition)
  }
  if (conditions.length > 0) patch.conditions = conditions
  if (status.capacity === undefined) patch.capacity = status.allocatable ?? defaults.capacity
  if (status.allocatable === undefined) patch.allocatable = status.capacity ?? defaults.capacity
  else {
    const carried = carriedResources(status.capacity ?? {}, status.allocatable)
    if (carried !== undefined) patch.allocatable = carried
  }
  if ((status.addresses?.length ?? 0) === 0) {
    patch.addresses = [
      ...takeAddresses().map((address) => ({ type: 'InternalIP', address })),
      { type: 'Hostname', address: node.metadata.labels?.[labels.hostname] ?? node.metadata.name },
    ]
  }
  if ((status.nodeInfo?.['kubeletVersion'] ?? '') === '') patch.nodeInfo = nodeInfo(node, defaults)
  return Object.keys(patch).length === 0 ? undefined : patch
}

/** Extended resources are allocatable if the node has them (v1.36, kubelet nodestatus, MachineInfo). */
function carriedResources(capacity: ResourceList, allocatable: ResourceList): ResourceList | undefined {
  let carried: Record<string, string> | undefined
  for (const [name, amount] of Object.entries(capacity)) {
    if (!isExtendedResource(name) || allocatable[name] !== undefined) continue
    carried ??= {}
    carried[name] = amount as string
  }
  return carried
}

function nodeInfo({ metadata }: Node, { kubeletVersion }: NodeDefaults): NonNullable<NodeStatus['nodeInfo']> {
  const id = (metadata.uid ?? '').replaceAll('-', '')
  return {
    architecture: metadata.labels?.[labels.arch] ?? 'amd64',
    operatingSystem: metadata.labels?.[labels.os] ?? 'linux',
    kubeletVersion,
    kubeProxyVersion: '',
    containerRuntimeVersion: 'hollow://1.0.0',
    kernelVersion: '0.0.0-hollow',
    osImage: 'berth hollow node',
    bootID: metadata.uid ?? '',
    machineID: id,
    systemUUID: metadata.uid ?? '',
  }
}

/** The report that the annotations of a node request; undefined if there are none. */
export function annotatedReport({ metadata: { annotations } }: Node): NodeReport | undefined {
  const pressed = annotations?.[hollowAnnotations.pressure]
  const notReady = annotations?.[hollowAnnotations.notReady]
  if (pressed === undefined && notReady === undefined) return undefined
  const pressures = (pressed ?? '').split(',').map((word) => word.trim().toLowerCase())
  return {
    pressures: new Set<Pressure>(pressures.filter(isPressure)),
    ...(notReady === undefined ? {} : { notReady }),
  }
}

/** Reports whether the kubelet of the node has written a status. */
export function hasReported(node: Node): boolean {
  return (node.status?.addresses?.length ?? 0) > 0
}
