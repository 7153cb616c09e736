import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPodReady } from '../../api/conditions.ts'
import { goSelectorText } from '../../api/go-selector-text.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { createDeploymentController } from '../deployment/controller.ts'
import { createReplicaSetController } from '../replica-set/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { BudgetCounter } from './budget-counter.ts'
import { createDisruptionController } from './controller.ts'
import { expectation } from './decide-budget.ts'

type Spec = NonNullable<PodDisruptionBudget['spec']>

const budget = (spec: Spec, name = 'web'): PodDisruptionBudget => ({
  metadata: { name, namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
})

const deployment = (replicas: number): Deployment => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
  },
})

const pod = (name: string, more: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: { name, namespace: 'default', labels: { app: 'web' }, ...more },
  spec: { containers: [{ name: 'c', image: 'i' }] },
})

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createDeploymentController(), createReplicaSetController(), createDisruptionController()],
    ...options,
  })
}

const statusOf = (c: WorkloadCluster, name = 'web') => c.get('poddisruptionbudgets.policy', `default/${name}`)?.status

const evict = (c: WorkloadCluster, name: string) =>
  c.call({
    verb: 'create',
    resource: 'pods',
    namespace: 'default',
    name,
    subresource: 'eviction',
    object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } },
  })

describe('expected pods of a budget', () => {
  it.each<[string, Spec, number, number, number, number]>([
    ['are the existing pods, of which minAvailable must be healthy', { minAvailable: 2 }, 5, 0, 5, 2],
    [
      'are the scale, of which a percentage in minAvailable, rounded up, must be healthy',
      { minAvailable: '50%' },
      5,
      7,
      7,
      4,
    ],
    ['are the scale, of which all but maxUnavailable must be healthy', { maxUnavailable: 2 }, 5, 7, 7, 5],
    [
      'are the scale, of which all but a percentage in maxUnavailable, rounded up, must be healthy',
      { maxUnavailable: '30%' },
      5,
      7,
      7,
      4,
    ],
    ['require no healthy pod if maxUnavailable exceeds the scale', { maxUnavailable: 9 }, 5, 7, 7, 0],
    ['are zero without minAvailable and maxUnavailable', {}, 5, 7, 0, 0],
  ])('expected pods of a budget %s', (_name, spec, pods, scale, expectedPods, desiredHealthy) => {
    expect(expectation(spec, pods, scale)).toEqual({ expectedPods, desiredHealthy })
  })

  it('prints selectors as Go does', () => {
    expect(
      goSelectorText({
        matchLabels: { b: '2', a: '1' },
        matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }],
      }),
    ).toBe(
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{' +
        'LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
    )
  })
})

describe('the disruption controller', () => {
  it('counts the pods of a Deployment against its scale', () => {
    const c = cluster()
    c.create('deployments.apps', deployment(5))
    c.create('poddisruptionbudgets.policy', budget({ maxUnavailable: 1 }))
    c.settle()
    expect(statusOf(c)).toEqual({
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 5,
      desiredHealthy: 4,
      expectedPods: 5,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    })
  })

  it('updates the counts when pods become unready, and reports when no disruption is allowed', () => {
    const c = cluster()
    c.create('deployments.apps', deployment(3))
    c.create('poddisruptionbudgets.policy', budget({ minAvailable: '60%' }))
    c.settle()
    expect(statusOf(c)).toMatchObject({ disruptionsAllowed: 1, desiredHealthy: 2, expectedPods: 3 })
    c.advance(5000)
    c.setReady(`default/${c.pods()[0]?.metadata.name}`, false)
    c.settle()
    expect(statusOf(c)).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 2,
      conditions: [{ status: 'False', reason: 'InsufficientPods', lastTransitionTime: '2026-01-01T00:00:05Z' }],
    })
  })

  it('reports a budget without pods and allows no disruption', () => {
    const c = cluster()
    c.create('poddisruptionbudgets.policy', budget({ maxUnavailable: 1 }))
    c.settle()
    expect(statusOf(c)).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 })
    expect(c.events('web')[0]).toMatch(/^NoPods: No matching pods found/)
  })

  it('counts pods without a controller only for an integer minAvailable, and warns otherwise', () => {
    const c = cluster()
    c.create('pods', pod('a'))
    c.create('pods', pod('b'))
    c.create('poddisruptionbudgets.policy', budget({ minAvailable: 1 }, 'number'))
    c.create('poddisruptionbudgets.policy', budget({ minAvailable: '50%' }, 'share'))
    c.settle()
    expect(statusOf(c, 'number')).toMatchObject({ disruptionsAllowed: 1, expectedPods: 2 })
    expect(statusOf(c, 'share')).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0, currentHealthy: 2 })
    expect(c.events('share').join()).toContain(
      'UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: ' +
        '&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were',
    )
    expect(c.events('a').join()).toContain(
      'MultiplePodDisruptionBudgets: Pod "default"/"a" matches multiple PodDisruptionBudgets.  Chose "number" arbitrarily.',
    )
  })

  it.each([
    ['DaemonSet', 'apps/v1', 'daemonsets.apps does not implement the scale subresource'],
    ['Widget', 'example.com/v1', 'no matches for kind "Widget" in version "example.com/v1"'],
    ['ReplicaSet', 'apps/v1', 'found no controllers for pod "a"'],
  ])('allows no disruption while the scale of a %s is unknown', (kind, apiVersion, message) => {
    const c = cluster()
    c.create('pods', pod('a', { ownerReferences: [{ apiVersion, kind, name: 'o', uid: 'u', controller: true }] }))
    c.create('poddisruptionbudgets.policy', budget({ maxUnavailable: 1 }))
    c.settle()
    expect(statusOf(c)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'SyncFailed', message }],
    })
    expect(c.events('web').join()).toContain(
      `CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${message}`,
    )
  })

  it('allows evictions one by one as replacements become ready', () => {
    const c = cluster({ kubelet: { startMs: 10_000 } })
    c.create('deployments.apps', deployment(3))
    c.create('poddisruptionbudgets.policy', budget({ maxUnavailable: 1 }))
    c.advance(20_000)
    const [first, second] = c.pods().map(({ metadata }) => metadata.name) as [string, string]
    expect(evict(c, first).ok).toBe(true)
    expect(evict(c, second)).toMatchObject({ ok: false, status: { reason: 'TooManyRequests' } })
    c.settle()
    expect(statusOf(c)).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 2 })
    expect(evict(c, second)).toMatchObject({ ok: false, status: { reason: 'TooManyRequests' } })
    c.advance(10_000)
    expect(evict(c, second).ok).toBe(true)
  })

  it('counts a pod again if it was not deleted within two minutes', () => {
    const c = cluster({ kubelet: 'none', controllers: [createDisruptionController()] })
    c.create('pods', pod('a'))
    c.setReady('default/a')
    c.create('poddisruptionbudgets.policy', budget({ minAvailable: 0 }))
    c.settle()
    expect(statusOf(c)).toMatchObject({ disruptionsAllowed: 1 })
    c.patch(
      'poddisruptionbudgets.policy',
      'default/web',
      { status: { disruptedPods: { a: '2026-01-01T00:00:00Z' } } },
      'status',
    )
    c.settle()
    expect(statusOf(c)).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      disruptedPods: { a: '2026-01-01T00:00:00Z' },
    })
    c.advance(119_000)
    expect(statusOf(c)).toMatchObject({ currentHealthy: 0 })
    c.advance(2000)
    expect(statusOf(c)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 1 })
    expect(statusOf(c)?.disruptedPods).toBeUndefined()
    expect(c.events('a')).toContain("NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't")
  })

  it('removes a stale DisruptionTarget condition after two minutes', () => {
    const c = cluster({ kubelet: 'none' })
    c.create('pods', pod('a'))
    const target = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    c.patch('pods', 'default/a', { status: { conditions: [target] } }, 'status')
    c.create('pods', pod('b'))
    c.patch('pods', 'default/b', { status: { conditions: [{ ...target, reason: 'TerminationByKubelet' }] } }, 'status')
    const condition = (name: string) =>
      c.get('pods', `default/${name}`)?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')
    c.advance(119_999)
    expect(condition('a')?.status).toBe('True')
    c.advance(1)
    expect(condition('a')).toMatchObject({ status: 'False', lastTransitionTime: '2026-01-01T00:02:00Z' })
    expect(condition('b')?.status).toBe('True')
  })
})

describe('the counts of budgets', () => {
  const budgets = [budget({}, 'one'), { ...budget({}, 'all'), spec: { selector: {} } }]
  const steps = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      gone: fc.boolean(),
      app: fc.constantFrom('web', 'other'),
      ready: fc.boolean(),
      deleting: fc.boolean(),
      owner: fc.constantFrom('x', 'y', undefined),
    }),
    { maxLength: 30 },
  )

  it('counts of budgets that are updated with changes equal counts from scratch', () => {
    fc.assert(
      fc.property(steps, fc.nat(30), (changes, trackedAt) => {
        const tally = new BudgetCounter()
        const pods = new Map<string, Pod>()
        const track = () => {
          for (const one of budgets) tally.track(one, () => [...pods.values()])
        }
        changes.forEach(({ name, gone, app, ready, deleting, owner }, i) => {
          if (i === trackedAt) track()
          const key = `default/${name}`
          const before = pods.get(key)
          const after = gone ? undefined : shaped(name, app, ready, deleting, owner)
          if (after === undefined) pods.delete(key)
          else pods.set(key, after)
          tally.note({ key, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) })
        })
        track()
        for (const one of budgets) {
          const selected = [...pods.values()].filter(
            (p) => one.metadata.name === 'all' || p.metadata.labels?.app === 'web',
          )
          const counts = tally.counts(one)
          expect(counts.pods).toBe(selected.length)
          expect(counts.healthy).toBe(
            selected.filter((p) => isPodReady(p) && p.metadata.deletionTimestamp === undefined).length,
          )
          expect(counts.unmanaged).toBe(selected.filter((p) => p.metadata.ownerReferences === undefined).length)
          const owners = new Set(selected.flatMap((p) => p.metadata.ownerReferences?.map(({ uid }) => uid) ?? []))
          expect(new Set(counts.owners.keys())).toEqual(owners)
        }
      }),
    )
  })
})

function shaped(name: string, app: string, ready: boolean, deleting: boolean, owner: string | undefined): Pod {
  return {
    ...pod(name, {
      labels: { app },
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner, controller: true }] }),
    }),
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}
