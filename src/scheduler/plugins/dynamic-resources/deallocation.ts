import type { Call } from '../../../api/call.ts'
import { updateStatusCall } from '../../../api/object-calls.ts'
import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { Random } from '../../../base/random.ts'
import {
  type Diagnosis,
  failure,
  keepNomination,
  type NodeState,
  type ParsedPod,
  type PluginStatus,
  type PostFilterContext,
  type PostFilterResult,
  skip,
  unschedulable,
} from '../../contract/contract.ts'
import { answerFor, type ClaimState, type DeviceSettings, readClaims } from './claim-state.ts'
import { inMemoryName } from './extended-resources.ts'
import { deletionOf } from './reservation.ts'

/** PostFilter: deallocates a claim that no other pod uses and that is not available where it is needed. */
export function deallocate(
  pod: ParsedPod,
  diagnosis: Diagnosis,
  { cluster, random, preFilterRan }: PostFilterContext,
  settings: DeviceSettings,
): PostFilterResult {
  const { minor } = settings.features
  // PreFilter of an earlier plugin rejected the pod, and PostFilter finds no state.
  if (!preFilterRan('DynamicResources')) return { status: failure('not found'), nominating: keepNomination }
  const silent = minor >= 37
  const state = diagnosis.preFilter === undefined ? readClaims(pod, cluster, settings) : skip
  if ('code' in state)
    return {
      ...rejected(silent ? undefined : 'no new claims to deallocate'),
      ...(state.code === 'Skip' ? { isRepeatable: true } : {}),
    }
  const rejectedBy = (node: string): string | undefined => diagnosis.statusOf(node).plugin
  const unavailable = unavailableClaims(pod, rejectedBy, cluster.nodes, state, settings)
  const release = releaseOf(pod, state, unavailable, random)
  if (release !== undefined) return rejected(release.reason, release.calls)
  return rejected(silent ? undefined : 'still not schedulable')
}

/** Deallocates one of the unavailable claims, or deletes the claim of an earlier cycle for extended resources. */
export function releaseOf(
  pod: ParsedPod,
  { claims, extended }: ClaimState,
  unavailable: ReadonlySet<number>,
  random: Random,
): { readonly reason: string; readonly calls: readonly Call[] } | undefined {
  const idle = [...unavailable].filter(
    (i) => claims[i] !== extended && isReservedOnlyFor(claims[i] as ResourceClaim, pod.uid),
  )
  const chosen = idle.length > 1 ? random.stream('deallocation').pick(idle) : idle[0]
  if (chosen !== undefined) {
    return {
      reason: 'deallocation of ResourceClaim completed',
      calls: [deallocationOf(claims[chosen] as ResourceClaim)],
    }
  }
  if (extended === undefined || extended.metadata.name === inMemoryName) return undefined
  return { reason: 'deletion of ResourceClaim completed', calls: deletionOf(extended) }
}

/** The claims that were not available on a node that passed all other filters before this plugin. */
export function unavailableClaims(
  pod: ParsedPod,
  rejectedBy: (node: string) => string | undefined,
  nodes: readonly NodeState[],
  state: ClaimState,
  settings: DeviceSettings,
): ReadonlySet<number> {
  const found = new Set<number>()
  if (!state.claims.some(({ status }) => status?.allocation !== undefined)) return found
  for (const node of nodes) {
    if (rejectedBy(node.name) !== 'DynamicResources') continue
    for (const i of answerFor(pod, node, state, settings).unavailable ?? []) found.add(i)
  }
  return found
}

/** Reports whether at most this consumer has reserved the claim. */
export function isReservedOnlyFor({ status }: ResourceClaim, uid: string | undefined): boolean {
  const reserved = status?.reservedFor ?? []
  return reserved.length === 0 || (reserved.length === 1 && reserved[0]?.uid === uid)
}

export function deallocationOf(claim: ResourceClaim): Call {
  return updateStatusCall('resourceclaims.resource.k8s.io', { ...claim, status: {} } as ResourceClaim)
}

function rejected(reason: string | undefined, calls: readonly Call[] = []): PostFilterResult {
  const status: PluginStatus = reason === undefined ? { code: 'Unschedulable', reasons: [] } : unschedulable(reason)
  return { status, nominating: keepNomination, ...(calls.length === 0 ? {} : { calls }) }
}
