import { describe, expect, it } from 'vitest'
import { BinderCluster } from '../volume-binder/binder-cluster.fixture.ts'
import { createVolumeBinder } from '../volume-binder/controller.ts'
import { createEphemeralClaims } from './controller.ts'

function cluster(): BinderCluster {
  const c = new BinderCluster({ controllers: [createEphemeralClaims(), createVolumeBinder()] })
  c.addClass('fast')
  return c
}

function addPod(c: BinderCluster, name = 'web'): void {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '1Gi' } },
  }
  c.create('pods', {
    metadata: { name, namespace: 'default' },
    spec: {
      containers: [{ name: 'c', image: 'i' }],
      volumes: [
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { metadata: { labels: { app: 'web' } }, spec } } },
        { name: 'other', emptyDir: {} },
      ],
    },
  })
}

describe('generic ephemeral volumes', () => {
  it('creates a claim that the pod owns for a generic ephemeral volume', () => {
    const c = cluster()
    addPod(c)
    c.settle()
    const pod = c.get('pods', 'default/web')
    expect(c.claim('web-scratch')).toMatchObject({
      metadata: {
        labels: { app: 'web' },
        ownerReferences: [{ kind: 'Pod', name: 'web', uid: pod?.metadata.uid, controller: true }],
      },
      spec: { storageClassName: 'fast' },
      status: { phase: 'Bound' },
    })
  })

  it('does not use a claim of another owner for an ephemeral volume', () => {
    const c = cluster()
    c.addClaim('web-scratch')
    addPod(c)
    c.settle()
    expect(c.events('web')).toEqual([
      'FailedBinding: ephemeral volume scratch: PVC default/web-scratch was not created for pod default/web (pod is not owner)',
    ])
    c.delete('persistentvolumeclaims', 'default/web-scratch')
    c.patch('persistentvolumeclaims', 'default/web-scratch', { metadata: { finalizers: null } })
    c.advance(1000)
    expect(c.claim('web-scratch')?.metadata.ownerReferences).toHaveLength(1)
  })

  it('creates no claim for an ephemeral volume of a terminating pod', () => {
    const c = cluster()
    addPod(c, 'gone')
    c.patch('pods', 'default/gone', { metadata: { finalizers: ['example.com/hold'] } })
    c.delete('pods', 'default/gone')
    c.settle()
    expect(c.claim('gone-scratch')).toBeUndefined()
  })
})
