import { deepEqual } from '../../api/equality.ts'
import { compileNodeSelector, type NodeMatcher } from '../../api/node-selector.ts'
import type { ResourceSlice } from '../../api/objects/devices.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { Node, NodeSelector } from '../../api/objects/node.ts'
import type { Quantity } from '../../api/quantity.ts'
import { type DeviceFeatures, triesPoolsInOrder } from './device-features.ts'
import { devicesOf, type PoolDevice, parseCounters, poolIdOf } from './pool-device.ts'

export type CounterSets = ReadonlyMap<string, ReadonlyMap<string, Quantity>>

/** A pool of devices as one node sees it. */
export interface DevicePool {
  /** `driver/pool`. */
  readonly id: string
  /** Slices are missing, or a newer generation is being published. */
  readonly isIncomplete: boolean
  readonly invalidReason: string | undefined
  /** In the order in which they are tried. */
  readonly devices: readonly PoolDevice[]
  /** Devices of the pool on other nodes, which may use the same counters. */
  readonly otherDevices: readonly PoolDevice[]
  readonly counterSets: CounterSets
}

/** The slices from which the pools of a node are gathered. */
export interface SliceSource {
  /** Slices of this node only. */
  ofNode(name: string): readonly ResourceSlice[]
  /** Slices that do not name a node. */
  readonly shared: readonly ResourceSlice[]
  ofPool(poolId: string): readonly ResourceSlice[]
}

const noCounters: CounterSets = new Map()

/**
 * The pools of a node (v1.36, structured GatherPools). A node selector that cannot be parsed is an error for the node.
 */
export function gatherPools(
  node: Node,
  source: SliceSource,
  features: DeviceFeatures,
): readonly DevicePool[] | { readonly error: string } {
  const found = new Map<string, ResourceSlice[]>()
  for (const slice of [...source.ofNode(node.metadata.name), ...source.shared]) {
    const relevant = isRelevant(slice, node, features)
    if (typeof relevant === 'object') return relevant
    if (relevant) addSlice(found, slice)
  }
  const pools: DevicePool[] = []
  for (const [id, slices] of found) {
    const pool = poolOf(id, slices, source.ofPool(id), features)
    if (pool !== undefined) pools.push(pool)
  }
  if (!triesPoolsInOrder(features)) return pools
  const binding = pools.filter(hasBindingConditions)
  const others = pools.filter((pool) => !hasBindingConditions(pool))
  return [...others.sort(byId), ...binding.sort(byId)]
}

function isRelevant(slice: ResourceSlice, node: Node, features: DeviceFeatures): boolean | { readonly error: string } {
  const { spec } = slice
  const hasCounters = (spec.sharedCounters?.length ?? 0) > 0
  if (!features.partitionableDevices) {
    if (spec.perDeviceNodeSelection !== undefined || (hasCounters && features.minor >= 35)) return false
  }
  // Counter sets apply to every node. From v1.37 on, they are gathered with the rest of the pool.
  if (hasCounters && features.minor < 37 && features.minor >= 35) return true
  if ((spec.nodeName ?? '') !== '' || spec.allNodes === true || spec.nodeSelector !== undefined) {
    const match = matchesNode(node, spec)
    return typeof match === 'boolean'
      ? match
      : { error: `failed to perform node selection for slice ${slice.metadata.name}: ${match.error}` }
  }
  if (spec.perDeviceNodeSelection !== true) return false
  for (const device of spec.devices ?? []) {
    const match = matchesNode(node, device)
    if (typeof match === 'object') {
      return { error: `failed to perform node selection for device ${device.name} in slice ${slice.metadata.name}: ${match.error}` } // biome-ignore format: one line
    }
    if (match) return true
  }
  return false
}

interface NodeSelection {
  readonly nodeName?: string
  readonly allNodes?: boolean
  readonly nodeSelector?: NodeSelector
}

const matchers = new WeakMap<NodeSelector, NodeMatcher>()

/** Reports whether a slice or device is available on a node (NodeMatches). */
export function matchesNode(
  node: Node,
  { nodeName, allNodes, nodeSelector }: NodeSelection,
): boolean | { readonly error: string } {
  if (nodeName !== undefined && nodeName !== '') return node.metadata.name === nodeName
  if (allNodes === true) return true
  if (nodeSelector === undefined) return false
  let matcher = matchers.get(nodeSelector)
  if (matcher === undefined) {
    matcher = compileNodeSelector(nodeSelector)
    matchers.set(nodeSelector, matcher)
  }
  const { problems } = matcher
  if (problems.length > 0) return { error: `failed to parse node selector: ${problems.join(', ')}` }
  return matcher.matches(node.metadata.labels, node.metadata.name)
}

function addSlice(pools: Map<string, ResourceSlice[]>, slice: ResourceSlice): void {
  const id = poolIdOf(slice.spec)
  const known = pools.get(id)
  const { generation } = slice.spec.pool
  const current = known?.[0]?.spec.pool.generation
  if (known === undefined || current === undefined || generation > current) pools.set(id, [slice])
  else if (generation === current) known.push(slice)
}

/** Undefined when a newer generation of the pool is published elsewhere. */
function poolOf(
  id: string,
  slices: readonly ResourceSlice[],
  ofPool: readonly ResourceSlice[],
  features: DeviceFeatures,
): DevicePool | undefined {
  const { generation, resourceSliceCount } = (slices[0] as ResourceSlice).spec.pool
  if (features.minor < 35) return oldPool(id, slices, slices.length !== resourceSliceCount)
  if (slices.length === resourceSliceCount) return buildPool(id, slices, [], features)
  if (ofPool.some((slice) => slice.spec.pool.generation > generation)) return undefined
  const all = ofPool.filter((slice) => slice.spec.pool.generation === generation)
  if (all.length !== resourceSliceCount) return emptyPool(id, { isIncomplete: true })
  const names = new Set(slices.map(({ metadata }) => metadata.name))
  const others = all.filter(({ metadata }) => !names.has(metadata.name))
  return buildPool(id, slices, others, features)
}

function buildPool(
  id: string,
  targeting: readonly ResourceSlice[],
  others: readonly ResourceSlice[],
  features: DeviceFeatures,
): DevicePool {
  const slices = triesPoolsInOrder(features) ? [...targeting].sort(byName) : targeting
  const { partitionableDevices } = features
  const isCounters = ({ spec }: ResourceSlice): boolean =>
    partitionableDevices && spec.sharedCounters !== undefined && spec.sharedCounters.length > 0
  const devices = slices.filter((slice) => !isCounters(slice)).flatMap(devicesOf)
  const duplicate = duplicateOf(devices.map(({ device }) => device.name))
  if (duplicate !== undefined) return emptyPool(id, { invalidReason: `duplicate device name ${duplicate}` })
  if (!partitionableDevices) return { ...emptyPool(id), devices }
  const counterSets = new Map<string, ReadonlyMap<string, Quantity>>()
  const withCounters = features.minor < 37 ? slices : [...slices, ...others]
  for (const { spec } of withCounters.filter(isCounters)) {
    for (const { name, counters } of spec.sharedCounters ?? []) {
      if (counterSets.has(name)) return emptyPool(id, { invalidReason: `duplicate counter set name ${name}` })
      counterSets.set(name, parseCounters(counters))
    }
  }
  const otherDevices = others.flatMap(devicesOf)
  const invalidReason = counterProblem(counterSets, devices) ?? counterProblem(counterSets, otherDevices)
  if (invalidReason !== undefined) return emptyPool(id, { invalidReason })
  return { ...emptyPool(id), devices, otherDevices, counterSets }
}

/** Before v1.35, slices of other nodes are not read, and devices of incomplete pools are allocated. */
function oldPool(id: string, slices: readonly ResourceSlice[], isIncomplete: boolean): DevicePool {
  const devices = slices.flatMap(devicesOf)
  const duplicate = duplicateOf(devices.map(({ device }) => device.name))
  const invalidReason = duplicate === undefined ? undefined : `duplicate device name ${duplicate}`
  return { ...emptyPool(id), devices, isIncomplete, invalidReason }
}

function emptyPool(
  id: string,
  { isIncomplete = false, invalidReason }: { isIncomplete?: boolean; invalidReason?: string } = {},
): DevicePool {
  return { id, isIncomplete, invalidReason, devices: [], otherDevices: [], counterSets: noCounters }
}

function counterProblem(counterSets: CounterSets, devices: readonly PoolDevice[]): string | undefined {
  for (const { counters: uses } of devices) {
    for (const { set, counters } of uses) {
      const known = counterSets.get(set)
      if (known === undefined) return `counter set ${set} not found`
      for (const name of counters.keys()) {
        if (!known.has(name)) return `counter ${name} not found in counter set ${set}`
      }
    }
  }
  return undefined
}

function duplicateOf(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

function hasBindingConditions({ devices }: DevicePool): boolean {
  return devices.some(({ device }) => device.bindingConditions !== undefined)
}

function byName(a: ResourceSlice, b: ResourceSlice): number {
  return compareText(a.metadata.name, b.metadata.name)
}

/** Compares by driver, then by pool. The separator in the id must not affect the order. */
function byId(a: DevicePool, b: DevicePool): number {
  const [x, y] = [a.id.indexOf('/'), b.id.indexOf('/')]
  return compareText(a.id.slice(0, x), b.id.slice(0, y)) || compareText(a.id.slice(x), b.id.slice(y))
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The pools of each node, kept until its slices or labels change. */
export class NodePools {
  private readonly known = new Map<
    string,
    { readonly version: string; readonly labels: StringMap | undefined; readonly pools: ReturnType<typeof gatherPools> }
  >()

  /** `version` changes with the slices of the node, and with slices that name no node. */
  of(node: Node, version: string, gather: () => ReturnType<typeof gatherPools>): ReturnType<typeof gatherPools> {
    const { name, labels } = node.metadata
    const known = this.known.get(name)
    if (known !== undefined && known.version === version) {
      if (known.labels === labels || deepEqual(known.labels, labels)) return known.pools
    }
    const pools = gather()
    this.known.set(name, { version, labels, pools })
    return pools
  }

  forget(name: string): void {
    this.known.delete(name)
  }
}
