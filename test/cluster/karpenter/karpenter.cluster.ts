import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { berthAnswer, type KarpenterAnswer } from './berth-answer.ts'
import { type KarpenterQuestion, randomQuestion } from './random-question.ts'

const go = spawnSync('go', ['version']).status === 0
const count = Number(process.env['KARPENTER_QUESTIONS'] ?? 5_000)
const seed = process.env['KARPENTER_SEED'] ?? 'karpenter'

// Upstream chooses at random among equal domains and nodes. A question is asked until the answer is that of berth, at
// most `times`. One with more than `several` answers is a matter of chance after `enough` attempts.
const times = 600
const enough = 60
const several = 4
const limits = { times, enough, several }

describe.skipIf(!go)('the decisions of Karpenter v1.14 (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-karpenter-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(folder, 'karpenter')

  it('the decisions of Karpenter v1.14 (skipped where Go is not installed) is built', { timeout: 600_000 }, () => {
    const cwd = resolve('test/cluster/karpenter')
    execFileSync('go', ['build', '-mod=mod', '-o', program, '.'], { cwd, stdio: 'inherit' })
  })

  it.each([
    { what: 'the same pods per claim and the same instance types', disruption: false },
    { what: 'the same nodes to remove, the same replacements and the same reasons for not removing', disruption: true },
  ])('berth decides on $what', { timeout: 3_600_000 }, ({ disruption }) => {
    const random = createRandom(seed).stream(disruption ? 'disruption' : 'plans')
    const questions = Array.from({ length: count }, () => randomQuestion(random, disruption))
    const asked = questions.map((question) => ({ question, mine: JSON.stringify(berthAnswer(question)) }))
    const answered = ask(asked)
    const left = answered.filter(({ answers, mine }) => !answers.includes(mine))
    const byChance = left.filter(({ answers }) => answers.length > several)
    const isRandom = answered.filter(({ answers }) => answers.length > 1)
    console.log(
      `${count} questions: ${count - left.length} answered alike, ${isRandom.length} of all with several answers; ` +
        `${byChance.length} not compared (more than ${several} answers by chance), ${left.length - byChance.length} different`,
    )
    const unexplained = left.filter(({ answers }) => answers.length <= several)
    expect(unexplained.slice(0, 1).map(({ answers, mine }) => [answers[0], mine])).toEqual([])
    expect(byChance.length).toBeLessThan(count / 40)
  })

  /** The different answers of Karpenter to each question. */
  function ask(asked: readonly { readonly question: KarpenterQuestion; readonly mine: string }[]) {
    const input = asked.map(({ question, mine }) => JSON.stringify({ ...question, expected: mine, ...limits }))
    const output = execFileSync(program, { input: input.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 30 })
    const lines = output.trim().split('\n')
    return asked.map(({ mine }, at) => {
      const answers = (JSON.parse(lines[at] ?? '[]') as KarpenterAnswer[]).map((answer) => JSON.stringify(answer))
      return { mine, answers }
    })
  }
})
