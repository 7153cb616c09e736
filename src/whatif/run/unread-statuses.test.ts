import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { must } from '../../base/result.ts'
import { readSettings } from '../../controlplane/settings.ts'
import { buildForecast } from '../report/build-forecast.ts'
import type { ForecastPlan } from '../scenario/forecast-plan.ts'
import { plannedStep } from '../scenario/question.ts'
import type { Step } from '../scenario/step.ts'
import { ForecastRun } from './forecast-run.ts'
import { randomCluster } from './random-cluster.fixture.ts'
import { deployment, dumpOf, itemsOf, node, planOn } from './story.fixture.ts'
import { hasUnreadStatuses } from './unread-statuses.ts'

async function halfHourOn(objects: readonly object[], steps: readonly Step[]): Promise<ForecastPlan> {
  return halfHourOf(await itemsOf(objects), steps)
}

function halfHourOf(items: readonly KubeObject[], steps: readonly Step[]): ForecastPlan {
  const planned = steps.map((step, at) => plannedStep(step, at * 300_000))
  return planOn(items, planned, 1_800_000)
}

const zone = { kind: 'label', key: 'topology.kubernetes.io/zone', value: 'zone-a' } as const
const first = { kind: 'names', names: ['n0', 'n1'] } as const

const questions: Readonly<Record<string, readonly Step[]>> = {
  'a zone fails and recovers': [
    { kind: 'fail', nodes: zone },
    { kind: 'cordon', nodes: first },
    { kind: 'recover', nodes: zone },
  ],
  'nodes are tainted': [{ kind: 'taint', nodes: first, taint: { key: 'gone', effect: 'NoExecute' } }],
  'nodes are drained and removed': [
    { kind: 'drain', nodes: first, options: {} },
    { kind: 'remove', nodes: first },
  ],
}

describe('statuses that nothing reads', () => {
  it.each(Object.keys(questions).flatMap((name) => ['1', '2', '3', '4'].map((seed) => [name, seed] as const)))(
    'omitting statuses that no controller reads does not change the forecast: %s, %s',
    async (name, seed) => {
      const asked = await halfHourOn(randomCluster(seed), questions[name] ?? [])
      // Updates of a status delay the other requests of their controller.
      const slow = must(readSettings({ 'kube-api-qps': 1, 'kube-api-burst': 2 }))
      const plan = seed > '2' ? { ...asked, settings: slow } : asked
      expect(hasUnreadStatuses(plan)).toBe(true)
      const lean = ForecastRun.start(plan).finish()
      const full = ForecastRun.start(plan, { statuses: 'stored' }).finish()
      expect(lean.cluster.driver.controller('deployment-controller')).toBeUndefined()
      expect(full.cluster.driver.controller('deployment-controller')).toBeDefined()
      expect(lean.cluster.store.revision).toBeLessThan(full.cluster.store.revision)
      expect(buildForecast(lean)).toEqual(buildForecast(full))
    },
  )

  it('statuses are read during a rollout', async () => {
    const { items } = (await dumpOf([node('a'), node('b'), deployment('web', 4)])) as { items: readonly KubeObject[] }
    const rolling = items.map((item) => {
      if (item.kind !== 'Deployment') return item
      const { spec, ...rest } = structuredClone(item) as KubeObject & {
        spec: { template: { spec: { containers: { image: string }[] } } }
      }
      for (const container of spec.template.spec.containers) container.image = 'other'
      return { ...rest, spec } as KubeObject
    })
    expect(hasUnreadStatuses(halfHourOf(items, []))).toBe(true)
    expect(hasUnreadStatuses(halfHourOf(rolling, []))).toBe(false)
  })

  it('statuses are read if a step changes a workload or restarts a controller', async () => {
    const plan = await halfHourOn([node('a'), deployment('web', 1)], [])
    const target = { kind: 'deployment', namespace: 'default', name: 'web' }
    for (const step of [
      { kind: 'scale', target, replicas: 3 },
      { kind: 'restart', controller: 'replicaset' },
    ] as const)
      expect(hasUnreadStatuses({ ...plan, steps: [plannedStep(step)] })).toBe(false)
  })

  it('statuses are read if an autoscaler reads them', async () => {
    const { items } = (await dumpOf([node('a'), deployment('web', 1)])) as { items: readonly KubeObject[] }
    const autoscaler = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web', namespace: 'default', uid: 'u-1', resourceVersion: '1' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    } as unknown as KubeObject
    expect(hasUnreadStatuses(halfHourOf([...items, autoscaler], []))).toBe(false)
  })
})
