import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceClass,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from '../../api/objects/devices.ts'
import type { Node, NodeSelector, NodeSelectorRequirement } from '../../api/objects/node.ts'
import { formatQuantity } from '../../api/quantity.ts'
import { AllocationSearch, type ChosenDevice, maxDevicesPerClaim, type ObserveRefusal, SearchTimeout } from './allocation-search.ts' // biome-ignore format: one line
import { type AttributeConstraint, createConstraint } from './attribute-constraints.ts'
import type { DeviceUsage } from './claim-ledger.ts'
import type { DeviceFeatures } from './device-features.ts'
import type { DevicePool } from './device-pools.ts'
import type { DeviceSelectors } from './device-selectors.ts'
import { AllocationFailure, type ClaimRequests, claimName, type RequestData, readRequest, requestName } from './request-data.ts' // biome-ignore format: one line

export interface AllocationInput {
  readonly node: Node
  readonly claims: readonly ResourceClaim[]
  readonly pools: readonly DevicePool[] | { readonly error: string }
  readonly usage: DeviceUsage
  readonly classOf: (name: string) => DeviceClass | undefined
  readonly selectors: DeviceSelectors
  readonly features: DeviceFeatures
  readonly maxSteps: number
  readonly observe?: ObserveRefusal
}

export type Allocation =
  /** One result per claim, in order. Shares have no ids yet. */
  | { readonly kind: 'allocated'; readonly results: readonly AllocationResult[] }
  | { readonly kind: 'none' }
  /** No devices were found, and some pools of this node cannot be used. */
  | { readonly kind: 'invalidPools' }
  /** An error in a claim, class or slice. */
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'timeout' }

/** Finds devices for claims on one node (v1.36, dynamic-resource-allocation/structured Allocate). */
export function allocate(input: AllocationInput): Allocation {
  const { pools } = input
  if ('error' in pools) return { kind: 'error', message: `gather pool information: ${pools.error}` }
  try {
    return search(input, pools)
  } catch (error) {
    if (error instanceof AllocationFailure) return { kind: 'error', message: error.message }
    if (error instanceof SearchTimeout) return { kind: 'timeout' }
    throw error
  }
}

function search(input: AllocationInput, pools: readonly DevicePool[]): Allocation {
  const { node, usage, selectors, features, maxSteps, observe, classOf } = input
  const claims: ClaimRequests[] = input.claims.map((claim) => ({ claim, requests: [], selected: [] }))
  const constraints: AttributeConstraint[][] = claims.map(() => [])
  const found = new AllocationSearch({
    ...{ node, pools, usage, selectors, features, claims, constraints, maxSteps },
    ...(observe === undefined ? {} : { observe }),
  })
  for (const [i, one] of claims.entries()) {
    readClaim(found, i, one, classOf, features)
    constraints[i]?.push(...readConstraints(one.claim, features))
  }
  if (found.run()) {
    const results = claims.map((claim, i) => resultOf(claim, found.results[i] as ChosenDevice[], node, features))
    return { kind: 'allocated', results }
  }
  const invalid = features.minor >= 35 && pools.some(({ invalidReason }) => invalidReason !== undefined)
  return invalid ? { kind: 'invalidPools' } : { kind: 'none' }
}

/** Reads the requests of a claim and checks that the number of devices is not too large. */
function readClaim(
  found: AllocationSearch,
  index: number,
  { claim, requests, selected }: ClaimRequests,
  classOf: AllocationInput['classOf'],
  features: DeviceFeatures,
): void {
  let total = 0
  for (const request of claim.spec.devices?.requests ?? []) {
    const alternatives: RequestData[] = []
    for (const data of readRequest(claim, request, classOf, features)) {
      const [first] = alternatives
      alternatives.push(data)
      if (!data.wantsAll) continue
      // Up to v1.35 the second subrequest gets the answers that selectors gave for the first one.
      const confused = features.minor < 36 && alternatives.length === 2 && first?.wantsAll === true
      const asked = confused ? { ...data, selectors: first.selectors, class: first.class } : data
      data.allDevices = found.findAll(index, asked)
      data.numDevices = data.allDevices.length
    }
    ;(requests as RequestData[][]).push(alternatives)
    selected.push(0)
    const fewest = Math.min(...alternatives.map(({ numDevices }) => numDevices))
    if (features.minor >= 37 && fewest > maxDevicesPerClaim - total) {
      throw new AllocationFailure(
        `claim ${claimName(claim)}, request ${request.name}: adding ${fewest} devices exceeds the claim limit of ${maxDevicesPerClaim}, with ${total} already accounted for`,
      )
    }
    total += fewest
  }
  if (total > maxDevicesPerClaim) {
    throw new AllocationFailure(
      `claim ${claimName(claim)}: number of requested devices ${total} exceeds the claim limit of ${maxDevicesPerClaim}`,
    )
  }
}

function readConstraints(claim: ResourceClaim, features: DeviceFeatures): readonly AttributeConstraint[] {
  return (claim.spec.devices?.constraints ?? []).map((constraint, i) => {
    const created = createConstraint(constraint, features)
    if (created !== undefined) return created
    throw new AllocationFailure(
      `claim ${claimName(claim)}, constraint #${i}: empty constraint (unsupported constraint type?)`,
    )
  })
}

function resultOf(
  claim: ClaimRequests,
  chosen: readonly ChosenDevice[],
  node: Node,
  features: DeviceFeatures,
): AllocationResult {
  const config = configOf(claim, features)
  const nodeSelector = nodeSelectorOf(chosen, node.metadata.name, features)
  return {
    devices: {
      ...(chosen.length === 0 ? {} : { results: chosen.map((one) => deviceResult(one, features)) }),
      ...(config.length === 0 ? {} : { config }),
    },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  }
}

function deviceResult(
  { device, request, consumed, isShare }: ChosenDevice,
  features: DeviceFeatures,
): DeviceRequestAllocationResult {
  const { bindingConditions, bindingFailureConditions } = features.bindingConditions ? device.device : {}
  const { pool } = device.slice.spec
  const tolerations = features.minor >= 35 && (request.tolerations?.length ?? 0) > 0 ? request.tolerations : undefined
  return {
    request: requestName(request),
    driver: device.driver,
    pool: pool.name,
    device: device.device.name,
    ...(request.adminAccess ? { adminAccess: true } : {}),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...(bindingConditions === undefined || bindingConditions.length === 0 ? {} : { bindingConditions }),
    ...(bindingFailureConditions === undefined || bindingFailureConditions.length === 0
      ? {}
      : { bindingFailureConditions }),
    ...(isShare ? { shareID: '' } : {}),
    ...(consumed === undefined || consumed.size === 0
      ? {}
      : { consumedCapacity: Object.fromEntries([...consumed].map(([name, q]) => [name, formatQuantity(q)])) }),
  }
}

/** The configuration of the classes, each once, and of the claim. */
function configOf(
  { claim, requests, selected }: ClaimRequests,
  features: DeviceFeatures,
): DeviceAllocationConfiguration[] {
  const chosen = requests.map((alternatives, i) => alternatives[selected[i] ?? 0] as RequestData)
  const config: { source: 'FromClass' | 'FromClaim'; requests?: string[]; opaque?: unknown }[] = []
  const ofClass = new Map<string, { requests?: string[] }[]>()
  for (const request of chosen) {
    const { name } = request.class.metadata
    const known = ofClass.get(name)
    if (known !== undefined) {
      for (const one of known) one.requests?.push(requestName(request))
      continue
    }
    const added = (request.class.spec.config ?? []).map((one) => ({
      source: 'FromClass' as const,
      requests: [requestName(request)],
      ...one,
    }))
    config.push(...added)
    ofClass.set(name, added)
  }
  for (const { requests: names = [], ...rest } of claim.spec.devices?.config ?? []) {
    const entry = { source: 'FromClaim' as const, ...(names.length === 0 ? {} : { requests: [...names] }), ...rest }
    const matching = names.length === 0 ? 1 : chosen.filter((request) => isNamed(names, request)).length
    // Before v1.37 there is an entry for each request that matches.
    for (let i = 0; i < (features.minor >= 37 ? Math.min(matching, 1) : matching); i++) config.push({ ...entry })
  }
  if (features.minor >= 37) {
    for (const one of config) {
      const { requests: names } = one
      if (names !== undefined && chosen.every((request) => isNamed(names, request))) delete one.requests
    }
  }
  return config as DeviceAllocationConfiguration[]
}

function isNamed(names: readonly string[], request: RequestData): boolean {
  return names.includes(request.parent ?? request.name) || names.includes(requestName(request))
}

/** The nodes on which the devices are available; undefined: all nodes (createNodeSelector). */
function nodeSelectorOf(
  chosen: readonly ChosenDevice[],
  nodeName: string,
  features: DeviceFeatures,
): NodeSelector | undefined {
  const matchFields: NodeSelectorRequirement[] = []
  const matchExpressions: NodeSelectorRequirement[] = []
  for (const { device } of chosen) {
    const { spec } = device.slice
    const from = spec.perDeviceNodeSelection === true ? device.device : spec
    if (from.nodeName !== undefined || (features.bindingConditions && device.device.bindsToNode === true)) {
      const only: NodeSelectorRequirement = { key: 'metadata.name', operator: 'In', values: [nodeName] }
      return { nodeSelectorTerms: [{ matchFields: [only] }] }
    }
    const terms = from.nodeSelector?.nodeSelectorTerms ?? []
    if (terms.length > 1) {
      throw new AllocationFailure(`unsupported ResourceSlice.NodeSelector with ${terms.length} terms`)
    }
    addNew(terms[0]?.matchFields, matchFields)
    addNew(terms[0]?.matchExpressions, matchExpressions)
  }
  if (matchFields.length === 0 && matchExpressions.length === 0) return undefined
  return {
    nodeSelectorTerms: [
      {
        ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
        ...(matchFields.length === 0 ? {} : { matchFields }),
      },
    ],
  }
}

function addNew(from: readonly NodeSelectorRequirement[] | undefined, to: NodeSelectorRequirement[]): void {
  for (const one of from ?? []) {
    const values = new Set(one.values)
    const isKnown = to.some(
      (other) =>
        other.key === one.key &&
        other.operator === one.operator &&
        new Set(other.values).size === values.size &&
        (other.values ?? []).every((value) => values.has(value)),
    )
    if (!isKnown) to.push(one)
  }
}
