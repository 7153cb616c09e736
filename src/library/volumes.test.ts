import { describe, expect, it } from 'vitest'
import type { Pod } from '../api/objects/pod.ts'
import { createVolumeBinder } from '../controllers/volume-binder/controller.ts'
import { hollowNodes, parseNodeShape } from '../controlplane/hollow-nodes.ts'
import { createVirtualCluster } from '../controlplane/virtual.ts'
import type { Cluster } from './cluster.ts'
import { createCluster } from './create-cluster.ts'

const classOf = (name: string, provisioner: string, mode = 'WaitForFirstConsumer') => `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: ${name} }
provisioner: ${provisioner}
volumeBindingMode: ${mode}
`
const claimOf = (name: string, storageClass: string, mode = 'ReadWriteOnce') => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name} }
spec: { accessModes: [${mode}], storageClassName: ${storageClass}, resources: { requests: { storage: 1Gi } } }
`
const podWith = (name: string, claim: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  containers: [{ name: c, image: i }]
  volumes: [{ name: data, persistentVolumeClaim: { claimName: ${claim} } }]
  ${more}
`
const localVolume = (name: string, node: string) => `
apiVersion: v1
kind: PersistentVolume
metadata: { name: ${name} }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  storageClassName: local
  persistentVolumeReclaimPolicy: Retain
  local: { path: /mnt }
  nodeAffinity:
    required:
      nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [${node}] }] }]
`

const messageOf = (pod: Pod | undefined) =>
  pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message
const pod = (cluster: Cluster, name: string) => cluster.get('pods', name)

describe('pods with claims', () => {
  it('pods with claims wait a second for a volume that is provisioned for their node', async () => {
    const cluster = await createCluster({ nodes: 3, nodeShape: 'cpu=8,memory=32Gi,zones=3' })
    await cluster.apply(
      [classOf('fast', 'csi.example.com'), claimOf('data', 'fast'), podWith('web', 'data')].join('---'),
    )
    expect(pod(cluster, 'web')?.spec.nodeName).toBeUndefined()
    const node = pod(cluster, 'web')?.status?.nominatedNodeName
    expect(node).toBeDefined()
    await cluster.advance('999ms')
    expect(pod(cluster, 'web')?.spec.nodeName).toBeUndefined()
    await cluster.advance('1ms')
    expect(pod(cluster, 'web')?.spec.nodeName).toBe(node)
    expect(pod(cluster, 'web')?.status?.phase).toBe('Running')
    const zone = cluster.get('nodes', node ?? '')?.metadata.labels?.['topology.kubernetes.io/zone']
    const [volume] = cluster.list('persistentvolumes')
    expect(volume?.spec.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values).toEqual([zone])
    // A second pod of the claim follows the volume.
    await cluster.apply(podWith('other', 'data'))
    expect(pod(cluster, 'other')?.spec.nodeName).toBe(node)
  })

  it('pods with claims use the existing local volumes, and wait for more', async () => {
    const cluster = await createCluster({ nodes: 3 })
    await cluster.apply(classOf('local', 'kubernetes.io/no-provisioner'))
    await cluster.apply([localVolume('v1', 'node-1'), localVolume('v2', 'node-2')].join('---'))
    for (const name of ['a', 'b', 'c']) {
      await cluster.apply([claimOf(name, 'local'), podWith(name, name)].join('---'))
    }
    await cluster.advance('1s')
    const places = () => ['a', 'b', 'c'].map((name) => pod(cluster, name)?.spec.nodeName)
    expect(places().slice(0, 2).sort()).toEqual(['node-1', 'node-2'])
    expect(places()[2]).toBeUndefined()
    expect(messageOf(pod(cluster, 'c'))).toMatch(
      /^0\/3 nodes are available: 3 node\(s\) didn't find available persistent volumes to bind\./,
    )
    await cluster.advance('1m')
    await cluster.apply(localVolume('v3', 'node-3'))
    await cluster.advance('1s')
    expect(places()[2]).toBe('node-3')
    expect(cluster.list('persistentvolumes').map(({ status }) => status?.phase)).toEqual(['Bound', 'Bound', 'Bound'])
  })

  it('pods with claims wait for claims that others bind', async () => {
    const cluster = await createCluster({ nodes: 1 })
    await cluster.apply(podWith('web', 'data'))
    expect(messageOf(pod(cluster, 'web'))).toMatch(/persistentvolumeclaim "data" not found/)
    await cluster.apply(claimOf('data', 'slow'))
    await cluster.advance('10s')
    expect(messageOf(pod(cluster, 'web'))).toMatch(/pod has unbound immediate PersistentVolumeClaims/)
    await cluster.apply(classOf('slow', 'csi.example.com', 'Immediate'))
    await cluster.advance('30s')
    expect(pod(cluster, 'web')?.status?.phase).toBe('Running')
  })

  it('pods with claims preempt a pod of lower priority that has the only claim', async () => {
    const cluster = await createCluster({ nodes: 2 })
    const high = 'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: high }\nvalue: 1000\n'
    const exclusive = claimOf('data', 'fast', 'ReadWriteOncePod')
    await cluster.apply([high, classOf('fast', 'csi.example.com', 'Immediate'), exclusive].join('---'))
    await cluster.apply(podWith('low', 'data'))
    await cluster.advance('1s')
    expect(pod(cluster, 'low')?.status?.phase).toBe('Running')
    await cluster.apply(podWith('high', 'data', 'priorityClassName: high'))
    await cluster.advance('1m')
    expect(pod(cluster, 'low')).toBeUndefined()
    expect(pod(cluster, 'high')?.status?.phase).toBe('Running')
    const preempted = cluster.events({ reason: 'Preempted' })
    expect(preempted).toHaveLength(1)
    // As upstream, which loses the reference to the preemptor.
    expect(preempted[0]).not.toHaveProperty('related')
  })

  it('pods with claims have ephemeral volumes that are created and deleted with them', async () => {
    const cluster = await createCluster({ nodes: 2 })
    await cluster.apply(classOf('fast', 'csi.example.com'))
    await cluster.apply(`
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  containers: [{ name: c, image: i }]
  volumes:
    - name: scratch
      ephemeral:
        volumeClaimTemplate:
          spec: { accessModes: [ReadWriteOnce], storageClassName: fast, resources: { requests: { storage: 1Gi } } }
`)
    await cluster.advance('5s')
    expect(pod(cluster, 'web')?.status?.phase).toBe('Running')
    expect(cluster.list('persistentvolumeclaims').map(({ metadata }) => metadata.name)).toEqual(['web-scratch'])
    await cluster.delete('pods', 'web')
    await cluster.advance('5m')
    expect([cluster.list('persistentvolumeclaims'), cluster.list('persistentvolumes')]).toEqual([[], []])
  })
})

describe('a volume that is never provisioned', () => {
  it('blocks the pod for ten minutes, and then it is retried', () => {
    const cluster = createVirtualCluster({
      startMs: Date.UTC(2026, 0, 1),
      controllers: ['scheduler', 'node-lifecycle'],
      hollow: { serves: 'all' },
      events: 'record',
    })
    const create = (object: object, resource: string, namespace?: string): void => {
      const at = namespace === undefined ? {} : { namespace }
      const outcome = cluster.client.callNow({ verb: 'create', resource, ...at, object: object as never })
      if (!outcome.ok) throw new Error(outcome.status.message)
    }
    for (const node of hollowNodes(1, parseNodeShape('cpu=8,memory=32Gi'))) create(node, 'nodes')
    cluster.driver.advance(10_000)
    const mode = { volumeBindingMode: 'WaitForFirstConsumer' }
    create({ metadata: { name: 'fast' }, provisioner: 'csi.example.com', ...mode }, 'storageclasses.storage.k8s.io')
    const spec = {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '1Gi' } },
    }
    create({ metadata: { name: 'data', namespace: 'default' }, spec }, 'persistentvolumeclaims', 'default')
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
    const web = {
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i' }], volumes },
    }
    create(web, 'pods', 'default')
    const found = () => cluster.store.get('pods', 'default/web') as Pod
    cluster.driver.advance(599_999)
    expect(messageOf(found())).toBeUndefined()
    expect(found().status?.nominatedNodeName).toBe('node-1')
    cluster.driver.advance(1)
    expect(found().status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
      reason: 'SchedulerError',
      message: 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    })
    expect(found().status?.nominatedNodeName).toBeUndefined()
    cluster.driver.add(createVolumeBinder())
    cluster.driver.advance(20_000)
    expect(found().spec.nodeName).toBe('node-1')
    expect(found().status?.phase).toBe('Running')
  })
})
