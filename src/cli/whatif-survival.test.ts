import { describe, expect, it } from 'vitest'
import type { Node } from '../api/objects/node.ts'
import { casesOf } from './whatif-survival.ts'

const node = (name: string, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
})
const nodes = [node('a', { rack: 'r1' }), node('b', { rack: 'r2' }), node('c', { rack: 'r1' })]
const racks = (rackLabel: string) =>
  casesOf({ eachZone: false, eachNode: false, eachRack: true, whole: false, rackLabel }, nodes)

describe('the failures of --each-rack', () => {
  it('lists one failure for each value of the rack label', () => {
    expect(racks('rack')).toEqual([
      { name: 'r1', nodes: ['a', 'c'] },
      { name: 'r2', nodes: ['b'] },
    ])
  })

  it('suggests --rack-label if no node has the default rack label', () => {
    expect(() => racks('topology.kubernetes.io/rack')).toThrow(
      'no node has the label topology.kubernetes.io/rack; name the label of the racks with --rack-label',
    )
  })
})
