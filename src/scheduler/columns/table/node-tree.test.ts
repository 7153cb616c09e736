import { describe, expect, it } from 'vitest'
import { node } from '../../small-cluster.fixture.ts'
import { NodeTree } from './node-tree.ts'

describe('NodeTree', () => {
  const inZone = (name: string, zone: string) => node(name, { labels: { 'topology.kubernetes.io/zone': zone } })

  it('lists nodes round-robin over zones, in the order of addition', () => {
    const tree = new NodeTree()
    for (const one of [inZone('a1', 'a'), inZone('a2', 'a'), inZone('a3', 'a'), inZone('b1', 'b'), node('c1')])
      tree.add(one)
    expect(tree.list()).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('keeps the position of a node that stays in its zone and moves a node that changes its zone', () => {
    const tree = new NodeTree()
    const first = inZone('a1', 'a')
    for (const one of [first, inZone('a2', 'a'), inZone('b1', 'b')]) tree.add(one)
    tree.update(first, { ...first, metadata: { ...first.metadata, annotations: { x: 'y' } } })
    expect(tree.list()).toEqual(['a1', 'b1', 'a2'])
    tree.update(first, inZone('a1', 'b'))
    expect(tree.list()).toEqual(['a2', 'b1', 'a1'])
  })

  it('removes a zone with its last node', () => {
    const tree = new NodeTree()
    tree.add(inZone('a1', 'a'))
    tree.add(inZone('b1', 'b'))
    tree.remove(inZone('a1', 'a'))
    expect(tree.list()).toEqual(['b1'])
  })
})
