import { type Cidr, formatCidr, parseCidr } from '../../api/cidr.ts'
import { bitLength, type IpFamily } from '../../api/ip-address.ts'
import { createRequirement, LabelMatcher, matchEverything } from '../../api/label-matcher.ts'
import { labelOperators } from '../../api/node-selector.ts'
import type { ClusterCIDR } from '../../api/objects/cluster.ts'
import type { StringMap } from '../../api/objects/meta.ts'
import type { NodeSelector } from '../../api/objects/node.ts'
import { done, failed, type Result } from '../../base/result.ts'
import { BlockPool } from './block-pool.ts'
import { CidrSet } from './cidr-set.ts'
import type { MeterMaker } from './range-meter.ts'

export const clusterCidrs = 'clustercidrs.networking.x-k8s.io'
export const clusterCidrFinalizer = 'networking.x-k8s.io/cluster-cidr-finalizer'

// v1.28, apis/networking/validation.
const leastHostBits = 4

/** The range of a ClusterCIDR: one or two families, for the nodes that it selects. */
export class ClusterRange {
  readonly name: string
  readonly madeOf: ClusterCIDR['spec']
  /** Undefined: every node that no other range selects. */
  readonly selector: LabelMatcher | undefined
  readonly pools: readonly BlockPool[]
  /** Nodes that have a block of it, or will get one. */
  readonly users = new Set<string>()
  /** Terminating: nodes keep their blocks, and no new ones are allocated. */
  isTerminating = false
  /** Its object has the finalizer, so it cannot be removed while nodes use it. */
  isGuarded = false

  constructor({ metadata, spec }: ClusterCIDR, selector: LabelMatcher | undefined, pools: readonly BlockPool[]) {
    this.name = metadata.name
    this.madeOf = spec
    this.selector = selector
    this.pools = pools
  }

  get ranges(): readonly Cidr[] {
    return this.pools.map(({ set }) => set.range)
  }
}

/** Creates the range of an object. The message of a failure names the invalid part. */
export function createClusterRange(object: ClusterCIDR, meters: MeterMaker): Result<ClusterRange> {
  const { name } = object.metadata
  const selector = selectorOf(object.spec.nodeSelector)
  if (!selector.ok) return selector
  const sets: CidrSet[] = []
  for (const [text, family] of [
    [object.spec.ipv4, 4],
    [object.spec.ipv6, 6],
  ] as const) {
    if (text === undefined || text === '') continue
    const set = setOf(text, family, object.spec.perNodeHostBits)
    if (!set.ok) return set
    sets.push(set.value)
  }
  if (sets.length === 0) return failed('invalid ClusterCIDR: must provide IPv4 and/or IPv6 config')
  const pools = sets.map((set) => new BlockPool(set, meters(set.max, formatCidr(set.range), name), 'counted'))
  return done(new ClusterRange(object, selector.value, pools))
}

function setOf(text: string, family: IpFamily, hostBits: number): Result<CidrSet> {
  const range = parseCidr(text)
  if (range?.family !== family)
    return failed(`invalid ClusterCIDR: ${JSON.stringify(text)} is not an IPv${family} CIDR`)
  if (hostBits < leastHostBits) {
    return failed(`invalid ClusterCIDR: perNodeHostBits must be greater than or equal to ${leastHostBits}`)
  }
  const maskSize = bitLength(family) - hostBits
  const most = bitLength(family) - range.prefix
  if (hostBits > most) return failed(`invalid ClusterCIDR: perNodeHostBits must be less than or equal to ${most}`)
  const set = CidrSet.create(range, maskSize)
  if (set.ok || family === 4) return set
  return failed(
    `Creation of New CIDR Set failed for ${text}. PerNodeMaskSize ${maskSize} is too big for CIDR Mask ${range.prefix}, ` +
      'Maximum difference allowed is 16',
  )
}

/**
 * All requirements of all terms must match, and fields are read as labels. This is what upstream does, although its API
 * says that one matching term is enough (v1.28, nodeipam/ipam, nodeSelectorAsSelector, kubernetes/kubernetes#116419).
 */
function selectorOf(selector: NodeSelector | undefined): Result<LabelMatcher | undefined> {
  if (selector === undefined) return done(undefined)
  const requirements = []
  for (const { matchExpressions = [], matchFields = [] } of selector.nodeSelectorTerms ?? []) {
    for (const { key, operator, values = [] } of [...matchExpressions, ...matchFields]) {
      const known = labelOperators[operator]
      if (known === undefined) return failed(`${JSON.stringify(operator)} is not a valid node selector operator`)
      const requirement = createRequirement(key, known, values)
      if (!requirement.ok) return requirement
      requirements.push(requirement.value)
    }
  }
  return done(requirements.length === 0 ? matchEverything : new LabelMatcher(requirements))
}

/**
 * The ranges for a node, the best match first: more required labels, then fewer blocks, then smaller blocks, then the
 * text of the selector, then that of the range. Ranges without a selector come last, in the order of creation (v1.28,
 * nodeipam/ipam, orderedMatchingClusterCIDRs and its priority queue).
 */
export function rangesFor(labels: StringMap | undefined, ranges: Iterable<ClusterRange>): readonly ClusterRange[] {
  const selecting: ClusterRange[] = []
  const others: ClusterRange[] = []
  for (const range of ranges) {
    if (range.selector === undefined) others.push(range)
    else if (range.selector.matches(labels)) selecting.push(range)
  }
  return [...selecting.sort(byPriority), ...others]
}

function byPriority(a: ClusterRange, b: ClusterRange): number {
  return (
    labelsAsked(b) - labelsAsked(a) ||
    blocksOf(a) - blocksOf(b) ||
    maskSizeOf(b) - maskSizeOf(a) ||
    compare(String(a.selector), String(b.selector)) ||
    compare(labelOf(a), labelOf(b))
  )
}

function labelsAsked({ selector }: ClusterRange): number {
  return selector?.requirements.length ?? 0
}

function blocksOf({ pools }: ClusterRange): number {
  return Math.min(...pools.map(({ set }) => set.max))
}

function maskSizeOf({ pools }: ClusterRange): number {
  return pools[0]?.set.maskSize ?? 0
}

function labelOf({ pools }: ClusterRange): string {
  return pools[0] === undefined ? '' : formatCidr(pools[0].set.range)
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
