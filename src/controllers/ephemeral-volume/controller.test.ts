import { expect, it } from 'vitest'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createEphemeralVolumes } from './controller.ts'

const spec = {
  containers: [{ name: 'c', image: 'i' }],
  volumes: [
    {
      name: 'scratch',
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { kind: 'scratch' } },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      },
    },
  ],
}

it('makes the claim of a volume that a pod brings with it, as the pod’s own', () => {
  const c = new WorkloadCluster({ controllers: [createEphemeralVolumes()], kubelet: 'none' })
  const pod = c.create('pods', { metadata: { name: 'p', namespace: 'default' }, spec })
  c.settle()
  const claim = c.get('persistentvolumeclaims', 'default/p-scratch')
  expect(claim?.metadata.labels).toEqual({ kind: 'scratch' })
  expect(claim?.metadata.ownerReferences).toMatchObject([
    { kind: 'Pod', name: 'p', uid: pod.metadata.uid, controller: true },
  ])
})

it('does not take a claim of that name that is somebody else’s, and says so', () => {
  const c = new WorkloadCluster({ controllers: [createEphemeralVolumes()], kubelet: 'none' })
  c.create('persistentvolumeclaims', {
    metadata: { name: 'p-scratch', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  c.create('pods', { metadata: { name: 'p', namespace: 'default' }, spec })
  c.settle()
  expect(c.events('p')).toEqual([
    'FailedBinding: ephemeral volume scratch: PVC default/p-scratch was not created for pod default/p (pod is not owner)',
  ])
})
