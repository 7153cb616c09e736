import { describe, expect, it } from 'vitest'
import type { Forecast } from '../whatif/report/forecast.ts'
import { forecastJunit, forecastMarkdown } from './forecast-documents.ts'

const counts = { podsDeleted: 2, podsMoved: 1, podsPending: 1, workloadsBelowBudget: 0 }
const forecast = {
  verdict: 'DEGRADED',
  reason: '1 pod remains pending',
  question: 'drain <script> a|b',
  caused: counts,
  baseline: { ...counts, podsDeleted: 40 },
  answer: { lines: ['2 pods are deleted: default/web-* ×2.'] },
  expectations: [
    {
      path: 'noNewPending',
      kind: 'noNewPending',
      holds: false,
      violation: { seconds: 1, text: '1 pod "web" is pending' },
    },
    { path: 'noLoop', kind: 'noLoop', holds: true },
  ],
  notes: [{ kind: 'assumed', text: 'no Lease found' }],
  seconds: 3600,
  seed: '1',
  kubernetes: 'v1.36',
} as unknown as Forecast

describe('forecastMarkdown', () => {
  it('leads with the verdict, compares with the baseline, and shows texts of the cluster as text', () => {
    const text = forecastMarkdown(forecast)
    expect(text.split('\n')[0]).toBe('### DEGRADED: drain &lt;script&gt; a\\|b')
    expect(text).toContain('| pods deleted | 2 | 40 |')
    expect(text).toContain('- 2 pods are deleted: default/web-\\* ×2.')
    expect(text).toContain('**Expectation noNewPending is not met**: 1 pod "web" is pending')
    expect(text).not.toContain('<script>')
  })
})

describe('forecastJunit', () => {
  it('has a test case for the verdict and for each expectation', () => {
    expect(forecastJunit(forecast)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="drain &lt;script&gt; a|b" tests="3" failures="2">
  <testcase classname="berth" name="verdict: DEGRADED"><failure message="1 pod remains pending"/></testcase>
  <testcase classname="berth" name="noNewPending"><failure message="1 pod &quot;web&quot; is pending"/></testcase>
  <testcase classname="berth" name="noLoop"/>
</testsuite>
`)
  })
})
