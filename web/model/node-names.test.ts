import { describe, expect, it } from 'vitest'
import { ClusterModel } from './cluster.ts'
import { learnNodeNames, naturalKey, sharedDomain, shortNode } from './node-names.ts'
import { nodeRow } from './rows.fixture.ts'

describe('the natural order of names', () => {
  it('compares numbers by value', () => {
    const names = ['node-10', 'node-2', 'ip-10-0-12-100', 'node-1', 'ip-10-0-12-20']
    const sorted = names.toSorted((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1))
    expect(sorted).toEqual(['ip-10-0-12-20', 'ip-10-0-12-100', 'node-1', 'node-2', 'node-10'])
  })
})

describe('names of nodes', () => {
  it.each([
    [
      ['ip-10-0-1-2.eu-west-1.compute.internal', 'ip-10-0-1-3.eu-west-1.compute.internal'],
      '.eu-west-1.compute.internal',
    ],
    [['a.eu-west-1.compute.internal', 'b.eu-west-2.compute.internal'], '.compute.internal'],
    [['a.example.com', 'b'], ''],
    [['node-1', 'node-2'], ''],
    [['only.example.com'], ''],
    [['10.0.0.12', '10.0.1.12'], ''],
    [['a.example.com', 'b.example.org'], ''],
    [[], ''],
  ])('the shared domain of %j is %j', (names, domain) => {
    expect(sharedDomain(names)).toBe(domain)
  })

  it('a name is shown without the domain that all nodes share, until a node has another one', () => {
    const cluster = new ClusterModel()
    for (const name of ['a.example.com', 'b.example.com']) cluster.putNode(nodeRow(name))
    learnNodeNames(cluster)
    expect([shortNode('a.example.com'), shortNode('other')]).toEqual(['a', 'other'])
    cluster.putNode(nodeRow('c'))
    learnNodeNames(cluster)
    expect(shortNode('a.example.com')).toBe('a.example.com')
  })
})
