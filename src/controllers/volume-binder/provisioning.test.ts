import { describe, expect, it } from 'vitest'
import type { Call } from '../../api/call.ts'
import { failure } from '../../api/status.ts'
import { BinderCluster } from './binder-cluster.fixture.ts'
import { createVolumeBinder } from './controller.ts'

const selected = 'volume.kubernetes.io/selected-node'
const zone = 'topology.kubernetes.io/zone'
const inOnly = (key: string, ...values: string[]) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values }] }],
})

describe('provisioned volumes', () => {
  it('provisions a volume immediately for a class with binding mode Immediate', () => {
    const c = new BinderCluster()
    c.addClass('fast', {
      mountOptions: ['noatime'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['a', 'b'] }] }],
    })
    c.addClaim('data', { storageClassName: 'fast' })
    c.settle()
    const name = `pvc-${c.claim()?.metadata.uid}`
    expect([c.has(), c.holds(name)]).toEqual([`Bound ${name}`, 'Bound data'])
    expect(c.made()).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'csi.example.com' } },
      spec: {
        capacity: { storage: '5Gi' },
        csi: { driver: 'csi.example.com', volumeHandle: name },
        storageClassName: 'fast',
        persistentVolumeReclaimPolicy: 'Delete',
        mountOptions: ['noatime'],
        nodeAffinity: { required: inOnly(zone, 'a', 'b') },
      },
    })
    expect(c.claim()?.metadata.annotations).toMatchObject({
      'volume.kubernetes.io/storage-provisioner': 'csi.example.com',
      'volume.beta.kubernetes.io/storage-provisioner': 'csi.example.com',
    })
    expect(c.events('data')).toEqual([
      "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'csi.example.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
      'Provisioning: External provisioner is provisioning volume for claim "default/data"',
      `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
    ])
  })

  it('provisions a volume for the first consumer on the node that the scheduler selected', () => {
    const c = new BinderCluster({ nodes: ['n1'] })
    c.patch('nodes', 'n1', { metadata: { labels: { [zone]: 'a', rack: '7' } } })
    c.addClass('fast', { volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain' })
    c.addVolume('free', { storageClassName: 'fast' })
    c.addClaim('data', { storageClassName: 'fast' })
    c.settle()
    expect(c.has()).toBe('Pending -')
    expect(c.events('data')).toEqual(['WaitForFirstConsumer: waiting for first consumer to be created before binding'])
    c.patch('persistentvolumeclaims', 'default/data', { metadata: { annotations: { [selected]: 'n1' } } })
    c.settle()
    expect(c.has()).toBe(`Bound ${c.made()?.metadata.name}`)
    expect(c.made()?.spec).toMatchObject({
      persistentVolumeReclaimPolicy: 'Retain',
      nodeAffinity: { required: inOnly(zone, 'a') },
    })
    expect(c.holds('free')).toBe('Available -')
  })

  it('uses the topology labels of the driver on the node', () => {
    const c = new BinderCluster({ nodes: ['n1'] })
    c.patch('nodes', 'n1', { metadata: { labels: { [zone]: 'a', rack: '7' } } })
    c.create('csinodes.storage.k8s.io', {
      metadata: { name: 'n1' },
      spec: { drivers: [{ name: 'csi.example.com', nodeID: 'n1', topologyKeys: ['rack'] }] },
    })
    c.addClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' })
    c.addClaim('data', { storageClassName: 'fast' }, { annotations: { [selected]: 'n1' } })
    c.settle()
    expect(c.made()?.spec.nodeAffinity).toEqual({ required: inOnly('rack', '7') })
  })

  it('lists the pods that an unbound claim waits for', () => {
    const c = new BinderCluster()
    c.addClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' })
    c.addPod('web', 'one')
    c.addPod('a', 'two')
    c.addPod('b', 'two')
    c.addClaim('one', { storageClassName: 'fast' })
    c.addClaim('two', { storageClassName: 'fast' })
    c.settle()
    expect(c.events('one')).toEqual(['WaitForPodScheduled: waiting for pod web to be scheduled'])
    expect(c.events('two')).toEqual(['WaitForPodScheduled: waiting for pods a,b to be scheduled'])
  })

  it('removes the selected node from a claim when the node is deleted', () => {
    const c = new BinderCluster()
    c.addClass('fast', { volumeBindingMode: 'WaitForFirstConsumer' })
    c.addClaim('data', { storageClassName: 'fast' }, { annotations: { [selected]: 'gone' } })
    c.settle()
    expect(c.claim()?.metadata.annotations?.[selected]).toBeUndefined()
    expect(c.events('data')).toContain('ProvisioningFailed: failed to get target node: node "gone" not found')
    expect(c.made()).toBeUndefined()
  })

  it('provisions with the driver that replaced an in-tree plugin', () => {
    const c = new BinderCluster()
    c.addClass('ebs', { provisioner: 'kubernetes.io/aws-ebs' })
    c.addClaim('data', { storageClassName: 'ebs' })
    c.settle()
    expect(c.made()?.spec.csi?.driver).toBe('ebs.csi.aws.com')
  })

  it('provisions no volume if external provisioners run', () => {
    const c = new BinderCluster({ controllers: [createVolumeBinder({ provisions: false })] })
    c.addClass('fast')
    c.addClaim('data', { storageClassName: 'fast' })
    c.settle()
    expect([c.has(), c.list('persistentvolumes')]).toEqual(['Pending -', []])
    expect(c.reasons('data')).toEqual(['ExternalProvisioning'])
  })

  it('retries when the API server rejects a provisioned volume', () => {
    let refusals = 2
    const refuse = (call: Call) =>
      call.verb === 'create' && call.resource === 'persistentvolumes' && refusals-- > 0
        ? failure('ServiceUnavailable', 'not now')
        : undefined
    const c = new BinderCluster({ refuse })
    c.addClass('fast')
    c.addClaim('data', { storageClassName: 'fast' })
    c.settle()
    expect(c.has()).toBe('Pending -')
    c.advance(1000)
    expect(c.has()).toBe(`Bound ${c.made()?.metadata.name}`)
  })

  it('provisions no volume for a class that does not exist', () => {
    const c = new BinderCluster()
    c.addClaim('data', { storageClassName: 'none' })
    c.settle()
    expect(c.events('data')).toEqual(['ProvisioningFailed: storageclass.storage.k8s.io "none" not found'])
  })

  it('provisions volumes of the default class for claims that were created before it', () => {
    const c = new BinderCluster()
    c.create('persistentvolumeclaims', {
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
    })
    c.settle()
    c.addClass('usual')
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    c.patch('storageclasses.storage.k8s.io', 'usual', { metadata: { annotations } })
    c.advance(15_000)
    expect(c.claim()?.spec.storageClassName).toBe('usual')
    expect(c.has()).toBe(`Bound ${c.made()?.metadata.name}`)
  })
})
