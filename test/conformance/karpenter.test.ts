import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { berthAnswer, type KarpenterAnswer } from '../cluster/karpenter/berth-answer.ts'
import type { KarpenterQuestion } from '../cluster/karpenter/random-question.ts'

// Questions whose answer by Karpenter v1.14.1 does not depend on chance, written by test/cluster/karpenter.
const lines = gunzipSync(readFileSync('test/golden/autoscalers/karpenter.jsonl.gz')).toString().trim().split('\n')
const cases = lines.map((line) => JSON.parse(line) as { question: KarpenterQuestion; answer: KarpenterAnswer })

describe('decisions of Karpenter v1.14.1', () => {
  it('has questions of both kinds', () => {
    expect(cases.filter(({ question }) => question.disruption).length).toBeGreaterThan(50)
    expect(cases.filter(({ question }) => !question.disruption).length).toBeGreaterThan(50)
  })

  it.each(cases.map((each, at) => [at, each] as const))('%i is the same in berth', (_, { question, answer }) => {
    expect(JSON.parse(JSON.stringify(berthAnswer(question)))).toEqual(answer)
  })
})
