import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { createDefaultProfile } from '../../scheduler/plugins/default-plugins.ts'
import { ObjectSet } from '../explain/object-set.ts'
import { findHeadroom } from './headroom.ts'
import { findRemovable } from './removable.ts'
import { findSmallest } from './smallest.ts'

const node = (name: string, zone: string, cpu = '4', taints: readonly object[] = []): Node =>
  ({
    metadata: { name, labels: { 'topology.kubernetes.io/zone': zone, 'kubernetes.io/hostname': name, pool: 'p' } },
    spec: { taints },
    status: { allocatable: { cpu, memory: '16Gi', pods: '20' } },
  }) as unknown as Node

const pod = (name: string, on: string, cpu: string, more: object = {}): Pod =>
  ({
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      labels: { app: name },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: `set-${cpu}`, controller: true },
      ],
    },
    spec: {
      nodeName: on,
      schedulerName: 'default-scheduler',
      containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory: '1Gi' } } }],
      ...more,
    },
    status: { phase: 'Running' },
  }) as unknown as Pod

function objectsOf(nodes: readonly Node[], pods: readonly Pod[]): ObjectSet {
  const objects = new ObjectSet()
  objects.add('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
  for (const each of nodes) objects.add('nodes', each)
  for (const each of pods) objects.add('pods', each)
  return objects
}

const profile = createDefaultProfile()
const six = ['a', 'b', 'c', 'a', 'b', 'c'].map((zone, at) => node(`n${at}`, `zone-${zone}`))

describe('the smallest pool', () => {
  const smallest = (pods: readonly Pod[], headroomPercent = 0) =>
    findSmallest({ objects: objectsOf(six, pods), profile, pool: 'p', isInPool: () => true, headroomPercent })

  it('the smallest pool is larger than the sum of the requests if pods cannot be divided', () => {
    // Three of four cores are used on every node: nine cores need three nodes, although the sum needs two and a
    // quarter.
    const { shapes, nodesNow } = smallest(['n0', 'n1', 'n2', 'n3'].map((on, at) => pod(`p${at}`, on, '3')))
    expect(nodesNow).toBe(6)
    expect(shapes).toMatchObject([
      { nodes: 4, atLeast: 3, limit: 'cpu', oneLess: { message: expect.stringContaining('Insufficient cpu') } },
    ])
  })

  it('the smallest pool leaves the headroom free on every node', () => {
    const pods = ['n0', 'n1', 'n2', 'n3'].map((on, at) => pod(`p${at}`, on, '2'))
    expect(smallest(pods).shapes[0]?.nodes).toBe(2)
    expect(smallest(pods, 10).shapes[0]?.nodes).toBe(4)
  })

  it('the smallest pool does not count pods that do not fit on an empty node, and reports the reason', () => {
    const { unplaceable, shapes } = smallest([
      pod('free', 'n0', '1'),
      pod('pinned', 'n1', '2', { nodeSelector: { 'kubernetes.io/hostname': 'n1' } }),
    ])
    expect(unplaceable.map(({ pod: name }) => name)).toEqual(['default/pinned'])
    expect(shapes[0]?.nodes).toBe(1)
  })

  it('the smallest pool is computed for each shape of the pool', () => {
    const objects = objectsOf(
      [...six, node('big', 'zone-a', '16')],
      [pod('p0', 'n0', '3'), pod('p1', 'n1', '3'), pod('p2', 'big', '3')],
    )
    const { shapes } = findSmallest({ objects, profile, pool: 'p', isInPool: () => true, headroomPercent: 0 })
    expect(shapes.map(({ like, nodes }) => [like, nodes])).toEqual([
      ['big', 1],
      ['n0', 3],
    ])
  })
})

describe('headroom', () => {
  it('headroom sums free resources per zone, and excludes nodes that accept no pods', () => {
    const cordoned = { ...node('closed', 'zone-a'), spec: { unschedulable: true } } as Node
    const { rows } = findHeadroom({
      objects: objectsOf([...six, cordoned], [pod('p', 'n0', '3')]),
      profile,
      poolLabel: 'pool',
    })
    expect(rows.map(({ scope, name, nodes, cpu }) => [scope, name, nodes, cpu.freeMilli])).toEqual([
      ['cluster', 'all nodes', 6, 21_000],
      ['zone', 'zone-a', 2, 5_000],
      ['zone', 'zone-b', 2, 8_000],
      ['zone', 'zone-c', 2, 8_000],
      ['pool', 'p', 6, 21_000],
      ['shape', '4 cpu, 16Gi', 6, 21_000],
    ])
    expect(rows[0]?.largestFree.cpuMilli).toBe(4_000)
  })

  it('headroom uses the scheduler to check whether the pods of a lost zone fit on other nodes', () => {
    // Eleven cores are free in the other zones, but no node has room for three of the large pods.
    const pods = six.flatMap(({ metadata }, at) => [pod(`p${at}`, metadata.name, at % 3 === 0 ? '3' : '2')])
    const { losses } = findHeadroom({ objects: objectsOf(six, pods), profile })
    const zoneA = losses.find(({ name }) => name === 'zone-a')
    expect(zoneA).toMatchObject({ lost: 'zone', nodes: 2, pods: 2, homeless: 2 })
    expect(losses.find(({ name }) => name === 'zone-b')).toMatchObject({ homeless: 0 })
  })
})

describe('removable nodes', () => {
  it('removable nodes are the same with and without a plugin that has nothing to do', () => {
    const pods = six.map(({ metadata }, at) => pod(`p${at}`, metadata.name, '2'))
    const repelled = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }
    const tied = pods.map((each) => ({ ...each, spec: { ...each.spec, affinity: repelled } }) as Pod)
    const plain = findRemovable(objectsOf(six, pods), profile)
    expect(plain.nodes.map(({ node: name }) => name)).toEqual(['n0', 'n1', 'n2'])
    expect(findRemovable(objectsOf(six, tied), profile)).toEqual(plain)
  })
})
