import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { releaseOf, withFeatureGates } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import { BinderCluster } from '../volume-binder/binder-cluster.fixture.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createAttributesClassProtection } from './controller.ts'

describe('protection', () => {
  it('keeps a claim until no pod on a node uses it, and its volume until the claim is deleted', () => {
    const c = new BinderCluster()
    c.addClass('fast')
    c.addClaim('data', { storageClassName: 'fast' })
    c.addPod('placed', 'data', 'n1')
    c.addPod('waiting', 'data')
    c.settle()
    c.delete('persistentvolumeclaims', 'default/data')
    c.advance(3_600_000)
    expect(c.claim()?.metadata.deletionTimestamp).toBeDefined()
    expect(c.has()).toBe(`Bound ${c.made()?.metadata.name}`)
    c.delete('pods', 'default/placed', { gracePeriodSeconds: 0 })
    c.settle()
    expect([c.claim(), c.made()]).toEqual([undefined, undefined])
  })

  it('keeps the claim of a finished pod', () => {
    const c = new BinderCluster()
    c.addClaim('data')
    c.addPod('over', 'data', 'n1')
    c.patch('pods', 'default/over', { status: { phase: 'Succeeded' } }, 'status')
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    expect(c.claim()?.metadata.deletionTimestamp).toBeDefined()
  })

  it('keeps a volume until its claim is deleted', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.addClaim('data')
    c.settle()
    c.delete('persistentvolumes', 'v')
    c.settle()
    expect(c.has()).toBe('Bound v')
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    expect([c.claim(), c.volume('v')]).toEqual([undefined, undefined])
  })

  it.each([
    ['1.36', {}, []],
    ['1.37', {}, ['True NoPodsUsingPVC', 'False PodUsingPVC', 'True NoPodsUsingPVC']],
    ['1.37', { PersistentVolumeClaimUnusedSinceTime: false }, []],
  ])('records in %s with the gates %j whether a pod refers to a bound claim', (version, gates, expected) => {
    const release = must(withFeatureGates(must(releaseOf(version)), new Map(Object.entries(gates))))
    const c = new BinderCluster({ release })
    const seen: string[] = []
    const look = () => {
      c.settle()
      const [condition] = (c.claim()?.status?.conditions ?? []) as { status: string; reason: string }[]
      if (condition !== undefined) seen.push(`${condition.status} ${condition.reason}`)
    }
    c.addClaim('data')
    look()
    c.addVolume('v')
    c.advance(20_000)
    look()
    c.addPod('user', 'data')
    look()
    c.patch('pods', 'default/user', { status: { phase: 'Failed' } }, 'status')
    look()
    expect(seen).toEqual(expected)
    expect(c.claim()?.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection'])
  })

  it('restores a finalizer that a user removed', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.patch('persistentvolumes', 'v', { metadata: { finalizers: ['x.example.com/y'] } })
    c.settle()
    expect(c.volume('v')?.metadata.finalizers).toEqual(['x.example.com/y', 'kubernetes.io/pv-protection'])
  })
})

it('releases a deleted VolumeAttributesClass when no claim uses it', () => {
  const c = new WorkloadCluster({ kubelet: 'none', controllers: [createAttributesClassProtection()] })
  const resource = 'volumeattributesclasses.storage.k8s.io'
  const create = (kind: string, object: object, namespace?: string) =>
    c.call({
      verb: 'create',
      resource: kind,
      ...(namespace === undefined ? {} : { namespace }),
      object: object as KubeObject,
    })
  const exists = () => c.call({ verb: 'get', resource, name: 'gold' }).ok
  create(resource, { metadata: { name: 'gold' }, driverName: 'd.example', parameters: { iops: '1' } })
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    volumeAttributesClassName: 'gold',
  }
  create('persistentvolumeclaims', { metadata: { name: 'data' }, spec }, 'default')
  c.driver.settle()
  c.call({ verb: 'delete', resource, name: 'gold' })
  c.driver.settle()
  expect(exists()).toBe(true)
  c.call({
    verb: 'patch',
    resource: 'persistentvolumeclaims',
    namespace: 'default',
    name: 'data',
    patch: { kind: 'merge', patch: { metadata: { finalizers: null } } },
  })
  c.call({ verb: 'delete', resource: 'persistentvolumeclaims', namespace: 'default', name: 'data' })
  c.driver.settle()
  expect(exists()).toBe(false)
})
