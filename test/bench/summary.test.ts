import { expect, test } from 'vitest'
import type { SuiteResult } from '../../bench/suite.ts'
import { publishIn, summaryOf } from '../../bench/summary.ts'

const result: SuiteResult = {
  suite: 'scheduler',
  commit: 'abc1234',
  startedAt: '2026-01-01T00:00:00.000Z',
  seed: '7',
  full: true,
  machine: { cpu: 'A Processor', cores: 2, memoryGiB: 24, node: 'v20.20.2', platform: 'linux x64' },
  rows: [
    { name: 'Basic', value: 10_900, unit: 'pods/s', aim: 10_900, beside: { what: 'kube-scheduler', value: 218 } },
    { name: 'alone', value: 1.5, unit: 'ms' },
    { name: 'one point of a plot', value: 3, unit: 's', detail: true },
  ],
}

test('the summary has a line for every independent figure, with its ratio and its target', () => {
  expect(summaryOf([result]).split('\n')).toEqual([
    '`npm run bench -- --full` at abc1234, seed 7, 2 × A Processor, 24 GiB, Node v20.20.2:',
    '',
    '| suite | what | measured | beside it | ratio | aim |',
    '|---|---|---|---|---|---|',
    '| scheduler | Basic | 10,900 pods/s | kube-scheduler: 218 pods/s | 50.0 | 10,900 pods/s |',
    '| scheduler | alone | 1.50 ms |  |  |  |',
    '',
  ])
})

test('the summary replaces only the previous table', () => {
  const page = 'above\n<!-- quick -->\nold\n<!-- end of quick -->\nbelow\n<!-- full -->\n<!-- end of full -->\n'
  const once = publishIn(page, 'quick', 'new\n')
  expect(once).toBe(
    'above\n<!-- quick -->\n\nnew\n\n<!-- end of quick -->\nbelow\n<!-- full -->\n<!-- end of full -->\n',
  )
  expect(publishIn(once, 'quick', 'new\n')).toBe(once)
})

test('the summary does not change a page without marks', () => {
  expect(() => publishIn('a page', 'full', 'table')).toThrow("no marks '<!-- full -->' and '<!-- end of full -->'")
})
