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
