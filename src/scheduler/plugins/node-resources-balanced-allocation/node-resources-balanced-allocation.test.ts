import { describe, expect, it } from 'vitest'
import { createSmallCluster, node, type PodWords, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import type { ScoringStrategy } from '../node-resources-fit/allocation.ts'

function score(plugin: string, scoringStrategy: ScoringStrategy | undefined, words: PodWords): number[] {
  const profile = createDefaultProfile(scoringStrategy && { args: { NodeResourcesFit: { scoringStrategy } } })
  const nodes = [node('empty'), node('half'), node('bare', { allocatable: { cpu: '0' } })]
  const pods = [pod('a', { cpu: '2', memory: '4Gi', nodeName: 'half' })]
  const { explain, schedule } = createSmallCluster({ nodes, pods, profile })
  const asked = pod('asked', words)
  const { scores } = explain(asked)
  const best = Math.max(...scores.map(({ total }) => total))
  const result = schedule(asked)
  expect(scores.find(({ node: name }) => result.kind === 'placed' && name === result.node)?.total).toBe(best)
  return scores.map(({ plugins }) => plugins[plugin] ?? -1)
}

describe('NodeResourcesBalancedAllocation', () => {
  it('prefers nodes on which the pod improves the balance', () => {
    expect(score('NodeResourcesBalancedAllocation', undefined, { cpu: '2' })).toEqual([62, 62])
  })

  it('skips pods without requests', () => {
    expect(score('NodeResourcesBalancedAllocation', undefined, {})).toEqual([-1, -1, -1])
  })
})
