import { definePlugin, type NodeState, type Plugin, skip } from '../../framework/contract.ts'
import { quotient } from '../../framework/quotient.ts'
import { allocationOn, plainRequest, type ResourceWeight } from '../node-resources-fit/allocation.ts'
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
    columns({ shape }, { table }) {
      const requests = resources.map((name) => plainRequest(shape, name))
      if (requests.every((request) => request === 0)) return undefined
      const weighed = args.resources ?? defaultBalanced
      return { scoreRow: openBalanceScore(table, weighed, requests, evenness, balanceScore) }
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

/** 75 when the pod changes nothing, up to 100 when it evens the node out, down to 50 when it does the opposite. */
export function balanceScore(withPod: number, without: number): number {
  return 50 + quotient(50 + withPod - without, 2)
}

/** 100 less the standard deviation of the fractions in use. */
export function evenness(fractions: readonly number[]): number {
  let deviation = 0
  if (fractions.length === 2) deviation = Math.abs(((fractions[0] as number) - (fractions[1] as number)) / 2)
  else if (fractions.length > 2) {
    let total = 0
    for (const fraction of fractions) total += fraction
    const mean = total / fractions.length
    let squares = 0
    for (const fraction of fractions) squares += (fraction - mean) * (fraction - mean)
    deviation = Math.sqrt(squares / fractions.length)
  }
  return Math.trunc((1 - deviation) * 100)
}
