import { describe, expect, it } from 'vitest'
import {
  type InTreePlugin,
  inlineHandle,
  inTreePluginNamed,
  inTreePluginOf,
  migratedAffinity,
  volumeHandle,
} from './csi-migration.ts'
import type { PersistentVolume } from './objects/storage.ts'

const plugin = (name: string): InTreePlugin => inTreePluginNamed(`kubernetes.io/${name}`) as InTreePlugin

describe('the driver of an in-tree volume', () => {
  it.each([
    ['awsElasticBlockStore', 'ebs.csi.aws.com'],
    ['gcePersistentDisk', 'pd.csi.storage.gke.io'],
    ['azureDisk', 'disk.csi.azure.com'],
    ['azureFile', 'file.csi.azure.com'],
    ['cinder', 'cinder.csi.openstack.org'],
    ['portworxVolume', 'pxd.portworx.com'],
    ['vsphereVolume', 'csi.vsphere.vmware.com'],
    ['nfs', undefined],
  ])('finds the CSI driver of an in-tree volume, %s: %s', (source, driver) => {
    expect(inTreePluginOf({ name: 'v', [source]: {} })?.driver).toBe(driver)
  })
})

describe('the volume handle of an inline volume', () => {
  it.each([
    ['aws-ebs', { awsElasticBlockStore: { volumeID: 'vol-1' } }, 'vol-1'],
    ['aws-ebs', { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } }, 'vol-1'],
    ['gce-pd', { gcePersistentDisk: { pdName: 'd' } }, 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d'],
    ['azure-disk', { azureDisk: { diskURI: '/uri', kind: 'Managed' } }, '/uri'],
    ['cinder', { cinder: { volumeID: 'c' } }, 'c'],
    ['portworx-volume', { portworxVolume: { volumeID: 'p' } }, 'p'],
  ])('computes the volume handle of an inline volume, %s %j: %s', (name, volume, handle) => {
    expect(inlineHandle(plugin(name), { name: 'v', ...volume } as never)).toEqual({ ok: true, value: handle })
  })

  it.each([
    ['aws-ebs', { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/other' } }, /Invalid format for AWS volume/],
    ['azure-disk', { azureDisk: { diskURI: '/uri', kind: 'Shared' } }, /kind\(Shared\) is not supported/],
  ])('computes no volume handle for %s %j', (name, volume, why) => {
    const handle = inlineHandle(plugin(name), { name: 'v', ...volume } as never)
    expect(handle.ok ? '' : handle.message).toMatch(why)
  })
})

const disk = (labels: Record<string, string>, terms?: readonly object[]): PersistentVolume =>
  ({
    metadata: { name: 'v', labels },
    spec: {
      gcePersistentDisk: { pdName: 'd' },
      ...(terms === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
  }) as PersistentVolume
const zone = 'topology.kubernetes.io/zone'
const betaZone = 'failure-domain.beta.kubernetes.io/zone'

describe('a Google disk', () => {
  it.each([
    [{ [zone]: 'us-east1-b' }, 'projects/UNSPECIFIED/zones/us-east1-b/disks/d'],
    [{ [betaZone]: 'us-east1-b__us-east1-c' }, 'projects/UNSPECIFIED/regions/us-east1/disks/d'],
    [{}, 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d'],
  ])('names a Google disk with the labels %j %s', (labels, handle) => {
    expect(volumeHandle(plugin('gce-pd'), disk(labels))).toEqual({ ok: true, value: handle })
  })

  it('returns no name for a Google disk in two regions', () => {
    expect(volumeHandle(plugin('gce-pd'), disk({ [zone]: 'us-east1-b__us-west1-b' })).ok).toBe(false)
    expect(volumeHandle(plugin('gce-pd'), disk({ [zone]: 'a__b' })).ok).toBe(false)
  })
})

describe('the node affinity of a migrated volume', () => {
  const inZone = (key: string, ...values: string[]) => ({ matchExpressions: [{ key, operator: 'In', values }] })
  const terms = (one: PersistentVolume) => migratedAffinity(plugin('gce-pd'), one)?.required?.nodeSelectorTerms

  it('converts the zone in the node affinity of a volume to the label of the driver', () => {
    expect(terms(disk({}, [inZone(zone, 'a')]))).toEqual([inZone('topology.gke.io/zone', 'a')])
    expect(terms(disk({ [zone]: 'b' }, [inZone(betaZone, 'a')]))).toEqual([inZone('topology.gke.io/zone', 'a')])
  })
  it('adds zones from the labels of a volume to its node affinity', () => {
    expect(terms(disk({ [betaZone]: 'b__a' }))).toEqual([inZone('topology.gke.io/zone', 'a', 'b')])
    expect(terms(disk({ [zone]: 'a' }, [inZone('rack', '1')]))).toEqual([
      {
        matchExpressions: [
          ...inZone('rack', '1').matchExpressions,
          ...inZone('topology.gke.io/zone', 'a').matchExpressions,
        ],
      },
    ])
  })
  it('converts the old region label of a volume to the new one', () => {
    const betaRegion = 'failure-domain.beta.kubernetes.io/region'
    const old = {
      matchExpressions: [...inZone(betaZone, 'a').matchExpressions, ...inZone(betaRegion, 'r').matchExpressions],
    }
    expect(terms(disk({}, [old]))?.[0]?.matchExpressions?.map(({ key }) => key)).toEqual([
      'topology.gke.io/zone',
      'topology.kubernetes.io/region',
    ])
  })
  it('does not change the node affinity of a volume without zones', () => {
    const one = disk({}, [inZone('rack', '1')])
    expect(migratedAffinity(plugin('gce-pd'), one)).toBe(one.spec.nodeAffinity)
    expect(migratedAffinity(plugin('azure-disk'), disk({ [zone]: 'a' }))).toBeUndefined()
  })
})
