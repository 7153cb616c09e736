import { describe, expect, it } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/objects/storage.ts'
import { createClaimProtection, createVolumeProtection } from '../storage-protection/controller.ts'
import { WorkloadCluster } from '../workload-cluster.fixture.ts'
import { createVolumeBinder } from './controller.ts'

// Unsettled objects are checked again every 15 seconds.
const roundsMs = 31_000

const cluster = () =>
  new WorkloadCluster({
    controllers: [createVolumeBinder(), createClaimProtection(), createVolumeProtection()],
    kubelet: 'none',
    nodes: ['n1'],
  })

function addClass(c: WorkloadCluster, name: string, more: Partial<StorageClass> = {}): void {
  c.create('storageclasses.storage.k8s.io', { metadata: { name }, provisioner: 'hollow.csi', ...more })
}

function addVolume(
  c: WorkloadCluster,
  name: string,
  storage: string,
  more: Partial<PersistentVolume['spec']> = {},
): void {
  const spec = {
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: `/${name}` },
    storageClassName: 'manual',
    persistentVolumeReclaimPolicy: 'Retain',
    ...more,
  }
  c.create('persistentvolumes', { metadata: { name }, spec })
}

function addClaim(
  c: WorkloadCluster,
  name: string,
  storage: string,
  more: Partial<PersistentVolumeClaim['spec']> = {},
): void {
  const spec = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    storageClassName: 'manual',
    ...more,
  }
  c.create('persistentvolumeclaims', { metadata: { name, namespace: 'default' }, spec })
}

const claim = (c: WorkloadCluster, name: string) => c.get('persistentvolumeclaims', `default/${name}`)
const volume = (c: WorkloadCluster, name: string) => c.get('persistentvolumes', name)
const volumes = (c: WorkloadCluster) =>
  c.list('persistentvolumes').map(({ metadata, status }) => `${metadata.name} ${status?.phase}`)

describe('the volume binder', () => {
  it('binds a claim to the smallest volume that fits', () => {
    const c = cluster()
    addVolume(c, 'large', '100Gi')
    addVolume(c, 'medium', '10Gi')
    addVolume(c, 'small', '1Gi')
    addVolume(c, 'elsewhere', '5Gi', { storageClassName: 'other' })
    addClaim(c, 'data', '5Gi')
    c.advance(roundsMs)
    expect(claim(c, 'data')).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { volumeName: 'medium' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } },
    })
    expect(volume(c, 'medium')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: {
        claimRef: {
          kind: 'PersistentVolumeClaim',
          namespace: 'default',
          name: 'data',
          uid: claim(c, 'data')?.metadata.uid,
        },
      },
      status: { phase: 'Bound' },
    })
    expect(volumes(c)).toEqual(['elsewhere Available', 'large Available', 'medium Bound', 'small Available'])
  })

  it('binds a claim when a matching volume is created', () => {
    const c = cluster()
    addClaim(c, 'data', '5Gi', { storageClassName: '' })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Pending')
    expect(c.events('data')[0]).toMatch(
      /^FailedBinding: no persistent volumes available for this claim and no storage class is set/,
    )
    addVolume(c, 'v', '5Gi', { storageClassName: '' })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Bound')
  })

  it('binds a volume to the claim that the volume names, and a claim to the volume that the claim names', () => {
    const c = cluster()
    addVolume(c, 'promised', '50Gi', { claimRef: { namespace: 'default', name: 'data' } })
    addVolume(c, 'better', '5Gi')
    addVolume(c, 'asked', '20Gi')
    addClaim(c, 'data', '5Gi')
    addClaim(c, 'chooser', '5Gi', { volumeName: 'asked' })
    addClaim(c, 'greedy', '90Gi', { volumeName: 'better' })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.spec.volumeName).toBe('promised')
    expect(volume(c, 'promised')?.metadata.annotations).toBeUndefined()
    expect(claim(c, 'chooser')?.status?.phase).toBe('Bound')
    expect(claim(c, 'greedy')?.status?.phase).toBe('Pending')
    expect(c.events('greedy')[0]).toContain(
      'VolumeMismatch: Cannot bind to requested volume "better": requested PV is too small',
    )
  })

  it('provisions a volume for a claim whose class has a driver', () => {
    const c = cluster()
    addClass(c, 'fast', { reclaimPolicy: 'Delete', mountOptions: ['noatime'] })
    addClaim(c, 'data', '5Gi', { storageClassName: 'fast' })
    c.advance(roundsMs)
    const name = `pvc-${claim(c, 'data')?.metadata.uid}`
    expect(volume(c, name)).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'hollow.csi' } },
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'fast',
        mountOptions: ['noatime'],
        csi: { driver: 'hollow.csi', volumeHandle: name },
      },
      status: { phase: 'Bound' },
    })
    expect(claim(c, 'data')).toMatchObject({
      metadata: { annotations: { 'volume.kubernetes.io/storage-provisioner': 'hollow.csi' } },
      status: { phase: 'Bound', capacity: { storage: '5Gi' } },
    })
    expect(c.events('data')).toEqual([
      expect.stringMatching(
        /^ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'hollow.csi'/,
      ),
      'Provisioning: External provisioner is provisioning volume for claim "default/data"',
      `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
    ])
  })

  it('waits for the first scheduled pod with WaitForFirstConsumer, and provisions the volume in its zone', () => {
    const c = cluster()
    c.patch('nodes', 'n1', { metadata: { labels: { 'topology.kubernetes.io/zone': 'z1' } } })
    addClass(c, 'late', { volumeBindingMode: 'WaitForFirstConsumer' })
    addClaim(c, 'data', '5Gi', { storageClassName: 'late' })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Pending')
    expect(c.events('data')[0]).toMatch(
      /^WaitForFirstConsumer: waiting for first consumer to be created before binding/,
    )
    c.patch('persistentvolumeclaims', 'default/data', {
      metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n1' } },
    })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Bound')
    expect(volume(c, `pvc-${claim(c, 'data')?.metadata.uid}`)?.spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] }] },
    ])
  })

  it('leaves free volumes of a WaitForFirstConsumer class to the scheduler', () => {
    const c = cluster()
    addClass(c, 'local', { provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode: 'WaitForFirstConsumer' })
    addVolume(c, 'v', '10Gi', { storageClassName: 'local' })
    addClaim(c, 'data', '5Gi', { storageClassName: 'local' })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Pending')
    const uid = claim(c, 'data')?.metadata.uid
    c.patch('persistentvolumes', 'v', {
      spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data', uid } },
    })
    c.advance(roundsMs)
    expect(claim(c, 'data')).toMatchObject({ spec: { volumeName: 'v' }, status: { phase: 'Bound' } })
  })

  it.each([
    ['a class that does not exist', 'nowhere', 'storageclass.storage.k8s.io "nowhere" not found'],
    ['a class without a driver', 'none', 'no volume plugin matched name: kubernetes.io/no-provisioner'],
  ])('reports why it provisions no volume for %s', (_name, storageClassName, message) => {
    const c = cluster()
    addClass(c, 'none', { provisioner: 'kubernetes.io/no-provisioner' })
    addClaim(c, 'data', '5Gi', { storageClassName })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Pending')
    expect(c.events('data')[0]).toContain(`ProvisioningFailed: ${message}`)
  })

  it('sets the default class on a claim that was created before it', () => {
    const c = cluster()
    c.create('persistentvolumeclaims', {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Pending')
    c.create('storageclasses.storage.k8s.io', {
      metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'hollow.csi',
    })
    c.advance(roundsMs)
    expect(claim(c, 'data')).toMatchObject({ spec: { storageClassName: 'fast' }, status: { phase: 'Bound' } })
  })

  it('deletes provisioned volumes with their claim, and keeps volumes with policy Retain', () => {
    const c = cluster()
    addClass(c, 'fast')
    addVolume(c, 'kept', '5Gi')
    addClaim(c, 'made', '5Gi', { storageClassName: 'fast' })
    addClaim(c, 'found', '5Gi')
    c.advance(roundsMs)
    expect(volumes(c)).toHaveLength(2)
    c.delete('persistentvolumeclaims', 'default/made')
    c.delete('persistentvolumeclaims', 'default/found')
    c.advance(roundsMs)
    expect(volumes(c)).toEqual(['kept Released'])
    addClaim(c, 'found', '5Gi')
    c.advance(roundsMs)
    expect(claim(c, 'found')?.status?.phase).toBe('Pending')
  })

  it('recycles volumes that support it', () => {
    const c = cluster()
    addVolume(c, 'v', '5Gi', { persistentVolumeReclaimPolicy: 'Recycle' })
    addClaim(c, 'first', '5Gi')
    c.advance(roundsMs)
    c.delete('persistentvolumeclaims', 'default/first')
    c.advance(roundsMs)
    expect(volumes(c)).toEqual(['v Available'])
    expect(c.events('v')).toEqual(['VolumeRecycled: Volume recycled'])
    addClaim(c, 'second', '5Gi')
    c.advance(roundsMs)
    expect(claim(c, 'second')?.status?.phase).toBe('Bound')
  })

  it('marks a claim as lost when its volume is deleted', () => {
    const c = cluster()
    addVolume(c, 'v', '5Gi')
    addClaim(c, 'data', '5Gi')
    c.advance(roundsMs)
    c.delete('persistentvolumes', 'v')
    c.patch('persistentvolumes', 'v', { metadata: { finalizers: null } })
    c.advance(roundsMs)
    expect(claim(c, 'data')?.status?.phase).toBe('Lost')
    expect(c.events('data').at(-1)).toBe(
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    )
  })

  it('binds two claims to two volumes', () => {
    const c = cluster()
    for (let i = 0; i < 50; i++) addVolume(c, `v${i}`, '5Gi')
    for (let i = 0; i < 50; i++) addClaim(c, `c${i}`, '5Gi')
    c.advance(roundsMs)
    const used = c.list('persistentvolumeclaims').map(({ spec }) => spec.volumeName)
    expect(new Set(used).size).toBe(50)
    expect(c.list('persistentvolumes').every(({ status }) => status?.phase === 'Bound')).toBe(true)
  })
})
