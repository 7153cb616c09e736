import { describe, expect, it } from 'vitest'
import type { PodRow, TableLine } from '../../src/wire/console-wire.ts'
import { ClusterModel } from './cluster.ts'
import { nodeRow, podRow, podTransition } from './rows.fixture.ts'
import { P } from './rows.ts'
import { nextDrain, readySeries, standingsOf, type WorkloadStanding } from './workloads.ts'

const owned = (row: PodRow, owner: string): PodRow => {
  const copy = [...row] as unknown as string[]
  copy[P.owner] = owner
  return copy as unknown as PodRow
}

function cluster(allowed = 1): ClusterModel {
  const made = new ClusterModel()
  made.addLabels([[7, { app: 'web', 'pod-template-hash': '5d4f' }]])
  made.putNode(nodeRow('a1', { zone: 'a' }))
  made.putNode(nodeRow('b1', { zone: 'b' }))
  for (const [name, node] of [
    ['web-1', 'a1'],
    ['web-2', 'a1'],
    ['web-3', 'b1'],
  ] as const)
    made.putPod(owned(podRow(`shop/${name}`, { node, labels: 7 }), 'ReplicaSet/web-5d4f'))
  made.small.take({
    k: 'table',
    table: 'workloads',
    rows: [['shop/Deployment/web', 4, 3, 3, 0, '', 0]],
    gone: [],
  } satisfies TableLine)
  made.small.take({
    k: 'table',
    table: 'budgets',
    rows: [['shop/web', 'minAvailable 2', 'app=web', 3, 2, 4, allowed, 0]],
    gone: [],
  } satisfies TableLine)
  return made
}

const only = (made: ClusterModel) => standingsOf(made)[0] as WorkloadStanding

describe('the standing of a workload', () => {
  it('counts pods of a ReplicaSet for its Deployment, by zone, with its budget', () => {
    const { key, wanted, ready, zones, worst, budgets } = only(cluster())
    expect({ key, wanted, ready, worst }).toEqual({
      key: 'shop/Deployment/web',
      wanted: 4,
      ready: 3,
      worst: { node: 'a1', pods: 2 },
    })
    expect([...zones]).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(budgets.map(([name]) => name)).toEqual(['shop/web'])
  })

  it('selects the ready node with the most pods of a workload', () => {
    const made = cluster()
    made.putNode(nodeRow('a1', { zone: 'a', health: 2 }))
    expect(only(made).worst).toEqual({ node: 'b1', pods: 1 })
    made.putNode(nodeRow('b1', { zone: 'b', health: 2 }))
    expect(only(made).worst).toEqual({ node: 'a1', pods: 2 })
  })

  it.each([
    [2, '2 pods move'],
    [1, '2 pods move, 1 at a time'],
    [0, 'blocked by budget web'],
  ])('the standing of a workload with %s disruptions allowed, the next drain: %s', (allowed, text) => {
    expect(nextDrain(only(cluster(allowed))).text).toBe(text)
  })

  it('computes ready pods backward from the present', () => {
    const made = cluster()
    const row = made.pods.get('shop/web-3') as PodRow
    const created = podTransition(60, null, row)
    const series = readySeries(made, standingsOf(made), [created], { from: 0, to: 100, samples: 5 })
    expect(series.get('shop/Deployment/web')).toEqual([2, 2, 2, 3, 3])
  })
})
