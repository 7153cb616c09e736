import { describe, expect, it } from 'vitest'
import type { NodeDisruption } from '../whatif/explain/explain-disruption.ts'
import type { NodeScaleDown } from '../whatif/explain/explain-scale-down.ts'
import { consolidationText, scaleDownText } from './consolidation-text.ts'

const node = (name: string, rest: Partial<NodeScaleDown> = {}): NodeScaleDown => ({
  node: `${name}.eu-west-1.compute.internal`,
  group: 'general',
  decision: 'keep',
  reason: 'the group is at its minimum size of 2',
  ...rest,
})

describe('the answer of Cluster Autoscaler about all nodes', () => {
  it('groups the nodes that Cluster Autoscaler keeps by node group and reason', () => {
    const nodes = [
      ...Array.from({ length: 300 }, (_, at) => node(`ip-${at}`)),
      node('own', { group: '', reason: 'other' }),
    ]
    expect(scaleDownText(nodes, 'table', 100)).toBe(
      [
        'Cluster Autoscaler needs all of 301 nodes.',
        '',
        'KEPT   GROUP     WHY                                     NODES',
        ' 300   general   the group is at its minimum size of 2   ip-0, ip-1 and 298 more',
        '   1   <none>    other                                   own',
        'For each node: -o wide, or berth explain node NAME',
        '',
      ].join('\n'),
    )
  })

  it('lists unneeded nodes within the width, and all nodes on request', () => {
    const nodes = Array.from({ length: 60 }, (_, at) => node(`ip-${at}`, { decision: 'remove', reason: 'unneeded' }))
    const [first = ''] = scaleDownText(nodes, 'table', 80).split('\n')
    expect(first).toMatch(/^Cluster Autoscaler does not need 60 of 60 nodes: ip-0, .* more\.$/)
    expect(first.length).toBeLessThanOrEqual(80)
    expect(scaleDownText(nodes, 'wide', 80).match(/ remove /g)).toHaveLength(60)
  })
})

describe('the answer of Karpenter about all nodes', () => {
  it('shows the reasons in full at 110 columns', () => {
    const of = (count: number, pool: string, reason: string): readonly NodeDisruption[] =>
      Array.from({ length: count }, (_, at) => ({
        node: `${pool}-${at}`,
        pool,
        type: 'm-6x-amd64',
        zone: 'zone-a',
        capacityType: 'spot',
        pricePerHour: 0.3,
        decision: 'keep',
        reason,
      }))
    const nodes = [
      ...of(215, 'general', 'No allowed disruptions for disruption reason Underutilized due to blocking budget'),
      ...of(60, 'batch', 'NodePool "batch" has consolidation policy WhenEmpty, but node is not empty'),
    ]
    expect(consolidationText({ nodes, removals: [], pricePerHour: 82.5 }, 'table', 110)).toBe(
      [
        'Karpenter removes none of 275 nodes now; they cost 82.50 per hour.',
        '',
        'KEPT   NODEPOOL   WHY                                                     NODES',
        ' 215   general    blocking budget for disruption reason Underutilized     general-0 and 214 more',
        '  60   batch      consolidation policy WhenEmpty, but node is not empty   batch-0 and 59 more',
        'For each node: -o wide, or berth explain node NAME',
        '',
      ].join('\n'),
    )
  })
})
