import { expect, it } from 'vitest'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import type { Node } from '../../src/api/objects/node.ts'
import { type AutoscalerQuestion, berthReports } from './cluster-autoscaler.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)
const created = '2026-01-01T10:00:00Z'

function template(name: string, cpu: string): Node {
  const size = { cpu, memory: '16Gi', pods: '20' }
  return {
    metadata: { labels: { 'kubernetes.io/hostname': name } },
    status: { capacity: size, allocatable: size },
  } as unknown as Node
}

const node = (name: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: name,
      creationTimestamp: created,
      labels: { 'kubernetes.io/hostname': name, 'kwok-nodegroup': 'small' },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: { providerID: `kwok:${name}` },
    status: {
      capacity: { cpu: '4', memory: '16Gi', pods: '20' },
      allocatable: { cpu: '4', memory: '16Gi', pods: '20' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: created, lastHeartbeatTime: created }],
    },
  }) as unknown as KubeObject

const unschedulable = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  lastTransitionTime: created,
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'big', namespace: 'default', uid: 'big', creationTimestamp: created },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '6', memory: '1Gi' } } }] },
  status: { phase: 'Pending', conditions: [unschedulable] },
} as unknown as KubeObject

/** A group whose machines are unavailable, and another with nodes that are not needed. */
const question: AutoscalerQuestion = {
  nowMs,
  flags: { 'max-node-provision-time': '5m', 'scale-down-delay-after-add': '15s', 'scale-down-unneeded-time': '15s' },
  groups: [
    { name: 'large', min: 0, max: 2, bootSeconds: 5, stockout: true, template: template('large', '8') },
    { name: 'small', min: 0, max: 3, bootSeconds: 5, stockout: false, template: template('small', '4') },
  ],
  objects: [node('small-0'), node('small-1'), pod],
  loops: [10, 700],
}

// 1.36.1, StaticAutoscaler.RunOnce recalculates the state after a scale-down started. The answer is that of the real autoscaler.
it('shows the current targets in the status of a loop that starts to delete nodes', () => {
  const loops = berthReports(question)
  const last = loops.at(-1)
  expect(last?.empty).toEqual(['small-0', 'small-1'])
  const [large = ''] = last?.status.split('  name: large') ?? []
  expect(large).toContain('cloudProviderTarget: 0')
  expect(large.slice(large.lastIndexOf('- health'))).toContain('status: Healthy')
  expect(last?.status).toContain('errorMessage: Scale-up timed out for node group large after 11m30s')
})
