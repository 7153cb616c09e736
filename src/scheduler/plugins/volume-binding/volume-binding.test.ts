import { describe, expect, it } from 'vitest'
import {
  boundClaim,
  claim,
  node,
  onNodes,
  podWith,
  schedule,
  storageClass,
  type VolumeCluster,
  verdicts,
  volume,
} from '../volume-cluster.fixture.ts'

const nodeConflictReason = "VolumeBinding!: node(s) didn't match PersistentVolume's node affinity"
const bindConflict = "VolumeBinding!: node(s) didn't find available persistent volumes to bind"
const noSpace = 'VolumeBinding!: node(s) did not have enough free storage'
const noVolume = 'VolumeBinding!: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)'

const nodes = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' })]
const local = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' })
const fast = storageClass('fast')

function ask(claims: readonly string[], cluster: Partial<VolumeCluster>): Record<string, string> {
  return verdicts({ nodes, classes: [local, fast], ...cluster }, podWith('p', claims))
}

describe('claims that reject a pod for all nodes', () => {
  const wait = 'VolumeBinding: pod has unbound immediate PersistentVolumeClaims'
  const immediate = storageClass('now', { volumeBindingMode: 'Immediate' })
  it.each([
    ['an unbound claim with immediate binding', claim('data', { storageClassName: 'now' }), wait],
    ['an unbound claim without a class', claim('data'), wait],
    ['an unbound claim of a class that does not exist', claim('data', { storageClassName: 'gone' }), wait],
    ['an unbound claim that names its volume', claim('data', { storageClassName: 'fast', volumeName: 'v' }), wait],
    [
      'lost',
      { ...boundClaim('data'), status: { phase: 'Lost' as const } },
      'VolumeBinding: persistentvolumeclaim "data" bound to non-existent persistentvolume "data"',
    ],
    [
      'terminating',
      claim('data', { storageClassName: 'fast' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'VolumeBinding: persistentvolumeclaim "data" is being deleted',
    ],
  ])('VolumeBinding rejects a pod for all nodes: %s', (_, one, reason) => {
    expect(ask(['data'], { claims: [one], classes: [immediate, fast] })).toEqual({ '*': reason })
  })

  it('fails for a claim whose class has no binding mode', () => {
    const { volumeBindingMode: _, ...modeless } = storageClass('odd')
    const cluster = { nodes, classes: [modeless], claims: [claim('data', { storageClassName: 'odd' })] }
    expect(schedule(cluster, podWith('p', ['data']))).toMatchObject({
      kind: 'error',
      message: 'running PreFilter plugin "VolumeBinding": VolumeBindingMode not set for StorageClass "odd"',
    })
  })
})

describe('bound claims', () => {
  it('selects nodes from which the volume is reachable', () => {
    const cluster = { claims: [boundClaim('data')], volumes: [volume('data', onNodes('n2'))] }
    expect(ask(['data'], cluster)).toEqual({ n1: nodeConflictReason, n2: 'ok' })
  })
  it('rejects all nodes when the volume was deleted', () => {
    // VolumeZone comes first in PreFilter and rejects the pod for all nodes.
    expect(ask(['data'], { claims: [boundClaim('data')] })).toEqual({
      '*': 'VolumeZone: persistentvolume "data" not found',
    })
  })
  it('uses the zone of the CSI driver for migrated in-tree volumes', () => {
    const labels = { 'topology.kubernetes.io/zone': 'a' }
    const disk = volume('data', { gcePersistentDisk: { pdName: 'd' } }, { labels })
    const migrated = (name: string) => ({
      metadata: { name, annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': 'kubernetes.io/gce-pd' } },
      spec: { drivers: [] },
    })
    const cluster: Partial<VolumeCluster> = {
      nodes: [node('n1', { 'topology.gke.io/zone': 'a' }), node('n2', { 'topology.gke.io/zone': 'b' }), node('n3')],
      claims: [boundClaim('data')],
      volumes: [disk],
      others: { 'csinodes.storage.k8s.io': [migrated('n1'), migrated('n2')] },
    }
    expect(ask(['data'], cluster)).toEqual({ n1: 'ok', n2: nodeConflictReason, n3: 'ok' })
  })
})

describe('claims with WaitForFirstConsumer', () => {
  const data = claim('data', { storageClassName: 'local' })
  it('selects nodes with a matching volume', () => {
    const volumes = [volume('v2', { storageClassName: 'local', ...onNodes('n2') })]
    expect(ask(['data'], { claims: [data], volumes })).toEqual({ n1: bindConflict, n2: 'ok' })
  })
  it('rejects all nodes without a matching volume when provisioning is not possible', () => {
    expect(ask(['data'], { claims: [data] })).toEqual({ n1: bindConflict, n2: bindConflict })
  })
  it('requires one volume per claim', () => {
    const volumes = [
      volume('a1', { storageClassName: 'local', ...onNodes('n1') }),
      volume('a2', { storageClassName: 'local', ...onNodes('n2') }),
      volume('b2', { storageClassName: 'local', ...onNodes('n2') }),
    ]
    const more = claim('more', { storageClassName: 'local' })
    expect(ask(['data', 'more'], { claims: [data, more], volumes })).toEqual({ n1: bindConflict, n2: 'ok' })
  })
  it('keeps the large volume for the large claim', () => {
    const large = claim('large', { storageClassName: 'local', resources: { requests: { storage: '9Gi' } } })
    const volumes = ['n1', 'n2'].flatMap((host) => [
      volume(`l-${host}`, { storageClassName: 'local', capacity: { storage: '9Gi' }, ...onNodes(host) }),
      volume(`s-${host}`, { storageClassName: 'local', ...onNodes(host) }),
    ])
    expect(ask(['large', 'data'], { claims: [data, large], volumes })).toEqual({ n1: 'ok', n2: 'ok' })
  })
  it('provisions volumes where the class allows it', () => {
    const topology = [{ matchLabelExpressions: [{ key: 'zone', values: ['b'] }] }]
    const classes = [storageClass('fast', { allowedTopologies: topology })]
    const claims = [claim('data', { storageClassName: 'fast' })]
    expect(ask(['data'], { claims, classes })).toEqual({ n1: bindConflict, n2: 'ok' })
  })
  it('a pod stays on the node for which its volume is being provisioned', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'n2' }
    const claims = [claim('data', { storageClassName: 'fast' }, { annotations })]
    expect(ask(['data'], { claims })).toEqual({ n1: bindConflict, n2: 'ok' })
  })
  it('reports all conflicts', () => {
    const cluster = { claims: [data, boundClaim('other')], volumes: [volume('other', onNodes('n2'))] }
    expect(ask(['data', 'other'], cluster)['n1']).toBe(
      `${nodeConflictReason}, node(s) didn't find available persistent volumes to bind`,
    )
  })
})

describe('storage capacity', () => {
  const driver = (storageCapacity: boolean) => ({ metadata: { name: 'csi.example.com' }, spec: { storageCapacity } })
  const capacity = (name: string, zone: string | undefined, more: object) => ({
    metadata: { name, namespace: 'kube-system' },
    storageClassName: 'fast',
    ...(zone === undefined ? {} : { nodeTopology: { matchLabels: { zone } } }),
    ...more,
  })
  const place = (publishes: boolean, ...capacities: ReturnType<typeof capacity>[]) =>
    ask(['data'], {
      claims: [claim('data', { storageClassName: 'fast' })],
      others: {
        'csidrivers.storage.k8s.io': [driver(publishes)],
        'csistoragecapacities.storage.k8s.io': capacities,
      },
    })
  it.each([
    ['is ignored if the driver does not publish it', place(false), 'ok', 'ok'],
    ['is required if the driver publishes it', place(true), noSpace, noSpace],
    ['fits in one zone', place(true, capacity('a', 'a', { capacity: '5Gi' })), 'ok', noSpace],
    ['is too low', place(true, capacity('a', 'a', { capacity: '4Gi' })), noSpace, noSpace],
    [
      'is limited by maximumVolumeSize before capacity',
      place(true, capacity('a', 'a', { capacity: '100Gi', maximumVolumeSize: '4Gi' })),
      noSpace,
      noSpace,
    ],
    ['does not count without a topology', place(true, capacity('a', undefined, { capacity: '9Gi' })), noSpace, noSpace],
    ['does not count without an amount', place(true, capacity('a', 'a', {})), noSpace, noSpace],
    [
      'of another storage class does not count',
      place(true, { ...capacity('a', 'a', { capacity: '9Gi' }), storageClassName: 'x' }),
      noSpace,
      noSpace,
    ],
  ])('storage capacity: %s', (_, got, n1, n2) => {
    expect(got).toEqual({ n1, n2 })
  })
})

describe('a claim that is bound to a deleted volume', () => {
  it('VolumeBinding rejects a claim bound to a deleted volume when VolumeZone is disabled', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true }
    const own = boundClaim('p-v0')
    const claims = [{ ...own, metadata: { ...own.metadata, ownerReferences: [owner] } }]
    const pod = podWith('p', [{ ephemeral: { volumeClaimTemplate: { spec: {} } } }])
    expect(verdicts({ nodes, claims }, pod)).toEqual({ n1: noVolume, n2: noVolume })
  })
})
