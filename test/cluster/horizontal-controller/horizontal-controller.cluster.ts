import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { clusterRelease } from '../real-parts.ts'
import { buildController } from './build-controller.ts'
import { type ControllerAnswer, controllerAnswers, randomControllerQuestion } from './controller-question.ts'

const hasGo = spawnSync('go', ['version']).status === 0
const cases = Number(process.env['BERTH_FUZZ'] ?? 5_000)
const kept = 300

describe.skipIf(!hasGo)(`the Horizontal Pod Autoscaler${hasGo ? '' : ' (skipped: Go is not installed)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-horizontal-controller-'))
  let program = ''
  beforeAll(() => {
    program = process.env['HORIZONTAL_CONTROLLER'] ?? buildController(folder, clusterRelease)
  }, 3_600_000)
  afterAll(() => rmSync(folder, { recursive: true }))

  it(`scales as the controller of v${clusterRelease.version} does in ${cases} random sequences of reconciliations`, () => {
    const random = createRandom(process.env['BERTH_SEED'] ?? 'horizontal-controller').stream('questions')
    const questions = Array.from({ length: cases }, () => randomControllerQuestion(random, clusterRelease))
    const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('')
    const answers = execFileSync(program, {
      input,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as readonly ControllerAnswer[])
    const different = questions
      .map((question, at) => ({
        question,
        real: answers[at] as object,
        ours: controllerAnswers(question, clusterRelease),
      }))
      .filter(({ real, ours }) => JSON.stringify(real) !== JSON.stringify(ours.map(inOrder)))
    expect(different.length === 0 ? [] : [different.length, different[0]]).toEqual([])
    const rescales = answers.flat().filter(({ events }) => events.some((event) => event.includes('SuccessfulRescale')))
    expect(rescales.length).toBeGreaterThan(cases)
    // BERTH_GOLDEN writes the first of them as vectors for `npm test`.
    const golden = process.env['BERTH_GOLDEN']
    if (golden === undefined) return
    const lines = questions
      .slice(0, kept)
      .map((question, at) => `${JSON.stringify({ question, answers: answers[at] })}\n`)
    writeFileSync(golden, gzipSync(lines.join('')))
  })
})

/** The fields as Go writes them. */
function inOrder({ replicas, desired, observed, conditions, events }: ControllerAnswer): ControllerAnswer {
  return { replicas, desired, ...(observed === undefined ? {} : { observed }), conditions, events }
}
