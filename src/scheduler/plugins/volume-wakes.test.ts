import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { EventResource, ObjectReader, WakeRule } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'
import { clusterEvent } from '../queue/cluster-event.ts'
import { HintTable } from '../queue/hint-table.ts'
import { nodeVolumeLimitsWake } from './node-volume-limits/wake.ts'
import { volumeBindingWake } from './volume-binding/wake.ts'
import { volumeRestrictionsWake } from './volume-restrictions/wake.ts'
import { volumeZoneWake } from './volume-zone/wake.ts'

// Wake-ups that the golden vectors do not cover, because the vectors contain only nodes and pods.

const rules: Readonly<Record<string, readonly WakeRule[]>> = {
  VolumeBinding: volumeBindingWake,
  VolumeRestrictions: volumeRestrictionsWake(defaultRelease),
  VolumeZone: volumeZoneWake,
  NodeVolumeLimits: nodeVolumeLimitsWake(defaultRelease),
}
const nothing: ObjectReader = { get: () => undefined, list: () => [] }

const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'u1' },
  spec: {
    containers: [],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: 'inline', csi: { driver: 'hollow' } },
      { name: 'disk', gcePersistentDisk: { pdName: 'd1', readOnly: true } },
    ],
  },
}

function named(name: string, rest: object = {}, namespace?: string): KubeObject {
  return { metadata: { name, ...(namespace && { namespace }) }, ...rest } as KubeObject
}

interface Case {
  readonly resource: EventResource
  readonly before?: KubeObject
  readonly after?: KubeObject
}

function woken({ resource, before, after }: Case): string[] {
  const action = before === undefined ? ActionType.Add : after === undefined ? ActionType.Delete : ActionType.Update
  const change = { ...(before && { before }), ...(after && { after }) }
  return Object.entries(rules).flatMap(([plugin, wake]) => {
    const table = new HintTable(new Map([['p', new Map([[plugin, wake]])]]))
    const { hints } = table.hintsFor('p', clusterEvent(resource, action))
    const helps = (hints.get(plugin) ?? []).some((hint) => hint === undefined || hint(pod, change, nothing))
    return helps ? [plugin] : []
  })
}

const csiNode = (count: number, migrated = ''): KubeObject =>
  ({
    metadata: { name: 'n', annotations: { 'storage.alpha.kubernetes.io/migrated-plugins': migrated } },
    spec: { drivers: [{ name: 'hollow', nodeID: 'n', allocatable: { count } }] },
  }) as KubeObject

const attachment = (attacher: string): KubeObject => named('a', { spec: { attacher, nodeName: 'n', source: {} } })

/** The deletion of a pod in the same namespace that has this volume. */
const leaving = (volume: object): Case => ({
  resource: 'AssignedPod',
  before: named('old', { spec: { containers: [], nodeName: 'n', volumes: [{ name: 'd', ...volume }] } }, 'shop'),
})

describe('wake-ups of pods with volumes', () => {
  const cases: [string, Case, string[]][] = [
    [
      'all plugins on the creation of its claim',
      { resource: 'PersistentVolumeClaim', after: named('data', { spec: {} }, 'shop') },
      ['VolumeBinding', 'VolumeRestrictions', 'VolumeZone', 'NodeVolumeLimits'],
    ],
    [
      'on the creation of the claim of its ephemeral volume',
      { resource: 'PersistentVolumeClaim', after: named('web-scratch', { spec: {} }, 'shop') },
      ['VolumeBinding', 'NodeVolumeLimits'],
    ],
    [
      'never on a claim of another namespace',
      { resource: 'PersistentVolumeClaim', after: named('data', { spec: {} }, 'other') },
      [],
    ],
    [
      'on an update of its claim',
      { resource: 'PersistentVolumeClaim', before: named('data', {}, 'shop'), after: named('data', {}, 'shop') },
      ['VolumeBinding', 'VolumeZone'],
    ],
    [
      'on every new volume',
      { resource: 'PersistentVolume', after: named('pv', { spec: {} }) },
      ['VolumeBinding', 'VolumeZone'],
    ],
    [
      'on a volume that moves to another zone',
      {
        resource: 'PersistentVolume',
        before: { metadata: { name: 'pv', labels: { 'topology.kubernetes.io/zone': 'a' } } },
        after: { metadata: { name: 'pv', labels: { 'topology.kubernetes.io/zone': 'b' } } },
      },
      ['VolumeBinding', 'VolumeZone'],
    ],
    [
      'on a class that waits for the first consumer',
      { resource: 'storage.k8s.io/StorageClass', after: named('c', { volumeBindingMode: 'WaitForFirstConsumer' }) },
      ['VolumeBinding', 'VolumeZone'],
    ],
    [
      'on a class with immediate binding, but not for its zone',
      { resource: 'storage.k8s.io/StorageClass', after: named('c', { volumeBindingMode: 'Immediate' }) },
      ['VolumeBinding'],
    ],
    [
      'never on a class with an unchanged topology',
      { resource: 'storage.k8s.io/StorageClass', before: named('c'), after: named('c', { parameters: { a: 'b' } }) },
      [],
    ],
    [
      'on a class whose topology changes',
      {
        resource: 'storage.k8s.io/StorageClass',
        before: named('c'),
        after: named('c', { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }] }),
      },
      ['VolumeBinding'],
    ],
    [
      'on a new CSINode',
      { resource: 'storage.k8s.io/CSINode', after: csiNode(1) },
      ['VolumeBinding', 'NodeVolumeLimits'],
    ],
    [
      'on a CSINode with a higher limit',
      { resource: 'storage.k8s.io/CSINode', before: csiNode(1), after: csiNode(2) },
      ['NodeVolumeLimits'],
    ],
    [
      'never on a CSINode with a lower limit',
      { resource: 'storage.k8s.io/CSINode', before: csiNode(2), after: csiNode(1) },
      [],
    ],
    [
      'on a CSINode that migrates a plugin',
      { resource: 'storage.k8s.io/CSINode', before: csiNode(1), after: csiNode(1, 'kubernetes.io/gce-pd') },
      ['VolumeBinding'],
    ],
    [
      'on its driver when the driver stops publishing storage capacity',
      {
        resource: 'storage.k8s.io/CSIDriver',
        before: named('hollow', { spec: { storageCapacity: true } }),
        after: named('hollow', { spec: { storageCapacity: false } }),
      },
      ['VolumeBinding'],
    ],
    [
      'on storage capacity that grows',
      {
        resource: 'storage.k8s.io/CSIStorageCapacity',
        before: named('c', { storageClassName: 's', capacity: '1Gi' }),
        after: named('c', { storageClassName: 's', capacity: '2Gi' }),
      },
      ['VolumeBinding'],
    ],
    [
      'never on storage capacity whose maximum volume size shrinks',
      {
        resource: 'storage.k8s.io/CSIStorageCapacity',
        before: named('c', { storageClassName: 's', capacity: '1Gi', maximumVolumeSize: '1Gi' }),
        after: named('c', { storageClassName: 's', capacity: '9Gi', maximumVolumeSize: '500Mi' }),
      },
      [],
    ],
    [
      'on a deleted attachment',
      { resource: 'storage.k8s.io/VolumeAttachment', before: attachment('x') },
      ['NodeVolumeLimits'],
    ],
    [
      'on a deleted pod with the same claim',
      leaving({ persistentVolumeClaim: { claimName: 'data' } }),
      ['VolumeRestrictions', 'NodeVolumeLimits'],
    ],
    [
      'on a deleted pod that wrote to the same disk',
      leaving({ gcePersistentDisk: { pdName: 'd1' } }),
      ['VolumeRestrictions', 'NodeVolumeLimits'],
    ],
    [
      'never because of a disk conflict with a deleted pod if both only read',
      leaving({ gcePersistentDisk: { pdName: 'd1', readOnly: true } }),
      ['NodeVolumeLimits'],
    ],
  ]
  it.each(cases)('wakes a pod with volumes: %s', (_, change, plugins) => {
    expect(woken(change)).toEqual(plugins)
  })
})
