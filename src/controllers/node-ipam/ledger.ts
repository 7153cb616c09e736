import { type Cidr, formatCidr } from '../../api/cidr.ts'
import type { Node } from '../../api/objects/node.ts'
import type { CidrSet } from './cidr-set.ts'

/** Without a reason another try may do better; with one nothing will, and the node's owner should be told. */
export type Held = { readonly ok: true } | { readonly ok: false; readonly message: string; readonly reason?: string }

/** `isComing`: a block will be available shortly, and waiting nodes are retried then. */
export type Reserved =
  | { readonly ok: true; readonly value: readonly Cidr[] }
  | { readonly ok: false; readonly message: string; readonly isComing?: true }

/** Who has which block. What is decided on it is NodeAllocator's. */
export interface Ledger {
  /** Called once, when everything that exists has been entered and before anything is handed out. May refuse by throwing. */
  begin(): void
  /** Takes free blocks for a node. The message says why there are none. */
  reserve(node: Node): Reserved
  /** Reserved blocks that the node will not have. */
  giveBack(node: string, cidrs: readonly Cidr[]): void
  /** Reserved blocks that the node now has. */
  keep(node: Node, cidrs: readonly Cidr[]): void
  /** The node has its blocks, reserved here or not. Entering it again changes nothing. */
  hold(node: Node): Held
  /** The node is gone: its blocks are free. */
  letGo(node: Node): void
  inspect(reserved: ReadonlyMap<string, readonly string[]>): LedgerInspection
}

export interface RangeInspection {
  readonly range: string
  readonly maskSize: number
  readonly max: number
  readonly used: number
  /** The block that is looked at first when the next is asked for. */
  readonly next: string
  /** The ClusterCIDR that the range is of. */
  readonly name?: string
  readonly nodeSelector?: string
  readonly terminating?: boolean
}

export interface Misfit {
  readonly node: string
  readonly cidrs: readonly string[]
  readonly why: string
}

export interface LedgerInspection {
  readonly ranges: readonly RangeInspection[]
  readonly serviceRanges: readonly string[]
  readonly holders: readonly { readonly node: string; readonly cidrs: readonly string[] }[]
  readonly outOfRange: readonly Misfit[]
  /** Used, though no node, no service range and no reservation says so. */
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
