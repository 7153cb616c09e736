import { describe, expect, it } from 'vitest'
import type { DisruptionExplanation, NodeDisruption } from '../whatif/explain/explain-disruption.ts'
import { consolidationText } from './consolidation-text.ts'

const node = (name: string, decision: NodeDisruption['decision'], reason: string): NodeDisruption => ({
  node: name,
  pool: 'general',
  type: 'm-6x',
  zone: 'zone-a',
  capacityType: 'spot',
  pricePerHour: 0.1 * 3,
  decision,
  reason,
})

const names = Array.from({ length: 30 }, (_, at) => `node-${String(at).padStart(4, '0')}`)

const explanation: DisruptionExplanation = {
  removals: [
    { reason: 'Underutilized', nodes: names, replacement: [], savingsPerHour: 9 },
    { reason: 'Drifted', nodes: ['old'], replacement: ['m-6x', 'm-8x'], savingsPerHour: 0.0125 },
  ],
  nodes: [
    ...names.map((name) => node(name, 'remove', 'Underutilized')),
    node('old', 'replace', 'Drifted'),
    node('a', 'keep', 'pdb prevents pod evictions (PodDisruptionBudget=[default/web])'),
    node('b', 'keep', 'pdb prevents pod evictions (PodDisruptionBudget=[default/api])'),
    node('c', 'keep', "node isn't initialized"),
  ],
  pricePerHour: 10.2,
}

describe('the text of a consolidation', () => {
  it('has the cost before and after, each command in one line, and kept nodes by reason', () => {
    expect(consolidationText(explanation, 'table', 100)).toBe(`\
Karpenter removes 31 of 34 nodes now: 10.20 per hour become 1.1875.
Underutilized: deletes node-0000, node-0001, node-0002, node-0003 and 26 more, saves 9.00 per hour
Drifted: replaces old, saves 0.0125 per hour
  with one of m-6x, m-8x

KEPT   NODEPOOL   WHY                          NODES
   2   general    pdb prevents pod evictions   a, b
   1   general    node isn't initialized       c
Each node: -o wide, or berth explain node NAME
`)
  })

  it('lists every node with -o wide, with prices without rounding errors', () => {
    const rows = consolidationText(explanation, 'wide', 100).split('\n')
    expect(rows.find((row) => row.startsWith('a '))).toMatch(/ 0\.30 +keep +pdb prevents .*default\/web/)
    expect(rows.filter((row) => / remove /.test(row))).toHaveLength(30)
  })

  it('says that nothing is removed', () => {
    const kept = {
      ...explanation,
      removals: [],
      nodes: [node('c', 'keep', "node isn't initialized")],
      pricePerHour: 0.3,
    }
    expect(consolidationText(kept, 'table').split('\n')[0]).toBe(
      'Karpenter removes none of 1 node now; they cost 0.30 per hour.',
    )
  })
})
