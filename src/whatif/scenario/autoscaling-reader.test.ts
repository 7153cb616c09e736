import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import { readAutoscaling } from './autoscaling-reader.ts'

const member = (name: string, createdAt: string, readyAt: string): Node =>
  ({
    metadata: { name, creationTimestamp: createdAt, labels: { pool: 'a', 'kubernetes.io/hostname': name } },
    spec: {
      taints: [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'gpu', effect: 'NoSchedule' },
      ],
    },
    status: {
      capacity: { cpu: '4' },
      allocatable: { cpu: '3' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: readyAt }],
    },
  }) as unknown as Node

const nodes = [
  member('old', '2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z'),
  member('new', '2026-01-02T00:00:00Z', '2026-01-02T00:02:00Z'),
  member('repaired', '2026-01-01T00:00:00Z', '2026-01-03T00:00:00Z'),
]

const group = (fields: object) => ({ clusterAutoscaler: { nodeGroups: [{ name: 'a', max: 3, ...fields }] } })

describe('readAutoscaling', () => {
  it('reads template and boot time from the nodes that have the label of the group', () => {
    const { clusterAutoscaler } = readAutoscaling(group({ label: 'pool=a' }), '', nodes)
    expect(clusterAutoscaler?.groups[0]).toMatchObject({
      label: { key: 'pool', value: 'a' },
      bootMs: 120_000,
      template: {
        metadata: { labels: { pool: 'a', 'kubernetes.io/hostname': 'new' } },
        spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
        status: { allocatable: { cpu: '3' } },
      },
    })
  })

  it.each([
    [
      group({}),
      'clusterAutoscaler.nodeGroups[0].template: required: no node of the cluster has the label of the group',
    ],
    [group({ label: 'pool' }), 'clusterAutoscaler.nodeGroups[0].label: must be KEY=VALUE'],
    [group({ min: 5, template: {} }), 'clusterAutoscaler.nodeGroups[0].max: must be an integer >= 5, not 3'],
    [group({ template: {}, boots: '1m' }), 'clusterAutoscaler.nodeGroups[0].boots: unknown field; did you mean boot?'],
    [
      { clusterAutoscaler: { nodeGroups: [], flags: { 'scan-intervall': '1s' } } },
      'clusterAutoscaler.flags: unknown flag --scan-intervall of cluster-autoscaler; did you mean --scan-interval?',
    ],
  ])('readAutoscaling refuses %j', (document, message) => {
    expect(() => readAutoscaling(document, '', [])).toThrow(message)
  })
})
