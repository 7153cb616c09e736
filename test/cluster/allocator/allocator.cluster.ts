import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { knownMinors, releaseOf, withFeatureGates } from '../../../src/api/releases/release-of.ts'
import { createRandom } from '../../../src/base/random.ts'
import { must } from '../../../src/base/result.ts'
import { type AllocatorAnswer, asLine, berthAnswer, difference, questionOptions } from './compare-allocations.ts'
import { randomQuestion } from './random-question.ts'

const go = spawnSync('go', ['version']).status === 0
const count = Number(process.env['ALLOCATOR_QUESTIONS'] ?? 20_000)
const seed = process.env['ALLOCATOR_SEED'] ?? 'allocator'

describe.skipIf(!go)('the allocator of Kubernetes (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-allocator-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ...knownMinors.map((minor) => ({ minor, lists: false })),
    { minor: '1.36', lists: true },
    { minor: '1.37', lists: true },
  ])(
    'v$minor: berth allocates the same devices; attributes can be lists: $lists',
    { timeout: 600_000 },
    ({ minor, lists }) => {
      const release = must(
        withFeatureGates(must(releaseOf(minor)), new Map(lists ? [['DRAListTypeAttributes', true]] : [])),
      )
      const random = createRandom(seed).stream('questions')
      const options = questionOptions(release)
      const questions = Array.from({ length: count }, (_, i) => randomQuestion(random, i, options))
      const lines = questions.map((question) => asLine(question, release)).join('\n')
      const output = execFileSync(programOf(minor, folder), { input: lines, encoding: 'utf8', maxBuffer: 2 ** 30 })
      const answers = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as AllocatorAnswer)
      expect(answers).toHaveLength(count)
      expect(answers.filter(({ results }) => results !== undefined).length).toBeGreaterThan(count / 20)
      const different = questions.flatMap((question, i) => {
        const found = difference(answers[i] as AllocatorAnswer, berthAnswer(question, release))
        return found === undefined ? [] : [`question ${i}: ${found}`]
      })
      expect(different.slice(0, 3)).toEqual([])
    },
  )
})

/** The program is built against the modules of a release: `go.mod` is v1.36, the other files are named after theirs. */
function programOf(minor: string, folder: string): string {
  const program = join(folder, `allocator-${minor}`)
  const modules = minor === '1.36' ? [] : [`-modfile=v${minor}.mod`]
  execFileSync('go', ['build', '-mod=mod', ...modules, '-o', program, '.'], {
    cwd: resolve('test/cluster/allocator'),
    stdio: 'inherit',
  })
  return program
}
