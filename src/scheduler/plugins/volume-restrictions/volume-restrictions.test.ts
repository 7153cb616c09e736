import { describe, expect, it } from 'vitest'
import type { Volume } from '../../../api/objects/pod.ts'
import { boundClaim, node, podWith, schedule, type VolumeCluster, verdicts, volume } from '../volume-cluster.fixture.ts'

const noDisk = 'VolumeRestrictions: node(s) had no available disk'
const inUse =
  'VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'

describe('disks on one node', () => {
  const rbd = (more: object) => ({ rbd: { monitors: ['a', 'b'], image: 'i', pool: 'p', ...more } }) as never
  const cases: readonly (readonly [string, Omit<Volume, 'name'>, Omit<Volume, 'name'>, boolean])[] = [
    [
      'one Google disk, both pods write',
      { gcePersistentDisk: { pdName: 'd' } },
      { gcePersistentDisk: { pdName: 'd' } },
      true,
    ],
    [
      'one Google disk, one pod only reads',
      { gcePersistentDisk: { pdName: 'd', readOnly: true } },
      { gcePersistentDisk: { pdName: 'd' } },
      true,
    ],
    [
      'one Google disk, both pods only read',
      { gcePersistentDisk: { pdName: 'd', readOnly: true } },
      { gcePersistentDisk: { pdName: 'd', readOnly: true } },
      false,
    ],
    ['two Google disks', { gcePersistentDisk: { pdName: 'd' } }, { gcePersistentDisk: { pdName: 'e' } }, false],
    [
      'one Amazon disk, even if both pods only read',
      { awsElasticBlockStore: { volumeID: 'd', readOnly: true } },
      { awsElasticBlockStore: { volumeID: 'd', readOnly: true } },
      true,
    ],
    ['one iSCSI target', { iscsi: { iqn: 'q' } }, { iscsi: { iqn: 'q' } }, true],
    [
      'one iSCSI target, both pods only read',
      { iscsi: { iqn: 'q', readOnly: true } },
      { iscsi: { iqn: 'q', readOnly: true } },
      false,
    ],
    ['one Ceph image with a common monitor', rbd({}), rbd({ monitors: ['b', 'c'] }), true],
    ['one Ceph image with different monitors', rbd({}), rbd({ monitors: ['c'] }), false],
    ['Ceph images of different pools', rbd({}), rbd({ pool: 'q' }), false],
    [
      'disks of different kinds',
      { gcePersistentDisk: { pdName: 'd' } },
      { awsElasticBlockStore: { volumeID: 'd' } },
      false,
    ],
  ]
  it.each(cases)('VolumeRestrictions checks disks on one node: %s', (_, wanted, held, conflict) => {
    const cluster: VolumeCluster = {
      nodes: [node('n1'), node('n2')],
      pods: [podWith('held', [held], { nodeName: 'n1' })],
    }
    expect(verdicts(cluster, podWith('new', [wanted]))).toEqual({ n1: conflict ? noDisk : 'ok', n2: 'ok' })
  })
})

describe('a ReadWriteOncePod claim', () => {
  const claims = [boundClaim('one', { accessModes: ['ReadWriteOncePod'] }), boundClaim('many')]
  const cluster = (pods: VolumeCluster['pods'] = []): VolumeCluster => ({
    nodes: [node('n1'), node('n2')],
    pods,
    claims,
    volumes: [volume('one'), volume('many')],
  })

  it('accepts a ReadWriteOncePod claim that no pod uses', () => {
    expect(verdicts(cluster(), podWith('new', ['one']))).toEqual({ n1: 'ok', n2: 'ok' })
  })
  it('rejects all nodes when a pod on any node uses the ReadWriteOncePod claim', () => {
    const user = podWith('user', ['one'], { nodeName: 'n1' })
    expect(verdicts(cluster([user]), podWith('new', ['one']))).toEqual({ n1: inUse, n2: inUse })
  })
  it('accepts pods with other claims', () => {
    const user = podWith('user', ['one'], { nodeName: 'n1' })
    expect(verdicts(cluster([user]), podWith('new', ['many']))).toEqual({ n1: 'ok', n2: 'ok' })
  })
  it('preempts a pod of lower priority that uses the ReadWriteOncePod claim', () => {
    const user = podWith('user', ['one'], { nodeName: 'n2', priority: 1 })
    const result = schedule(cluster([user]), podWith('new', ['one'], { priority: 10 }))
    if (result.kind !== 'unschedulable') throw new Error(result.kind)
    expect(result.preemption?.victims).toMatchObject({ node: 'n2' })
    expect(result.preemption?.victims.pods.map(({ key }) => key)).toEqual(['default/user'])
    expect(result.nominating).toEqual({ kind: 'set', node: 'n2' })
  })
  it('does not preempt a pod of equal priority that uses the ReadWriteOncePod claim', () => {
    const user = podWith('user', ['one'], { nodeName: 'n2' })
    const result = schedule(cluster([user]), podWith('new', ['one']))
    if (result.kind !== 'unschedulable') throw new Error(result.kind)
    expect(result.preemption).toBeUndefined()
    expect(result.unschedulablePlugins).toEqual(new Set(['VolumeRestrictions']))
  })
})

describe('a missing claim', () => {
  it('rejects a pod with a missing claim for all nodes', () => {
    expect(verdicts({ nodes: [node('n1')] }, podWith('new', ['gone']))).toEqual({
      '*': 'VolumeRestrictions: persistentvolumeclaim "gone" not found',
    })
  })
})
