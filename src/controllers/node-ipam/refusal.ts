import { Refusal } from '../../base/refusal.ts'
import type { OutOfRangeNode } from './ledger.ts'

const maxShown = 10

/**
 * The error if nodes have blocks outside of the configured ranges. Upstream does not start then, with a less clear
 * message.
 */
export class NodeIpamRefusal extends Refusal {
  override readonly name = 'NodeIpamRefusal'
  readonly nodes: readonly OutOfRangeNode[]

  constructor(nodes: readonly OutOfRangeNode[], ranges: readonly string[]) {
    super(refusalText(nodes, ranges))
    this.nodes = nodes
  }
}

function refusalText(nodes: readonly OutOfRangeNode[], ranges: readonly string[]): string {
  const shown = nodes.slice(0, maxShown).map(({ node, cidrs }) => `${node} (${cidrs.join(', ')})`)
  if (nodes.length > maxShown) shown.push(`${nodes.length - maxShown} more`)
  const [who, them] = nodes.length === 1 ? ['1 node has', 'it'] : [`${nodes.length} nodes have`, 'them']
  return (
    `node IPAM does not start: ${who} pod CIDRs that do not fit --cluster-cidr ${ranges.join(',')}: ${shown.join(', ')}; ` +
    `first: ${nodes[0]?.why}. Set --cluster-cidr to ranges that contain ${them}, delete the nodes so that they register again, ` +
    `or run with --fix cidr-leaks, which lists such nodes and keeps their pod CIDRs`
  )
}
