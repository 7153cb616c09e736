import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cidr, cidrsOverlap, nthSubnet, parseCidr } from '../../api/cidr.ts'
import { type Holder, holderOf, reportBlocks } from './cidr-report.ts'
import { forecastGrowth } from './growth-forecast.ts'

const cidr = (text: string): Cidr => parseCidr(text) as Cidr
const range = (text: string, maskSize: number, name?: string) => ({
  range: cidr(text),
  maskSize,
  ...(name === undefined ? {} : { name }),
})
const holder = (node: string, ...cidrs: readonly string[]): Holder => ({ node, cidrs })

describe('a report of pod CIDRs', () => {
  it('counts the blocks of nodes, services and leaks, and finds the largest free CIDR', () => {
    const report = reportBlocks({
      ranges: [range('10.0.0.0/20', 24)],
      serviceRanges: [cidr('10.0.14.0/23')],
      holders: [holder('a', '10.0.0.0/24'), holder('b', '10.0.1.0/25'), holder('c')],
      leaked: ['10.0.4.0/24'],
      reserved: ['10.0.5.0/24'],
    })
    expect(report.ranges).toEqual([
      {
        range: '10.0.0.0/20',
        maskSize: 24,
        blocks: 16,
        used: 3,
        services: 2,
        leaked: 1,
        free: 10,
        largestFree: '10.0.8.0/22',
      },
    ])
    expect(report).toMatchObject({ nodes: 3, withoutBlock: ['c'], room: 9, overlapping: [], outOfRange: [] })
  })

  it.each([
    ['no block is used', [], '10.0.0.0/22'],
    ['all blocks are used', ['10.0.0.0/22'], undefined],
    ['one block is left', ['10.0.0.0/23', '10.0.3.0/24'], '10.0.2.0/24'],
    ['two free adjacent blocks do not form a CIDR', ['10.0.0.0/24', '10.0.3.0/24'], '10.0.1.0/24'],
  ])('finds the largest free CIDR when %s', (_when, cidrs, largest) => {
    const [found] = reportBlocks({
      ranges: [range('10.0.0.0/22', 24)],
      serviceRanges: [],
      holders: [holder('a', ...cidrs)],
    }).ranges
    expect(found?.largestFree).toBe(largest)
  })

  it('names nodes that share addresses, and nodes outside of the ranges', () => {
    const report = reportBlocks({
      ranges: [range('10.0.0.0/16', 24), range('fd00::/48', 64)],
      serviceRanges: [],
      holders: [
        holder('a', '10.0.0.0/24', 'fd00::/64'),
        holder('b', '10.0.0.0/24', 'fd00:0:0:1::/64'),
        holder('c', '10.0.0.128/25'),
        holder('d', '10.1.0.0/24'),
        holder('e', '10.0.0.0/15'),
      ],
    })
    expect(report.overlapping.map(({ one, other }) => `${one.node} ${one.cidr} – ${other.node} ${other.cidr}`)).toEqual(
      [
        'e 10.0.0.0/15 – a 10.0.0.0/24',
        'e 10.0.0.0/15 – b 10.0.0.0/24',
        'a 10.0.0.0/24 – b 10.0.0.0/24',
        'e 10.0.0.0/15 – c 10.0.0.128/25',
        'a 10.0.0.0/24 – c 10.0.0.128/25',
        'b 10.0.0.0/24 – c 10.0.0.128/25',
        'e 10.0.0.0/15 – d 10.1.0.0/24',
      ],
    )
    expect(report.outOfRange).toEqual([
      { node: 'd', cidr: '10.1.0.0/24' },
      { node: 'e', cidr: '10.0.0.0/15' },
    ])
  })

  it('finds the same overlaps as a comparison of all pairs of blocks', () => {
    const block = fc
      .tuple(fc.integer({ min: 22, max: 28 }), fc.nat(63))
      .map(([prefix, place]) => nthSubnet(cidr('10.0.0.0/22'), prefix, place % 2 ** (prefix - 22)))
    fc.assert(
      fc.property(fc.array(block, { maxLength: 25 }), (blocks) => {
        const holders = blocks.map(({ base, prefix }, at) =>
          holder(`n${at}`, `10.0.${Number((base >> 8n) & 255n)}.${Number(base & 255n)}/${prefix}`),
        )
        const { overlapping } = reportBlocks({ ranges: [range('10.0.0.0/22', 28)], serviceRanges: [], holders })
        const pairs: string[] = []
        for (const [i, a] of blocks.entries()) {
          for (const [j, b] of blocks.entries())
            if (i < j && cidrsOverlap(a, b)) pairs.push([`n${i}`, `n${j}`].sort().join())
        }
        expect(overlapping.map(({ one, other }) => [one.node, other.node].sort().join()).sort()).toEqual(pairs.sort())
      }),
    )
  })

  it('reports the room of the scarcer family, separately for every ClusterCIDR', () => {
    const ranges = [range('10.0.0.0/22', 24, 'east'), range('fd00::/63', 64, 'east'), range('10.1.0.0/23', 24, 'west')]
    expect(reportBlocks({ ranges, serviceRanges: [], holders: [holder('a')] }).room).toBe(2 + 2 - 1)
  })

  it('reports blocks that are too small for the maximum number of pods', () => {
    const node = {
      metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { podCIDR: '10.0.0.0/26' },
      status: { capacity: { pods: '120' }, allocatable: { pods: '110' } },
    }
    expect(holderOf(node)).toEqual({
      node: 'a',
      cidrs: ['10.0.0.0/26'],
      createdAtMs: Date.parse('2026-01-01T00:00:00Z'),
      maxPods: 110,
    })
    const ranges = [range('10.0.0.0/16', 26), range('fd00::/48', 64)]
    const { narrow, tooSmall } = reportBlocks({ ranges, serviceRanges: [], holders: [holderOf(node)] })
    expect(tooSmall).toEqual([{ range: '10.0.0.0/16', maxPods: 110, addresses: 64 }])
    expect(narrow).toEqual([{ node: 'a', cidr: '10.0.0.0/26', maxPods: 110, addresses: 64 }])
  })
})

describe('a growth forecast', () => {
  const day = 86_400_000
  const now = 1000 * day
  const window = { now, windowMs: 30 * day }

  it.each([
    [
      'ten new nodes in 30 days use twenty blocks in 60 days',
      [0, ...Array.from({ length: 10 }, (_, i) => now - i * day)],
      20,
      60,
    ],
    ['no growth without new nodes', [0, 1, 2], 20, undefined],
    [
      'nodes that are older than the window do not count',
      [0, ...Array.from({ length: 50 }, (_, i) => now - 40 * day - i)],
      20,
      undefined,
    ],
    ['no free block', [0, now - day], 0, 0],
  ])('estimates when the range is exhausted: %s', (_what, created, room, days) => {
    const forecast = forecastGrowth(created, { room, ...window })
    expect(forecast?.days).toBe(30)
    expect(forecast?.exhaustedAtMs).toBe(days === undefined ? undefined : now + days * day)
  })

  it('does not count the initial nodes of a cluster as growth', () => {
    const began = now - 10 * day
    const created = [began, began + 1000, began + 600_000, began + 5 * day, began + 6 * day]
    expect(forecastGrowth(created, { room: 10, ...window })).toMatchObject({ created: 2 })
  })

  it.each([
    ['without nodes', []],
    ['for a cluster that is an hour old', [now - 3_600_000, now - 3_600_000]],
  ])('makes no growth forecast %s', (_what, created) => {
    expect(forecastGrowth(created, { room: 10, ...window })).toBeUndefined()
  })
})
