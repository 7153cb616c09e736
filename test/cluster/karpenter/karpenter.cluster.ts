import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { berthAnswer, type KarpenterAnswer } from './berth-answer.ts'
import { type KarpenterQuestion, randomQuestion } from './random-question.ts'

const go = spawnSync('go', ['version']).status === 0
const count = Number(process.env['KARPENTER_QUESTIONS'] ?? 2_500)
const seed = process.env['KARPENTER_SEED'] ?? 'karpenter'

// Upstream chooses at random among equal domains and nodes. A question whose answer differs is asked again, this often.
const retries = 40
// A question with more answers than this is a matter of chance.
const severalAnswers = 4

describe.skipIf(!go)('the decisions of Karpenter v1.14 (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-karpenter-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'karpenter')

  it('is built', { timeout: 600_000 }, () => {
    const cwd = resolve('test/cluster/karpenter')
    execFileSync('go', ['build', '-mod=mod', '-o', program, '.'], { cwd, stdio: 'inherit' })
  })

  it.each([
    { what: 'the same pods per claim and the same instance types', disruption: false },
    { what: 'the same nodes to remove and the same replacements', disruption: true },
  ])('berth decides on $what', { timeout: 3_600_000 }, ({ disruption }) => {
    const random = createRandom(seed).stream(disruption ? 'disruption' : 'plans')
    const questions = Array.from({ length: count }, () => randomQuestion(random, disruption))
    const different = differing(questions, 1)
    const left = differing(
      different.map(({ question }) => question),
      retries,
    )
    const unexplained = left.filter(({ answers }) => new Set(answers).size <= severalAnswers)
    expect(unexplained.slice(0, 1).map(({ answers, mine }) => [answers[0], mine])).toEqual([])
    expect(left.length).toBeLessThan(count / 40)
  })

  /** The questions that berth answers in another way than all of the given number of attempts. */
  function differing(questions: readonly KarpenterQuestion[], times: number) {
    if (questions.length === 0) return []
    const input = questions.map((question) => JSON.stringify({ ...question, times })).join('\n')
    const output = execFileSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
    return output
      .trim()
      .split('\n')
      .flatMap((line, at) => {
        const question = questions[at] as KarpenterQuestion
        const answers = (JSON.parse(line) as KarpenterAnswer[]).map((answer) => JSON.stringify(answer))
        const mine = JSON.stringify(berthAnswer(question))
        return answers.includes(mine) ? [] : [{ question, answers, mine }]
      })
  }
})
