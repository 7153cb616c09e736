import { describe, expect, it } from 'vitest'
import type { Forecast } from '../whatif/report/forecast.ts'
import { forecastJunit, forecastMarkdown } from './forecast-documents.ts'
import { forecastSarif } from './forecast-sarif.ts'

const counts = { podsDeleted: 2, podsMoved: 1, podsPending: 1, workloadsBelowBudget: 0 }
const forecast = {
  verdict: 'DEGRADED',
  reason: '1 pod remains pending',
  question: 'drain <script> a|b',
  caused: counts,
  baseline: { ...counts, podsDeleted: 40 },
  berth: '0.1.0',
  answer: { lines: ['2 pods are deleted: default/web-* ×2.'], budgetsBroken: [] },
  expectations: [
    {
      path: 'noNewPending',
      kind: 'noNewPending',
      holds: false,
      violation: { seconds: 1, text: '1 pod "web" is pending' },
    },
    { path: 'noLoop', kind: 'noLoop', holds: true },
  ],
  notes: [
    { kind: 'assumed', text: 'no Lease found' },
    { kind: 'missing', about: 'PodDisruptionBudget', text: 'no PodDisruptionBudget found', matters: true },
  ],
  loops: [],
  drains: {
    drained: [],
    open: ['a'],
    blocked: [{ node: 'a', pod: 'default/db-0', since: 0, why: 'The disruption budget db needs 1 healthy pods' }],
  },
  workloads: [
    {
      kind: 'Deployment',
      namespace: 'default',
      name: 'web_a',
      replicas: 2,
      ready: { before: 2, after: 1 },
      lowestReady: { count: 1, at: 5 },
      timeUnavailable: 60,
      timeBelowBudget: 0,
      deleted: 2,
      moved: 1,
      lost: 0,
      terminating: [],
      pending: [{ reason: 'Insufficient cpu', count: 1 }],
    },
  ],
  seconds: 3600,
  seed: '1',
  kubernetes: 'v1.36',
} as unknown as Forecast

describe('forecastMarkdown', () => {
  it('starts the Markdown with the verdict, compares with the baseline, and escapes text of the cluster', () => {
    const text = forecastMarkdown(forecast)
    expect(text.split('\n')[0]).toBe('### DEGRADED: drain &lt;script&gt; a\\|b')
    expect(text).toContain('| pods deleted | 2 | 40 |')
    expect(text).toContain('- 2 pods are deleted: default/web-\\* ×2.')
    expect(text).toContain('**Expectation noNewPending is not met**: 1 pod "web" is pending')
    expect(text).not.toContain('<script>')
    expect(text).toContain('| default/web\\_a | 2 → 1 of 2 | 1 at 5s | 1m0s | – | 1 of 2 | 1: Insufficient cpu |')
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

describe('forecastSarif', () => {
  it('has a result with a rule, a level, a file and a fingerprint for each problem', () => {
    const { version, runs } = forecastSarif(forecast, 'deploy/web.yaml') as {
      version: string
      runs: {
        tool: { driver: { name: string; rules: { id: string }[] } }
        results: {
          ruleId: string
          ruleIndex: number
          level: string
          message: { text: string }
          locations: { physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }[]
          partialFingerprints: Record<string, string>
        }[]
      }[]
    }
    expect(version).toBe('2.1.0')
    const [{ tool, results }] = runs as [(typeof runs)[number]]
    expect(results.map(({ ruleId, level, message }) => [ruleId, level, message.text])).toEqual([
      ['pods-pending', 'warning', 'drain <script> a|b: 1 pod of default/web_a pending: Insufficient cpu'],
      ['drain-blocked', 'warning', 'drain <script> a|b: a is not drained: the disruption budget default/db'],
      [
        'expectation-not-met',
        'error',
        'drain <script> a|b: the expectation noNewPending is not met at 1s: 1 pod "web" is pending',
      ],
      ['input-incomplete', 'note', 'drain <script> a|b: no PodDisruptionBudget found'],
    ])
    for (const { ruleId, ruleIndex, locations, partialFingerprints } of results) {
      expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
      expect(locations[0]?.physicalLocation).toEqual({
        artifactLocation: { uri: 'deploy/web.yaml' },
        region: { startLine: 1 },
      })
      expect(partialFingerprints['berthProblem/v1']).toMatch(new RegExp(`^${ruleId} `))
    }
    expect(new Set(results.map((one) => one.partialFingerprints['berthProblem/v1'])).size).toBe(results.length)
  })
})
