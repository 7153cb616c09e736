import { describe, expect, it } from 'vitest'
import type { DeleteOptions, KubeObject, OwnerReference } from '../../api/objects/meta.ts'
import type { Deployment } from '../../api/objects/workloads.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { createDeploymentController } from '../deployment/controller.ts'
import { createReplicaSetController } from '../replica-set/controller.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createGarbageCollector } from './controller.ts'

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) })],
    ...options,
  })
}

const config = (name: string, owners: readonly OwnerReference[] = [], namespace = 'default') => ({
  metadata: { name, namespace, ...(owners.length === 0 ? {} : { ownerReferences: owners }) },
})

const owns = (owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: owner.apiVersion ?? '',
  kind: owner.kind ?? '',
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
  ...more,
})

const names = (c: WorkloadCluster) => c.list('configmaps').map(({ metadata }) => metadata.name)
const remove = (c: WorkloadCluster, name: string, propagationPolicy?: DeleteOptions['propagationPolicy']) =>
  c.delete('configmaps', `default/${name}`, propagationPolicy === undefined ? undefined : { propagationPolicy })

describe('the garbage collector', () => {
  it('deletes dependents of a deleted object and their dependents, with background propagation', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    const b = c.create('configmaps', config('b', [owns(a)]))
    c.create('configmaps', config('c', [owns(b)]))
    c.create('configmaps', config('other'))
    c.settle()
    remove(c, 'a')
    expect(names(c)).toEqual(['b', 'c', 'other'])
    c.settle()
    expect(names(c)).toEqual(['other'])
  })

  it('keeps an object with another owner, and removes the reference to the deleted one', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    const b = c.create('configmaps', config('b'))
    c.create('configmaps', config('shared', [owns(a), owns(b)]))
    c.settle()
    remove(c, 'a')
    c.settle()
    expect(c.get('configmaps', 'default/shared')?.metadata.ownerReferences).toEqual([owns(b)])
    remove(c, 'b')
    c.settle()
    expect(names(c)).toEqual([])
  })

  it('orphans dependents with orphan propagation', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    c.create('configmaps', config('b', [owns(a)]))
    c.create('configmaps', config('c', [owns(a)]))
    c.settle()
    remove(c, 'a', 'Orphan')
    expect(c.get('configmaps', 'default/a')?.metadata.finalizers).toEqual(['orphan'])
    c.settle()
    expect(names(c)).toEqual(['b', 'c'])
    expect(c.get('configmaps', 'default/b')?.metadata.ownerReferences ?? []).toEqual([])
    c.settle()
    expect(names(c)).toEqual(['b', 'c'])
  })

  it('deletes the owner last with foreground propagation, and waits only for blocking dependents', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    const hold = ['example.com/hold']
    c.create('configmaps', {
      metadata: {
        name: 'blocks',
        namespace: 'default',
        finalizers: hold,
        ownerReferences: [owns(a, { blockOwnerDeletion: true })],
      },
    })
    c.create('configmaps', {
      metadata: { name: 'free', namespace: 'default', finalizers: hold, ownerReferences: [owns(a)] },
    })
    c.settle()
    remove(c, 'a', 'Foreground')
    c.settle()
    expect(names(c)).toEqual(['a', 'blocks', 'free'])
    for (const name of ['blocks', 'free'])
      expect(c.get('configmaps', `default/${name}`)?.metadata.deletionTimestamp).toBeDefined()
    c.patch('configmaps', 'default/blocks', { metadata: { finalizers: null } })
    c.settle()
    expect(names(c)).toEqual(['free'])
  })

  it('deletes the owner when its last dependent no longer blocks it', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    c.create('configmaps', {
      metadata: {
        name: 'b',
        namespace: 'default',
        finalizers: ['example.com/hold'],
        ownerReferences: [owns(a, { blockOwnerDeletion: true })],
      },
    })
    remove(c, 'a', 'Foreground')
    c.settle()
    expect(names(c)).toEqual(['a', 'b'])
    c.patch('configmaps', 'default/b', { metadata: { ownerReferences: [owns(a)] } })
    c.settle()
    expect(names(c)).toEqual(['b'])
  })

  it('deletes objects that own each other, with foreground propagation', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    const b = c.create('configmaps', config('b', [owns(a, { blockOwnerDeletion: true })]))
    c.patch('configmaps', 'default/a', { metadata: { ownerReferences: [owns(b, { blockOwnerDeletion: true })] } })
    c.settle()
    expect(names(c)).toEqual(['a', 'b'])
    remove(c, 'a', 'Foreground')
    c.settle()
    expect(names(c)).toEqual([])
  })

  it('deletes an object whose owner never existed, after the server confirms it', () => {
    const c = cluster()
    c.create('configmaps', config('a', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'u' }]))
    const b = c.create('configmaps', config('b'))
    c.create('configmaps', config('c', [owns(b, { uid: 'of an earlier b' })]))
    c.settle()
    expect(names(c)).toEqual(['b'])
  })

  it('keeps an object that refers to a kind that is not served, or to an owner that cannot own it', () => {
    const c = cluster()
    c.create('configmaps', config('a', [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' }]))
    c.create('nodes', {
      metadata: { name: 'n', ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u' }] },
    })
    c.advance(60_000)
    expect(names(c)).toEqual(['a'])
    expect(c.list('nodes')).toHaveLength(1)
  })

  it('deletes an object that refers to an owner in another namespace, and warns', () => {
    const c = cluster({ namespaces: ['default', 'other'] })
    const owner = c.create('configmaps', config('owner', [], 'other'))
    const a = c.create('configmaps', config('a', [owns(owner)]))
    c.settle()
    expect(names(c)).toEqual(['owner'])
    expect(c.events('a')).toEqual([
      `OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
    ])
    expect(a.metadata.namespace).toBe('default')
  })

  it('accepts cluster-scoped owners of any object', () => {
    const c = cluster()
    const node = c.create('nodes', { metadata: { name: 'n' } })
    c.create('configmaps', config('a', [owns(node)]))
    c.settle()
    expect(names(c)).toEqual(['a'])
    c.delete('nodes', 'n')
    c.settle()
    expect(names(c)).toEqual([])
  })

  const deployment: Deployment = {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 5,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  }

  it.each(['Background', 'Foreground', 'Orphan'] as const)(
    'deletes a Deployment with propagation policy %s',
    (propagationPolicy) => {
      const controllers = [
        createDeploymentController(),
        createReplicaSetController(),
        createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) }),
      ]
      const c = cluster({ controllers })
      c.create('deployments.apps', deployment)
      c.settle()
      expect(c.pods()).toHaveLength(5)
      const order: string[] = []
      c.driver.onChanges((changes) => {
        for (const { resource, after } of changes) if (after === undefined) order.push(resource)
      })
      c.delete('deployments.apps', 'default/web', { propagationPolicy })
      c.settle()
      expect(c.list('deployments.apps')).toHaveLength(0)
      if (propagationPolicy === 'Orphan') {
        expect(c.list('replicasets.apps').map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[]])
        expect(c.pods()).toHaveLength(5)
        return
      }
      expect(c.pods()).toHaveLength(0)
      expect(c.list('replicasets.apps')).toHaveLength(0)
      expect(propagationPolicy === 'Foreground' ? order.at(-1) : order[0]).toBe('deployments.apps')
    },
  )

  it('finds orphaned objects after a restart', () => {
    const c = cluster()
    const a = c.create('configmaps', config('a'))
    c.create('configmaps', config('b', [owns(a)]))
    const d = c.create('configmaps', config('d'))
    c.create('configmaps', config('e', [owns(d, { blockOwnerDeletion: true })]))
    c.settle()
    c.driver.remove('garbage-collector-controller')
    remove(c, 'a')
    remove(c, 'd', 'Foreground')
    c.settle()
    expect(names(c)).toEqual(['b', 'd', 'e'])
    c.driver.add(createGarbageCollector({ kinds: () => builtinKindsOf(defaultRelease) }))
    c.settle()
    expect(names(c)).toEqual([])
  })

  it('collects two thousand dependents with one read of the owner', () => {
    const c = cluster({ kubelet: 'none' })
    const ghost: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'u' }
    for (let i = 0; i < 2000; i++) c.create('configmaps', config(`c${i}`, [ghost]))
    c.settle()
    expect(names(c)).toEqual([])
  })
})
