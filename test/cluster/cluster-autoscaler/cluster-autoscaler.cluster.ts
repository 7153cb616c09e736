import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { berthReports, type LoopAnswer, type LoopReport } from '../../conformance/cluster-autoscaler.ts'
import { buildAsker } from './build-asker.ts'
import { randomDeviceQuestion } from './random-devices.ts'
import { randomQuestion } from './random-question.ts'

// The folder cluster-autoscaler of github.com/kubernetes/autoscaler at the tag cluster-autoscaler-1.36.1.
const source = process.env['CLUSTER_AUTOSCALER_SOURCE'] ?? ''
const hasGo = spawnSync('go', ['version']).status === 0
const count = Number(process.env['CLUSTER_AUTOSCALER_QUESTIONS'] ?? 5_000)
const seed = process.env['CLUSTER_AUTOSCALER_SEED'] ?? 'cluster-autoscaler'

// Expanders choose at random among equal options. The question is repeated until the answer equals that of berth, up to a limit.
const times = 60
// Those that are left are asked with the maps of upstream in their random order, until the answer is that of berth.
const patience = Number(process.env['CLUSTER_AUTOSCALER_PATIENCE'] ?? 2_000)

type Loop = LoopAnswer & LoopReport

describe.skipIf(!hasGo || source === '')(
  'the decisions of Cluster Autoscaler 1.36.1 (skipped without Go and CLUSTER_AUTOSCALER_SOURCE)',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-cluster-autoscaler-'))
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    let program = ''
    beforeAll(() => {
      program = process.env['CLUSTER_AUTOSCALER_ASKER'] ?? buildAsker(source, folder)
    }, 3_600_000)

    it.each([
      { what: 'clusters', stream: 'questions', question: randomQuestion },
      { what: 'clusters with devices and claims', stream: 'devices', question: randomDeviceQuestion },
    ])('decisions of Cluster Autoscaler about $what are those of berth', { timeout: 3_600_000 }, (asks) => {
      const random = createRandom(seed).stream(asks.stream)
      const asked = Array.from({ length: count }, () => asks.question(random)).map((question) => ({
        question,
        mine: JSON.parse(JSON.stringify(berthReports(question))) as readonly Loop[],
      }))
      const answers = ask(program, asked, { BERTH_ORDERED: '1' }, times)
      const found = asked.map(({ mine }, at) => answers[at]?.find((answer) => same(answer, mine)))
      const different = asked.filter((_, at) => found[at] === undefined)
      const loops = asked.flatMap(({ mine }, at) => (found[at] ?? []).map((real, loop) => [real, mine[loop]] as const))
      const otherStatus = loops.filter(([real, ours]) => real.status !== ours?.status)
      const unordered = different.length === 0 ? [] : ask(program, different, {}, patience)
      const unexplained = different.filter(({ mine }, at) => !unordered[at]?.some((answer) => same(answer, mine)))
      console.log(
        `${count} ${asks.what}: ${different.length} answered differently with ordered maps, ${unexplained.length} unexplained; ` +
          `${loops.length} loops: ${otherStatus.length} with another status`,
      )
      expect(unexplained.slice(0, 1).map(({ mine }) => decisions(mine))).toEqual([])
      expect(otherStatus.slice(0, 1).map(([real, ours]) => [real.status, ours?.status])).toEqual([])
    })

    /** The different answers of upstream to each question. */
    function ask(
      program: string,
      asked: readonly { readonly question: object; readonly mine: object }[],
      order: Readonly<Record<string, string>>,
      most: number,
    ) {
      const [questions, answers] = [join(folder, 'questions'), join(folder, 'answers')]
      const lines = asked.map(({ question, mine }) =>
        JSON.stringify({ ...question, expected: mine, times: most, least: 1 }),
      )
      writeFileSync(questions, `${lines.join('\n')}\n`)
      const files = { ...order, BERTH_QUESTIONS: questions, BERTH_ANSWERS: answers }
      execFileSync(program, ['-test.run', 'TestAsk', '-test.timeout', '2h'], { env: { ...process.env, ...files } })
      const written = readFileSync(answers, 'utf8').trimEnd().split('\n')
      return written.map((line) => JSON.parse(line) as readonly (readonly Loop[])[])
    }
  },
)

const decisions = (loops: readonly Loop[]) =>
  JSON.stringify(loops.map(({ status, notes, ...decided }) => sorted(decided)))

const sorted = (record: object) =>
  Object.entries(record)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) =>
      typeof value === 'object' && !Array.isArray(value)
        ? [key, Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))]
        : [key, value],
    )

const same = (a: readonly Loop[], b: readonly Loop[]) => decisions(a) === decisions(b)
