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

// Upstream chooses at random among equal domains and nodes, in the order of maps. A question is asked until the answer is
// that of berth, at most `times`; one with more than `several` answers, at most `enough` times at first.
const limits = { times: 600, enough: 60, several: 4 }
// Those that are left are asked again, until the answer of berth is among those of upstream.
const patience = Number(process.env['KARPENTER_PATIENCE'] ?? 20_000)
const longLimits = { times: patience, enough: patience, several: patience }

describe.skipIf(!go)('the decisions of Karpenter v1.14 (skipped where Go is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-karpenter-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const given = process.env['KARPENTER_ASKER']
  const program = given ?? join(folder, 'karpenter')

  it('the decisions of Karpenter v1.14 (skipped where Go is not installed) is built', { timeout: 600_000 }, () => {
    const cwd = resolve('test/cluster/karpenter')
    if (given === undefined) execFileSync('go', ['build', '-mod=mod', '-o', program, '.'], { cwd, stdio: 'inherit' })
  })

  it.each([
    { what: 'the same pods per claim and the same instance types', disruption: false },
    { what: 'the same nodes to remove, the same replacements and the same reasons for not removing', disruption: true },
  ])('berth decides on $what', { timeout: 3_600_000 }, ({ disruption }) => {
    const random = createRandom(seed).stream(disruption ? 'disruption' : 'plans')
    const questions = Array.from({ length: count }, () => randomQuestion(random, disruption))
    const asked = questions.map((question) => ({ question, mine: JSON.stringify(berthAnswer(question)) }))
    const answered = ask(asked, limits)
    const left = answered.filter(isDifferent)
    const isRandom = answered.filter(({ answers }) => answers.length > 1)
    const unexplained = left.length === 0 ? [] : ask(left, longLimits).filter(isDifferent)
    console.log(
      `${count} questions: ${count - left.length} answered alike, ${isRandom.length} of all with several answers; ` +
        `${left.length} asked up to ${patience} times, ${unexplained.length} unexplained`,
    )
    const most = unexplained.toSorted((a, b) => a.answers.length - b.answers.length)
    expect(most.slice(0, 1).map(({ answers, mine }) => [answers[0], mine, answers.length])).toEqual([])
  })

  interface Asked {
    readonly question: KarpenterQuestion
    readonly mine: string
  }

  const isDifferent = ({ answers, mine }: { readonly answers: readonly string[]; readonly mine: string }) =>
    !answers.includes(mine)

  /** The different answers of Karpenter to each question. */
  function ask(asked: readonly Asked[], allowed: typeof limits) {
    const input = asked.map(({ question, mine }) => JSON.stringify({ ...question, expected: mine, ...allowed }))
    const output = execFileSync(program, { input: input.join('\n'), encoding: 'utf8', maxBuffer: 2 ** 30 })
    const lines = output.trim().split('\n')
    return asked.map(({ question, mine }, at) => {
      const answers = (JSON.parse(lines[at] ?? '[]') as KarpenterAnswer[]).map((answer) => JSON.stringify(answer))
      return { question, mine, answers }
    })
  }
})
