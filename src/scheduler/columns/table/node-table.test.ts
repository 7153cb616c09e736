import { describe, expect, it } from 'vitest'
import { matcherFromMap } from '../../../api/label-selector.ts'
import { createPodParser } from '../../cache/pod-parser.ts'
import { node, pod } from '../../small-cluster.fixture.ts'
import { LabelClasses } from './label-classes.ts'
import { NodeTable } from './node-table.ts'
import type { PlacedShapes } from './placed-shapes.ts'

describe('PlacedShapes', () => {
  const { parse } = createPodParser()
  const web = matcherFromMap({ app: 'web' })
  const labeled = (name: string, app: string, more: object = {}) => {
    const made = pod(name, { cpu: '1', nodeName: 'n1', labels: { app } })
    return parse({ ...made, metadata: { ...made.metadata, ...more } })
  }

  it('counts pods placed before and after its creation until they are removed', () => {
    const table = new NodeTable()
    const first = labeled('a', 'web')
    const n1 = table.addPod('n1', first)
    const placed = table.placed()
    const n2 = table.addPod('n2', labeled('b', 'web'))
    table.addPod('n2', labeled('c', 'db'))
    expect([...placed.selectedBy('default', web, 'web')].map(({ shape }) => shape)).toEqual([first.shape])
    expect([...placed.rowsOf(first.shape)]).toEqual([0, 1])
    table.removePod(n1, first)
    expect([...placed.rowsOf(first.shape)]).toEqual([1])
    table.removePod(n2, labeled('b', 'web'))
    expect([...placed.selectedBy('default', web, 'web')]).toEqual([])
    expect([...placed.selectedBy('other', web, 'other web')]).toEqual([])
  })

  it('counts terminating pods separately from staying pods', () => {
    const table = new NodeTable()
    const placed = table.placed()
    const staying = labeled('a', 'web')
    const leaving = labeled('a', 'web', { deletionTimestamp: '2026-01-01T00:00:00Z' })
    const stayingOf = (all: PlacedShapes) =>
      [...all.selectedBy('default', web, 'web')].flatMap((one) => [...one.staying])
    const n1 = table.addPod('n1', staying)
    expect(stayingOf(placed)).toEqual([[0, 1]])
    table.replacePod(n1, staying, leaving)
    expect(stayingOf(placed)).toEqual([])
    expect([...placed.rowsOf(staying.shape)]).toEqual([0])
  })
})

describe('label columns', () => {
  it('label columns number values densely and list the rows of each value', () => {
    const table = new NodeTable()
    const zone = table.label('zone')
    table.setNode(node('n1', { labels: { zone: 'a' } }))
    table.setNode(node('n2', { labels: { zone: 'b' } }))
    table.setNode(node('n3', { labels: { zone: 'a' } }))
    table.setNode(node('n4'))
    expect([...zone.ids.slice(0, 4)]).toEqual([1, 2, 1, 0])
    expect(zone.rowsOf(1)).toEqual([0, 2])
    expect(zone.distinct).toBe(2)
    table.dropNode('n2')
    expect(zone.distinct).toBe(1)
  })

  it('label columns are filled on first use, and classes of several labels get equal ids for equal values', () => {
    const table = new NodeTable()
    table.setNode(node('n1', { labels: { zone: 'a', disk: 'ssd' } }))
    table.setNode(node('n2', { labels: { zone: 'a', disk: 'hdd' } }))
    table.setNode(node('n3', { labels: { zone: 'a', disk: 'ssd' } }))
    const classes = new LabelClasses(table, ['zone', 'disk'])
    expect(classes.of(0)).toBe(classes.of(2))
    expect(classes.of(0)).not.toBe(classes.of(1))
  })
})
