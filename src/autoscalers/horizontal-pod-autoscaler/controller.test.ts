import { describe, expect, it } from 'vitest'
import type { HorizontalPodAutoscaler } from '../../api/objects/autoscaling.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { createDeploymentController } from '../../controllers/deployment/controller.ts'
import { createReplicaSetController } from '../../controllers/replica-set/controller.ts'
import { start, WorkloadCluster } from '../../controllers/workload-cluster.fixture.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { createHorizontalPodAutoscaler } from './controller.ts'
import { type Load, LoadModel } from './load.ts'

const autoscalers = 'horizontalpodautoscalers.autoscaling'
const minute = 60_000

class AutoscaledCluster extends WorkloadCluster {
  constructor(points: readonly (readonly [number, bigint])[], version = '1.36') {
    const load: Load = {
      target: { kind: 'Deployment', name: 'web', namespace: 'default' },
      isShared: true,
      points: points.map(([atMs, cpu]) => ({ atMs, usage: new Map([['cpu', cpu]]) })),
    }
    const release = must(releaseOf(version))
    const source = new LoadModel([load], start)
    super({
      controllers: [
        createDeploymentController({ release }),
        createReplicaSetController({ release }),
        createHorizontalPodAutoscaler({ source, kinds: () => builtinKindsOf(release), release }),
      ],
      nodes: ['node'],
      release,
    })
  }

  deploy(replicas: number): void {
    const labels = { app: 'web' }
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }]
    const spec = {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    }
    this.create('deployments.apps', { metadata: { name: 'web', namespace: 'default' }, spec })
    this.settle()
  }

  autoscale(spec: object = {}): void {
    this.create(autoscalers, {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
        ...spec,
      },
    })
    this.settle()
  }

  get replicas(): number | undefined {
    return (this.get('deployments.apps', 'default/web') as Deployment).spec?.replicas
  }

  get status() {
    return (this.get(autoscalers, 'default/web') as HorizontalPodAutoscaler).status
  }

  conditions(): readonly string[] {
    return (this.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`)
  }
}

describe('the Horizontal Pod Autoscaler', () => {
  it('adds replicas when the usage is above the target, at most doubling their number', () => {
    const c = new AutoscaledCluster([
      [0, 1000n],
      [10 * minute, 4000n],
    ])
    c.deploy(2)
    c.autoscale()
    c.advance(8 * minute)
    expect(c.replicas).toBe(2)
    expect(c.status?.currentMetrics).toEqual([
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '500m' } } },
    ])
    expect(c.conditions()).toEqual([
      'AbleToScale=True ReadyForNewScale',
      'ScalingActive=True ValidMetricFound',
      'ScalingLimited=False DesiredWithinRange',
    ])
    c.advance(2 * minute + 5_000)
    expect(c.replicas).toBe(4)
    expect(c.conditions()).toContain('ScalingLimited=True ScaleUpLimit')
    c.advance(minute)
    expect(c.replicas).toBe(8)
  })

  it('removes replicas when the highest recommendation is older than five minutes', () => {
    const c = new AutoscaledCluster([
      [0, 2000n],
      [10 * minute, 500n],
    ])
    c.deploy(4)
    c.autoscale()
    c.advance(14 * minute)
    expect(c.replicas).toBe(4)
    expect(c.conditions()).toContain('AbleToScale=True ScaleDownStabilized')
    c.advance(2 * minute)
    expect(c.replicas).toBe(1)
  })

  it('reports missing metrics, but keeps the replicas within their limits', () => {
    const c = new AutoscaledCluster([])
    c.deploy(12)
    c.autoscale()
    c.advance(minute)
    expect(c.replicas).toBe(10)
    expect(c.status?.conditions?.find(({ type }) => type === 'ScalingActive')?.message).toBe(
      'the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: no metrics returned from resource metrics API',
    )
  })

  it('reports a target that does not exist', () => {
    const c = new AutoscaledCluster([])
    c.autoscale()
    c.advance(minute)
    expect(c.conditions()).toEqual(['AbleToScale=False FailedGetScale'])
  })

  it('follows the policies of its spec.behavior', () => {
    const c = new AutoscaledCluster([[0, 8000n]])
    c.deploy(1)
    const policies = [{ type: 'Pods', value: 1, periodSeconds: 60 }]
    c.autoscale({ behavior: { scaleUp: { policies } } })
    c.advance(minute)
    expect(c.replicas).toBe(2)
    c.advance(minute)
    expect(c.replicas).toBe(3)
  })

  it.each([
    ['1.36', undefined],
    ['1.37', 1],
  ])(
    'the Horizontal Pod Autoscaler in v%s writes the status of a new autoscaler immediately: %s',
    (version, currentReplicas) => {
      const c = new AutoscaledCluster([[0, 500n]], version)
      c.deploy(1)
      c.autoscale()
      expect(c.status?.currentReplicas || undefined).toBe(currentReplicas)
    },
  )
})
