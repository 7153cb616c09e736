import { describe, expect, it } from 'vitest'
import { adviceFor } from './advice.ts'
import type { ForecastFacts } from './verdict.ts'

function pendingBecause(reason: string): ForecastFacts {
  const workload = { pending: [{ reason, pods: 1 }], terminating: [], lost: 0, timeBelowBudget: 0 }
  const answer = { budgetsBroken: [], causes: {} }
  return { workloads: [workload], answer, timeline: [], loops: [] } as unknown as ForecastFacts
}

describe('advice for pending pods', () => {
  it.each([
    ['Insufficient cpu, untolerated taint(s)', 'add a node with free cpu, or request less'],
    [
      'cannot allocate all claims, untolerated taint(s), unschedulable',
      'add a node with free devices of the claims, or free such a device',
    ],
    ['untolerated taint(s)', 'add nodes without the taint, or tolerate it'],
  ])('about %s: %s', (reason, advice) => {
    expect(adviceFor(pendingBecause(reason), (node) => node)).toBe(advice)
  })
})

describe('advice for a violated budget', () => {
  const web = { namespace: 'shop', name: 'web', pending: [], terminating: [], lost: 0, timeBelowBudget: 2 }
  const violated = (created: number, causes: object) =>
    ({
      workloads: [{ ...web, created, budget: 'shop/web' }],
      answer: { budgetsBroken: ['shop/web'], causes },
      timeline: [],
      loops: [],
    }) as unknown as ForecastFacts

  it('names the update strategy of a workload that a rollout takes below its budget', () => {
    expect(adviceFor(violated(6, { 'scaled down': 6 }), (node) => node)).toBe(
      'lower maxUnavailable in the update strategy of shop/web; a rollout ignores budgets',
    )
  })

  it('does not advise a change of the update strategy if fewer pods are wanted', () => {
    expect(adviceFor(violated(0, { 'scaled down': 6 }), (node) => node)).toBeUndefined()
  })
})
