import { compileNodeSelector, type NodeMatcher } from '../../../api/node-selector.ts'
import type { AllocationResult, ResourceClaim } from '../../../api/objects/devices.ts'
import type { ContainerExtendedResourceRequest } from '../../../api/objects/pod.ts'
import {
  type ClusterState,
  failure,
  type NodeState,
  ok,
  type ParsedPod,
  type PluginStatus,
  skip,
  unresolvable,
} from '../../contract/contract.ts'
import type { ObserveRefusal } from '../../devices/allocation-search.ts'
import type { DeviceFeatures } from '../../devices/device-features.ts'
import type { DeviceInventory } from '../../devices/device-inventory.ts'
import { bindingState } from './binding-conditions.ts'
import { extendedRequests, inMemoryClaim, resourcesFromDevices, usesDeviceClasses } from './extended-resources.ts'
import { podClaims } from './pod-claims.ts'

export interface DeviceSettings {
  readonly features: DeviceFeatures
  /** The number of steps after which the search for devices on a node stops. */
  readonly maxSteps: number
  readonly bindingTimeoutMs: number
}

/** The claims of a pod during a cycle. */
export interface ClaimState {
  readonly devices: DeviceInventory
  /** The claims that the pod lists, then the claim for its extended resources. */
  readonly claims: readonly ResourceClaim[]
  readonly extended: ResourceClaim | undefined
  /** The nodes on which allocated claims are available. */
  readonly availableOn: readonly (NodeMatcher | undefined)[]
  /** By claim: the allocation that a pod of the same group got in this cycle. */
  readonly shared: readonly (AllocationResult | undefined)[]
  /** Claims must be allocated. */
  readonly allocates: boolean
}

/** The devices of a node for a pod. */
export interface NodeAllocation {
  /** For each claim that must be allocated, in order. */
  readonly results: readonly AllocationResult[]
  readonly extendedClaim: ResourceClaim | undefined
  readonly mappings: readonly ContainerExtendedResourceRequest[]
}

const notAvailable = unresolvable('resourceclaim not available on the node')
const cannotAllocate = unresolvable('cannot allocate all claims')
const invalidPools = unresolvable('invalid resource pools were encountered')
const cannotFit = unresolvable('cannot fit resource')
const staleClaim = unresolvable('cannot schedule extended resource claim')

/** Reports whether the pod needs devices. */
export function needsDevices(pod: ParsedPod, devices: DeviceInventory, { extendedResources }: DeviceFeatures): boolean {
  const { resourceClaims } = pod.pod.spec
  if (resourceClaims !== undefined && resourceClaims.length > 0) return true
  return extendedResources && usesDeviceClasses(pod, devices.catalog)
}

/** PreFilter: `skip` for a pod without claims, a rejection for a pod whose claims are not ready. */
export function readClaims(
  pod: ParsedPod,
  { devices }: Pick<ClusterState, 'devices'>,
  settings: DeviceSettings,
): ClaimState | PluginStatus {
  const { features } = settings
  if (!needsDevices(pod, devices, features)) return skip
  const listed = podClaims(pod.pod, (key) => devices.ledger.get(key), features.workloadClaims)
  if ('problem' in listed) return unresolvable(listed.problem)
  const extended =
    features.extendedResources && usesDeviceClasses(pod, devices.catalog)
      ? (devices.ledger.extendedClaimOf(pod.uid) ?? inMemoryClaim(pod.pod))
      : undefined
  const claims = extended === undefined ? listed : [...listed, extended]
  if (claims.length === 0) return skip
  const availableOn: (NodeMatcher | undefined)[] = []
  const shared: (AllocationResult | undefined)[] = []
  let allocates = false
  for (const claim of claims) {
    const allocation = claim.status?.allocation
    const pending = allocation === undefined ? devices.ledger.sharedAllocation(claim.metadata.uid ?? '') : undefined
    // Up to v1.36, a pod may get a node on which the devices of its group are not available.
    const nodes = allocation?.nodeSelector ?? (features.minor >= 37 ? pending?.nodeSelector : undefined)
    const selector = nodes === undefined ? undefined : compileNodeSelector(nodes)
    if (selector !== undefined && selector.problems.length > 0) return failure(selector.problems.join(', '))
    availableOn.push(selector)
    shared.push(pending)
    if (allocation !== undefined) continue
    allocates = true
    if (pending !== undefined) continue
    const problem = whyNotAllocatable(claim, devices, features, claim === extended)
    if (problem !== undefined) return problem
  }
  return { devices, claims, extended, availableOn, shared, allocates }
}

function whyNotAllocatable(
  claim: ResourceClaim,
  { ledger, catalog }: DeviceInventory,
  { prioritizedList }: DeviceFeatures,
  isExtended: boolean,
): PluginStatus | undefined {
  const { namespace = '', name, uid = '' } = claim.metadata
  if (ledger.pendingAllocation(uid) !== undefined) {
    return unresolvable(`resource claim ${namespace}/${name} is in the process of being allocated`)
  }
  // The requests of the claim for extended resources depend on the node.
  if (isExtended) return undefined
  for (const request of claim.spec.devices?.requests ?? []) {
    const { exactly, firstAvailable = [] } = request
    if (exactly === undefined && firstAvailable.length === 0) {
      return unresolvable(`resource claim ${namespace}/${name}, request ${request.name}: unknown request type`)
    }
    if (exactly === undefined && !prioritizedList) {
      return unresolvable(
        `resource claim ${namespace}/${name}, request ${request.name}: has subrequests, but the DRAPrioritizedList feature is disabled`,
      )
    }
    const wanted: readonly (readonly [string, string])[] =
      exactly === undefined
        ? firstAvailable.map((sub) => [`${request.name}/${sub.name}`, sub.deviceClassName])
        : [[request.name, exactly.deviceClassName]]
    for (const [of, className] of wanted) {
      if (className === '') return failure(`request ${of}: unsupported request type`)
      if (catalog.class(className) !== undefined) continue
      return unresolvable(`request ${of}: device class ${className} does not exist`)
    }
  }
  return undefined
}

/** The answer of Filter for a node: the allocation, or the rejection with the claims that are not available there. */
export type NodeAnswer =
  | { readonly status: PluginStatus; readonly allocation?: NodeAllocation; readonly unavailable?: undefined }
  | { readonly status: PluginStatus; readonly allocation?: undefined; readonly unavailable: readonly number[] }

const fits: NodeAnswer = { status: ok }

/** Filter: whether allocated claims are available on the node, and the others can be allocated there. */
export function answerFor(
  pod: ParsedPod,
  node: NodeState,
  state: ClaimState,
  settings: DeviceSettings,
  observe?: ObserveRefusal,
): NodeAnswer {
  const { claims, extended, devices } = state
  const special = extendedClaimOn(pod, node, state)
  if ('status' in special) return special
  const hasListed = claims.length > (extended === undefined ? 0 : 1)
  if (special.claim === undefined && !hasListed) return fits
  const unavailable = unavailableOn(node, state, settings)
  const toAllocate = claims
    .filter(({ status }, i) => status?.allocation === undefined && state.shared[i] === undefined)
    .map((claim) => (claim === extended && special.claim !== undefined ? special.claim : claim))
  let results: readonly AllocationResult[] = []
  if (state.allocates) {
    const { features, maxSteps } = settings
    const found = devices.allocate({
      ...{ node: node.node, claims: toAllocate, features, maxSteps },
      ...(observe === undefined ? {} : { observe }),
    })
    switch (found.kind) {
      case 'allocated':
        // As in upstream, shared allocations come last, regardless of the order of the claims.
        results = [...found.results, ...state.shared.filter((one) => one !== undefined)]
        break
      case 'none':
        return { status: cannotAllocate }
      case 'invalidPools':
        return { status: invalidPools }
      case 'error':
        return { status: failure(found.message) }
      case 'timeout':
        return { status: timedOut(node.name, features) }
    }
  }
  if (unavailable.length > 0) return { status: notAvailable, unavailable }
  return { status: ok, allocation: { results, extendedClaim: special.claim, mappings: special.mappings } }
}

function timedOut(node: string, { minor }: DeviceFeatures): PluginStatus {
  const message = 'timed out trying to allocate devices'
  return minor >= 36 ? failure(`node ${node}: ${message}`) : unresolvable(message)
}

interface SpecialClaim {
  readonly claim: ResourceClaim | undefined
  readonly mappings: readonly ContainerExtendedResourceRequest[]
}

const noSpecialClaim: SpecialClaim = { claim: undefined, mappings: [] }

/** The claim for the extended resources that devices must provide on this node (filterExtendedResources). */
function extendedClaimOn(pod: ParsedPod, node: NodeState, state: ClaimState): SpecialClaim | NodeAnswer {
  const { extended, claims, devices } = state
  if (extended === undefined) return noSpecialClaim
  // A claim of an earlier attempt may no longer match; PostFilter deletes it.
  if (extended.spec.devices?.requests !== undefined) return { status: staleClaim }
  const resources = resourcesFromDevices(pod, node, devices.catalog)
  if (resources === undefined) return { status: cannotFit }
  if (claims.length === 1 && resources.size === 0) return noSpecialClaim
  const { requests, mappings } = extendedRequests(pod.pod, resources, devices.catalog)
  const claim = requests.length === 0 ? extended : { ...extended, spec: { devices: { requests } } }
  return { claim, mappings }
}

/** The indices of allocated claims that the pod cannot use on this node. */
function unavailableOn(node: NodeState, state: ClaimState, settings: DeviceSettings): readonly number[] {
  const { labels, name } = node.node.metadata
  const found: number[] = []
  state.claims.forEach((claim, i) => {
    const selector = state.availableOn[i]
    if (selector !== undefined && !selector.matches(labels, name)) found.push(i)
    else if (claim.status?.allocation !== undefined && settings.features.bindingConditions) {
      const { kind } = bindingState(claim, settings.bindingTimeoutMs, state.devices.wall)
      if (kind === 'failed' || kind === 'timedOut') found.push(i)
    }
  })
  return found
}
