import { describe, expect, it } from 'vitest'
import type { ConsoleForecast, ForecastPod } from '../../src/wire/console-wire.ts'
import { ClusterModel } from './cluster.ts'
import { matchingPods, podMoments } from './forecast-filter.ts'
import { forecastTransitions } from './forecast-transitions.ts'
import { ReplayedCluster } from './replay.ts'
import { nodeRow, podRow } from './rows.fixture.ts'

const pod = (key: string, more: Partial<ForecastPod>): ForecastPod => ({
  pod: key,
  isNew: false,
  cpuMilli: 100,
  memoryBytes: 0,
  ...more,
})

const moved = pod('a/old', { from: 'n1', deleted: 10, gone: 15, cause: 'evicted', replacement: 'a/new' })
const made = pod('a/new', { isNew: true, created: 10, bound: 11, node: 'n3', started: 12 })
const stuck = pod('a/stuck', { isNew: true, created: 20, pending: 'Insufficient cpu' })

const forecast = {
  startMs: 1_000_000,
  pods: [moved, made, stuck],
  nodes: [
    { at: 5, node: 'n3', what: 'created' },
    { at: 6, node: 'n1', what: 'tainted', detail: 'k:NoExecute' },
    { at: 7, node: 'n1', what: 'cordoned' },
    { at: 8, node: 'n1', what: 'ready', detail: 'Unknown' },
    { at: 30, node: 'n1', what: 'deleted' },
  ],
} as unknown as ConsoleForecast

function replayed(): ReplayedCluster {
  const cluster = new ClusterModel()
  cluster.putNode(nodeRow('n1'))
  cluster.putPod(podRow('a/old', { node: 'n1', cpuMilli: 100 }))
  return new ReplayedCluster(cluster, forecastTransitions(forecast, cluster, [nodeRow('n3')]), 'before')
}

describe('a forecast as a stretch of time', () => {
  it('a forecast has the pods and nodes in their place at each instant', () => {
    const replay = replayed()
    const at = (seconds: number) => {
      replay.seek(forecast.startMs + seconds * 1000)
      return replay.cluster
    }
    expect([...at(0).nodes.keys()]).toEqual(['n1'])
    expect(at(9).nodes.get('n1')?.row.slice(5, 8)).toEqual([2, 1, ['k:NoExecute']])
    expect(at(12).pods.get('a/old')?.[2]).toBe(5)
    expect(at(12).nodes.get('n3')?.cpuMilli).toBe(100)
    expect(at(16).pods.has('a/old')).toBe(false)
    expect([...at(25).unplaced]).toEqual(['a/stuck'])
    expect([...at(31).nodes.keys()]).toEqual(['n3'])
    expect([...at(0).pods.keys()]).toEqual(['a/old'])
  })

  it('lists the changes of a pod in order', () => {
    expect(podMoments(made).map(({ seconds, text }) => `${seconds} ${text}`)).toEqual([
      '10 it is created',
      '11 it is bound to n3',
      '12 it runs',
    ])
    expect(podMoments(moved).map(({ text }) => text)).toEqual(['it is on n1', 'it is deleted: evicted', 'it is gone'])
  })

  it.each([
    ['all', '', ['a/old', 'a/new', 'a/stuck']],
    ['deleted', '', ['a/old']],
    ['created', 'n3', ['a/new']],
    ['pending', 'CPU', ['a/stuck']],
    ['all', 'nowhere', []],
  ] as const)('filters: %s, %j', (fate, text, found) => {
    expect(matchingPods(forecast.pods, { fate, text }).map(({ pod: key }) => key)).toEqual(found)
  })
})
