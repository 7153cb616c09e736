import { describe, expect, it } from 'vitest'
import { ClusterModel } from '../model/cluster.ts'
import { nodeRow } from '../model/rows.fixture.ts'
import { distinctNames, groupingKeys, groupNodes } from './groups.ts'

describe('the distinguishing part of a name', () => {
  it.each([
    [
      ['ip-10-0-12-34.ec2.internal', 'ip-10-0-12-35.ec2.internal'],
      ['34', '35'],
    ],
    [
      ['ip-10-0-12-34.ec2.internal', 'ip-10-0-7-35.ec2.internal'],
      ['12-34', '7-35'],
    ],
    [
      ['node-1', 'node-12', 'node-100'],
      ['1', '12', '100'],
    ],
    [
      ['alpha', 'beta'],
      ['alpha', 'beta'],
    ],
    [['only'], ['only']],
    [
      ['a', 'a-1'],
      ['a', 'a-1'],
    ],
    [
      ['gke-x-pool-ab12', 'gke-x-pool-ab34'],
      ['ab12', 'ab34'],
    ],
  ])('%j is shown as %j', (names, shown) => {
    const short = distinctNames(names)
    expect(names.map((name) => short.get(name))).toEqual(shown)
  })
})

function clusterOf(nodes: readonly (readonly [string, Readonly<Record<string, string>>])[]): ClusterModel {
  const cluster = new ClusterModel()
  for (const [at, [name, labels]] of nodes.entries()) {
    cluster.addLabels([[at, labels]])
    cluster.putNode(nodeRow(name, { labels: at, zone: labels['zone'] ?? '' }))
  }
  return cluster
}

describe('groups of nodes', () => {
  const cluster = clusterOf([
    ['n10', { pool: 'web', zone: 'b' }],
    ['n2', { pool: 'web', zone: 'a' }],
    ['g1', { pool: 'gpu', zone: 'a' }],
    ['lone', {}],
  ])

  it('groups of nodes are in natural order, those without the label last', () => {
    expect(groupNodes(cluster, 'pool', '')).toEqual([
      { parent: '', title: 'gpu', nodes: ['g1'] },
      { parent: '', title: 'web', nodes: ['n2', 'n10'] },
      { parent: '', title: 'no pool', nodes: ['lone'] },
    ])
  })

  it('groups of nodes have two levels', () => {
    expect(groupNodes(cluster, 'pool', 'zone').map(({ parent, title }) => `${parent}/${title}`)).toEqual([
      'gpu/a',
      'web/a',
      'web/b',
      'no pool/no zone',
    ])
  })

  it('groups of nodes are offered for labels that divide the nodes', () => {
    expect(groupingKeys(cluster)).toEqual(['pool', 'zone'])
  })
})
