import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import type { ClusterState, NodeState, ParsedPod } from '../../contract/contract.ts'
import type { DeviceRefusal } from '../../devices/allocation-search.ts'
import { deviceFeaturesOf } from '../../devices/device-features.ts'
import { answerFor, readClaims } from './claim-state.ts'

/** The reason why a device of a node is not available for a request. */
export type DeviceCause =
  | Exclude<DeviceRefusal, { readonly kind: 'inUse' }>
  /** The claims that hold the device; empty when another request of the same pod gets it. */
  | { readonly kind: 'inUse'; readonly holders: readonly DeviceClaim[] }

export interface DeviceClaim {
  /** `namespace/name`. */
  readonly claim: string
  /** The pods that the claim is reserved for. */
  readonly pods: readonly string[]
}

/** A request for which a node does not have enough devices, with the cause for each device that it does not get. */
export interface RequestDiagnosis {
  /** `namespace/name`. */
  readonly claim: string
  /** The name of the request, or `request/subrequest`. */
  readonly request: string
  /** The number of devices that it needs; `all` for all devices of the node. */
  readonly count: number | 'all'
  readonly devices: readonly { readonly device: string; readonly cause: DeviceCause }[]
}

// A backtracking search visits the same devices many times; this limit is enough to find the causes.
const maxSteps = 10_000

/**
 * The causes of a rejection by DynamicResources, from the search itself. Empty when the pod is not rejected for lack of
 * devices.
 */
export function diagnoseDevices(
  pod: ParsedPod,
  node: NodeState,
  cluster: Pick<ClusterState, 'devices'>,
  release: KubernetesRelease,
): readonly RequestDiagnosis[] {
  const { ledger } = cluster.devices
  const settings = { features: deviceFeaturesOf(release), maxSteps, bindingTimeoutMs: 600_000 }
  const state = readClaims(pod, cluster, settings)
  if ('code' in state) return []
  const open = state.claims.filter(({ status }) => status?.allocation === undefined)
  const found = new Map<string, Omit<RequestDiagnosis, 'devices'> & { devices: Map<string, DeviceCause> }>()
  const holdersOf = (device: string): readonly DeviceClaim[] =>
    ledger.holdersOf(device).map(({ claim }) => ({
      claim,
      pods: (ledger.get(claim)?.status?.reservedFor ?? []).map(({ name }) => `${claim.split('/')[0]}/${name}`),
    }))
  const { status } = answerFor(
    pod,
    node,
    state,
    settings,
    (index, { name, parent, wantsAll, numDevices }, { id }, refusal) => {
      const { namespace = '', name: claimName = '' } = open[index]?.metadata ?? {}
      const [claim, request] = [`${namespace}/${claimName}`, parent === undefined ? name : `${parent}/${name}`]
      const key = `${claim} ${request}`
      let entry = found.get(key)
      if (entry === undefined) {
        entry = { claim, request, count: wantsAll ? 'all' : numDevices, devices: new Map() }
        found.set(key, entry)
      }
      const cause = refusal.kind === 'inUse' ? { kind: refusal.kind, holders: holdersOf(id) } : refusal
      // Causes by devices of other requests are found repeatedly. The first cause is the device itself.
      if (!entry.devices.has(id)) entry.devices.set(id, cause)
    },
  )
  if (status.code === 'Success') return []
  return [...found.values()].map(({ devices, ...of }) => ({
    ...of,
    devices: [...devices].map(([device, cause]) => ({ device, cause })),
  }))
}

const shownDevices = 3

/** One sentence for each request: the number of devices that are not available, and the reasons. */
export function describeDiagnosis({ claim, request, count, devices }: RequestDiagnosis): string {
  const groups = new Map<string, string[]>()
  // Devices of other classes only matter if there are no others.
  const ofClass = devices.filter(({ cause }) => cause.kind !== 'selector' || !cause.ofClass)
  for (const { device, cause } of ofClass.length > 0 ? ofClass : devices) {
    const text = describeCause(cause)
    groups.set(text, [...(groups.get(text) ?? []), device])
  }
  const parts = [...groups].map(([text, names]) => {
    const more = names.length > shownDevices ? ` and ${names.length - shownDevices} more` : ''
    return `${names.slice(0, shownDevices).join(', ')}${more}: ${text}`
  })
  const needs = count === 1 ? '' : ` (needs ${count === 'all' ? 'all devices' : `${count} devices`})`
  return `claim ${claim}, request ${request}${needs}: ${parts.length === 0 ? 'no devices' : parts.join('; ')}`
}

/** A short form for tables: the number of devices by cause. */
export function summarizeDiagnosis({ request, count, devices }: RequestDiagnosis): string {
  const counts = new Map<string, number>()
  for (const { cause } of devices) counts.set(wordsOf(cause), (counts.get(wordsOf(cause)) ?? 0) + 1)
  const parts = [...counts].map(([words, count]) => `${count} ${words}`)
  const needs = count === 1 ? '' : ` needs ${count}`
  return `request ${request}${needs}: ${parts.length === 0 ? 'no devices' : parts.join(', ')}`
}

function wordsOf(cause: DeviceCause): string {
  switch (cause.kind) {
    case 'inUse':
      return cause.holders.length === 0 ? 'already selected' : 'taken'
    case 'selector':
      return cause.ofClass ? 'not of the class' : 'not selected'
    case 'otherNode':
      return 'on other nodes'
    case 'bindingConditions':
      return 'with binding conditions'
    case 'capacity':
      return 'without the capacity'
    case 'counters':
      return 'without shared counters'
    case 'tainted':
      return 'tainted'
    case 'constraint':
      return 'excluded by a constraint'
  }
}

function describeCause(cause: DeviceCause): string {
  switch (cause.kind) {
    case 'inUse': {
      if (cause.holders.length === 0) return 'already selected for this pod'
      return `taken by ${cause.holders.map(({ claim, pods }) => `claim ${claim}${ofPods(pods)}`).join(', ')}`
    }
    case 'selector':
      return `selector of the ${cause.ofClass ? 'class' : 'request'} is false: ${cause.expression}`
    case 'otherNode':
      return 'available on other nodes only'
    case 'bindingConditions':
      return 'has binding conditions, which are disabled'
    case 'capacity':
      return 'not enough capacity'
    case 'counters':
      return 'not enough of the counters that devices of the pool share'
    case 'tainted': {
      const { key, value, effect } = cause.taint
      return `taint ${key}${value === undefined ? '' : `=${value}`}:${effect} is not tolerated`
    }
    case 'constraint':
      return `constraint #${cause.index} of the claim is violated`
  }
}

function ofPods(pods: readonly string[]): string {
  return pods.length === 0 ? '' : ` of pod ${pods.join(', ')}`
}
