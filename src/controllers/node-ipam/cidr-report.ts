import { addressCount, type Cidr, containsCidr, formatCidr, parseCidr } from '../../api/cidr.ts'
import { bitLength } from '../../api/ip-address.ts'
import type { Node } from '../../api/objects/node.ts'
import { parseTime } from '../../api/time.ts'
import { CidrSet } from './cidr-set.ts'
import { podCidrsOf } from './node-blocks.ts'

/** The fields of a node that concern its pod CIDRs. */
export interface Holder {
  readonly node: string
  readonly cidrs: readonly string[]
  readonly createdAtMs?: number
  /** The maximum number of pods of the node. */
  readonly maxPods?: number
}

export interface RangePlan {
  readonly range: Cidr
  readonly maskSize: number
  /** The ClusterCIDR of the range. A node gets one block of each range with the same name. */
  readonly name?: string
}

/** The input of a report: ranges, nodes and services. */
export interface BlockSituation {
  readonly ranges: readonly RangePlan[]
  readonly serviceRanges: readonly Cidr[]
  readonly holders: readonly Holder[]
  /** Blocks that a running allocator counts as used, although no node has them. */
  readonly leaked?: readonly string[]
  /** Blocks that are being written to a node. */
  readonly reserved?: readonly string[]
}

export interface RangeReport {
  readonly range: string
  readonly name?: string
  readonly maskSize: number
  readonly blocks: number
  /** Blocks of nodes, and blocks that are being written to one. */
  readonly used: number
  readonly services: number
  readonly leaked: number
  readonly free: number
  /** The largest CIDR of which every block is free. */
  readonly largestFree?: string
}

// The limit of reported pairs: many nodes with the same block would produce millions of pairs.
const mostPairs = 1000

interface NodeCidr {
  readonly node: string
  readonly cidr: string
}

export interface CidrReport {
  readonly ranges: readonly RangeReport[]
  readonly nodes: number
  readonly withoutBlock: readonly string[]
  /** Two nodes that share an address. */
  readonly overlapping: readonly { readonly one: NodeCidr; readonly other: NodeCidr }[]
  readonly outOfRange: readonly NodeCidr[]
  readonly leaked: readonly string[]
  /** Nodes with a higher maximum number of pods than their block has addresses. */
  readonly narrow: readonly (NodeCidr & { readonly maxPods: number; readonly addresses: number })[]
  /** Ranges whose blocks are too small for a node like the existing ones. */
  readonly tooSmall: readonly { readonly range: string; readonly maxPods: number; readonly addresses: number }[]
  /** The number of additional nodes that can get a block, after the waiting ones. */
  readonly room: number
}

export function holderOf(node: Node): Holder {
  const createdAtMs = parseTime(node.metadata.creationTimestamp)
  const maxPods = Number(node.status?.allocatable?.['pods'] ?? node.status?.capacity?.['pods'])
  return {
    node: node.metadata.name,
    cidrs: podCidrsOf(node),
    ...(createdAtMs === undefined ? {} : { createdAtMs }),
    ...(Number.isInteger(maxPods) ? { maxPods } : {}),
  }
}

/** The report of one situation. Ranges that cannot be divided into their blocks are omitted. */
export function reportBlocks(situation: BlockSituation): CidrReport {
  const { holders, serviceRanges } = situation
  const held = holders.flatMap(({ node, cidrs }) =>
    cidrs.flatMap((text) => {
      const cidr = parseCidr(text)
      return cidr === undefined ? [] : [{ node, cidr }]
    }),
  )
  const reserved = parsed(situation.reserved ?? [])
  const leaked = parsed(situation.leaked ?? [])
  const ranges = situation.ranges.flatMap((plan) => {
    const set = CidrSet.create(plan.range, plan.maskSize)
    if (!set.ok) return []
    const services = occupy(set.value, serviceRanges)
    const used = occupy(set.value, [...held.map(({ cidr }) => cidr), ...reserved])
    const lost = occupy(set.value, leaked)
    return [rangeReport(plan, set.value, { services, used, leaked: lost })]
  })
  const withoutBlock = holders.filter(({ cidrs }) => cidrs.length === 0).map(({ node }) => node)
  return {
    ranges,
    nodes: holders.length,
    withoutBlock,
    overlapping: overlappingIn(held),
    outOfRange: held
      .filter(({ cidr }) => !situation.ranges.some(({ range }) => containsCidr(range, cidr)))
      .map(({ node, cidr }) => ({ node, cidr: formatCidr(cidr) })),
    leaked: situation.leaked ?? [],
    narrow: narrowIn(holders),
    tooSmall: tooSmallIn(situation),
    room: Math.max(0, roomIn(ranges) - withoutBlock.length),
  }
}

function parsed(texts: readonly string[]): readonly Cidr[] {
  return texts.map(parseCidr).filter((cidr) => cidr !== undefined)
}

function occupy(set: CidrSet, cidrs: readonly Cidr[]): number {
  let places = 0
  for (const cidr of cidrs) {
    const changed = set.occupy(cidr)
    if (changed.ok) places += changed.value
  }
  return places
}

function rangeReport(
  { range, name, maskSize }: RangePlan,
  set: CidrSet,
  counts: Pick<RangeReport, 'services' | 'used' | 'leaked'>,
): RangeReport {
  const largest = largestFree(set)
  return {
    range: formatCidr(range),
    ...(name === undefined ? {} : { name }),
    maskSize,
    blocks: set.max,
    ...counts,
    free: set.free,
    ...(largest === undefined ? {} : { largestFree: formatCidr(largest) }),
  }
}

/** Searches by halving: a CIDR is free if both halves are free. */
function largestFree(set: CidrSet): Cidr | undefined {
  let free = new Uint8Array(set.max)
  for (let place = 0; place < set.max; place++) free[place] = set.has(place) ? 0 : 1
  let found: Cidr | undefined
  for (let prefix = set.maskSize; prefix >= set.range.prefix; prefix--) {
    const at = free.indexOf(1)
    if (at < 0) return found
    found = { ...set.blockAt(at * 2 ** (set.maskSize - prefix)), prefix }
    const halves = free
    free = new Uint8Array(halves.length >> 1)
    for (let i = 0; i < free.length; i++) free[i] = (halves[2 * i] as number) & (halves[2 * i + 1] as number)
  }
  return found
}

/**
 * Finds overlaps: CIDRs are nested or disjoint. In order of address, the CIDRs that contain the current one are those
 * that have not ended yet.
 */
function overlappingIn(held: readonly { readonly node: string; readonly cidr: Cidr }[]): CidrReport['overlapping'] {
  const sorted = [...held].sort((a, b) => compareCidrs(a.cidr, b.cidr) || compareTexts(a.node, b.node))
  const open: (typeof sorted)[number][] = []
  const pairs: { readonly one: NodeCidr; readonly other: NodeCidr }[] = []
  for (const other of sorted) {
    if (pairs.length >= mostPairs) break
    while (open.length > 0 && !containsCidr((open.at(-1) as (typeof sorted)[number]).cidr, other.cidr)) open.pop()
    for (const one of open) if (one.node !== other.node) pairs.push({ one: shown(one), other: shown(other) })
    open.push(other)
  }
  return pairs
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function compareCidrs(a: Cidr, b: Cidr): number {
  if (a.family !== b.family) return a.family - b.family
  return a.base === b.base ? a.prefix - b.prefix : a.base < b.base ? -1 : 1
}

function shown({ node, cidr }: { readonly node: string; readonly cidr: Cidr }): NodeCidr {
  return { node, cidr: formatCidr(cidr) }
}

function narrowIn(holders: readonly Holder[]): CidrReport['narrow'] {
  return holders.flatMap(({ node, cidrs, maxPods = 0 }) =>
    cidrs.flatMap((text) => {
      const cidr = parseCidr(text)
      const addresses = cidr === undefined || cidr.family === 6 ? undefined : Number(addressCount(cidr))
      return addresses === undefined || addresses >= maxPods ? [] : [{ node, cidr: text, maxPods, addresses }]
    }),
  )
}

function tooSmallIn({ ranges, holders }: BlockSituation): CidrReport['tooSmall'] {
  const maxPods = holders.reduce((most, holder) => Math.max(most, holder.maxPods ?? 0), 0)
  return ranges.flatMap(({ range, maskSize }) => {
    const addresses = 2 ** (bitLength(range.family) - maskSize)
    return addresses < maxPods ? [{ range: formatCidr(range), maxPods, addresses }] : []
  })
}

/** A node needs a block of each range with the same name. The name does not matter here. */
function roomIn(ranges: readonly RangeReport[]): number {
  const byName = new Map<string, number>()
  for (const { name = '', free } of ranges) byName.set(name, Math.min(byName.get(name) ?? free, free))
  return [...byName.values()].reduce((sum, free) => sum + free, 0)
}
