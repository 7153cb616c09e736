// Rows of the wire format by name: the only place in the browser that knows their cells.
import type { NodeRow, PodRow, PodStateCode } from '../../src/wire/console-wire.ts'
import type { QuietPrefix } from '../../src/wire/report-wire.ts'

export const N = {
  name: 0,
  zone: 1,
  cpuMilli: 2,
  memoryBytes: 3,
  maxPods: 4,
  health: 5,
  flags: 6,
  taints: 7,
  labels: 8,
  createdMs: 9,
  podCidrs: 10,
  kubelet: 11,
  devices: 12,
} as const

export const P = {
  key: 0,
  node: 1,
  state: 2,
  cpuMilli: 3,
  memoryBytes: 4,
  priority: 5,
  createdMs: 6,
  labels: 7,
  owner: 8,
  nominated: 9,
  graceEndsMs: 10,
  status: 11,
  restarts: 12,
  devices: 13,
} as const

/** Figures of nodes. */
export const F = { name: 0, price: 1, cpuMilli: 2, memoryBytes: 3 } as const

export const flags = {
  cordoned: 1,
  memoryPressure: 2,
  diskPressure: 4,
  pidPressure: 8,
  hollow: 16,
  silenced: 32,
  deleting: 64,
} as const

export const podState = {
  pending: 0,
  gated: 1,
  starting: 2,
  running: 3,
  notReady: 4,
  terminating: 5,
  succeeded: 6,
  failed: 7,
} as const satisfies Readonly<Record<string, PodStateCode>>

export const podStateNames = [
  'Pending',
  'Gated',
  'Starting',
  'Running',
  'Not ready',
  'Terminating',
  'Succeeded',
  'Failed',
] as const

const usualStatus = [
  'Pending',
  'SchedulingGated',
  'ContainerCreating',
  'Running',
  'Running',
  'Terminating',
  'Completed',
  'Failed',
] as const

/** The column STATUS of kubectl. */
export const statusOf = (pod: PodRow): string => pod[P.status] || usualStatus[pod[P.state]]

export const healthNames = ['Ready', 'Not ready', 'Unknown', 'New'] as const

/** Whether the pod uses resources of its node. */
export function holds(pod: PodRow): boolean {
  return pod[P.node] !== '' && pod[P.state] !== podState.succeeded && pod[P.state] !== podState.failed
}

export function has(node: NodeRow, flag: number): boolean {
  return (node[N.flags] & flag) !== 0
}

export function hasPressure(node: NodeRow): boolean {
  return has(node, flags.memoryPressure | flags.diskPressure | flags.pidPressure)
}

/** The prefix of Kubernetes' own taints is omitted where there is little room. */
export const shortTaint = (taint: string) => taint.replace(/^node\.kubernetes\.io\//, '')

export type TaintKind = 'none' | 'PreferNoSchedule' | 'NoSchedule' | 'NoExecute'

const effects: readonly TaintKind[] = ['NoExecute', 'NoSchedule', 'PreferNoSchedule']

/** The strongest effect of the node's taints. */
export function worstTaint(node: NodeRow): TaintKind {
  return effects.find((effect) => node[N.taints].some((taint) => taint.endsWith(`:${effect}`))) ?? 'none'
}

const quietPrefix: QuietPrefix = '(quiet)/'

/** A placeholder for a pod of a forecast's page without changes, whose name is not included. */
export const isQuiet = (key: string) => key.startsWith(quietPrefix)

export function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1)
}

export function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf('/')))
}

export function nodeStatus(node: NodeRow): string {
  const words: string[] = [healthNames[node[N.health]]]
  if (has(node, flags.cordoned)) words.push('cordoned')
  if (has(node, flags.memoryPressure)) words.push('memory pressure')
  if (has(node, flags.diskPressure)) words.push('disk pressure')
  if (has(node, flags.pidPressure)) words.push('PID pressure')
  if (has(node, flags.deleting)) words.push('being deleted')
  return words.join(', ')
}
