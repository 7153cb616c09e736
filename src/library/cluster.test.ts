import { describe, expect, it } from 'vitest'
import { ClusterError } from './cluster-error.ts'
import { createCluster } from './create-cluster.ts'
import { webDeployment } from './manifests.fixture.ts'

const web = webDeployment(
  6,
  `
      tolerations:
        - { key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 30 }
      containers:
        - { name: web, image: nginx, resources: { requests: { cpu: 500m } } }`,
)

describe('a cluster inside a test', () => {
  it('runs a deployment and spreads it over its nodes', async () => {
    const cluster = await createCluster({ nodes: 3 })
    await cluster.apply(web)
    expect(cluster.pods({ selector: 'app=web', phase: 'Running' })).toHaveLength(6)
    expect(cluster.pods({ node: 'node-1' })).toHaveLength(2)
    expect(cluster.get('deployments.apps', 'web')?.status?.readyReplicas).toBe(6)
    await cluster.scale('deployments.apps', 'web', 2)
    await cluster.advance('1m')
    expect(cluster.pods()).toHaveLength(2)
  })

  it('runs objects whose periods exceed the exact range of numbers', async () => {
    const cluster = await createCluster({ nodes: 2 })
    const period = '9007199254740993'
    const podSpec = `
      terminationGracePeriodSeconds: ${period}
      tolerations:
        - { key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: ${period} }
      containers: [{ name: web, image: nginx }]`
    await cluster.apply(`${webDeployment(2, podSpec)}
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  activeDeadlineSeconds: ${period}
  template:
    spec: { restartPolicy: Never, terminationGracePeriodSeconds: ${period}, containers: [{ name: a, image: b }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: often }
spec:
  schedule: '* * * * *'
  startingDeadlineSeconds: ${period}
  jobTemplate:
    spec:
      activeDeadlineSeconds: ${period}
      template: { spec: { restartPolicy: Never, containers: [{ name: a, image: b }] } }
---
apiVersion: apps/v1
kind: ControllerRevision
metadata: { name: old, labels: { app: db } }
revision: ${period}
data: {}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: a, image: b }] }
`)
    await cluster.advance('5m')
    expect(cluster.pods({ selector: 'app=web', phase: 'Running' })).toHaveLength(2)
    expect(cluster.pods({ selector: 'app=db' })).toHaveLength(1)
    expect(cluster.get('deployments.apps', 'web')).toMatchObject({
      spec: { template: { spec: { terminationGracePeriodSeconds: BigInt(period) } } },
    })
    await cluster.taint('node-1', 'maintenance=now:NoExecute')
    await cluster.scale('deployments.apps', 'web', 0)
    await cluster.advance('5m')
  })

  it('provisions volumes for claims without a storage class', async () => {
    const cluster = await createCluster({ nodes: 3 })
    await cluster.apply(`
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  replicas: 2
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { containers: [{ name: db, image: postgres }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`)
    await cluster.advance('5s')
    expect(cluster.list('persistentvolumeclaims').map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound'])
    expect(cluster.pods({ phase: 'Running' }).map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1'])
  })

  it('suggests a similar flag for an unknown flag', async () => {
    await expect(createCluster({ flags: { 'node-monitor-periodd': '5s' } })).rejects.toThrow(
      'unknown flag "node-monitor-periodd"; did you mean node-monitor-period?',
    )
  })

  it('evicts at the end of tolerationSeconds, not before', async () => {
    const cluster = await createCluster({ nodes: 3 })
    await cluster.apply(web)
    // Without the cordon the replacements would be placed here again: the scheduler ignores tolerationSeconds.
    await cluster.cordon('node-1')
    await cluster.taint('node-1', 'maintenance=now:NoExecute')
    await cluster.advance('29s')
    expect(cluster.pods({ node: 'node-1' })).toHaveLength(2)
    await cluster.advance('1m')
    expect(cluster.pods({ node: 'node-1' })).toHaveLength(0)
    expect(cluster.pods({ phase: 'Running' })).toHaveLength(6)
    expect(cluster.events({ reason: 'TaintManagerEviction' })).toHaveLength(2)
  })

  it('detects a silent node, evicts its pods after five minutes, and uses it again when it recovers', async () => {
    const cluster = await createCluster({ nodes: 3 })
    await cluster.apply(web)
    await cluster.silence('node-2')
    await cluster.advance('1m')
    const ready = () => cluster.get('nodes', 'node-2')?.status?.conditions?.find(({ type }) => type === 'Ready')?.status
    expect(ready()).toBe('Unknown')
    await cluster.advance('6m')
    expect(cluster.pods({ node: 'node-2' }).every(({ metadata }) => metadata.deletionTimestamp !== undefined)).toBe(
      true,
    )
    expect(cluster.pods({ phase: 'Running' }).filter(({ spec }) => spec.nodeName !== 'node-2')).toHaveLength(6)
    await cluster.revive('node-2')
    await cluster.advance('10s')
    expect(ready()).toBe('True')
    expect(cluster.get('nodes', 'node-2')?.spec?.taints ?? []).toEqual([])
  })

  it('a cluster gives the same result in every run', async () => {
    const run = async () => {
      const cluster = await createCluster({ nodes: 5, seed: 'same' })
      await cluster.apply(web)
      await cluster.taint('node-3', 'maintenance=now:NoExecute')
      await cluster.advance('10m')
      return JSON.stringify(cluster.pods())
    }
    expect(await run()).toBe(await run())
  })

  it('accepts pod CIDR ranges as custom resources, with the allocator that uses them', async () => {
    const cluster = await createCluster({
      nodes: 0,
      flags: { 'allocate-node-cidrs': true, 'cidr-allocator-type': 'MultiCIDRRangeAllocator' },
    })
    const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
    expect(cluster.list(definitions).map(({ metadata }) => metadata.name)).toEqual(['clustercidrs.networking.x-k8s.io'])
    await cluster.apply(`
apiVersion: networking.x-k8s.io/v1
kind: ClusterCIDR
metadata: { name: east }
spec: { perNodeHostBits: 8, ipv4: 10.1.0.0/16 }
---
apiVersion: v1
kind: Node
metadata: { name: a }
`)
    await cluster.advance('1s')
    expect(cluster.get('nodes', 'a')?.spec?.podCIDR).toBe('10.1.0.0/24')
    expect((await createCluster({ nodes: 0 })).list(definitions)).toEqual([])
  })

  it('reports invalid input', async () => {
    const cluster = await createCluster({ nodes: 1 })
    await expect(
      cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Bad_Name' } }),
    ).rejects.toBeInstanceOf(ClusterError)
    await expect(cluster.advance('5 minutes')).rejects.toThrow(/duration such as/)
    await expect(cluster.taint('node-9', 'a=b:NoExecute')).rejects.toThrow(
      'nodes "node-9" not found; did you mean "node-1"?',
    )
    await expect(createCluster({ flags: { 'node-monitor-perod': '1s' } })).rejects.toThrow(/node-monitor-period/)
  })
})
