import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { MetricRegistry } from '../../base/metrics.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createPodGarbageCollector, type PodGarbageCollectorOptions } from './controller.ts'

function cluster(gc: PodGarbageCollectorOptions = {}, options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createPodGarbageCollector(gc)],
    kubelet: 'none',
    nodes: ['n1', 'n2'],
    ...options,
  })
}

function addPod(
  c: WorkloadCluster,
  name: string,
  more: { node?: string; finalizers?: string[]; status?: object } = {},
): void {
  c.create('pods', {
    metadata: { name, namespace: 'default', ...(more.finalizers === undefined ? {} : { finalizers: more.finalizers }) },
    spec: { containers: [{ name: 'c', image: 'i' }], ...(more.node === undefined ? {} : { nodeName: more.node }) },
  })
  c.patch('pods', `default/${name}`, { status: more.status ?? { phase: 'Running' } }, 'status')
}

const names = (c: WorkloadCluster) => c.pods().map(({ metadata }) => metadata.name)

describe('the pod garbage collector', () => {
  it('deletes the pods of a deleted node after a quarantine, and marks them as failed and disrupted', () => {
    const c = cluster()
    addPod(c, 'a', { node: 'n1', finalizers: ['example.com/hold'] })
    addPod(c, 'b', { node: 'n2' })
    c.advance(5000)
    c.delete('nodes', 'n1')
    // The round at 20 s finds that the node is missing; the round at 60 s deletes the pods.
    c.advance(54_999)
    expect(names(c)).toEqual(['a', 'b'])
    expect(c.get('pods', 'default/a')?.status?.phase).toBe('Running')
    c.advance(1)
    const a = c.get('pods', 'default/a') as Pod
    expect(a.metadata.deletionTimestamp).toBeDefined()
    expect(a.status).toMatchObject({
      phase: 'Failed',
      conditions: [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'DeletionByPodGC',
          message: 'PodGC: node no longer exists',
          lastTransitionTime: '2026-01-01T00:01:00Z',
        },
      ],
    })
    c.patch('pods', 'default/a', { metadata: { finalizers: null } })
    expect(names(c)).toEqual(['b'])
  })

  it('keeps the pods of a node that is created again in time', () => {
    const c = cluster()
    addPod(c, 'a', { node: 'n1' })
    c.advance(5000)
    c.delete('nodes', 'n1')
    c.advance(30_000)
    c.create('nodes', { metadata: { name: 'n1' } })
    c.advance(600_000)
    expect(c.get('pods', 'default/a')?.status?.phase).toBe('Running')
    expect(c.driver.nextAt()).toBeUndefined()
  })

  it('deletes terminating pods of a node that is out of service and not ready', () => {
    const c = cluster()
    addPod(c, 'a', { node: 'n1' })
    c.patch('nodes', 'n1', { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } })
    c.patch('nodes', 'n1', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, 'status')
    c.delete('pods', 'default/a', { gracePeriodSeconds: 3600 })
    c.advance(60_000)
    expect(names(c)).toEqual(['a'])
    c.patch('nodes', 'n1', { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }, 'status')
    c.advance(20_000)
    expect(names(c)).toEqual([])
  })

  it('deletes terminating pods that were never scheduled', () => {
    const c = cluster()
    addPod(c, 'a', { finalizers: ['example.com/hold'] })
    c.delete('pods', 'default/a')
    c.advance(20_000)
    expect(c.get('pods', 'default/a')?.status?.phase).toBe('Failed')
  })

  it('keeps the configured number of terminated pods, and deletes evicted pods first, then the oldest', () => {
    const metrics = new MetricRegistry()
    const c = cluster({ terminatedPodThreshold: 2, metrics })
    c.settle()
    addPod(c, 'old', { status: { phase: 'Succeeded' } })
    c.advance(1000)
    addPod(c, 'mid', { status: { phase: 'Failed' } })
    c.advance(1000)
    addPod(c, 'young', { status: { phase: 'Succeeded' } })
    addPod(c, 'evicted', { status: { phase: 'Failed', reason: 'Evicted' } })
    addPod(c, 'runs')
    c.advance(20_000)
    expect(names(c)).toEqual(['mid', 'runs', 'young'])
    expect(metrics.expose()).toContain(
      'pod_gc_collector_force_delete_pods_total{namespace="default",reason="terminated"} 2',
    )
  })

  it('keeps the schedule of its rounds when it skips rounds', () => {
    const c = cluster()
    c.advance(125_000)
    addPod(c, 'a', { finalizers: ['example.com/hold'] })
    c.delete('pods', 'default/a')
    c.advance(14_999)
    expect(c.get('pods', 'default/a')?.status?.phase).toBe('Running')
    c.advance(1)
    expect(c.get('pods', 'default/a')?.status?.phase).toBe('Failed')
  })

  it('the pod garbage collector does not wake up while it has no candidates', () => {
    const c = cluster()
    addPod(c, 'a', { node: 'n1' })
    c.settle()
    expect(c.driver.nextAt()).toBeUndefined()
  })
})
