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
      'add a node with free devices that match the claims, or release such a device',
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

  it('names the update strategy if a rollout takes a workload below its budget', () => {
    expect(adviceFor(violated(6, { 'scaled down': 6 }), (node) => node)).toBe(
      'lower maxUnavailable in the update strategy of shop/web; a rollout ignores budgets',
    )
  })

  it('gives no advice about the update strategy if fewer pods are wanted', () => {
    expect(adviceFor(violated(0, { 'scaled down': 6 }), (node) => node)).toBeUndefined()
  })
})

describe('advice for a blocked drain', () => {
  const waiting = { kind: 'Deployment', namespace: 'shop', name: 'cart', pending: [{ reason: 'x', count: 1 }] }
  const blockedBy = (workload: string, more: object = {}) => {
    const blocked = [
      {
        node: 'a',
        pod: 'shop/p-1',
        workload,
        since: 0,
        why: 'The disruption budget web needs 2 healthy pods and has 2',
      },
    ].map((entry) => ({ ...entry, ...more }))
    const workloads = [{ ...waiting, terminating: [], lost: 0, timeBelowBudget: 0 }]
    const drains = { drained: [], open: ['a'], blocked }
    return adviceFor({ workloads, drains } as unknown as ForecastFacts, (node) => node)
  }

  it('the advice for a blocked drain is to make room for pending pods only if they belong to the workload that blocks', () => {
    expect(blockedBy('Deployment/cart')).toBe('make room for the pending pods of shop/cart; the drain waits for them')
    expect(blockedBy('Deployment/web')).toBe('add a replica, or allow one more unavailable pod in the budget shop/web')
  })

  it('the advice for a blocked drain is not to add replicas if the budget desires all of them', () => {
    expect(blockedBy('Deployment/web', { never: true })).toBe('set maxUnavailable: 1 in the budget shop/web')
  })
})
