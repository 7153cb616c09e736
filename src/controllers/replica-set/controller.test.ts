import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { ReplicaSet } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { failure } from '../../api/status.ts'
import { start, WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createReplicaSetController, createReplicationController } from './controller.ts'

function replicaSet(name: string, replicas: number, more: Partial<NonNullable<ReplicaSet['spec']>> = {}): ReplicaSet {
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      ...more,
    },
  }
}

const pod = (name: string, labels: Record<string, string>, more: object = {}) => ({
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'c', image: 'i' }] },
  ...more,
})

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({ controllers: [createReplicaSetController()], ...options })
}

const statusOf = (c: WorkloadCluster, name: string) => c.get('replicasets.apps', `default/${name}`)?.status

describe('the ReplicaSet controller', () => {
  it('creates the wanted number of pods with generated names, labels and owner, and records events', () => {
    const c = cluster()
    const web = c.create('replicasets.apps', replicaSet('web', 3))
    c.settle()
    expect(c.pods()).toHaveLength(3)
    for (const { metadata } of c.pods()) {
      expect(metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(metadata.labels).toEqual({ app: 'web' })
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: 'web',
          uid: web.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ])
    }
    expect(statusOf(c, 'web')).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    })
    const names = c.pods().map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name}`)
    expect([...c.events('web')].sort()).toEqual(names.sort())
  })

  it('replaces pods that are deleted or have ended, but not pods that are not ready', () => {
    const c = cluster()
    c.create('replicasets.apps', replicaSet('web', 2))
    c.settle()
    const [first, second] = c.pods().map(({ metadata }) => `default/${metadata.name}`) as [string, string]
    c.delete('pods', first)
    c.patch('pods', second, { status: { phase: 'Failed' } }, 'status')
    c.settle()
    expect(c.pods().filter(({ status }) => status?.phase === 'Running')).toHaveLength(2)
    expect(c.get('pods', first)).toBeUndefined()
    const third = c.pods().find(({ status }) => status?.phase === 'Running')?.metadata.name
    c.setReady(`default/${third}`, false)
    c.settle()
    expect(c.pods()).toHaveLength(3)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 2, readyReplicas: 1, availableReplicas: 1 })
  })

  it('scales a ReplicaSet down to zero and records an event for each pod', () => {
    const c = cluster()
    c.create('replicasets.apps', replicaSet('web', 2))
    c.settle()
    const names = c.pods().map(({ metadata }) => metadata.name)
    c.patch('replicasets.apps', 'default/web', { spec: { replicas: 0 } })
    c.settle()
    expect(c.pods()).toEqual([])
    expect(statusOf(c, 'web')).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 2 })
    expect(c.events('web').filter((text) => text.startsWith('SuccessfulDelete'))).toEqual(
      expect.arrayContaining(names.map((name) => `SuccessfulDelete: Deleted pod: ${name}`)),
    )
  })

  it('counts terminating pods of a ReplicaSet as terminating', () => {
    const c = cluster({ kubelet: 'none' })
    c.create('replicasets.apps', replicaSet('web', 1))
    c.settle()
    const name = c.pods()[0]?.metadata.name
    c.must({
      verb: 'create',
      resource: 'pods',
      namespace: 'default',
      name: name as string,
      subresource: 'binding',
      object: { metadata: { name, namespace: 'default' }, target: { kind: 'Node', name: 'n' } } as never,
    })
    c.delete('pods', `default/${name}`, { gracePeriodSeconds: 30 })
    c.settle()
    expect(c.pods()).toHaveLength(2)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 1, terminatingReplicas: 1 })
  })

  it('adopts orphans that the ReplicaSet selects and releases pods that it no longer selects', () => {
    const c = cluster()
    c.create('pods', pod('orphan', { app: 'web' }))
    c.create('pods', pod('stranger', { app: 'other' }))
    c.create('replicasets.apps', replicaSet('web', 2))
    c.settle()
    expect(c.pods().filter((p) => controllerOf(p)?.name === 'web')).toHaveLength(2)
    expect(controllerOf(c.get('pods', 'default/orphan')!)?.name).toBe('web')
    expect(controllerOf(c.get('pods', 'default/stranger')!)).toBeUndefined()

    c.patch('pods', 'default/orphan', { metadata: { labels: { app: 'debug' } } })
    c.settle()
    expect(controllerOf(c.get('pods', 'default/orphan')!)).toBeUndefined()
    expect(c.pods().filter((p) => controllerOf(p)?.name === 'web')).toHaveLength(2)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 2 })

    c.patch('pods', 'default/orphan', { metadata: { labels: { app: 'web' } } })
    c.settle()
    expect(c.pods().filter((p) => controllerOf(p)?.name === 'web')).toHaveLength(2)
    expect(c.pods()).toHaveLength(3)
  })

  it('does not change pods while the ReplicaSet is terminating', () => {
    const c = cluster()
    c.create('replicasets.apps', replicaSet('web', 2))
    c.settle()
    c.delete('replicasets.apps', 'default/web', { propagationPolicy: 'Foreground' })
    c.delete('pods', `default/${c.pods()[0]?.metadata.name}`)
    c.settle()
    expect(c.pods()).toHaveLength(1)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 1 })
  })

  it('counts a pod as available once it has been ready for minReadySeconds', () => {
    const c = cluster({ kubelet: { startMs: 2000 } })
    c.create('replicasets.apps', replicaSet('web', 1, { minReadySeconds: 10 }))
    c.advance(2000)
    expect(statusOf(c, 'web')).toMatchObject({ readyReplicas: 1 })
    expect(statusOf(c, 'web')?.availableReplicas).toBeUndefined()
    c.advance(9999)
    expect(statusOf(c, 'web')?.availableReplicas).toBeUndefined()
    c.advance(1)
    expect(statusOf(c, 'web')).toMatchObject({ readyReplicas: 1, availableReplicas: 1 })
  })

  it('the ReplicaSet controller ends the pass of a slow start at a failure, reports it in the status and as an event, and retries', () => {
    let quota = 2
    const tried: number[] = []
    const c = cluster({
      kubelet: 'none',
      refuse(call) {
        if (call.verb !== 'create' || call.resource !== 'pods') return undefined
        tried.push(c.now() - start)
        return quota-- > 0 ? undefined : failure('Forbidden', 'exceeded quota')
      },
    })
    c.create('replicasets.apps', replicaSet('web', 100))
    c.settle()
    // One creation succeeds, then one of two fails. The other 97 pods are not tried. The status write wakes the set,
    // which tries again.
    expect(tried).toEqual([0, 0, 0, 0])
    expect(statusOf(c, 'web')).toMatchObject({
      replicas: 2,
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message: 'exceeded quota',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    })
    expect(c.events('web')).toContain('FailedCreate: Error creating: exceeded quota (x2)')
    c.advance(40)
    expect(tried.slice(4)).toEqual([5, 25])
    quota = 1000
    c.advance(1000)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 100 })
    expect(statusOf(c, 'web')?.conditions).toBeUndefined()
  })

  it('creates pods in bursts of 500 with a status write in between', () => {
    const c = cluster({ kubelet: 'none' })
    const replicas: (number | undefined)[] = []
    c.driver.onChanges((changes) => {
      for (const { resource, after } of changes) {
        if (resource === 'replicasets.apps') replicas.push((after as ReplicaSet).status?.replicas)
      }
    })
    c.create('replicasets.apps', replicaSet('web', 1200))
    c.settle()
    expect(replicas).toEqual([0, 500, 1000, 1200])
  })

  it('stops without an event in a terminating namespace', () => {
    const c = cluster({ namespaces: ['default', 'going'] })
    const object = { ...replicaSet('web', 2), metadata: { name: 'web', namespace: 'going' } }
    c.create('replicasets.apps', object)
    c.delete('namespaces', 'going')
    c.advance(60_000)
    expect(c.pods()).toEqual([])
    expect(c.events('web')).toEqual([])
    expect(c.get('replicasets.apps', 'going/web')?.status).toMatchObject({ replicas: 0, observedGeneration: 1 })
  })

  it('scales a ReplicaSet to two thousand pods and back', () => {
    const c = cluster({ nodes: ['a', 'b', 'c'] })
    c.create('replicasets.apps', replicaSet('web', 2_000))
    c.settle()
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 2_000, readyReplicas: 2_000 })
    c.patch('replicasets.apps', 'default/web', { spec: { replicas: 1_800 } })
    c.settle()
    expect(c.pods()).toHaveLength(1_800)
    expect(c.now()).toBe(start)
  })

  it('continues where the earlier controller stopped after a restart', () => {
    const c = cluster()
    c.create('replicasets.apps', replicaSet('web', 3))
    c.settle()
    c.driver.remove('replicaset-controller')
    c.delete('pods', `default/${c.pods()[0]?.metadata.name}`)
    c.settle()
    expect(c.pods()).toHaveLength(2)
    c.driver.add(createReplicaSetController())
    c.settle()
    expect(c.pods()).toHaveLength(3)
    expect(statusOf(c, 'web')).toMatchObject({ replicas: 3, readyReplicas: 3 })
  })
})

describe('a ReplicationController', () => {
  it('creates pods, adopts matching pods and reports its status as a ReplicaSet does', () => {
    const c = new WorkloadCluster({ controllers: [createReplicationController()], nodes: ['node'] })
    const template = { metadata: { labels: { app: 'rc' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const object = { metadata: { name: 'rc' }, spec: { replicas: 2, selector: { app: 'rc' }, template } } as KubeObject
    const orphan = { metadata: { name: 'orphan', labels: { app: 'rc' } }, spec: template.spec } as KubeObject
    c.call({ verb: 'create', resource: 'pods', namespace: 'default', object: orphan })
    c.call({ verb: 'create', resource: 'replicationcontrollers', namespace: 'default', object })
    c.driver.settle()
    const list = (resource: string) =>
      (c.call({ verb: 'list', resource, namespace: 'default' }) as never as { items: KubeObject[] }).items
    expect(list('pods').map(({ metadata }) => metadata.ownerReferences?.[0]?.kind)).toEqual([
      'ReplicationController',
      'ReplicationController',
    ])
    expect(list('replicationcontrollers')[0]).toMatchObject({
      spec: { selector: { app: 'rc' } },
      status: { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 2 },
    })
  })
})
