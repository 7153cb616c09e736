import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultRelease } from '../../../src/api/releases/release-of.ts'
import { areas } from '../../conformance/areas.ts'
import { readGoldenFile } from '../../conformance/golden-file.ts'
import { describeDifferences, runArea } from '../../conformance/run.ts'

const go = spawnSync('go', ['version']).status === 0

/** How many questions of each kind; a few cannot be asked, because the API server would refuse their objects. */
const counts = { schedule: 500, hints: 400, tolerations: 2000, quantity: 3000, selector: 3000, cidrset: 500 } as const
const seed = 36

describe.skipIf(!go)('fresh answers of the real components (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-vectors-'))
  beforeAll(() => {
    const program = join(folder, 'vectors')
    execFileSync('go', ['build', '-o', program, './vectors'], { cwd: resolve('test/cluster'), stdio: 'inherit' })
    const kinds = Object.entries(counts).map(([kind, count]) => `${kind}=${count}`)
    execFileSync(program, ['-seed', String(seed), '-out', folder, '-kinds', kinds.join(',')], { stdio: 'ignore' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(counts))('berth answers every %s question as they do', (kind, count) => {
    const cases = readGoldenFile(join(folder, `${kind}.jsonl.gz`))
    expect(cases.length).toBeGreaterThan(count * 0.8)
    const { failed } = runArea(areas[kind]!, cases, defaultRelease)
    expect(failed.map((one) => `${one.case.id}: ${describeDifferences(one.case.want, one.got).join('; ')}`)).toEqual([])
  })
})
