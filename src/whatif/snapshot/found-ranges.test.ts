import { expect, test } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { createKindTable } from '../../registry/kinds/kinds.ts'
import { findCluster } from './found-cluster.ts'

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', uid: '1', resourceVersion: '1' } } as KubeObject
const range = (metadata: object) =>
  ({
    apiVersion: 'networking.x-k8s.io/v1',
    kind: 'ClusterCIDR',
    metadata: { name: 'east', ...metadata },
    spec: { perNodeHostBits: 8, ipv4: '10.7.0.0/16' },
  }) as unknown as KubeObject
const ranges = 'clustercidrs.networking.x-k8s.io'

test.each([
  ['found', range({ uid: '2', resourceVersion: '2' }), 1],
  ['created later', range({}), 0],
])('ClusterCIDRs that are %s have a definition, although no dump contains it', (_, object, stored) => {
  const { cluster } = findCluster({ objects: [node, object] })
  expect(cluster.store.list(ranges)).toHaveLength(stored)
  expect(createKindTable(cluster.store).find(ranges)).toMatchObject({ kind: 'ClusterCIDR', version: 'v1' })
})

test('adds no definition of ClusterCIDRs to a cluster without them', () => {
  const { cluster } = findCluster({ objects: [node] })
  expect(createKindTable(cluster.store).find(ranges)).toBeUndefined()
})
