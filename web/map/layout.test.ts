import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { layoutMap, neighbor, nodeAt, nodesIn, placeAt, placeOf, placesBetween, rectOf } from './layout.ts'

const groupsOf = (counts: readonly number[], families = 0) =>
  counts.map((count, group) => ({
    parent: families === 0 ? '' : `f${group % families}`,
    title: `g${group}`,
    nodes: Array.from({ length: count }, (_, at) => `n${group}-${at}`),
  }))

const byParent = (groups: ReturnType<typeof groupsOf>) =>
  groups.sort((a, b) => (a.parent < b.parent ? -1 : a.parent > b.parent ? 1 : 0))

describe('the map of a cluster', () => {
  it.each([
    [[2, 2, 1], 'sheet'],
    [[4, 4, 4], 'card'],
    [[30, 30], 'tile'],
    [[900, 900], 'dot'],
  ] as const)('draws %j nodes as a %s each on a screen of 1,100 by 600', (counts, level) => {
    expect(layoutMap(groupsOf(counts), 1_100, 600).size.level).toBe(level)
  })

  it('the map scrolls if not even the smallest cells fit', () => {
    const layout = layoutMap(groupsOf([5_000]), 400, 150)
    expect(layout.height).toBeGreaterThan(150)
    expect(layout.groups[0]?.nodes).toHaveLength(5_000)
  })

  it.each([
    ['36 racks of 139 nodes', groupsOf(Array.from({ length: 36 }, () => 139)), 1_000],
    ['500 groups of 10 nodes', groupsOf(Array.from({ length: 500 }, () => 10)), 3_600],
    [
      'the same in 5 families',
      byParent(
        groupsOf(
          Array.from({ length: 500 }, () => 10),
          5,
        ),
      ),
      3_600,
    ],
  ])('places groups beside each other where the map scrolls: %s', (_, groups, most) => {
    const layout = layoutMap(groups, 1_180, 420)
    expect(layout.height).toBeGreaterThan(420)
    expect(layout.height).toBeLessThan(most)
    for (const { x, width } of layout.groups) expect(x + width).toBeLessThanOrEqual(1_180)
  })

  const clusters = fc.record({
    counts: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
    width: fc.integer({ min: 360, max: 1_600 }),
    height: fc.constantFrom(700, 150),
    families: fc.integer({ min: 0, max: 3 }),
  })

  it('finds every cell at its center, and no two cells overlap', () => {
    fc.assert(
      fc.property(clusters, ({ counts, width, height, families }) => {
        const layout = layoutMap(byParent(groupsOf(counts, families)), width, height)
        const seen = [...placesBetween(layout, 0, layout.height)]
        expect(seen).toHaveLength(counts.reduce((a, b) => a + b, 0))
        for (const place of seen) {
          const { x, y, width: wide, height: tall } = rectOf(layout, place)
          expect(placeAt(layout, x + wide / 2, y + tall / 2)).toEqual(place)
          expect(placeAt(layout, x + 1, y + 1)).toEqual(place)
          expect(placeOf(layout, nodeAt(layout, place) as string)).toEqual(place)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('fills most of the area at 300 nodes in groups of different sizes', () => {
    const layout = layoutMap(groupsOf([140, 80, 40, 24, 12, 4]), 1_180, 520)
    expect(layout.size.level).toBe('tile')
    const { width, height, gap } = layout.size
    const used = (300 * (width + gap) * (height + gap)) / (1_180 * 520)
    expect(used).toBeGreaterThan(0.55)
    for (const place of placesBetween(layout, 0, 520)) {
      const rect = rectOf(layout, place)
      expect(rect.y + rect.height).toBeLessThanOrEqual(520)
      expect(rect.x + rect.width).toBeLessThanOrEqual(1_180)
    }
  })

  it('gives a small group the width of its title', () => {
    const groups = groupsOf([3, 103, 194]).map((group, at) => (at === 0 ? { ...group, title: 'NoExecute' } : group))
    const layout = layoutMap(groups, 1_180, 430)
    expect(layout.groups[0]?.width).toBe(72)
  })

  it('shortens the titles of many groups before it makes cells much smaller', () => {
    const groups = groupsOf(Array.from({ length: 40 }, () => 8))
    const long = groups.map((group) => ({ ...group, title: `${group.title} with a long title` }))
    const { size } = layoutMap(groups, 1_180, 520)
    expect(layoutMap(long, 1_180, 520).size.width).toBeGreaterThanOrEqual(0.9 * size.width)
  })

  it('finds the nodes in a rectangle', () => {
    const layout = layoutMap(groupsOf([40]), 800, 400)
    const first = rectOf(layout, { group: 0, index: 0 })
    expect(
      nodesIn(layout, { x: 0, y: 0, width: first.x + first.width + 1, height: first.y + first.height + 1 }),
    ).toEqual(['n0-0'])
    expect(nodesIn(layout, { x: 0, y: 0, width: 800, height: 400 })).toHaveLength(40)
  })

  it('moves to another cell or stays with every arrow key, and back again along a row', () => {
    const layout = layoutMap(groupsOf([6]), 1_100, 700)
    const first = { group: 0, index: 0 }
    const second = neighbor(layout, first, 'right')
    expect(second).toEqual({ group: 0, index: 1 })
    expect(neighbor(layout, second, 'left')).toEqual(first)
    expect(neighbor(layout, first, 'left')).toEqual(first)
  })

  it('arrow keys move from group to group', () => {
    const layout = layoutMap(groupsOf([1, 1]), 500, 2_000)
    expect(neighbor(layout, { group: 0, index: 0 }, 'down')).toEqual({ group: 1, index: 0 })
  })
})
