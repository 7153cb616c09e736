import { describe, expect, it } from 'vitest'
import type { CSINode, VolumeAttachment } from '../../../api/objects/storage.ts'
import {
  boundClaim,
  claim,
  node,
  podWith,
  schedule,
  storageClass,
  type VolumeCluster,
  verdicts,
  volume,
} from '../volume-cluster.fixture.ts'

const limitExceeded = 'NodeVolumeLimits: node(s) exceed max volume count'
const csiDriver = 'csi.example.com'

function csiNode(
  name: string,
  limits: Record<string, number | undefined>,
  annotations: Record<string, string> = {},
): CSINode {
  const drivers = Object.entries(limits).map(([driver, count]) => ({
    name: driver,
    nodeID: name,
    ...(count === undefined ? {} : { allocatable: { count } }),
  }))
  return { metadata: { name, annotations }, spec: { drivers } }
}

const csi = (handle: string, driver = csiDriver) => ({ csi: { driver, volumeHandle: handle } })
const attachment = (pv: string, nodeName: string): VolumeAttachment => ({
  metadata: { name: `va-${pv}` },
  spec: { attacher: csiDriver, nodeName, source: { persistentVolumeName: pv } },
})

interface Story {
  readonly limits?: Record<string, number | undefined>
  readonly placed?: VolumeCluster['pods']
  readonly attachments?: readonly VolumeAttachment[]
  readonly withoutCsiNode?: boolean
}

function ask(wanted: Parameters<typeof podWith>[1], story: Story): string | undefined {
  const { limits = { [csiDriver]: 2 }, placed = [], attachments = [], withoutCsiNode = false } = story
  const names = ['a', 'b', 'c', 'd']
  const cluster: VolumeCluster = {
    nodes: [node('n1')],
    pods: placed,
    claims: [
      ...names.map((name) => boundClaim(name)),
      claim('new', { storageClassName: 'c' }),
      claim('old', { storageClassName: 'ebs' }),
      boundClaim('ebs'),
    ],
    volumes: [
      ...names.map((name) => volume(name, csi(`h-${name}`))),
      volume('ebs', { awsElasticBlockStore: { volumeID: 'vol-9' } }),
    ],
    classes: [storageClass('c'), storageClass('ebs', { provisioner: 'kubernetes.io/aws-ebs' })],
    others: {
      'csinodes.storage.k8s.io': withoutCsiNode ? [] : [csiNode('n1', limits)],
      'volumeattachments.storage.k8s.io': attachments,
    },
  }
  return verdicts(cluster, podWith('p', wanted))['n1']
}
const on = (name: string, volumes: Parameters<typeof podWith>[1]) => podWith(name, volumes, { nodeName: 'n1' })

describe('attach limits of drivers', () => {
  const cases: readonly (readonly [string, string | undefined, string])[] = [
    ['accepts volumes up to the limit', ask(['a', 'b'], {}), 'ok'],
    ['rejects volumes above the limit', ask(['a', 'b', 'c'], {}), limitExceeded],
    ['counts volumes of other pods', ask(['c'], { placed: [on('x', ['a']), on('y', ['b'])] }), limitExceeded],
    ['counts a volume of several pods once', ask(['b'], { placed: [on('x', ['a']), on('y', ['a'])] }), 'ok'],
    [
      'does not count volumes that are already used on the node',
      ask(['a', 'b'], { placed: [on('x', ['a', 'b'])] }),
      'ok',
    ],
    [
      'counts attached volumes that no pod uses',
      ask(['b'], { attachments: [attachment('a', 'n1'), attachment('c', 'n1')] }),
      limitExceeded,
    ],
    [
      'counts an attached volume that a pod uses once',
      ask(['b'], { placed: [on('x', ['a'])], attachments: [attachment('a', 'n1')] }),
      'ok',
    ],
    [
      'does not count volumes that are attached to other nodes',
      ask(['b'], { attachments: [attachment('a', 'n2'), attachment('c', 'n2')] }),
      'ok',
    ],
    [
      'counts claims whose volumes are not provisioned yet',
      ask(['new'], { placed: [on('x', ['a', 'b'])] }),
      limitExceeded,
    ],
    ['is unlimited if the CSINode has no limit', ask(['a', 'b', 'c'], { limits: { [csiDriver]: undefined } }), 'ok'],
    ['is unlimited if only another driver has a limit', ask(['a', 'b', 'c'], { limits: { other: 1 } }), 'ok'],
    ['is unlimited if the node has no CSINode', ask(['a', 'b', 'c'], { withoutCsiNode: true }), 'ok'],
  ]
  it.each(cases)('attach limit: %s', (_, got, wanted) => {
    expect(got).toBe(wanted)
  })
})

describe('volumes of in-tree plugins', () => {
  const limits = { 'ebs.csi.aws.com': 1 }
  const disk = (volumeID: string) => ({ awsElasticBlockStore: { volumeID } })
  const cases: readonly (readonly [string, string | undefined, string])[] = [
    ['inline volumes count for the CSI driver', ask([disk('vol-1'), disk('vol-2')], { limits }), limitExceeded],
    ['one disk with two names counts once', ask([disk('vol-1'), disk('aws://z/vol-1')], { limits }), 'ok'],
    [
      'persistent volumes count for the CSI driver',
      ask([disk('vol-1')], { limits, placed: [on('x', ['ebs'])] }),
      limitExceeded,
    ],
    [
      'a disk counts the same inline and as a persistent volume',
      ask([disk('vol-9')], { limits: { 'ebs.csi.aws.com': 0 } }),
      limitExceeded,
    ],
    [
      'an unbound claim counts for the driver of its storage class',
      ask(['old'], { limits: { 'ebs.csi.aws.com': 0 } }),
      limitExceeded,
    ],
    [
      'volumes do not count on nodes without the driver',
      ask([disk('vol-1'), disk('vol-2')], { withoutCsiNode: true }),
      'ok',
    ],
    [
      'volumes of plugins without a CSI driver do not count',
      ask([{ nfs: { server: 's', path: '/' } }], { limits }),
      'ok',
    ],
    ['inline CSI volumes do not count', ask([{ csi: { driver: csiDriver } }], { limits: { [csiDriver]: 0 } }), 'ok'],
  ]
  it.each(cases)('in-tree volumes: %s', (_, got, wanted) => {
    expect(got).toBe(wanted)
  })
})

describe('an in-tree disk that cannot be migrated', () => {
  const unmanaged = { azureDisk: { diskName: 'd', diskURI: 'https://blob.example/d', kind: 'Shared' } }
  const cluster = (limits: Record<string, number | undefined>): VolumeCluster => ({
    nodes: [node('n1')],
    pods: [on('x', [unmanaged])],
    claims: [boundClaim('a')],
    volumes: [volume('a', csi('h-a'))],
    others: { 'csinodes.storage.k8s.io': [csiNode('n1', limits)] },
  })
  it('an in-tree disk that cannot be migrated is an error for pods with volumes if a driver on the node is limited', () => {
    expect(schedule(cluster({ other: 1 }), podWith('p', ['a']))).toMatchObject({
      kind: 'error',
      message:
        'running "NodeVolumeLimits" filter plugin: converting volume(v0) from inline to csi: ' +
        'kind(Shared) is not supported in csi migration',
    })
  })
  it('an in-tree disk that cannot be migrated is ignored on nodes without limits', () => {
    expect(schedule(cluster({ [csiDriver]: undefined }), podWith('p', ['a']))).toMatchObject({ kind: 'placed' })
  })
})

describe('ephemeral volumes', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true }
  const own = { ...claim('p-v0', { storageClassName: 'c' }, { ownerReferences: [owner] }) }
  const cluster = (claims: VolumeCluster['claims'], count: number): VolumeCluster => ({
    nodes: [node('n1')],
    claims: claims ?? [],
    classes: [storageClass('c')],
    others: { 'csinodes.storage.k8s.io': [csiNode('n1', { [csiDriver]: count })] },
  })
  const pod = podWith('p', [{ ephemeral: { volumeClaimTemplate: { spec: {} } } }])
  it('counts ephemeral volumes by their claims', () => {
    expect(verdicts(cluster([own], 0), pod)).toEqual({ n1: limitExceeded })
    expect(verdicts(cluster([own], 1), pod)).toEqual({ n1: 'ok' })
  })
  it('rejects the pod until the claims of its ephemeral volumes exist', () => {
    expect(verdicts(cluster([], 1), pod)).toEqual({
      '*': 'VolumeBinding: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v0"',
    })
  })
  it('fails for pods with volumes when the claim of a placed ephemeral volume belongs to another owner', () => {
    const elsewhere = ['kubernetes.io/hostname', 'n2'] as const
    const reach = { matchExpressions: [{ key: elsewhere[0], operator: 'In' as const, values: [elsewhere[1]] }] }
    const asked = (limits: Record<string, number>, nodeAffinity = {}) =>
      schedule(
        {
          nodes: [node('n1'), node('n2')],
          pods: [podWith('x', [{ ephemeral: { volumeClaimTemplate: { spec: {} } } }], { nodeName: 'n1' })],
          claims: [claim('x-v0', { storageClassName: 'c' }), boundClaim('a')],
          volumes: [volume('a', { ...csi('h-a'), ...nodeAffinity })],
          classes: [storageClass('c')],
          others: { 'csinodes.storage.k8s.io': [csiNode('n1', limits), csiNode('n2', limits)] },
        },
        podWith('p', ['a']),
      )
    const error = {
      kind: 'error',
      message:
        'running "NodeVolumeLimits" filter plugin: PVC default/x-v0 was not created for pod default/x (pod is not owner)',
    }
    expect(asked({ [csiDriver]: 5 })).toMatchObject(error)
    expect(asked({ other: 5 })).toMatchObject(error)
    // VolumeBinding, which runs later, rejects that node.
    const affinity = { nodeAffinity: { required: { nodeSelectorTerms: [reach] } } }
    expect(asked({ [csiDriver]: 5 }, affinity)).toMatchObject(error)
    expect(asked({})).toMatchObject({ kind: 'placed' })
  })
  it('fails when the claim of an ephemeral volume belongs to another owner', () => {
    expect(verdicts(cluster([claim('p-v0', { storageClassName: 'c' })], 1), pod)).toEqual({
      '*': 'VolumeBinding: PVC default/p-v0 was not created for pod default/p (pod is not owner)',
    })
  })
})
