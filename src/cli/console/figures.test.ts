import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Node } from '../../api/objects/node.ts'
import { findCluster } from '../../whatif/snapshot/found-cluster.ts'
import { figuresOf } from './figures.ts'

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', uid: 'a', creationTimestamp: '2026-01-01T00:00:00Z', labels: { pool: 'web' } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
} as unknown as Node
const metrics = {
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'NodeMetricsList',
  items: [{ metadata: { name: 'a' }, usage: { cpu: '1500m', memory: '1Gi' } }],
} as unknown as KubeObject

it('reads the usage of nodes from the NodeMetrics of a dump, and their prices from the file of the autoscaler', () => {
  const found = findCluster({ objects: [node, metrics] })
  expect(found.notes.filter(({ text }) => text.includes('NodeMetrics'))).toEqual([])
  const group = { name: 'web', max: 3, label: 'pool=web', pricePerHour: 0.25 }
  const { usage, priceOf } = figuresOf(found, {
    name: 'groups.yaml',
    document: { clusterAutoscaler: { nodeGroups: [group] } },
  })
  expect([...(usage?.() ?? [])]).toEqual([['a', { cpuMilli: 1500, memoryBytes: 1024 ** 3 }]])
  expect(priceOf?.(node)).toBe(0.25)
})

it('has no prices without an autoscaler', () => {
  expect(figuresOf(findCluster({ objects: [node] }), undefined).priceOf).toBeUndefined()
})
