import { describe, expect, it } from 'vitest'
import type { NodeScaleDown } from '../whatif/explain/explain-scale-down.ts'
import { scaleDownText } from './consolidation-text.ts'

const node = (name: string, rest: Partial<NodeScaleDown> = {}): NodeScaleDown => ({
  node: `${name}.eu-west-1.compute.internal`,
  group: 'general',
  decision: 'keep',
  reason: 'the group is at its minimum size of 2',
  ...rest,
})

describe('the answer of Cluster Autoscaler about all nodes', () => {
  it('groups kept nodes by group and reason', () => {
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
        'Each node: -o wide, or berth explain node NAME',
        '',
      ].join('\n'),
    )
  })

  it('names what is not needed, within the width, and every node on request', () => {
    const nodes = Array.from({ length: 60 }, (_, at) => node(`ip-${at}`, { decision: 'remove', reason: 'unneeded' }))
    const [first = ''] = scaleDownText(nodes, 'table', 80).split('\n')
    expect(first).toMatch(/^Cluster Autoscaler does not need 60 of 60 nodes: ip-0, .* more\.$/)
    expect(first.length).toBeLessThanOrEqual(80)
    expect(scaleDownText(nodes, 'wide', 80).match(/ remove /g)).toHaveLength(60)
  })
})
