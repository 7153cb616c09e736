import { describe, expect, it } from 'vitest'
import type { NodeFigureRow } from '../../src/wire/console-tables.ts'
import { ClusterModel, priceOf } from '../model/cluster.ts'
import { nodeRow } from '../model/rows.fixture.ts'
import { type ColorBy, coloringOf, colorOf, colorsFor, filledShare, priceSteps } from './coloring.ts'
import { groupNotes } from './group-notes.ts'

function clusterOf(figures: readonly NodeFigureRow[]): ClusterModel {
  const cluster = new ClusterModel()
  for (const name of ['a', 'b', 'c']) cluster.putNode(nodeRow(name))
  cluster.small.take({ k: 'table', table: 'figures', rows: figures, gone: [] })
  return cluster
}

const colorsBy = (cluster: ClusterModel, by: ColorBy) =>
  [...cluster.nodes.values()].map((cell) => colorOf(cell, coloringOf(cluster, by)))

const gi = 1024 ** 3

describe('colors of the map', () => {
  it('offers the colors for cost and usage only if they are known for a node', () => {
    expect(colorsFor(clusterOf([]))).toEqual(['cpu', 'memory', 'pods', 'health', 'taints', 'age'])
    expect(colorsFor(clusterOf([['a', 0.2, -1, -1]]))).toContain('cost')
    expect(colorsFor(clusterOf([['a', 0.2, -1, -1]]))).not.toContain('cpu-used')
    const withUsage = colorsFor(clusterOf([['a', -1, 10, 10]]))
    expect(withUsage).toEqual(expect.arrayContaining(['cpu-used', 'memory-used']))
    expect(withUsage).not.toContain('cost')
  })

  it('each price has a color, and nodes with an unknown price have none', () => {
    const cluster = clusterOf([
      ['a', 0.1, -1, -1],
      ['b', 0.4, -1, -1],
    ])
    expect(colorsBy(cluster, 'cost')).toEqual(['util-0', 'util-4', 'cell'])
    expect(coloringOf(cluster, 'cost').prices.map(({ text }) => text)).toEqual(['0.1', '0.4 per hour'])
    expect(priceOf(cluster, ['a', 'b', 'c'])).toBe(0.5)
    expect(priceOf(cluster, ['c'])).toBeUndefined()
  })

  it('divides many prices into ranges, and shows only ranges with nodes', () => {
    const steps = priceSteps([0, 1, 2, 9, 9.5, 10])
    expect(steps.map(({ text, color }) => [color, text])).toEqual([
      ['util-0', '0–2'],
      ['util-4', '8–10 per hour'],
    ])
  })

  it('shows the used share of the capacity of nodes', () => {
    const cluster = clusterOf([['a', -1, 2_000, 7 * gi]])
    expect(colorsBy(cluster, 'cpu-used')).toEqual(['util-2', 'cell', 'cell'])
    expect(colorsBy(cluster, 'memory-used')[0]).toBe('util-4')
    const [first, second] = [...cluster.nodes.values()]
    expect(filledShare(first as never, coloringOf(cluster, 'cpu-used'))).toBe(0.5)
    expect(filledShare(second as never, coloringOf(cluster, 'cpu-used'))).toBe(0)
  })

  it('sums the cost of a group in its title', () => {
    const cluster = clusterOf([
      ['a', 0.1, 1_000, gi],
      ['b', 0.4, -1, -1],
    ])
    const noteOf = (by: ColorBy) => groupNotes(cluster, ['a', 'b', 'c'], coloringOf(cluster, by)).at(-1)?.text
    expect(noteOf('cost')).toBe('0.5 per hour')
    expect(noteOf('cpu-used')).toBe('CPU used 25 %')
    expect(noteOf('health')).toBe('CPU 0 %')
  })
})
