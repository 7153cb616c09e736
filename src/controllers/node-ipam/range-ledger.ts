import { type Cidr, cidrsOverlap, formatCidr, parseCidr } from '../../api/cidr.ts'
import { deepEqual } from '../../api/equality.ts'
import type { Node } from '../../api/objects/node.ts'
import type { Logger } from '../../base/log.ts'
import { done, failed } from '../../base/result.ts'
import type { BlockPool } from './block-pool.ts'
import { noBlockLeft } from './cidr-set.ts'
import { leakedBlocks } from './leaked-blocks.ts'
import {
  type Held,
  inspectSet,
  type Ledger,
  type LedgerInspection,
  type OutOfRangeNode,
  type Reserved,
} from './ledger.ts'
import { podCidrsOf } from './node-blocks.ts'
import { NodeIpamRefusal } from './refusal.ts'

export interface RangeLedgerOptions {
  /**
   * One pool of each family, in the order in which nodes list their blocks. A ledger with counted pools loses no block.
   */
  readonly pools: readonly BlockPool[]
  readonly isCounted: boolean
  readonly serviceRanges: readonly Cidr[]
  /** How to start if nodes have blocks outside of the ranges. */
  readonly misfits: 'refuse' | 'report'
  readonly log: Logger
}

interface RangeEntry {
  readonly pool: BlockPool
  readonly cidr: Cidr
}

interface NodeHolding {
  readonly texts: readonly string[]
  /** The occupied blocks by pool. */
  readonly entries: readonly RangeEntry[]
  readonly answer: Held
}

const fits: Held = { ok: true }

/** The blocks of the ranges from the flags (v1.36, nodeipam/ipam, rangeAllocator). */
export class RangeLedger implements Ledger {
  private readonly options: RangeLedgerOptions
  private readonly pools: readonly BlockPool[]
  private readonly holdings = new Map<string, NodeHolding>()
  private readonly misfits = new Map<string, OutOfRangeNode>()

  constructor(options: RangeLedgerOptions) {
    this.options = options
    this.pools = options.pools
    for (const pool of this.pools) {
      for (const range of options.serviceRanges) if (cidrsOverlap(range, pool.set.range)) pool.occupy(range)
    }
  }

  begin(): void {
    if (this.misfits.size === 0) return
    const misfits = [...this.misfits.values()]
    const ranges = this.pools.map(({ set }) => formatCidr(set.range))
    if (this.options.misfits === 'refuse') throw new NodeIpamRefusal(misfits, ranges)
    const nodes = misfits.map(({ node, cidrs }) => `${node} (${cidrs.join(', ')})`)
    this.options.log.warn({ nodes, ranges }, 'nodes have pod CIDRs outside of the cluster ranges; keeping them')
  }

  reserve(): Reserved {
    const cidrs: Cidr[] = []
    for (const [at, pool] of this.pools.entries()) {
      const cidr = pool.take()
      if (cidr !== undefined) {
        cidrs.push(cidr)
        continue
      }
      // v1.36 does not release the block of the other family.
      if (this.options.isCounted) this.giveBack('', cidrs)
      return failed(`failed to allocate cidr from cluster cidr at idx:${at}: ${noBlockLeft}`)
    }
    return done(cidrs)
  }

  giveBack(_node: string, cidrs: readonly Cidr[]): void {
    for (const [at, cidr] of cidrs.entries()) this.pools[at]?.release(cidr)
  }

  keep(node: Node, cidrs: readonly Cidr[]): void {
    const entries = cidrs.flatMap((cidr, at) => {
      const pool = this.pools[at]
      return pool === undefined ? [] : [{ pool, cidr }]
    })
    this.holdings.set(node.metadata.name, { texts: podCidrsOf(node), entries, answer: fits })
  }

  hold(node: Node): Held {
    const { name } = node.metadata
    const texts = podCidrsOf(node)
    if (!this.options.isCounted) return this.holdMarked(name, texts)
    const held = this.holdings.get(name)
    if (held !== undefined) {
      if (deepEqual(held.texts, texts)) return held.answer
      this.letGo(node)
    }
    return this.holdCounted(name, texts)
  }

  letGo(node: Node): void {
    const { name } = node.metadata
    const held = this.holdings.get(name)
    this.holdings.delete(name)
    this.misfits.delete(name)
    if (this.options.isCounted) {
      for (const { pool, cidr } of held?.entries ?? []) pool.release(cidr)
      return
    }
    for (const [at, text] of podCidrsOf(node).entries()) {
      const cidr = parseCidr(text)
      const released = cidr === undefined ? undefined : this.pools[at]?.release(cidr)
      if (released?.ok !== true) return
    }
  }

  inspect(reserved: ReadonlyMap<string, readonly string[]>): LedgerInspection {
    const { serviceRanges } = this.options
    const holders = [...this.holdings].map(([node, { texts }]) => ({ node, cidrs: texts }))
    const known = [...holders.flatMap(({ cidrs }) => cidrs), ...[...reserved.values()].flat()].flatMap((text) => {
      const cidr = parseCidr(text)
      return cidr === undefined ? [] : [cidr]
    })
    return {
      ranges: this.pools.map(({ set }) => inspectSet(set)),
      serviceRanges: serviceRanges.map(formatCidr),
      holders: holders.sort((a, b) => (a.node < b.node ? -1 : 1)),
      outOfRange: [...this.misfits.values()],
      leaked: this.pools.flatMap(({ set }) => leakedBlocks(set, [...known, ...serviceRanges]).map(formatCidr)),
    }
  }

  /**
   * Occupies block by block in the order of the ranges, up to the first block that does not fit. The earlier blocks
   * stay occupied.
   */
  private holdMarked(name: string, texts: readonly string[]): Held {
    const entries: RangeEntry[] = []
    const answer = this.occupyInOrder(name, texts, entries)
    this.holdings.set(name, { texts, entries, answer })
    if (answer.ok) this.misfits.delete(name)
    else this.misfits.set(name, { node: name, cidrs: texts, why: answer.message })
    return answer
  }

  private occupyInOrder(name: string, texts: readonly string[], entries: RangeEntry[]): Held {
    for (const [at, text] of texts.entries()) {
      const cidr = parseCidr(text)
      if (cidr === undefined) return failed(`failed to parse node ${name}, CIDR ${text}`)
      const pool = this.pools[at]
      if (pool === undefined) {
        return failed(
          `node:${name} has an allocated cidr: ${text} at index:${at} that does not exist in cluster cidrs configuration`,
        )
      }
      const occupied = pool.occupy(cidr)
      if (!occupied.ok) {
        return failed(
          `failed to mark cidr[${formatCidr(cidr)}] at idx [${at}] as occupied for node: ${name}: ${occupied.message}`,
        )
      }
      entries.push({ pool, cidr })
    }
    return fits
  }

  /** Occupies a block in every range that it overlaps, so that no other node gets its addresses. */
  private holdCounted(name: string, texts: readonly string[]): Held {
    const entries: RangeEntry[] = []
    const strangers: string[] = []
    const shared: string[] = []
    for (const text of texts) {
      const cidr = parseCidr(text)
      const before = entries.length
      for (const pool of this.pools) {
        const free = cidr === undefined ? undefined : pool.occupy(cidr)
        if (cidr === undefined || free?.ok !== true) continue
        entries.push({ pool, cidr })
        if (free.value < placesOf(pool, cidr)) shared.push(...this.othersWith(cidr))
      }
      if (entries.length === before) strangers.push(text)
    }
    const answer = answerTo(texts, strangers, shared)
    this.holdings.set(name, { texts, entries, answer })
    if (strangers.length > 0) {
      this.misfits.set(name, { node: name, cidrs: texts, why: `${strangers.join(', ')} is outside of all ranges` })
    }
    return answer
  }

  private othersWith(cidr: Cidr): readonly string[] {
    const others = this.options.serviceRanges
      .filter((range) => cidrsOverlap(range, cidr))
      .map((range) => `the range of services ${formatCidr(range)}`)
    for (const [node, { entries }] of this.holdings) {
      if (entries.some((entry) => cidrsOverlap(entry.cidr, cidr))) others.push(`node ${node}`)
    }
    return others
  }
}

function placesOf({ set }: BlockPool, cidr: Cidr): number {
  const span = set.spanOf(cidr)
  return span.ok ? span.value.last - span.value.first + 1 : 0
}

function answerTo(texts: readonly string[], strangers: readonly string[], shared: readonly string[]): Held {
  if (strangers.length > 0) {
    return {
      ok: false,
      reason: 'CIDROutOfRange',
      message: `The pod CIDR ${strangers.join(', ')} is outside of the cluster ranges; keeping it`,
    }
  }
  if (shared.length === 0) return fits
  const message = `The pod CIDR ${texts.join(', ')} overlaps with ${[...new Set(shared)].join(', ')}`
  return { ok: false, reason: 'CIDROverlap', message }
}
