import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupByZone, layoutMap, neighbor, nodeAt, placeAt, placeOf, placesBetween, rectOf } from './layout.ts'

const zonesOf = (counts: readonly number[]) =>
  groupByZone(
    counts.flatMap((count, zone) =>
      Array.from({ length: count }, (_, at) => ({ name: `n${zone}-${at}`, zone: `z${zone}` })),
    ),
  )

describe('the map of a cluster', () => {
  it('orders zones and nodes as people count, and puts nodes without a zone last', () => {
    const named = (name: string, zone: string) => ({ name, zone })
    expect(groupByZone([named('n10', 'b'), named('n2', 'b'), named('x', ''), named('y', 'a')])).toEqual([
      { zone: 'a', nodes: ['y'] },
      { zone: 'b', nodes: ['n2', 'n10'] },
      { zone: '', nodes: ['x'] },
    ])
  })

  it.each([
    [[2, 2, 1], 'sheet'],
    [[4, 4, 4], 'card'],
    [[30, 30], 'tile'],
    [[900, 900], 'dot'],
  ] as const)('draws %j nodes as a %s each on a screen of 1,100 by 600', (counts, level) => {
    expect(layoutMap(zonesOf(counts), 1_100, 600, 'auto').size.level).toBe(level)
  })

  it('scrolls where not even the smallest cells fit', () => {
    const layout = layoutMap(zonesOf([5_000]), 600, 300, 'auto')
    expect(layout.height).toBeGreaterThan(300)
    expect(layout.zones[0]?.nodes).toHaveLength(5_000)
  })

  const clusters = fc.record({
    counts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
    width: fc.integer({ min: 360, max: 1_600 }),
    level: fc.constantFrom('auto', 'sheet', 'card', 'tile', 'dot'),
  })

  it('finds every cell under its own middle, and no two cells overlap', () => {
    fc.assert(
      fc.property(clusters, ({ counts, width, level }) => {
        const layout = layoutMap(zonesOf(counts), width, 700, level)
        const seen = [...placesBetween(layout, 0, layout.height)]
        expect(seen).toHaveLength(counts.reduce((a, b) => a + b, 0))
        for (const place of seen) {
          const { x, y, width: wide, height } = rectOf(layout, place)
          expect(placeAt(layout, x + wide / 2, y + height / 2)).toEqual(place)
          expect(placeAt(layout, x + 1, y + 1)).toEqual(place)
          expect(placeOf(layout, nodeAt(layout, place) as string)).toEqual(place)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('leads somewhere with every arrow key or stays, and back again along a row', () => {
    const layout = layoutMap(zonesOf([6]), 1_100, 700, 'tile')
    const first = { zone: 0, index: 0 }
    const second = neighbor(layout, first, 'right')
    expect(second).toEqual({ zone: 0, index: 1 })
    expect(neighbor(layout, second, 'left')).toEqual(first)
    expect(neighbor(layout, first, 'left')).toEqual(first)
  })

  it('crosses from zone to zone', () => {
    const layout = layoutMap(zonesOf([1, 1]), 500, 2_000, 'sheet')
    expect(neighbor(layout, { zone: 0, index: 0 }, 'down')).toEqual({ zone: 1, index: 0 })
  })
})
