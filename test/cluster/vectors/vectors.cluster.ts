import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areas } from '../../conformance/areas.ts'
import { readGoldenFile } from '../../conformance/golden-file.ts'
import { describeDifferences, runArea } from '../../conformance/run.ts'
import { moduleFiles } from '../go-modules.ts'
import { clusterRelease } from '../real-parts.ts'

const go = spawnSync('go', ['version']).status === 0

/** The number of questions of each kind, without those whose objects the API server would reject. */
const counts = {
  schedule: Number(process.env['BERTH_SCHEDULE_CASES'] ?? 500),
  hints: Number(process.env['BERTH_HINT_CASES'] ?? 400),
  tolerations: 2000,
  quantity: 3000,
  selector: 3000,
  cidrset: 500,
} as const
const seed = process.env['BERTH_VECTOR_SEED'] ?? '36'

const { minor, version } = clusterRelease

function build(program: string): void {
  const { flags } = moduleFiles(clusterRelease)
  const tag = `release_${minor.replace('.', '_')}`
  execFileSync('go', ['build', ...flags, '-tags', tag, '-o', program, './vectors'], {
    cwd: resolve('test/cluster'),
    stdio: 'inherit',
  })
}

describe.skipIf(!go)(`fresh answers of the components of v${version} (skipped where Go is not installed)`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-vectors-'))
  beforeAll(() => {
    const program = join(folder, 'vectors')
    build(program)
    const kinds = Object.entries(counts).map(([kind, count]) => `${kind}=${count}`)
    execFileSync(program, ['-seed', seed, '-out', folder, '-kinds', kinds.join(',')], { stdio: 'ignore' })
  }, 3_600_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each(Object.entries(counts))('berth answers every %s question as they do', { timeout: 600_000 }, (kind, count) => {
    const cases = readGoldenFile(join(folder, `${kind}.jsonl.gz`))
    expect(cases.length).toBeGreaterThan(count * 0.7)
    const { failed } = runArea(areas[kind]!, cases, clusterRelease)
    expect(failed.map((one) => `${one.case.id}: ${describeDifferences(one.case.want, one.got).join('; ')}`)).toEqual([])
  })
})
