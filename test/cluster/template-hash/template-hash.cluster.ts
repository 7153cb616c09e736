import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PodTemplateSpec } from '../../../src/api/objects/pod.ts'
import { templateDump, templateHash } from '../../../src/api/template-hash/template-hash.ts'
import { createRandom } from '../../../src/base/random.ts'
import { allFields, type Coverage, randomTemplate } from './random-template.ts'

const go = spawnSync('go', ['version']).status === 0

interface Question {
  readonly template: PodTemplateSpec
  readonly collisionCount?: number
}

describe.skipIf(!go)('hashes of templates (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-template-hash-'))
  const program = join(folder, 'template-hash')
  beforeAll(() => {
    execFileSync('go', ['build', '-o', program, './template-hash'], { cwd: resolve('test/cluster'), stdio: 'inherit' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // The program's time zone is that of upstream's images, which have none.
  const ask = (questions: readonly Question[], ...flags: string[]): readonly string[] =>
    execFileSync(program, flags, {
      input: questions.map((question) => JSON.stringify(question)).join('\n'),
      encoding: 'utf8',
      env: { ...process.env, TZ: '' },
      maxBuffer: 2 ** 30,
    })
      .trimEnd()
      .split('\n')

  it('berth computes the same hashes of random templates with all fields as the controllers of upstream', () => {
    const random = createRandom(36).stream('templates')
    const coverage: Coverage = new Set()
    const densities = [0.02, 0.1, 0.2, 0.4]
    const questions = Array.from({ length: 4000 }, (_, i): Question => {
      const template = randomTemplate(random, i % 100 === 0 ? 0.7 : random.pick(densities), coverage)
      return random.int(3) === 0 ? { template } : { template, collisionCount: random.pick([0, 1, 2, 258, 2 ** 31 - 1]) }
    })
    expect(coverage).toEqual(allFields())
    const hashes = ask(questions)
    const different = questions.filter(
      ({ template, collisionCount }, i) => templateHash(template, collisionCount) !== hashes[i],
    )
    const dumps = different.length === 0 ? [] : ask(different, '-dump').map((line) => JSON.parse(line) as string)
    expect(different.map(({ template }, i) => firstDifference(templateDump(template), dumps[i] ?? ''))).toEqual([])
  })

  it('the recorded hashes, with every field there is, are those of upstream (rewritten with -u)', async () => {
    const questions = fewQuestions()
    const hashes = ask(questions)
    const lines = questions.map((given, i) => {
      return JSON.stringify({ given: { id: `template-hash/${i}`, ...given }, want: { hash: hashes[i] } })
    })
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(resolve('test/golden/template-hash.jsonl'))
  })
})

/** Small templates that have every field between them. */
function fewQuestions(): readonly Question[] {
  const random = createRandom('recorded').stream('templates')
  const wanted = allFields().size
  const covered: Coverage = new Set()
  const questions: Question[] = []
  while (covered.size < wanted) {
    const coverage: Coverage = new Set()
    const template = randomTemplate(random, random.pick([0.1, 0.15, 0.2]), coverage)
    const fresh = [...coverage].filter((field) => !covered.has(field))
    // At first nearly everything is new; later a template is worth its space for what it adds.
    if (fresh.length === 0 || JSON.stringify(template).length / fresh.length > 2000) continue
    for (const field of fresh) covered.add(field)
    questions.push({ template, ...random.pick([{}, { collisionCount: 0 }, { collisionCount: 3 }]) })
  }
  return questions
}

function firstDifference(got: string, want: string): { readonly got: string; readonly want: string } {
  let at = 0
  while (at < want.length && got[at] === want[at]) at++
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 60)
  return { got: around(got), want: around(want) }
}
