import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { areas } from './areas.ts'
import { findGoldenFiles, readGoldenFile } from './golden-file.ts'
import { runArea, runConformance } from './run.ts'
import type { AreaRunner } from './verdict.ts'

const golden = fileURLToPath(new URL('../golden', import.meta.url))
/** Answers of the real plugins to questions of `test/cluster/vectors` for which berth had other answers in the past. */
const regressions = fileURLToPath(new URL('./regressions', import.meta.url))

describe('golden vectors', () => {
  const files = findGoldenFiles(golden)

  it('has a file of golden vectors for every implemented area', () => {
    expect(files.map(({ area }) => area)).toEqual(expect.arrayContaining(Object.keys(areas)))
  })

  it.each(files.filter(({ area }) => areas[area] !== undefined))(
    '$name: every case agrees',
    { timeout: 60_000 },
    ({ area, path, release }) => {
      const runner = areas[area]
      expect(runner).toBeDefined()
      const report = runArea(runner as NonNullable<typeof runner>, readGoldenFile(path), release)
      expect(report.failed.slice(0, 3).map(({ case: one, got }) => ({ id: one.id, want: one.want, got }))).toEqual([])
      expect(report.total).toBeGreaterThan(0)
    },
  )
})

describe('answers that differed in the past', () => {
  it.each(findGoldenFiles(regressions))('$name: every case agrees', ({ area, path, release }) => {
    const runner = areas[area] as NonNullable<(typeof areas)[string]>
    const { failed, total } = runArea(runner, readGoldenFile(path), release)
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

  it('takes the release from folders named after one, and descends into them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
    const releases: string[] = []
    const quantity: AreaRunner = (_given, _want, { version }) => {
      releases.push(version)
      return { ok: true }
    }
    const asked = { quantity }
    const printed: string[] = []
    const print = (line: string) => void printed.push(line)
    try {
      for (const name of ['.', 'v1.35', 'v1.37', 'other']) {
        mkdirSync(join(folder, name), { recursive: true })
        writeFileSync(join(folder, name, 'quantity.jsonl'), right)
      }
      expect(runConformance({ folder, areas: asked, verbose: false, print })).toBe(0)
      expect(runConformance({ folder: join(folder, 'v1.35'), areas: asked, verbose: false, print })).toBe(0)
      expect(printed).toEqual(['quantity 1/1', 'v1.35/quantity 1/1', 'v1.37/quantity 1/1', 'v1.35/quantity 1/1'])
      expect(releases).toEqual(['1.36.4', '1.35.8', '1.37.1', '1.35.8'])
      mkdirSync(join(folder, 'v1.99'))
      expect(runConformance({ folder, areas: asked, verbose: false, print })).toBe(2)
      expect(printed.at(-1)).toContain('v1.99: Kubernetes version "v1.99" is not known; known versions: 1.34')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  const right =
    '{"given":{"id":"a","text":"1"},"want":{"canonical":"1","format":"DecimalSI","milliValue":"1000","value":"1"}}'
  const wrong =
    '{"given":{"id":"b","text":"2"},"want":{"canonical":"1","format":"DecimalSI","milliValue":"2000","value":"2"}}'

  it('counts matching vectors and exits 0', () => {
    expect(run([right, right, ''])).toEqual({ exit: 0, printed: ['quantity 2/2'] })
  })

  it('lists differing vectors and exits 1', () => {
    const printed = ['quantity 1/2', '  b', '    .canonical: want "1", got "2"']
    expect(run([right, wrong])).toEqual({ exit: 1, printed })
  })

  it('exits 2 for an invalid line, with its position', () => {
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

  it('lists an area without implementation as not implemented, never as passed', () => {
    const printed: string[] = []
    const print = (line: string): void => {
      printed.push(line)
    }
    expect(runConformance({ folder: golden, areas: {}, verbose: false, print })).toBe(0)
    expect(printed).toContain('quantity not built')
    expect(printed.filter((line) => /\d\/\d/.test(line))).toEqual([])
  })
})
