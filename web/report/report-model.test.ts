import { expect, test } from 'vitest'
import type { ReportData, ReportLine } from '../../src/wire/report-wire.ts'
import { happeningOfLine, markedNodes } from './report-model.ts'

const step: ReportLine = [0, 'step', 'taint', 'step', 'node-1 node-3, taint a=b:NoExecute']

test('a step is told in words, at its time', () => {
  expect(happeningOfLine(step, 5_000)).toMatchObject({
    at: 5_000,
    what: 'step: taint node-1 node-3, taint a=b:NoExecute',
    about: { kind: 'other', key: '' },
  })
})

test('the nodes that a step names are marked, and not those whose names only begin alike', () => {
  const nodes = ['node-1', 'node-2', 'node-3', 'node-30'].map((name) => [name])
  const data = { nodes, timeline: [step] } as unknown as ReportData
  expect([...markedNodes(data)]).toEqual(['node-1', 'node-3'])
})
