import { describe, expect, it } from 'vitest'
import { defaultRelease } from '../../api/releases/release-of.ts'
import { failure } from '../../api/status.ts'
import { builtinKindsOf } from '../../registry/kinds/kinds.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createNamespaceController } from './controller.ts'
import { decideConditions, troubles } from './decide-deletion.ts'

const kinds = () => builtinKindsOf(defaultRelease)

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({
    controllers: [createNamespaceController({ kinds })],
    namespaces: ['default', 'going'],
    kubelet: 'none',
    ...options,
  })
}

const pod = (name: string, namespace: string, more: object = {}) => ({
  metadata: { name, namespace },
  spec: { containers: [{ name: 'c', image: 'i' }], ...more },
})
const namespaces = (c: WorkloadCluster) => c.list('namespaces').map(({ metadata }) => metadata.name)

function conditionsOf(c: WorkloadCluster): Record<string, string> {
  const conditions = c.get('namespaces', 'going')?.status?.conditions ?? []
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]))
}

describe('the namespace controller', () => {
  it('empties a terminating namespace after five seconds and deletes it, and keeps other namespaces', () => {
    const c = cluster()
    for (const namespace of ['default', 'going']) {
      c.create('pods', pod('p', namespace))
      c.create('configmaps', { metadata: { name: 'c', namespace } })
      c.create('services', {
        metadata: { name: 's', namespace },
        spec: { ports: [{ port: 80 }], selector: { a: 'b' } },
      })
      c.create('secrets', { metadata: { name: 's', namespace } })
      c.create('roles.rbac.authorization.k8s.io', { metadata: { name: 'r', namespace } })
    }
    c.delete('namespaces', 'going')
    c.advance(4999)
    expect(namespaces(c)).toEqual(['default', 'going'])
    c.advance(1)
    expect(namespaces(c)).toEqual(['default'])
    for (const resource of ['pods', 'configmaps', 'services', 'secrets', 'roles.rbac.authorization.k8s.io']) {
      expect(
        c.list(resource).map(({ metadata }) => metadata.namespace),
        resource,
      ).toEqual(['default'])
    }
  })

  it('waits for the pods of a namespace to end before it deletes anything else', () => {
    const c = cluster()
    c.create('pods', pod('p', 'going', { nodeName: 'n', terminationGracePeriodSeconds: 30 }))
    c.create('configmaps', { metadata: { name: 'c', namespace: 'going' } })
    c.delete('namespaces', 'going')
    c.advance(6000)
    expect(c.pods()[0]?.metadata.deletionTimestamp).toBeDefined()
    expect(c.list('configmaps')).toHaveLength(1)
    // Its own write of the conditions wakes it after five seconds, as any change of the namespace does.
    c.delete('pods', 'going/p', { gracePeriodSeconds: 0 })
    c.advance(4000)
    expect(namespaces(c)).toEqual(['default'])
  })

  it('reports what remains in a namespace because of finalizers, and continues when the finalizers are removed', () => {
    const c = cluster()
    c.create('configmaps', { metadata: { name: 'a', namespace: 'going', finalizers: ['example.com/x'] } })
    c.create('configmaps', { metadata: { name: 'b', namespace: 'going', finalizers: ['example.com/x'] } })
    c.delete('namespaces', 'going')
    c.advance(5000)
    expect(conditionsOf(c)).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered',
      NamespaceDeletionGroupVersionParsingFailure: 'False ParsedGroupVersions',
      NamespaceDeletionContentFailure: 'False ContentDeleted',
      NamespaceContentRemaining: 'True SomeResourcesRemain',
      NamespaceFinalizersRemaining: 'True SomeFinalizersRemain',
    })
    const messages = c.get('namespaces', 'going')?.status?.conditions?.map(({ message }) => message)
    expect(messages).toContain('Some resources are remaining: configmaps. has 2 resource instances')
    expect(messages).toContain(
      'Some content in the namespace has finalizers remaining: example.com/x in 2 resource instances',
    )
    for (const name of ['a', 'b']) c.patch('configmaps', `going/${name}`, { metadata: { finalizers: null } })
    c.advance(8000)
    expect(namespaces(c)).toEqual(['default'])
  })

  it('keeps a namespace with a finalizer of another component, without the finalizer `kubernetes`', () => {
    const c = cluster()
    c.create('namespaces', { metadata: { name: 'held' }, spec: { finalizers: ['kubernetes', 'example.com/hold'] } })
    c.delete('namespaces', 'held')
    c.advance(60_000)
    expect(c.get('namespaces', 'held')?.spec?.finalizers).toEqual(['example.com/hold'])
    expect(c.get('namespaces', 'held')?.status?.phase).toBe('Terminating')
  })

  it('reports objects of a namespace that cannot be deleted, and retries', () => {
    let isBroken = true
    const c = cluster({
      refuse: (call) =>
        isBroken && call.verb === 'deletecollection' && call.resource === 'secrets'
          ? failure('InternalError', 'the disk is full')
          : undefined,
    })
    c.create('secrets', { metadata: { name: 's', namespace: 'going' } })
    c.delete('namespaces', 'going')
    c.advance(5100)
    expect(conditionsOf(c).NamespaceDeletionContentFailure).toBe('True ContentDeletionFailed')
    isBroken = false
    c.advance(60_000)
    expect(namespaces(c)).toEqual(['default'])
  })

  it('finishes the deletion of a namespace that an earlier controller began', () => {
    const c = cluster({ controllers: [] })
    c.create('configmaps', { metadata: { name: 'c', namespace: 'going' } })
    c.delete('namespaces', 'going')
    c.advance(1000)
    c.driver.add(createNamespaceController({ kinds }))
    c.advance(5000)
    expect(namespaces(c)).toEqual(['default'])
  })
})

describe('the conditions of a namespace', () => {
  it('returns the same list of conditions while nothing changes', () => {
    const found = troubles(['b failed', 'a failed'], [])
    const namespace = { metadata: { name: 'n' } }
    const conditions = decideConditions(namespace, found, 0)
    expect(conditions.find(({ type }) => type === 'NamespaceDeletionContentFailure')?.message).toBe(
      'Failed to delete all resource types, 2 remaining: a failed, b failed',
    )
    expect(decideConditions({ ...namespace, status: { conditions } }, found, 5000)).toBe(conditions)
  })
})
