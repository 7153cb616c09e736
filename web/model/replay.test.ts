import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PodRow, Transition } from '../../src/wire/console-wire.ts'
import { ClusterModel } from './cluster.ts'
import { ReplayedCluster } from './replay.ts'
import { nodeRow, podRow, podTransition } from './rows.fixture.ts'
import { stateSeries } from './state-series.ts'

function start(): ClusterModel {
  const cluster = new ClusterModel()
  cluster.putNode(nodeRow('n1'))
  cluster.putNode(nodeRow('n2'))
  cluster.putPod(podRow('a/1', { node: 'n1' }))
  cluster.putPod(podRow('a/2'))
  return cluster
}

const sums = (cluster: ClusterModel) => ({
  pods: [...cluster.pods.values()].map((row) => row.join(' ')).sort(),
  unplaced: [...cluster.unplaced].sort(),
  states: [...cluster.podsByState],
  nodes: [...cluster.nodes.values()].map(({ row, cpuMilli, podCount, terminating, pods, nominated }) => [
    row[0],
    cpuMilli,
    podCount,
    terminating,
    [...pods].sort(),
    [...nominated].sort(),
  ]),
})

describe('a stretch of time that can be moved through', () => {
  const states = [0, 2, 3, 4, 5] as const
  const step = fc.record({
    key: fc.constantFrom('a/1', 'a/2', 'a/3'),
    node: fc.constantFrom('', 'n1', 'n2', 'gone'),
    nominated: fc.constantFrom('', 'n2'),
    state: fc.constantFrom(...states),
    goes: fc.boolean(),
    afterMs: fc.nat(3),
  })

  it('a replay has the same state at an instant as a replay from the start', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(fc.nat(60), { maxLength: 12 }), (steps, instants) => {
        const played = start()
        let now = 1
        const transitions = steps.flatMap(({ key, goes, afterMs, ...to }): Transition[] => {
          now += afterMs
          const before = played.pods.get(key) ?? null
          const after: PodRow | null = goes ? null : podRow(key, to)
          if (before === null && after === null) return []
          const transition = podTransition(now, before, after)
          played.move(transition, 'forward')
          return [transition]
        })
        const replay = new ReplayedCluster(start(), transitions, 'before')
        for (const instant of instants) {
          replay.seek(instant)
          const plain = start()
          for (const one of transitions) if (one[1] <= instant) plain.move(one, 'forward')
          expect(sums(replay.cluster)).toEqual(sums(plain))
        }
        const back = new ReplayedCluster(played, transitions, 'after')
        back.seek(0)
        expect(sums(back.cluster)).toEqual(sums(start()))
      }),
      { numRuns: 100 },
    )
  })

  it('counts pods and nodes by state backward from the present', () => {
    const cluster = new ClusterModel()
    const born = podRow('a/1')
    const placed = podRow('a/1', { node: 'n1', state: 3 })
    const leaving = podRow('a/1', { node: 'n1', state: 5 })
    cluster.putPod(leaving)
    const transitions = [
      podTransition(10, null, born),
      podTransition(20, born, placed),
      podTransition(30, placed, leaving),
    ]
    const series = stateSeries(cluster, transitions, 0, 40, 5)
    expect(series.times).toEqual([0, 10, 20, 30, 40])
    expect(series.pending).toEqual([0, 1, 0, 0, 0])
    expect(series.terminating).toEqual([0, 0, 0, 1, 1])
  })
})
