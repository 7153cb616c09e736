import { type Cidr, formatCidr } from '../../api/cidr.ts'
import type { Node } from '../../api/objects/node.ts'
import type { RangeUsage } from '../../api/range-usage.ts'
import type { CidrSet } from './cidr-set.ts'

/** Without a reason, a retry may succeed. With a reason, a retry cannot succeed, and an event is recorded. */
export type Held = { readonly ok: true } | { readonly ok: false; readonly message: string; readonly reason?: string }

/** `isComing`: a block will be available shortly, and waiting nodes are retried then. */
export type Reserved =
  | { readonly ok: true; readonly value: readonly Cidr[] }
  | { readonly ok: false; readonly message: string; readonly isComing?: true }

/** The blocks of all nodes. NodeAllocator decides what to do with them. */
export interface Ledger {
  /** Called once, when all existing blocks are occupied and before any is allocated. Throws to refuse the start. */
  begin(): void
  /** Reserves free blocks for a node. The message gives the reason if none are available. */
  reserve(node: Node): Reserved
  /** Releases reserved blocks that the node will not get. */
  giveBack(node: string, cidrs: readonly Cidr[]): void
  /** Records that the node now has its reserved blocks. */
  keep(node: Node, cidrs: readonly Cidr[]): void
  /** Occupies the blocks of the node, whether or not they were reserved here. Idempotent. */
  hold(node: Node): Held
  /** Frees the blocks of a deleted node. */
  letGo(node: Node): void
  inspect(reserved: ReadonlyMap<string, readonly string[]>): LedgerInspection
}

export interface RangeInspection extends RangeUsage {
  readonly nodeSelector?: string
  readonly terminating?: boolean
}

export interface OutOfRangeNode {
  readonly node: string
  readonly cidrs: readonly string[]
  readonly why: string
}

export interface LedgerInspection {
  readonly ranges: readonly RangeInspection[]
  readonly serviceRanges: readonly string[]
  readonly holders: readonly { readonly node: string; readonly cidrs: readonly string[] }[]
  readonly outOfRange: readonly OutOfRangeNode[]
  /** Used blocks that no node, service range or reservation uses. */
  readonly leaked: readonly string[]
}

export function inspectSet(set: CidrSet): RangeInspection {
  return {
    range: formatCidr(set.range),
    maskSize: set.maskSize,
    max: set.max,
    used: set.used,
    next: set.max === 0 ? '' : formatCidr(set.blockAt(set.nextPlace)),
  }
}
