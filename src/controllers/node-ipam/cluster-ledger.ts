import { type Cidr, cidrsOverlap, formatCidr, parseCidr } from '../../api/cidr.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Node } from '../../api/objects/node.ts'
import { done, failed } from '../../base/result.ts'
import type { BlockPool } from './block-pool.ts'
import { type ClusterRange, rangesFor } from './cluster-range.ts'
import { leakedBlocks } from './leaked-blocks.ts'
import { type Held, inspectSet, type Ledger, type LedgerInspection, type Reserved } from './ledger.ts'
import { podCidrsOf } from './node-blocks.ts'

interface ClusterEntry {
  readonly range: ClusterRange
  readonly pool: BlockPool
  readonly cidr: Cidr
}

/** Blocks that a node has or will get, and the ranges in which they are occupied. */
interface ClusterHolding {
  readonly texts: readonly string[]
  readonly cidrs: readonly Cidr[]
  entries: readonly ClusterEntry[]
}

const fits: Held = { ok: true }

/**
 * The blocks of ClusterCIDR ranges, which may be added and removed. Ranges never overlap. The blocks of a node are
 * occupied in every range that they overlap, even if that range does not select the node. Therefore no address is
 * assigned twice.
 */
export class ClusterLedger implements Ledger {
  private readonly serviceRanges: readonly Cidr[]
  private readonly ranges = new Map<string, ClusterRange>()
  private readonly holdings = new Map<string, ClusterHolding>()
  private readonly reserved = new Map<string, ClusterHolding>()

  constructor(serviceRanges: readonly Cidr[]) {
    this.serviceRanges = serviceRanges
  }

  begin(): void {}

  range(name: string): ClusterRange | undefined {
    return this.ranges.get(name)
  }

  /** The first range that overlaps one of these CIDRs. */
  overlapping(cidrs: readonly Cidr[]): ClusterRange | undefined {
    return [...this.ranges.values()].find((range) =>
      range.ranges.some((one) => cidrs.some((cidr) => cidrsOverlap(one, cidr))),
    )
  }

  /** Adds a range. Services and nodes may already have blocks of it. */
  open(range: ClusterRange): void {
    this.ranges.set(range.name, range)
    for (const pool of range.pools) {
      for (const cidr of this.serviceRanges) if (cidrsOverlap(cidr, pool.set.range)) pool.occupy(cidr)
    }
    for (const [node, holding] of [...this.holdings, ...this.reserved]) {
      holding.entries = [...holding.entries, ...enter(node, holding.cidrs, [range])]
    }
  }

  /** Removes a range. Nodes may keep blocks of it, which are then not occupied anywhere. */
  close(name: string): void {
    const range = this.ranges.get(name)
    if (range === undefined) return
    this.ranges.delete(name)
    for (const pool of range.pools) pool.forget()
    for (const holding of [...this.holdings.values(), ...this.reserved.values()]) {
      holding.entries = holding.entries.filter((entry) => entry.range !== range)
    }
  }

  terminating(): readonly string[] {
    return [...this.ranges.values()].filter(({ isTerminating }) => isTerminating).map(({ name }) => name)
  }

  reserve(node: Node): Reserved {
    const { name, labels } = node.metadata
    const candidates = rangesFor(labels, this.ranges.values()).filter(({ isTerminating }) => !isTerminating)
    for (const range of candidates) {
      // The better match is worth a short wait until its object is marked as in use.
      if (!range.isGuarded) return { ok: false, message: `ClusterCIDR ${range.name} is not ready yet`, isComing: true }
      const entries = takeOfEach(range)
      if (entries === undefined) continue
      range.users.add(name)
      const cidrs = entries.map(({ cidr }) => cidr)
      this.reserved.set(name, { texts: cidrs.map(formatCidr), cidrs, entries })
      return done(cidrs)
    }
    return failed(
      candidates.length === 0
        ? `no cidrSets with matching labels found for node ${name}`
        : `unable to get a clusterCIDR for node ${name}, no available CIDRs`,
    )
  }

  giveBack(node: string): void {
    const holding = this.reserved.get(node)
    if (holding === undefined) return
    this.reserved.delete(node)
    this.leave(node, holding)
  }

  keep(node: Node): void {
    const { name } = node.metadata
    const holding = this.reserved.get(name)
    if (holding === undefined) return
    this.reserved.delete(name)
    this.holdings.set(name, { ...holding, texts: podCidrsOf(node) })
  }

  hold(node: Node): Held {
    const { name } = node.metadata
    const texts = podCidrsOf(node)
    const present = this.holdings.get(name)
    if (present !== undefined) {
      if (deepEqual(present.texts, texts)) return fits
      this.letGo(node)
    }
    const cidrs = texts.map(parseCidr).filter((cidr) => cidr !== undefined)
    this.holdings.set(name, { texts, cidrs, entries: enter(name, cidrs, this.ranges.values()) })
    // Blocks outside of all ranges may belong to a future range or to another controller: not an error.
    return fits
  }

  letGo({ metadata: { name } }: Node): void {
    const holding = this.holdings.get(name)
    if (holding === undefined) return
    this.holdings.delete(name)
    this.leave(name, holding)
  }

  inspect(reserved: ReadonlyMap<string, readonly string[]>): LedgerInspection {
    const onTheWay = [...reserved.values()].flat().map(parseCidr)
    const known = [
      ...[...this.holdings.values()].flatMap(({ cidrs }) => cidrs),
      ...onTheWay.filter((cidr) => cidr !== undefined),
      ...this.serviceRanges,
    ]
    const ranges = [...this.ranges.values()]
    return {
      ranges: ranges.flatMap(({ name, selector, isTerminating, pools }) =>
        pools.map(({ set }) => ({
          ...inspectSet(set),
          name,
          nodeSelector: selector === undefined ? '' : String(selector),
          ...(isTerminating ? { terminating: true } : {}),
        })),
      ),
      serviceRanges: this.serviceRanges.map(formatCidr),
      holders: [...this.holdings].map(([node, { texts: cidrs }]) => ({ node, cidrs })),
      outOfRange: [...this.holdings]
        .filter(([, { entries, cidrs }]) => cidrs.some((cidr) => !entries.some((entry) => entry.cidr === cidr)))
        .map(([node, { texts: cidrs }]) => ({ node, cidrs, why: 'no ClusterCIDR has it' })),
      leaked: ranges.flatMap(({ pools }) => pools.flatMap(({ set }) => leakedBlocks(set, known).map(formatCidr))),
    }
  }

  /**
   * Removes the node from the users of its ranges. A node without blocks of a range does not prevent the deletion of
   * the range.
   */
  private leave(node: string, { entries }: ClusterHolding): void {
    for (const { pool, cidr } of entries) pool.release(cidr)
    const others = [this.holdings.get(node), this.reserved.get(node)].flatMap((other) => other?.entries ?? [])
    for (const { range } of entries) if (!others.some((entry) => entry.range === range)) range.users.delete(node)
  }
}

function enter(node: string, cidrs: readonly Cidr[], ranges: Iterable<ClusterRange>): readonly ClusterEntry[] {
  const entries: ClusterEntry[] = []
  for (const range of ranges) {
    for (const pool of range.pools) {
      for (const cidr of cidrs) if (pool.occupy(cidr).ok) entries.push({ range, pool, cidr })
    }
    if (entries.some((entry) => entry.range === range)) range.users.add(node)
  }
  return entries
}

/** Takes one block of each family, or none. */
function takeOfEach(range: ClusterRange): readonly ClusterEntry[] | undefined {
  const entries: ClusterEntry[] = []
  for (const pool of range.pools) {
    const cidr = pool.take()
    if (cidr === undefined) {
      for (const taken of entries) taken.pool.release(taken.cidr)
      return undefined
    }
    entries.push({ range, pool, cidr })
  }
  return entries
}
