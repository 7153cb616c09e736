import { describe, expect, it } from 'vitest'
import { must } from '../../base/result.ts'
import { forecast } from '../run/forecast.ts'
import { budget, containerOf, deploymentOf } from '../run/story.fixture.ts'

const node = (name: string, taints: object[] = []) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: { taints },
  status: { capacity: { cpu: '4', memory: '8Gi', pods: '20' }, allocatable: { cpu: '4', memory: '8Gi', pods: '20' } },
})

const deployment = (name: string, replicas: number, cpu: string, more: object = {}) =>
  deploymentOf(name, replicas, { containers: [containerOf({ cpu })], ...more })

const pinned = { nodeSelector: { 'kubernetes.io/hostname': 'a' } }

async function answer(cluster: object[], steps: object[], expectations: object = {}) {
  return must(await forecast({ cluster: cluster as never, steps, until: '20m', expect: expectations }))
}

describe('verdict', () => {
  it('the verdict is SAFE if all pods move to another node', async () => {
    const { verdict, caused } = await answer(
      [node('a'), node('b'), deployment('web', 2, '500m')],
      [{ at: '1m', drain: { node: 'a' } }],
    )
    expect({ verdict, moved: caused.podsMoved, pending: caused.podsPending }).toMatchObject({
      verdict: 'SAFE',
      pending: 0,
    })
    expect(caused.podsMoved).toBe(caused.podsDeleted)
  })

  it('the verdict is BLOCKED if a drain does not end, even if expectations about budgets and pods are met', async () => {
    const { verdict, reason, expectations } = await answer(
      [node('a'), node('b'), deployment('web', 2, '500m', pinned), budget('web', 2)],
      [{ at: '1m', drain: { node: 'a' } }],
      {
        pdbNeverViolated: true,
        allRunningWithin: '10m',
        drainedWithin: '10m',
        verdict: 'DEGRADED',
        noNewPending: true,
      },
    )
    expect(verdict).toBe('BLOCKED')
    expect(reason).toBe('the drain of a is blocked by the disruption budget default/web')
    expect(expectations.filter(({ holds }) => !holds).map(({ kind }) => kind)).toEqual(['drainedWithin', 'verdict'])
  })

  it('the verdict is DEGRADED if pods have no node at the end', async () => {
    const { verdict, caused } = await answer(
      [node('a'), node('b'), deployment('web', 2, '500m', pinned)],
      [{ at: '1m', drain: { node: 'a' } }],
    )
    expect({ verdict, caused: caused.podsPending }).toEqual({ verdict: 'DEGRADED', caused: 2 })
  })

  it('the verdict is UNSAFE if a disruption budget is violated', async () => {
    const steps = [{ at: '1m', taint: { node: 'a', taint: 'gone:NoExecute' } }]
    const cluster = [node('a'), node('b'), deployment('web', 2, '500m', pinned), budget('web', 2)]
    const { verdict, caused } = await answer(cluster, steps)
    expect({ verdict, below: caused.workloadsBelowBudget }).toEqual({ verdict: 'UNSAFE', below: 1 })
  })

  it('the verdict is SAFE for a scale-up of a workload with a budget', async () => {
    const { verdict, expectations } = await answer(
      [node('a'), node('b'), deployment('web', 2, '500m'), budget('web', '100%')],
      [{ at: '1m', scale: { target: 'deployment/web', replicas: 6 } }],
      { pdbNeverViolated: true },
    )
    expect({ verdict, holds: expectations[0]?.holds }).toEqual({ verdict: 'SAFE', holds: true })
  })
})

describe('expectations', () => {
  it('a pod that was pending at the start does not violate expectations', async () => {
    const stuck = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stuck', namespace: 'default', uid: 'stuck', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { containers: [{ name: 'c', image: 'a', resources: { requests: { cpu: '90' } } }] },
      status: { phase: 'Pending' },
    }
    const found = {
      ...node('a'),
      metadata: { ...node('a').metadata, uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
    }
    const { expectations } = await answer([found, stuck], [{ at: '1m', cordon: { node: 'a' } }], {
      noPodPending: true,
      noNewPending: true,
      noLoop: true,
      verdict: 'SAFE',
    })
    expect(expectations.map(({ kind, holds }) => [kind, holds])).toEqual([
      ['noPodPending', true],
      ['noNewPending', true],
      ['noLoop', true],
      ['verdict', true],
    ])
  })
})

describe('baseline', () => {
  it('does not attribute a pod to the change that is pending in place of another pod of its workload', async () => {
    const cluster = [node('a'), node('b'), deployment('web', 3, '3')]
    const steps = [
      { at: '1m', drain: { node: 'a' } },
      { at: '5m', uncordon: { node: 'a' } },
    ]
    const { verdict, caused, baseline, workloads, after } = await answer(cluster, steps)
    expect(after.pods.pending).toBe(1)
    expect({ verdict, caused: caused.podsPending, without: baseline.podsPending }).toEqual({
      verdict: 'SAFE',
      caused: 0,
      without: 1,
    })
    expect(workloads.flatMap(({ pending }) => pending)).toEqual([])
  })

  it('counts the pods that were pending at the start', async () => {
    const { caused, baseline } = await answer(
      [node('a'), deployment('web', 1, '9')],
      [{ at: '1m', cordon: { node: 'a' } }],
    )
    expect([caused.podsPending, baseline.podsPending]).toEqual([0, 1])
  })

  it('does not count finished pods as lost', async () => {
    const done = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'done', namespace: 'default', labels: { app: 'done' } },
      spec: { nodeName: 'a', containers: [containerOf({ cpu: '1' })] },
      status: { phase: 'Succeeded' },
    }
    const { verdict, answer: summary } = await answer(
      [node('a'), node('b'), done],
      [{ at: '1m', taint: { node: 'a', taint: 'gone:NoExecute' } }],
    )
    expect({ verdict, lost: summary.lost }).toEqual({ verdict: 'SAFE', lost: 0 })
  })

  it('subtracts effects that also occur without the change from the answer', async () => {
    const cluster = [node('a'), node('b'), deployment('web', 3, '500m'), deployment('stuck', 1, '9')]
    // The taint and the pending pod belong to the cluster. The cordon is the question.
    const anyway = { at: '0s', apply: [node('c')] }
    const {
      verdict,
      caused,
      baseline,
      answer: summary,
    } = await answer(cluster, [anyway, { at: '1m', cordon: { node: 'b' } }])
    expect(verdict).toBe('SAFE')
    expect(caused).toEqual({ podsDeleted: 0, podsPending: 0, podsMoved: 0, workloadsBelowBudget: 0 })
    expect(baseline.podsPending).toBe(1)
    expect(summary.lines.join('\n')).toContain('No pods are deleted')
  })
})
