import { expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { poolRows } from './pools.ts'
import type { ConsoleSource } from './source.ts'

function rowsOf(objects: Readonly<Record<string, readonly object[]>>, status = '', inspected?: object) {
  const source = {
    list: (resource: string) => objects[resource] ?? [],
    get: () => (status === '' ? undefined : { data: { status } }),
    inspect: (name: string) => (name === 'cluster-autoscaler' ? inspected : undefined),
  }
  return poolRows(source as unknown as ConsoleSource, true)
}

const claim = (name: string, type: string | undefined, more: object = {}): Partial<KubeObject> => ({
  metadata: {
    name,
    labels: {
      'karpenter.sh/nodepool': 'general',
      ...(type === undefined ? {} : { 'node.kubernetes.io/instance-type': type }),
    },
    ...more,
  },
})

it('shows the nodes that Karpenter adds and removes', () => {
  const registered = { status: { conditions: [{ type: 'Registered', status: 'True' }] } }
  const rows = rowsOf({
    'nodepools.karpenter.sh': [{ metadata: { name: 'general' } }, { metadata: { name: 'other' } }],
    'nodeclaims.karpenter.sh': [
      claim('a', 'c6a.large'),
      claim('b', 'c6a.large'),
      claim('c', undefined),
      { ...claim('d', 'm6a.large'), ...registered },
      { ...claim('e', 'm6a.large', { deletionTimestamp: '2026-01-01T00:00:00Z' }), ...registered },
    ],
  })
  expect(rows.map((row) => row[6])).toEqual([
    'adding 1 × a type that is not chosen yet, 2 × c6a.large; removing 1 node',
    '',
  ])
})

it('shows the difference between the target of a group and its registered nodes', () => {
  const group = (name: string, total: number, target: number) => `- name: ${name}
  health:
    nodeCounts:
      registered:
        total: ${total}
        ready: ${total}
      unregistered: 0
    cloudProviderTarget: ${target}
    minSize: 1
    maxSize: 5
`
  const status = `nodeGroups:\n${group('up', 2, 4)}${group('down', 3, 2)}${group('full', 5, 5)}`
  expect(rowsOf({}, status)).toEqual([
    ['Node group/up', '', 4, 1, 5, '', 'adding 2 nodes'],
    ['Node group/down', '', 2, 1, 5, '', 'removing 1 node'],
    ['Node group/full', '', 5, 1, 5, 'at its maximum of 5 nodes', ''],
  ])
})

it('shows nodes that an autoscaler in this process adds and removes only once', () => {
  const group = (name: string, registered: number, target: number) => ({
    ...{ name, label: `pool=${name}`, instanceType: 'm5.large', min: 0, max: 5, registered, target },
  })
  const inspected = {
    groups: [
      group('up', 1, 3),
      group('down', 4, 4),
      { ...group('stuck', 2, 2), problem: 'backoff' },
      { ...group('sick', 9, 9), problem: 'unhealthy', ready: 3 },
      group('full', 5, 5),
    ],
    unneeded: [{ node: 'd-1', group: 'down' }],
    deleting: [{ node: 'd-2', group: 'down' }, { node: 'gone' }],
  }
  const status = `nodeGroups:
- name: up
  health:
    cloudProviderTarget: 3
    minSize: 0
    maxSize: 5
- name: elsewhere
  health:
    cloudProviderTarget: 1
    minSize: 0
    maxSize: 5
`
  expect(rowsOf({}, status, inspected)).toEqual([
    ['Node group/up', 'pool=up', 1, 0, 5, '', 'adding 2 × m5.large'],
    ['Node group/down', 'pool=down', 4, 0, 5, '', 'removing 1 node; 1 node unneeded'],
    ['Node group/stuck', 'pool=stuck', 2, 0, 5, 'waits after a failed scale-up', ''],
    ['Node group/sick', 'pool=sick', 9, 0, 5, 'it counts 3 of 9 nodes as ready', ''],
    ['Node group/full', 'pool=full', 5, 0, 5, 'at its maximum of 5 nodes', ''],
    ['Node group/elsewhere', '', 1, 0, 5, '', ''],
  ])
})
