import { expect, test } from 'vitest'
import type { ReportData, ReportLine } from '../../src/wire/report-wire.ts'
import { happeningOfLine, markedNodes } from './report-model.ts'

const step: ReportLine = [0, 'step', 'taint', 'step', 'node-1 node-3, taint a=b:NoExecute']

test('describes a step in words, at its time', () => {
  expect(happeningOfLine(step, 5_000)).toMatchObject({
    at: 5_000,
    what: 'step: taint node-1 node-3, taint a=b:NoExecute',
    about: { kind: 'other', key: '' },
  })
})

test('marks the nodes of a step, and not nodes whose names only have the same prefix', () => {
  const nodes = ['node-1', 'node-2', 'node-3', 'node-30'].map((name) => [name])
  const data = { nodes, timeline: [step] } as unknown as ReportData
  expect([...markedNodes(data)]).toEqual(['node-1', 'node-3'])
})
