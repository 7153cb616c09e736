import { describe, expect, it } from 'vitest'
import type { PersistentVolumeClaim } from '../../api/objects/storage.ts'
import type { StatefulSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { failure } from '../../api/status.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { createGarbageCollector } from '../garbage-collection/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createStatefulSetController } from './controller.ts'

type Spec = NonNullable<StatefulSet['spec']>

function statefulSet(more: Partial<Spec> = {}): StatefulSet {
  return {
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image: 'v1' }] } },
      ...more,
    },
  }
}

const data: PersistentVolumeClaim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
}

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [
      createStatefulSetController(),
      createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) }),
    ],
    kubelet: { startMs: 1000 },
    ...options,
  })
}

const names = (c: WorkloadCluster) => c.pods().map(({ metadata }) => metadata.name)
const images = (c: WorkloadCluster) =>
  c.pods().map(({ metadata, spec }) => `${metadata.name} ${spec.containers[0]?.image}`)
const statusOf = (c: WorkloadCluster) => c.get('statefulsets.apps', 'default/db')?.status
const change = (c: WorkloadCluster, spec: object) => c.patch('statefulsets.apps', 'default/db', { spec })
const setImage = (c: WorkloadCluster, image: string) =>
  change(c, { template: { spec: { containers: [{ name: 'c', image }] } } })
const claims = (c: WorkloadCluster) => c.list('persistentvolumeclaims').map(({ metadata }) => metadata.name)

function revisionsOf(c: ReturnType<typeof cluster>): readonly number[] {
  return c
    .list('controllerrevisions.apps')
    .map(({ revision }) => revision)
    .sort()
}

describe('the StatefulSet controller', () => {
  it('creates the pods of a StatefulSet in order, each after the previous one is ready', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(999)
    expect(names(c)).toEqual(['db-0'])
    c.advance(1000)
    expect(names(c)).toEqual(['db-0', 'db-1'])
    c.advance(5000)
    expect(names(c)).toEqual(['db-0', 'db-1', 'db-2'])
    const pod = c.get('pods', 'default/db-1')
    const revision = c.list('controllerrevisions.apps')[0]?.metadata.name
    expect(pod?.metadata.labels).toEqual({
      app: 'db',
      'statefulset.kubernetes.io/pod-name': 'db-1',
      'apps.kubernetes.io/pod-index': '1',
      'controller-revision-hash': revision,
    })
    expect(pod?.metadata.generateName).toBeUndefined()
    expect(pod?.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' })
    expect(statusOf(c)).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: revision,
      updateRevision: revision,
      collisionCount: 0,
    })
    expect(c.events('db')).toEqual([
      'SuccessfulCreate: Create Pod db-0 in StatefulSet db successful',
      'SuccessfulCreate: Create Pod db-1 in StatefulSet db successful',
      'SuccessfulCreate: Create Pod db-2 in StatefulSet db successful',
    ])
  })

  it('creates all pods at once with pod management policy Parallel', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ replicas: 10, podManagementPolicy: 'Parallel' }))
    c.settle()
    expect(names(c)).toHaveLength(10)
  })

  it('scales a StatefulSet down one pod at a time from the highest ordinal', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(10_000)
    const gone: string[] = []
    c.driver.onChanges((changes) => {
      for (const { resource, key, after } of changes) if (resource === 'pods' && after === undefined) gone.push(key)
    })
    change(c, { replicas: 1 })
    c.advance(10_000)
    expect(gone).toEqual(['default/db-2', 'default/db-1'])
    expect(statusOf(c)).toMatchObject({ replicas: 1, readyReplicas: 1, currentReplicas: 1 })
  })

  it('does not scale a StatefulSet down while a pod with a lower ordinal is not ready', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(10_000)
    c.setReady('default/db-0', false)
    change(c, { replicas: 1 })
    c.advance(10_000)
    expect(names(c)).toEqual(['db-0', 'db-1', 'db-2'])
    c.setReady('default/db-0', true)
    c.advance(10_000)
    expect(names(c)).toEqual(['db-0'])
  })

  it('replaces a pod that was deleted or has ended, under the same name', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(10_000)
    const before = c.get('pods', 'default/db-1')?.metadata.uid
    c.delete('pods', 'default/db-1')
    c.patch('pods', 'default/db-2', { status: { phase: 'Failed' } }, 'status')
    c.advance(10_000)
    expect(names(c)).toEqual(['db-0', 'db-1', 'db-2'])
    expect(c.get('pods', 'default/db-1')?.metadata.uid).not.toBe(before)
    expect(statusOf(c)).toMatchObject({ readyReplicas: 3 })
  })

  it('updates the pods from the highest to the lowest ordinal and keeps the old revision', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(10_000)
    const first = statusOf(c)?.currentRevision
    setImage(c, 'v2')
    c.advance(1500)
    expect(images(c)).toEqual(['db-0 v1', 'db-1 v2', 'db-2 v2'])
    expect(statusOf(c)).toMatchObject({ currentRevision: first, currentReplicas: 1, updatedReplicas: 2 })
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v2', 'db-1 v2', 'db-2 v2'])
    const second = statusOf(c)?.updateRevision
    expect(second).not.toBe(first)
    expect(statusOf(c)).toMatchObject({ currentRevision: second, currentReplicas: 3, updatedReplicas: 3 })
    expect(revisionsOf(c)).toEqual([1, 2])
    setImage(c, 'v1')
    c.advance(10_000)
    expect(statusOf(c)).toMatchObject({ currentRevision: first })
    expect(revisionsOf(c)).toEqual([2, 3])
  })

  it('stops a rolling update at the partition, and creates pods below it from the old revision', () => {
    const c = cluster()
    c.create(
      'statefulsets.apps',
      statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }),
    )
    c.advance(10_000)
    setImage(c, 'v2')
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v1', 'db-1 v1', 'db-2 v2'])
    c.delete('pods', 'default/db-0')
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v1', 'db-1 v1', 'db-2 v2'])
    change(c, { updateStrategy: { rollingUpdate: { partition: 0 } } })
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v2', 'db-1 v2', 'db-2 v2'])
  })

  it('updates only deleted pods with the strategy OnDelete', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ updateStrategy: { type: 'OnDelete' } }))
    c.advance(10_000)
    setImage(c, 'v2')
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v1', 'db-1 v1', 'db-2 v1'])
    c.delete('pods', 'default/db-1')
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v1', 'db-1 v2', 'db-2 v1'])
  })

  it('starts the ordinals of a StatefulSet at spec.ordinals.start', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ replicas: 2, ordinals: { start: 5 } }))
    c.advance(10_000)
    expect(names(c)).toEqual(['db-5', 'db-6'])
    change(c, { ordinals: { start: 6 } })
    c.advance(10_000)
    expect(names(c)).toEqual(['db-6', 'db-7'])
  })

  it('waits minReadySeconds after each pod of a StatefulSet', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ replicas: 2, minReadySeconds: 10 }))
    c.advance(10_999)
    expect(names(c)).toEqual(['db-0'])
    c.advance(1)
    expect(names(c)).toEqual(['db-0', 'db-1'])
    c.advance(11_000)
    expect(statusOf(c)).toMatchObject({ readyReplicas: 2, availableReplicas: 2 })
  })

  it('keeps only as many revisions as revisionHistoryLimit allows', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ replicas: 1, revisionHistoryLimit: 1 }))
    for (const image of ['v1', 'v2', 'v3', 'v4']) {
      setImage(c, image)
      c.advance(10_000)
    }
    expect(revisionsOf(c)).toEqual([3, 4])
  })

  it('adopts pods that have a name of the StatefulSet, and no other pods', () => {
    const c = cluster()
    const spec = { containers: [{ name: 'c', image: 'v1' }] }
    c.create('pods', { metadata: { name: 'db-0', namespace: 'default', labels: { app: 'db' } }, spec })
    c.create('pods', { metadata: { name: 'other', namespace: 'default', labels: { app: 'db' } }, spec })
    c.create('statefulsets.apps', statefulSet({ replicas: 1 }))
    c.advance(5000)
    expect(controllerOf(c.get('pods', 'default/db-0')!)?.name).toBe('db')
    expect(controllerOf(c.get('pods', 'default/other')!)).toBeUndefined()
  })

  it('creates the claims of each pod before the pod', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet({ replicas: 2, volumeClaimTemplates: [data] }))
    c.advance(5000)
    expect(claims(c)).toEqual(['data-db-0', 'data-db-1'])
    expect(c.list('persistentvolumeclaims')[0]?.metadata.labels).toEqual({ app: 'db' })
    expect(c.get('pods', 'default/db-1')?.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-1' },
    })
    expect(c.events('db').slice(0, 2)).toEqual([
      'SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success',
      'SuccessfulCreate: Create Pod db-0 in StatefulSet db successful',
    ])
    change(c, { replicas: 1 })
    c.advance(5000)
    c.delete('statefulsets.apps', 'default/db')
    c.advance(5000)
    expect(names(c)).toEqual([])
    expect(claims(c)).toEqual(['data-db-0', 'data-db-1'])
  })

  it.each<[string, Spec['persistentVolumeClaimRetentionPolicy'], string[], string[]]>([
    [
      'keeps claims when it is deleted, not when it is scaled',
      { whenScaled: 'Delete', whenDeleted: 'Retain' },
      ['data-db-0'],
      ['data-db-0'],
    ],
    [
      'keeps claims when it is scaled, not when it is deleted',
      { whenScaled: 'Retain', whenDeleted: 'Delete' },
      ['data-db-0', 'data-db-1'],
      [],
    ],
    ['keeps no claims', { whenScaled: 'Delete', whenDeleted: 'Delete' }, ['data-db-0'], []],
  ])('retains or deletes claims by policy: %s', (_name, policy, afterScaling, afterDeletion) => {
    const c = cluster()
    c.create(
      'statefulsets.apps',
      statefulSet({
        replicas: 2,
        volumeClaimTemplates: [data],
        ...(policy === undefined ? {} : { persistentVolumeClaimRetentionPolicy: policy }),
      }),
    )
    c.advance(10_000)
    expect(claims(c)).toEqual(['data-db-0', 'data-db-1'])
    // The claim protection controller does not run here.
    for (const name of claims(c))
      c.patch('persistentvolumeclaims', `default/${name}`, { metadata: { finalizers: null } })
    change(c, { replicas: 1 })
    c.advance(10_000)
    expect(claims(c)).toEqual(afterScaling)
    c.delete('statefulsets.apps', 'default/db')
    c.advance(10_000)
    expect(claims(c)).toEqual(afterDeletion)
  })

  it('records an event for a pod that cannot be created, and retries', () => {
    let refused = 3
    const c = cluster({
      refuse: (call) =>
        call.verb === 'create' && call.resource === 'pods' && refused-- > 0 ? failure('Forbidden', 'no') : undefined,
    })
    c.create('statefulsets.apps', statefulSet({ replicas: 1 }))
    c.advance(5000)
    expect(names(c)).toEqual(['db-0'])
    expect(c.events('db').join()).toContain('FailedCreate: Create Pod db-0 in StatefulSet db failed error: no')
  })

  it('continues an update after a restart', () => {
    const c = cluster()
    c.create('statefulsets.apps', statefulSet())
    c.advance(10_000)
    setImage(c, 'v2')
    c.advance(1200)
    c.driver.restart('statefulset-controller', createStatefulSetController)
    c.advance(10_000)
    expect(images(c)).toEqual(['db-0 v2', 'db-1 v2', 'db-2 v2'])
    expect(c.list('controllerrevisions.apps')).toHaveLength(2)
  })
})
