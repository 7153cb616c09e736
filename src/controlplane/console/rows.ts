import { findCondition } from '../../api/conditions.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Event } from '../../api/objects/cluster.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Pod, Toleration } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { podRequests } from '../../api/pod-resources.ts'
import { podStateOf } from '../../api/pod-state.ts'
import { intValue, milliValue, quantityInt, quantityMilli } from '../../api/quantity.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { formatTaint } from '../../api/taints.ts'
import { parseTime } from '../../api/time.ts'
import { labels } from '../../api/well-known.ts'
import { hollowAnnotations, hollowLabel } from '../../controllers/hollow-kubelet/hollow-names.ts'
import { podStatus } from '../../registry/printed/pod.ts'
import type { EventRow, NodeFlagBits, NodeHealthCode, NodeRow, PodRow, PodStateCode } from '../../wire/console-wire.ts'

export const nodeFlags: NodeFlagBits = {
  cordoned: 1,
  memoryPressure: 2,
  diskPressure: 4,
  pidPressure: 8,
  hollow: 16,
  silenced: 32,
  deleting: 64,
}

export function nodeRow(node: Node, labelSet: number): NodeRow {
  const { metadata, spec, status } = node
  const allocatable = status?.allocatable ?? {}
  const row = [
    metadata.name,
    metadata.labels?.[labels.zone] ?? metadata.labels?.[labels.betaZone] ?? '',
    milliValue(allocatable['cpu']),
    intValue(allocatable['memory']),
    intValue(allocatable['pods']),
    healthOf(node),
    flagsOf(node),
    (spec?.taints ?? []).map(formatTaint),
    labelSet,
    parseTime(metadata.creationTimestamp) ?? 0,
    (spec?.podCIDRs ?? (spec?.podCIDR === undefined ? [] : [spec.podCIDR])).join(','),
  ] as const
  const kubelet = status?.nodeInfo?.kubeletVersion ?? ''
  const devices = extendedSum(Object.entries(allocatable).map(([name, amount]) => [name, intValue(amount)]))
  if (devices > 0) return [...row, kubelet, devices]
  return kubelet === '' ? row : [...row, kubelet]
}

/** Extended resources have a domain. Hugepages and attachable volumes of kubelets have no domain or kubernetes.io. */
function extendedSum(amounts: Iterable<readonly [string, number]>): number {
  let sum = 0
  for (const [name, amount] of amounts)
    if (name.includes('/') && !name.split('/', 1)[0]?.endsWith('kubernetes.io')) sum += amount
  return sum
}

export function healthOf(node: Node): NodeHealthCode {
  const ready = findCondition(node.status?.conditions, 'Ready')?.status
  if (ready === 'True') return 0
  if (ready === 'False') return 1
  return ready === 'Unknown' ? 2 : 3
}

function flagsOf({ metadata, spec, status }: Node): number {
  const has = (type: string) => findCondition(status?.conditions, type)?.status === 'True'
  return (
    (spec?.unschedulable === true ? nodeFlags.cordoned : 0) |
    (has('MemoryPressure') ? nodeFlags.memoryPressure : 0) |
    (has('DiskPressure') ? nodeFlags.diskPressure : 0) |
    (has('PIDPressure') ? nodeFlags.pidPressure : 0) |
    (metadata.labels?.[hollowLabel] === undefined ? 0 : nodeFlags.hollow) |
    (metadata.annotations?.[hollowAnnotations.silent] === 'true' ? nodeFlags.silenced : 0) |
    (metadata.deletionTimestamp === undefined ? 0 : nodeFlags.deleting)
  )
}

/** The constant columns of a pod are computed once for each spec. */
interface PodConstants {
  readonly cpuMilli: number
  readonly memoryBytes: number
  readonly devices: number
}

const constants = new WeakMap<Pod['spec'], PodConstants>()

function constantsOf(pod: Pod): PodConstants {
  let known = constants.get(pod.spec)
  if (known === undefined) {
    const requests = podRequests(pod)
    const cpu = requests.get('cpu')
    const memory = requests.get('memory')
    known = {
      cpuMilli: cpu === undefined ? 0 : quantityMilli(cpu),
      memoryBytes: memory === undefined ? 0 : quantityInt(memory),
      devices: extendedSum([...requests].map(([name, amount]) => [name, quantityInt(amount)])),
    }
    constants.set(pod.spec, known)
  }
  return known
}

/** The status that follows from the state. It is not sent. */
const usualStatus: readonly string[] = [
  'Pending',
  'SchedulingGated',
  'ContainerCreating',
  'Running',
  'Running',
  'Terminating',
  'Completed',
  'Failed',
]

export function podRow(pod: Pod, labelSet: number, release: KubernetesRelease): PodRow {
  const { metadata, spec, status } = pod
  const state = podState(pod)
  const printed = podStatus(pod, release)
  const shown = printed.text === usualStatus[state] ? '' : printed.text
  const owner = controllerOf(pod)
  const { cpuMilli, memoryBytes, devices } = constantsOf(pod)
  const row = [
    keyOf(pod),
    spec.nodeName ?? '',
    state,
    cpuMilli,
    memoryBytes,
    spec.priority ?? 0,
    parseTime(metadata.creationTimestamp) ?? 0,
    labelSet,
    owner === undefined ? '' : `${owner.kind}/${owner.name}`,
    status?.nominatedNodeName ?? '',
    parseTime(metadata.deletionTimestamp) ?? 0,
  ] as const
  if (devices > 0) return [...row, shown, printed.restarts, devices]
  if (printed.restarts > 0) return [...row, shown, printed.restarts]
  return shown === '' ? row : [...row, shown]
}

const stateCodes = { starting: 2, running: 3, notReady: 4, terminating: 5 } as const

export function podState(pod: Pod): PodStateCode {
  const state = podStateOf(pod)
  if (state === 'ended') return pod.status?.phase === 'Succeeded' ? 6 : 7
  if (state === 'pending') return (pod.spec.schedulingGates?.length ?? 0) > 0 ? 1 : 0
  return stateCodes[state]
}

export function eventRow(event: Event, now: number): EventRow {
  const { involvedObject, series } = event
  const at =
    parseTime(series?.lastObservedTime) ??
    parseTime(event.lastTimestamp ?? undefined) ??
    parseTime(event.eventTime ?? undefined) ??
    parseTime(event.metadata.creationTimestamp) ??
    now
  const { namespace, name = '' } = involvedObject
  return [
    at,
    event.type ?? 'Normal',
    event.reason ?? '',
    involvedObject.kind ?? '',
    namespace === undefined || namespace === '' || involvedObject.kind === 'Node' ? name : `${namespace}/${name}`,
    event.message ?? '',
    series?.count ?? event.count ?? 1,
    event.reportingComponent || (event.source?.component ?? ''),
  ]
}

export function tolerationText({ key, operator, value, effect, tolerationSeconds }: Toleration): string {
  const what = key === undefined || key === '' ? 'every taint' : key
  const equals = operator === 'Exists' || value === undefined || value === '' ? '' : `=${value}`
  const of = effect === undefined ? '' : `:${effect}`
  return `${what}${equals}${of}${tolerationSeconds === undefined ? '' : ` for ${tolerationSeconds}s`}`
}

/** Rows of one table are equal if all their cells are equal. */
export function sameRow(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) {
    const x = a[at]
    const y = b[at]
    if (x === y) continue
    if (!Array.isArray(x) || !Array.isArray(y) || x.length !== y.length) return false
    if (x.some((cell, index) => cell !== y[index])) return false
  }
  return true
}
