import { describe, expect, it } from 'vitest'
import type { HorizontalPodAutoscaler } from '../../api/objects/autoscaling.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { containerOf, deploymentOf } from '../../whatif/run/story.fixture.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

const resources = { cpu: '16', memory: '64Gi', pods: '110' }

/** The autoscaler of a Deployment and the metrics of the controller after five minutes. */
async function scaledBy(metric: object, load: readonly object[]) {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    load,
    cluster: [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, status: { capacity: resources } },
      deploymentOf('web', 1, { containers: [containerOf({ cpu: '100m' })] }),
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 1,
          maxReplicas: 10,
          metrics: [metric],
        },
      },
    ],
    until: '5m',
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { store, metrics } = ForecastRun.start(plan).finish().cluster
  const [autoscaler] = store.list('horizontalpodautoscalers.autoscaling') as unknown as HorizontalPodAutoscaler[]
  const lines = metrics
    .expose()
    .split('\n')
    .filter((line) => line.startsWith('horizontal_pod_autoscaler_controller_'))
    .map((line) => line.slice('horizontal_pod_autoscaler_controller_'.length))
  return { status: autoscaler?.status, lines }
}

const queue = (name: string, length: number) => ({
  external: true,
  labels: { queue: name },
  metrics: { queue_length: length },
})
const queues = [queue('orders', 40), queue('mail', 20)]
const external = (selector?: object) => ({
  type: 'External',
  external: {
    metric: { name: 'queue_length', ...(selector && { selector }) },
    target: { type: 'AverageValue', averageValue: '10' },
  },
})

describe('selectors of metrics', () => {
  it.each([
    { what: 'labels', selector: { matchLabels: { queue: 'orders' } }, replicas: 4 },
    {
      what: 'expressions',
      selector: { matchExpressions: [{ key: 'queue', operator: 'NotIn', values: ['orders'] }] },
      replicas: 2,
    },
    { what: 'no selector, which matches all series', selector: undefined, replicas: 6 },
  ])('an external metric is the sum of the series that match $what', async ({ selector, replicas }) => {
    expect((await scaledBy(external(selector), queues)).status).toMatchObject({ currentReplicas: replicas })
  })

  it('an external metric whose selector matches no series cannot be read', async () => {
    const { status } = await scaledBy(external({ matchLabels: { queue: 'none' } }), queues)
    expect(status?.currentReplicas).toBe(1)
    expect(status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
      reason: 'FailedGetExternalMetric',
      message:
        'the HPA was unable to compute the replica count: unable to get external metric default/queue_length/&LabelSelector{MatchLabels:map[string]string{queue: none,},MatchExpressions:[]LabelSelectorRequirement{},}: no metrics returned from external metrics API',
    })
  })

  it('a metric of pods uses the matching series', async () => {
    const series = (verb: string, amount: number) => ({
      target: 'deployment/web',
      shared: true,
      labels: { verb },
      metrics: { requests: amount },
    })
    const metric = (selector: object) => ({
      type: 'Pods',
      pods: { metric: { name: 'requests', selector }, target: { type: 'AverageValue', averageValue: '10' } },
    })
    const load = [series('GET', 50), series('POST', 20)]
    const get = await scaledBy(metric({ matchLabels: { verb: 'GET' } }), load)
    expect(get.status).toMatchObject({ currentReplicas: 5 })
    const all = await scaledBy(metric({ matchExpressions: [{ key: 'verb', operator: 'Exists' }] }), load)
    expect(all.status).toMatchObject({ currentReplicas: 7 })
  })

  it('a metric of an object uses the matching series', async () => {
    const series = (host: string, amount: number) => ({
      target: 'Service/web',
      labels: { host },
      metrics: { requests: amount },
    })
    const metric = {
      type: 'Object',
      object: {
        metric: { name: 'requests', selector: { matchLabels: { host: 'b' } } },
        describedObject: { apiVersion: 'v1', kind: 'Service', name: 'web' },
        target: { type: 'AverageValue', averageValue: '10' },
      },
    }
    const { status } = await scaledBy(metric, [series('a', 90), series('b', 30)])
    expect(status).toMatchObject({ currentReplicas: 3 })
  })
})

describe('the metrics of the Horizontal Pod Autoscaler', () => {
  it('counts reconciliations and computations by their decision, and reports the desired replicas', async () => {
    const { lines } = await scaledBy(external(), queues)
    expect(lines).toEqual(
      expect.arrayContaining([
        'desired_replicas{namespace="default",hpa_name="web"} 6',
        'num_horizontal_pod_autoscalers 1',
        // As in upstream, a proposal is compared with the replicas of the last status.
        'metric_computation_total{action="scale_up",error="none",metric_type="External"} 4',
        'reconciliations_total{action="scale_up",error="none"} 2',
      ]),
    )
    expect(lines.find((line) => line.startsWith('reconciliations_total{action="none",error="none"}'))).toBeDefined()
  })

  it('counts failed reconciliations', async () => {
    const { lines } = await scaledBy(external(), [])
    const failures = lines.filter((line) => line.includes('error="internal"') && line.includes('_total'))
    expect(failures).toHaveLength(2)
    expect(lines.some((line) => line.startsWith('desired_replicas'))).toBe(false)
  })
})
