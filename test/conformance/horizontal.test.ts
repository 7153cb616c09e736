import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { must } from '../../src/base/result.ts'
import {
  type ControllerAnswer,
  type ControllerQuestion,
  controllerAnswers,
} from '../cluster/horizontal-controller/controller-question.ts'

// Sequences of reconciliations with the actions of the controller of a release, written by test/cluster/horizontal-controller.
it.each([
  ['1.36.4', 'horizontal.jsonl.gz'],
  ['1.37.1', 'horizontal-1.37.jsonl.gz'],
])('the Horizontal Pod Autoscaler scales as the controller of v%s did', (version, file) => {
  const lines = gunzipSync(readFileSync(`test/golden/autoscalers/${file}`))
    .toString()
    .trim()
    .split('\n')
  const cases = lines.map(
    (line) => JSON.parse(line) as { question: ControllerQuestion; answers: readonly ControllerAnswer[] },
  )
  expect(cases.length).toBe(300)
  const release = must(releaseOf(version))
  for (const { question, answers } of cases) expect(controllerAnswers(question, release)).toEqual(answers)
})
