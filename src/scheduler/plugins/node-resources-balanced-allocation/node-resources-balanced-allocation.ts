import type { KubernetesRelease } from '../../../api/releases/kubernetes-release.ts'
import { type ColumnarPlugin, defineColumnarPlugin } from '../../columns/plugin-columns.ts'
import { type PodShape, skip } from '../../contract/contract.ts'
import { BalanceScore, type ResourceWeight } from '../node-resources-fit/allocation.ts'
import { amountOf } from '../node-resources-fit/amount-reader.ts'

export interface BalancedAllocationArgs {
  readonly resources?: readonly ResourceWeight[]
}

export const defaultBalanced: readonly ResourceWeight[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
]

/** Prefers nodes whose resources are used more evenly with the pod than without it. */
export function createBalancedAllocation(
  args: BalancedAllocationArgs,
  { changes }: KubernetesRelease,
): ColumnarPlugin<undefined, BalanceScore> {
  const byChange = changes.has('BalanceByChange')
  const resources = args.resources ?? defaultBalanced
  const scoreOf = (shape: PodShape): BalanceScore | undefined => {
    const requests = resources.map(({ name }) => amountOf(shape.requests, name))
    // Pods without requests would all be placed on the same node.
    return requests.every((request) => request === 0) ? undefined : new BalanceScore(resources, requests, byChange)
  }
  return defineColumnarPlugin<undefined, BalanceScore>({
    name: 'NodeResourcesBalancedAllocation',
    preScore({ shape }) {
      const state = scoreOf(shape)
      return state === undefined ? skip : { state }
    },
    score: (_pod, node, score) => score.onNode(node),
    columns: {
      open({ shape }, { table }) {
        const score = scoreOf(shape)
        return score === undefined ? undefined : { scoreRow: score.openColumn(table) }
      },
    },
  })
}
