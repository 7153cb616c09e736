import { describe, expect, it } from 'vitest'
import { ClusterModel } from './cluster.ts'
import { parseFilter } from './filter.ts'
import { parseSelector } from './label-selector.ts'
import { nodeRow, podRow } from './rows.fixture.ts'

const cluster = new ClusterModel()
cluster.addLabels([
  [1, { app: 'web', tier: 'front' }],
  [2, { app: 'db' }],
  [3, { 'topology.kubernetes.io/zone': 'a' }],
])
cluster.putNode(nodeRow('node-1', { labels: 3 }))
cluster.putNode(nodeRow('node-2'))
cluster.putPod(podRow('shop/web-1', { node: 'node-1', labels: 1 }))
cluster.putPod(podRow('shop/db-0', { node: 'node-2', labels: 2 }))

const pods = (text: string) =>
  [...cluster.pods.values()].filter((pod) => parseFilter(text).pod(pod, cluster)).map(([key]) => key)
const nodes = (text: string) =>
  [...cluster.nodes.values()].filter((cell) => parseFilter(text).node(cell, cluster)).map(({ row }) => row[0])

describe('a search box', () => {
  it.each([
    ['', ['shop/web-1', 'shop/db-0']],
    ['  WEB ', ['shop/web-1']],
    ['shop/', ['shop/web-1', 'shop/db-0']],
    ['app=web', ['shop/web-1']],
    ['app!=web', ['shop/db-0']],
    ['app in (web, db), tier', ['shop/web-1', 'shop/db-0'].slice(0, 1)],
    ['app notin (web)', ['shop/db-0']],
    ['!tier', ['shop/db-0']],
    ['app=none', []],
  ])('%j finds the pods %j', (text, found) => expect(pods(text)).toEqual(found))

  it('finds a node by its name, its labels, or any of its pods', () => {
    expect(nodes('node-2')).toEqual(['node-2'])
    expect(nodes('topology.kubernetes.io/zone=a')).toEqual(['node-1'])
    expect(nodes('db-0')).toEqual(['node-2'])
    expect(nodes('app=web')).toEqual(['node-1'])
  })

  it('reports the problem of a selector, and hides nothing because of it', () => {
    const filter = parseFilter('app=(')
    expect(filter.problem).toBe('"app=(" is not a valid label selector')
    expect(pods('app=(')).toHaveLength(2)
  })

  it('matches labels only by their own names', () => {
    const selector = parseSelector('constructor')
    expect(selector.ok && selector.matches({})).toBe(false)
  })
})
