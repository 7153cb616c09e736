import { definePlugin, type NodeState, type Plugin, skip } from '../../contract/contract.ts'
import {
  allocationOn,
  balanceScore,
  evenness,
  plainRequest,
  type ResourceWeight,
} from '../node-resources-fit/allocation.ts'
import { openBalanceScore } from '../node-resources-fit/columns.ts'

export interface BalancedAllocationArgs {
  readonly resources?: readonly ResourceWeight[]
}

export const defaultBalanced: readonly ResourceWeight[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/** Prefers nodes whose resources would be used more evenly with the pod than without it. */
export function createBalancedAllocation(args: BalancedAllocationArgs = {}): Plugin<undefined, readonly number[]> {
  const resources = (args.resources ?? defaultBalanced).map(({ name }) => name)
  return definePlugin<undefined, readonly number[]>({
    name: 'NodeResourcesBalancedAllocation',
    preScore({ shape }) {
      const requests = resources.map((name) => plainRequest(shape, name))
      // Pods that ask for nothing fit everywhere equally well; scoring them would pile them onto one node.
      return requests.every((request) => request === 0) ? skip : { state: requests }
    },
    score: (_pod, node, requests) => improvement(node, resources, requests),
    columns: {
      open({ shape }, { table }) {
        const requests = resources.map((name) => plainRequest(shape, name))
        if (requests.every((request) => request === 0)) return undefined
        return { scoreRow: openBalanceScore(table, args.resources ?? defaultBalanced, requests) }
      },
    },
  })
}

function improvement(node: NodeState, resources: readonly string[], requests: readonly number[]): number {
  const before: number[] = []
  const after: number[] = []
  for (const [i, name] of resources.entries()) {
    const allocation = allocationOn(node, name, requests[i] as number, false)
    if (allocation === undefined) continue
    before.push(Math.min(allocation.allocated / allocation.allocatable, 1))
    after.push(Math.min(allocation.requested / allocation.allocatable, 1))
  }
  return balanceScore(evenness(after), evenness(before))
}
