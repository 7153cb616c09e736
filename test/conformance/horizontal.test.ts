import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import {
  type ControllerAnswer,
  type ControllerQuestion,
  controllerAnswers,
} from '../cluster/horizontal-controller/controller-question.ts'

// Sequences of reconciliations and what the controller of v1.36.4 did, written by test/cluster/horizontal-controller.
const lines = gunzipSync(readFileSync('test/golden/autoscalers/horizontal.jsonl.gz')).toString().trim().split('\n')
const cases = lines.map(
  (line) => JSON.parse(line) as { question: ControllerQuestion; answers: readonly ControllerAnswer[] },
)

it('the Horizontal Pod Autoscaler scales as the controller of v1.36.4 did', () => {
  expect(cases.length).toBe(300)
  for (const { question, answers } of cases) expect(controllerAnswers(question)).toEqual(answers)
})
