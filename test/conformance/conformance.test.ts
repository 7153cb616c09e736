import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { areas } from './areas.ts'
import { findGoldenFiles, readGoldenFile } from './golden-file.ts'
import { runArea, runConformance } from './run.ts'

const golden = fileURLToPath(new URL('../golden', import.meta.url))
/** Answers of the real plugins to questions of `test/cluster/vectors` that berth once answered otherwise. */
const regressions = fileURLToPath(new URL('./regressions', import.meta.url))

describe('golden vectors', () => {
  const files = findGoldenFiles(golden)

  it('has a file for every built area', () => {
    expect(files.map(({ area }) => area)).toEqual(expect.arrayContaining(Object.keys(areas)))
  })

  it.each(files.filter(({ area }) => areas[area] !== undefined))(
    '$area: every case agrees',
    { timeout: 60_000 },
    ({ area, path }) => {
      const runner = areas[area]
      expect(runner).toBeDefined()
      const report = runArea(area, runner as NonNullable<typeof runner>, readGoldenFile(path))
      expect(report.failed.slice(0, 3).map(({ case: one, got }) => ({ id: one.id, want: one.want, got }))).toEqual([])
      expect(report.total).toBeGreaterThan(0)
    },
  )
})

describe('answers that once differed', () => {
  it.each(findGoldenFiles(regressions))('$area: every case agrees', ({ area, path }) => {
    const { failed, total } = runArea(area, areas[area] as NonNullable<(typeof areas)[string]>, readGoldenFile(path))
    expect(failed.map(({ case: one, got }) => ({ id: one.id, want: one.want, got }))).toEqual([])
    expect(total).toBeGreaterThan(0)
  })
})

describe('npm run conformance', () => {
  const run = (lines: readonly string[] | undefined): { exit: number; printed: string[] } => {
    const printed: string[] = []
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
    try {
      if (lines !== undefined) writeFileSync(join(folder, 'quantity.jsonl'), lines.join('\n'))
      const print = (line: string): void => {
        printed.push(line.replace(folder, 'DIR'))
      }
      const exit = runConformance({
        folder: lines === undefined ? join(folder, 'none') : folder,
        areas,
        verbose: false,
        print,
      })
      return { exit, printed }
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const right =
    '{"given":{"id":"a","text":"1"},"want":{"canonical":"1","format":"DecimalSI","milliValue":"1000","value":"1"}}'
  const wrong =
    '{"given":{"id":"b","text":"2"},"want":{"canonical":"1","format":"DecimalSI","milliValue":"2000","value":"2"}}'

  it('counts what agrees and exits 0', () => {
    expect(run([right, right, ''])).toEqual({ exit: 0, printed: ['quantity 2/2'] })
  })

  it('names what differs and exits 1', () => {
    const printed = ['quantity 1/2', '  b', '    .canonical: want "1", got "2"']
    expect(run([right, wrong])).toEqual({ exit: 1, printed })
  })

  it('exits 2 for a broken line, saying where', () => {
    const { exit, printed } = run([right, '{"given":'])
    expect(exit).toBe(2)
    expect(printed.at(-1)).toContain('quantity.jsonl:2: not JSON')
  })

  it('exits 2 for a missing folder', () => {
    expect(run(undefined)).toEqual({
      exit: 2,
      printed: ['conformance: DIR/none: no such folder of golden vectors'],
    })
  })

  it('lists an area nobody answers as not built, never as passed', () => {
    const printed: string[] = []
    const print = (line: string): void => {
      printed.push(line)
    }
    expect(runConformance({ folder: golden, areas: {}, verbose: false, print })).toBe(0)
    expect(printed).toContain('quantity not built')
    expect(printed.filter((line) => line.includes('/'))).toEqual([])
  })
})
