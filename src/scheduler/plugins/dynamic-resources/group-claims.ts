import type { Call } from '../../../api/call.ts'
import { objectKey } from '../../../api/object-key.ts'
import type { ResourceClaim } from '../../../api/objects/devices.ts'
import type { PodGroup } from '../../../api/objects/groups.ts'
import { claimNameOfGroup, foreignToGroup, isReservedForPod } from '../../../api/pod-claims.ts'
import type { Random } from '../../../base/random.ts'
import {
  failure,
  type GroupMember,
  type GroupPostFilter,
  type GroupPostFilterContext,
  type ParsedPod,
  type PluginStatus,
  unschedulable,
} from '../../contract/contract.ts'
import { type ClaimState, type DeviceSettings, readClaims } from './claim-state.ts'
import { deallocationOf, isReservedOnlyFor, releaseOf, unavailableClaims } from './deallocation.ts'
import { unreserveCall } from './reservation.ts'

/** The claims of a member, and those that were not available on a node that passed all other filters. */
interface SeenClaims {
  readonly state: ClaimState | undefined
  readonly unavailable: ReadonlySet<number>
}

const noClaims: SeenClaims = { state: undefined, unavailable: new Set() }

/**
 * Releases claims of a pod group that does not fit, so that its next cycle can choose other devices (v1.37,
 * dynamicresources PodGroupPostFilter). Composite groups and groups that are placed by topology keep their claims.
 */
export function groupClaims(settings: DeviceSettings): GroupPostFilter {
  return {
    appliesTo: (group, { placesByTopology }) => !(placesByTopology && group.spec.schedulingConstraints !== undefined),
    observe(pod, rejectedBy, cluster): SeenClaims {
      const state = readClaims(pod, cluster, settings)
      if ('code' in state) return noClaims
      return { state, unavailable: unavailableClaims(pod, rejectedBy, cluster.nodes, state, settings) }
    },
    conclude(members, context) {
      if (members.length === 0) return { status: failure('not found'), calls: [] }
      const calls: Call[] = []
      let keepsAny = false
      for (const { pod, seen } of members as readonly GroupMember<SeenClaims>[]) {
        const release = releaseFor(pod, seen, context.random)
        if (release === undefined) keepsAny = true
        else calls.push(...release)
      }
      if (keepsAny && settings.features.workloadClaims && !context.hasScheduledPods) {
        const ofGroup = releaseOfGroup(members as readonly GroupMember<SeenClaims>[], context)
        if (ofGroup !== undefined) return { status: ofGroup.status, calls: [...calls, ofGroup.call] }
      }
      return { status: unschedulable('deallocation and deletion of ResourceClaims completed'), calls }
    },
  }
}

function releaseFor(pod: ParsedPod, { state, unavailable }: SeenClaims, random: Random): readonly Call[] | undefined {
  return state === undefined ? undefined : releaseOf(pod, state, unavailable, random)?.calls
}

/** Deallocates one claim that only the group has reserved, else removes its reservation from one (deallocatePodGroupClaims). */
function releaseOfGroup(
  members: readonly GroupMember<SeenClaims>[],
  { group, cluster, random }: GroupPostFilterContext,
): { readonly status: PluginStatus; readonly call: Call } | undefined {
  const idle = new Map<string, ResourceClaim>()
  for (const { seen } of members) {
    for (const i of seen.unavailable) {
      const claim = seen.state?.claims[i] as ResourceClaim
      if (isReservedOnlyFor(claim, group.metadata.uid)) idle.set(claim.metadata.name, claim)
    }
  }
  const found = [...idle.values()]
  const chosen = found.length > 1 ? random.stream('deallocation').pick(found) : found[0]
  if (chosen !== undefined) {
    const status = unschedulable('deallocation of PodGroup ResourceClaim completed')
    return { status, call: deallocationOf(chosen) }
  }
  const reserved = claimsOf(group, (key) => cluster.objects.get('resourceclaims.resource.k8s.io', key)).find(
    (claim) =>
      claim.status?.allocation !== undefined && isReservedForPod((members[0] as GroupMember).pod.pod, claim, true),
  )
  if (reserved === undefined) return undefined
  const status = unschedulable('ResourceClaim unreserved for PodGroup')
  return { status, call: unreserveCall(reserved, group.metadata.uid ?? '') }
}

function claimsOf(group: PodGroup, claimAt: (key: string) => ResourceClaim | undefined): readonly ResourceClaim[] {
  return (group.spec.resourceClaims ?? []).flatMap((entry) => {
    const named = claimNameOfGroup(group, entry)
    const claim = named.kind === 'named' ? claimAt(objectKey(group.metadata.namespace, named.name)) : undefined
    if (named.kind !== 'named' || claim === undefined) return []
    return named.isGenerated && foreignToGroup(group, claim) !== undefined ? [] : [claim]
  })
}
