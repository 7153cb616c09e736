import { describe, expect, it } from 'vitest'
import { BinderCluster } from './binder-cluster.fixture.ts'

describe('volumes that exist', () => {
  it('binds an existing volume immediately, and writes both sides', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.addClaim('data')
    c.settle()
    expect(c.claim()).toMatchObject({
      metadata: {
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
      },
      spec: { volumeName: 'v' },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } },
    })
    expect(c.volume('v')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { name: 'data', namespace: 'default', uid: c.claim()?.metadata.uid } },
      status: { phase: 'Bound' },
    })
    expect(c.events('data')).toEqual([])
  })

  it('binds a volume that is created later in the next round', () => {
    const c = new BinderCluster()
    c.settle()
    c.advance(1000)
    c.addClaim('data')
    c.advance(1000)
    expect(c.events('data')).toEqual([
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    ])
    c.addVolume('v')
    c.advance(12_999)
    expect([c.has(), c.holds('v')]).toEqual(['Pending -', 'Available -'])
    c.advance(1)
    expect([c.has(), c.holds('v')]).toEqual(['Bound v', 'Bound data'])
  })

  it('binds each claim to the smallest volume that fits, and each volume to one claim', () => {
    const c = new BinderCluster()
    c.addVolume('large', { capacity: { storage: '50Gi' } })
    c.addVolume('small')
    c.addVolume('tiny', { capacity: { storage: '1Gi' } })
    for (const name of ['a', 'b', 'c']) c.addClaim(name)
    c.settle()
    expect(['a', 'b', 'c'].map((name) => c.has(name))).toEqual(['Bound small', 'Bound large', 'Pending -'])
  })

  it('prefers volumes with the fewest sufficient access modes to smaller volumes', () => {
    const c = new BinderCluster()
    c.addVolume('many', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] })
    c.addVolume('one', { capacity: { storage: '9Gi' } })
    c.addClaim('data')
    c.addClaim('shared', { accessModes: ['ReadOnlyMany'] })
    c.settle()
    expect([c.has(), c.has('shared')]).toEqual(['Bound one', 'Bound many'])
  })

  it('binds only volumes with a matching class, labels and volume mode', () => {
    const c = new BinderCluster()
    c.addClass('slow', { provisioner: 'kubernetes.io/no-provisioner' })
    c.addVolume('plain')
    c.addVolume('slow', { storageClassName: 'slow' }, { labels: { disk: 'hdd' } })
    c.addVolume('block', { volumeMode: 'Block' })
    c.addClaim('a', { storageClassName: 'slow', selector: { matchLabels: { disk: 'ssd' } } })
    c.addClaim('b', { storageClassName: 'slow', selector: { matchLabels: { disk: 'hdd' } } })
    c.addClaim('c', { volumeMode: 'Block' })
    c.settle()
    expect(['a', 'b', 'c'].map((name) => c.has(name))).toEqual(['Pending -', 'Bound slow', 'Bound block'])
    expect(c.events('a')).toEqual(['ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner'])
  })
})

describe('bindings that users make', () => {
  it('reserves a volume for the claim that it names', () => {
    const c = new BinderCluster()
    c.addVolume('mine', { claimRef: { namespace: 'default', name: 'data' }, capacity: { storage: '50Gi' } })
    c.addVolume('free')
    c.addClaim('other')
    c.addClaim('data')
    c.settle()
    expect([c.has(), c.has('other')]).toEqual(['Bound mine', 'Bound free'])
    expect(c.volume('mine')?.metadata.annotations).toBeUndefined()
  })

  it('waits for the volume that a claim names', () => {
    const c = new BinderCluster()
    c.addClaim('data', { volumeName: 'v' })
    c.settle()
    expect(c.has()).toBe('Pending v')
    c.addVolume('v')
    c.advance(15_000)
    expect([c.has(), c.holds('v')]).toEqual(['Bound v', 'Bound data'])
    expect(c.claim()?.metadata.annotations).toEqual({ 'pv.kubernetes.io/bind-completed': 'yes' })
  })

  it.each([
    ['too small', { capacity: { storage: '1Gi' } }, 'requested PV is too small'],
    ['of another storage class', { storageClassName: 'x' }, 'storageClassName does not match'],
    ['of another volume mode', { volumeMode: 'Block' }, 'incompatible volumeMode'],
    ['without the requested access mode', { accessModes: ['ReadOnlyMany'] }, 'incompatible accessMode'],
  ])('rejects a claim for a volume that is %s', (_, spec, why) => {
    const c = new BinderCluster()
    c.addVolume('v', spec)
    c.addClaim('data', { volumeName: 'v' })
    c.settle()
    expect(c.has()).toBe('Pending v')
    expect(c.events('data')).toEqual([`VolumeMismatch: Cannot bind to requested volume "v": ${why}`])
  })

  it('rejects a claim for a volume that is bound to another claim', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.addClaim('first')
    c.settle()
    c.addClaim('data', { volumeName: 'v' })
    c.settle()
    expect([c.has('first'), c.has()]).toEqual(['Bound v', 'Pending v'])
    expect(c.events('data')).toEqual(['FailedBinding: volume "v" already bound to a different claim.'])
  })

  it('never binds a volume of another volume mode, and records an event on both', () => {
    const c = new BinderCluster()
    const { metadata } = c.addClaim('data')
    const claimRef = { namespace: 'default', name: 'data', uid: metadata.uid }
    c.addVolume('v', { volumeMode: 'Block', claimRef })
    c.settle()
    expect(c.has()).toBe('Pending -')
    expect(c.events('v')).toEqual([
      'VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "data" due to incompatible volumeMode.',
    ])
    expect(c.reasons('data')).toContain('VolumeMismatch')
  })
})

describe('volumes of deleted claims', () => {
  it('marks a retained volume as released', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.addClaim('data')
    c.settle()
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    expect([c.claim(), c.holds('v')]).toEqual([undefined, 'Released data'])
    c.addClaim('data')
    c.advance(60_000)
    expect([c.has(), c.holds('v')]).toEqual(['Pending -', 'Released data'])
  })

  it('deletes a provisioned volume', () => {
    const c = new BinderCluster()
    c.addClass('fast')
    c.addClaim('data', { storageClassName: 'fast' })
    c.settle()
    expect(c.holds(c.made()?.metadata.name ?? '')).toBe('Bound data')
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    expect(c.list('persistentvolumes')).toEqual([])
  })

  it('marks a volume as failed if no provisioner can delete it', () => {
    const c = new BinderCluster()
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n'] }]
    c.addVolume('v', {
      local: { path: '/mnt' },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      persistentVolumeReclaimPolicy: 'Delete',
    })
    c.addClaim('data')
    c.settle()
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    const message = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched'
    expect(c.volume('v')?.status).toMatchObject({ phase: 'Failed', message })
    expect(c.events('v')).toEqual([`VolumeFailedDelete: ${message}`])
  })

  it('makes a recycled volume available again', () => {
    const c = new BinderCluster()
    c.addVolume('v', { persistentVolumeReclaimPolicy: 'Recycle' })
    c.addClaim('data')
    c.settle()
    c.delete('persistentvolumeclaims', 'default/data')
    c.settle()
    expect(c.holds('v')).toBe('Available -')
    expect(c.volume('v')?.metadata.annotations).toBeUndefined()
    expect(c.events('v')).toEqual(['VolumeRecycled: Volume recycled'])
  })

  it('marks a claim whose volume is deleted as lost permanently', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    c.addClaim('data')
    c.settle()
    c.delete('persistentvolumes', 'v')
    c.patch('persistentvolumes', 'v', { metadata: { finalizers: null } })
    c.settle()
    expect(c.claim()?.status).toEqual({
      phase: 'Lost',
      conditions: [expect.objectContaining({ type: 'Unused', status: 'True' })],
    })
    expect(c.events('data')).toEqual([
      'ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ])
  })

  it('does not bind the volume of a deleted claim to a new claim of the same name', () => {
    const c = new BinderCluster()
    c.addVolume('v', { claimRef: { namespace: 'default', name: 'data', uid: 'of-old' } })
    c.addClaim('data')
    c.settle()
    expect([c.has(), c.holds('v')]).toEqual(['Pending -', 'Released data'])
  })

  it('deletes a second provisioned volume of a claim, or keeps it reserved by name only', () => {
    const c = new BinderCluster()
    c.addVolume('v')
    const { metadata } = c.addClaim('data')
    c.settle()
    const claimRef = { namespace: 'default', name: 'data', uid: metadata.uid }
    const annotations = { 'pv.kubernetes.io/provisioned-by': 'x' }
    c.addVolume('second', { claimRef, persistentVolumeReclaimPolicy: 'Delete' }, { annotations })
    c.addVolume('third', { claimRef })
    c.settle()
    expect([c.has(), c.volume('second'), c.holds('third')]).toEqual(['Bound v', undefined, 'Available data'])
    expect(c.volume('third')?.spec.claimRef?.uid).toBeUndefined()
  })
})
