import { findCondition } from '../../api/conditions.ts'
import type { Service } from '../../api/objects/cluster.ts'
import type { Endpoint, EndpointSlice } from '../../api/objects/endpoints.ts'
import type { Node } from '../../api/objects/node.ts'
import { milliValueInt64, quantity } from '../../api/quantity.ts'
import type { SliceChanges } from './slice-changes.ts'

/** The load of a zone may exceed its share of the CPU by this factor (v1.36, endpointslice/topologycache). */
const overloadThreshold = 0.2
const zoneLabel = 'topology.kubernetes.io/zone'
const excluded = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

export interface HintEvent {
  readonly type: 'Normal' | 'Warning'
  readonly reason: 'TopologyAwareHintsEnabled' | 'TopologyAwareHintsDisabled'
  readonly message: string
}

/** Reports whether the hints of a service follow the CPU of the zones. */
export function isTopologyAware({ metadata }: Service): boolean {
  const { annotations = {} } = metadata
  const mode =
    annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode']
  return mode === 'Auto' || mode === 'auto'
}

/**
 * The share of each zone in the CPU of ready nodes. Undefined: a node has no zone or CPU, or there are fewer than two
 * zones.
 */
export function cpuSharesByZone(nodes: readonly Node[]): ReadonlyMap<string, number> | undefined {
  const byZone = new Map<string, number>()
  let total = 0
  for (const { metadata, status } of nodes) {
    if (excluded.some((label) => metadata.labels?.[label] !== undefined)) continue
    if (findCondition(status?.conditions, 'Ready')?.status !== 'True') continue
    const zone = metadata.labels?.[zoneLabel] ?? ''
    const cpuMilli = Number(milliValueInt64(quantity(status?.allocatable?.['cpu'] ?? '0')))
    if (zone === '' || cpuMilli === 0) return undefined
    byZone.set(zone, (byZone.get(zone) ?? 0) + cpuMilli)
    total += cpuMilli
  }
  if (byZone.size < 2) return undefined
  return new Map([...byZone].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]))
}

interface Allocation {
  readonly minimum: number
  readonly maximum: number
  readonly desired: number
}

function allocationsOf(
  shares: ReadonlyMap<string, number> | undefined,
  endpoints: number,
): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) {
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes'
  }
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`
  const minimums = new Map(
    [...shares].map(([zone, share]) => [zone, Math.ceil(share * endpoints * (1 / (1 + overloadThreshold)))]),
  )
  const total = [...minimums.values()].reduce((sum, one) => sum + one, 0)
  if (total > endpoints) {
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`
  }
  return new Map(
    [...shares].map(([zone, share]) => {
      const minimum = minimums.get(zone) ?? 0
      return [zone, { minimum, maximum: minimum + endpoints - total, desired: Math.max(share * endpoints, minimum) }]
    }),
  )
}

const isReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true

export interface HintedChanges {
  readonly changes: SliceChanges
  readonly events: readonly HintEvent[]
}

/** Hints that give each zone endpoints in proportion to its CPU, or no hints and the reason. */
export function withTopologyHints(
  changes: SliceChanges,
  present: readonly EndpointSlice[],
  shares: ReadonlyMap<string, number> | undefined,
  addressType: string,
): HintedChanges {
  const touched = new Set([...changes.update, ...changes.remove].map(({ metadata }) => metadata.name))
  const unchanged = present.filter(({ metadata }) => !touched.has(metadata.name))
  const disabled = (why: string): HintedChanges => ({
    changes: withoutHints(changes, unchanged),
    events: [{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${why}, addressType: ${addressType}` }],
  })
  const all = [...changes.create, ...changes.update, ...unchanged]
  const ready = all.reduce((sum, { endpoints }) => sum + (endpoints ?? []).filter(isReady).length, 0)
  const allocations = allocationsOf(shares, ready)
  if (typeof allocations === 'string') return disabled(allocations)
  const allocated = new Map<string, number>()
  const outdated = unchanged.filter((slice) => !keepsHints(slice, allocated, allocations))
  const written = [...changes.create, ...changes.update, ...outdated]
  for (const { endpoints = [] } of written) {
    for (const endpoint of endpoints ?? []) {
      if (!isReady(endpoint)) continue
      if ((endpoint.zone ?? '') === '') return disabled('One or more endpoints do not have a zone specified')
      add(allocated, endpoint.zone as string, 1)
    }
  }
  const moves = decideMoves(allocations, allocated)
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map((endpoint) => withZoneHint(endpoint, moves)),
  })
  if (allocated.size === 0) return disabled('No hints allocated for zones')
  const wasEnabled = present.some(({ endpoints }) => (endpoints ?? []).some(({ hints }) => hints !== undefined))
  const message = `Topology Aware Hints has been enabled, addressType: ${addressType}`
  return {
    changes: {
      create: changes.create.map(hinted),
      update: [...changes.update, ...outdated].map(hinted),
      remove: changes.remove,
    },
    events: wasEnabled ? [] : [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }],
  }
}

function add(counts: Map<string, number>, zone: string, count: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + count)
}

/** Reports whether an unchanged slice may keep its hints. If it may, adds them to `allocated`. */
function keepsHints(
  { endpoints }: EndpointSlice,
  allocated: Map<string, number>,
  allocations: ReadonlyMap<string, Allocation>,
): boolean {
  const own = new Map<string, number>()
  for (const endpoint of (endpoints ?? []).filter(isReady)) {
    const zones = endpoint.hints?.forZones ?? []
    if (zones.length === 0) return false
    for (const { name } of zones) add(own, name, 1)
  }
  for (const [zone, count] of own) {
    const allocation = allocations.get(zone)
    if (allocation === undefined || count + (allocated.get(zone) ?? 0) > allocation.maximum) return false
  }
  for (const [zone, count] of own) add(allocated, zone, count)
  return true
}

interface Moves {
  readonly giving: Map<string, number>
  readonly receiving: Map<string, number>
}

/** The number of endpoints that each zone gives to other zones. */
function decideMoves(allocations: ReadonlyMap<string, Allocation>, allocated: ReadonlyMap<string, number>): Moves {
  const surplus = new Map<string, number>()
  const missing = new Map<string, number>()
  for (const [zone, { desired }] of allocations) {
    const difference = (allocated.get(zone) ?? 0) - desired
    if (difference > 0) surplus.set(zone, difference)
    else if (difference < 0) missing.set(zone, -difference)
  }
  const moves: Moves = { giving: new Map(), receiving: new Map() }
  for (;;) {
    const from = mostOf(surplus)
    const to = mostOf(missing)
    if (from === undefined || to === undefined) return moves
    if ((from[1] < 1 && to[1] < 1) || from[1] < 0.5 || to[1] < 0.5) return moves
    add(moves.giving, from[0], 1)
    add(surplus, from[0], -1)
    add(moves.receiving, to[0], 1)
    add(missing, to[0], -1)
  }
}

function mostOf(zones: ReadonlyMap<string, number>): readonly [string, number] | undefined {
  let most: readonly [string, number] | undefined
  for (const entry of zones) if (entry[1] > (most?.[1] ?? 0)) most = entry
  return most
}

/** The endpoint with a hint for its zone, or for a zone that receives endpoints from it. */
function withZoneHint(endpoint: Endpoint, { giving, receiving }: Moves): Endpoint {
  const { hints: _, ...rest } = endpoint
  if (!isReady(endpoint)) return rest
  const own = endpoint.zone ?? ''
  const receiver = [...receiving].find(([, count]) => count > 0)?.[0]
  if ((giving.get(own) ?? 0) === 0 || receiver === undefined) return { ...rest, hints: { forZones: [{ name: own }] } }
  add(giving, own, -1)
  add(receiving, receiver, -1)
  return { ...rest, hints: { forZones: [{ name: receiver }] } }
}

function withoutHints(changes: SliceChanges, unchanged: readonly EndpointSlice[]): SliceChanges {
  const has = ({ endpoints }: EndpointSlice) => (endpoints ?? []).some(({ hints }) => hints !== undefined)
  const bare = (slice: EndpointSlice): EndpointSlice =>
    has(slice) ? { ...slice, endpoints: (slice.endpoints ?? []).map(({ hints: _, ...rest }) => rest) } : slice
  return {
    create: changes.create.map(bare),
    update: [...changes.update, ...unchanged.filter(has)].map(bare),
    remove: changes.remove,
  }
}
