import { describe, expect, it } from 'vitest'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createVolumeProtection } from './controller.ts'

const cluster = () => new WorkloadCluster({ controllers: [createVolumeProtection()], kubelet: 'none' })

function addClaim(c: WorkloadCluster, name: string): void {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  c.create('persistentvolumeclaims', { metadata: { name, namespace: 'default' }, spec })
}

function addPod(c: WorkloadCluster, name: string, claimName: string, nodeName?: string): void {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName } }]
  const spec = { containers: [{ name: 'c', image: 'i' }], volumes, ...(nodeName === undefined ? {} : { nodeName }) }
  c.create('pods', { metadata: { name, namespace: 'default' }, spec })
}

const claims = (c: WorkloadCluster) => c.list('persistentvolumeclaims').map(({ metadata }) => metadata.name)

describe('the protection of volumes', () => {
  it('keeps a claim until the last pod on a node that uses it is gone', () => {
    const c = cluster()
    addClaim(c, 'used')
    addPod(c, 'a', 'used', 'n')
    addPod(c, 'b', 'used')
    c.settle()
    expect(c.get('persistentvolumeclaims', 'default/used')?.metadata.finalizers).toEqual([
      'kubernetes.io/pvc-protection',
    ])
    c.delete('persistentvolumeclaims', 'default/used')
    c.settle()
    expect(claims(c)).toEqual(['used'])
    c.delete('pods', 'default/a', { gracePeriodSeconds: 0 })
    c.settle()
    expect(claims(c)).toEqual([])
  })

  it('lets a claim go at once that nothing uses', () => {
    const c = cluster()
    addClaim(c, 'free')
    c.settle()
    c.delete('persistentvolumeclaims', 'default/free')
    c.settle()
    expect(claims(c)).toEqual([])
  })

  it('keeps a volume while it is bound', () => {
    const c = cluster()
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } }
    c.create('persistentvolumes', { metadata: { name: 'v' }, spec })
    c.patch('persistentvolumes', 'v', { status: { phase: 'Bound' } }, 'status')
    c.delete('persistentvolumes', 'v')
    c.settle()
    expect(c.list('persistentvolumes')).toHaveLength(1)
    c.patch('persistentvolumes', 'v', { status: { phase: 'Released' } }, 'status')
    c.settle()
    expect(c.list('persistentvolumes')).toHaveLength(0)
  })
})
