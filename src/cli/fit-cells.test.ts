import { describe, expect, it } from 'vitest'
import { cutNames } from './fit-cells.ts'
import { type OutputColumn, plainPalette, renderTable, widthOf } from './output.ts'

const columns: readonly OutputColumn<readonly [string, number, string]>[] = [
  { header: 'NODE', cell: ([node]) => node },
  { header: 'PODS', cell: ([, pods]) => pods, align: 'right' },
  { header: 'WHY', cell: ([, , why]) => why, cut: 'end' },
]
const message = '0/5 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint(s)'

describe('a table', () => {
  it('fits a table to the width without cutting numbers', () => {
    const rows = [
      ['ip-10-0-10-13.eu-central-1.compute.internal', 1_234_567, message],
      ['ip-10-0-11-13.eu-central-1.compute.internal', 7, message],
    ] as const
    for (const width of [40, 60, 80, 110, 200]) {
      const lines = renderTable(columns, rows, { ...plainPalette, width })
        .trimEnd()
        .split('\n')
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width)
      expect(lines[1]).toContain('1234567')
      expect(lines[1]?.split(/ {2,}/)[0]).not.toBe(lines[2]?.split(/ {2,}/)[0])
    }
    expect(renderTable(columns, rows, plainPalette)).toContain(`${rows[0][0]}   1234567   ${message}`)
  })

  it('omits optional columns and cuts names before a column becomes narrower than its minimum width', () => {
    const names = 'NodeAffinity, TaintToleration, NodeResourcesFit'
    const queue: readonly OutputColumn<readonly [string, number]>[] = [
      { header: 'POD', cell: ([pod]) => pod },
      { header: 'ATTEMPTS', cell: ([, attempts]) => attempts, align: 'right', optional: true },
      { header: 'REJECTED BY', cell: () => names, least: 50 },
    ]
    const rows = [['search/pinned-84c5d7c897-5979l', 1]] as const
    const table = renderTable(queue, rows, { ...plainPalette, width: 70 })
    expect(table).toContain(names)
    expect(table).not.toContain('ATTEMPTS')
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(70)
  })

  it('a table is unchanged if it fits', () => {
    const rows = [['a', 1, 'b']] as const
    expect(renderTable(columns, rows, { ...plainPalette, width: 110 })).toBe(renderTable(columns, rows))
  })
})

describe('cutNames', () => {
  it('omits the suffix that all names share', () => {
    expect(cutNames(['a-1.x.internal', 'a-2.x.internal'], 12)).toEqual(['a-1', 'a-2'])
  })

  it.each([
    ['at the end', ['web-6f7d8c9b5d-aaaaa', 'web-6f7d8c9b5d-bbbbb']],
    ['at the start', ['aaaaa-6f7d8c9b5d-web', 'bbbbb-6f7d8c9b5d-web']],
    ['in the middle', ['team-platform-aaa-service-api', 'team-platform-bbb-service-api']],
  ])('keeps cut names distinct that differ %s', (_where, names) => {
    const cut = cutNames(names, 18)
    expect(new Set(cut).size).toBe(2)
    for (const name of cut) expect(name.length).toBeLessThanOrEqual(18)
  })
})

describe('widthOf', () => {
  const sink = { write() {}, isTTY: false, columns: undefined }
  it('widthOf is COLUMNS, or the width of the terminal, or 110', () => {
    expect(widthOf(sink, {})).toBe(110)
    expect(widthOf({ ...sink, isTTY: true, columns: 93 }, {})).toBe(93)
    expect(widthOf({ ...sink, columns: 93 }, { COLUMNS: '70' })).toBe(70)
    expect(widthOf(sink, { COLUMNS: 'wide' })).toBe(110)
    expect(widthOf(sink, { COLUMNS: '3' })).toBe(40)
  })
})
