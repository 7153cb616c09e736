import { describe, expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import type { CycleResult } from '../contract/contract.ts'
import { createDefaultProfile } from '../plugins/default-plugins.ts'
import { budget } from '../plugins/plugin-answers.fixture.ts'
import { createSmallCluster, node, type PodWords, pod, type SmallCluster } from '../small-cluster.fixture.ts'
import { candidatesWanted } from './preempt.ts'

function running(name: string, nodeName: string, words: PodWords = {}): Pod {
  const startTime = '2026-01-01T00:00:00Z'
  return pod(name, { cpu: '2', priority: 0, nodeName, status: { phase: 'Running', startTime }, ...words })
}

function outcome(result: CycleResult): unknown {
  if (result.kind !== 'unschedulable') return result
  const { preemption, nominating, postFilterMessage } = result
  return {
    nominating,
    victims: preemption?.victims.pods.map(({ pod: { metadata } }) => metadata.name),
    said: postFilterMessage,
  }
}

/** Runs both evaluators, which must give the same result. */
function ask({ cache, scheduling, plain, input }: SmallCluster, preemptor: Pod): unknown {
  const parsed = cache.parser.parse(preemptor)
  const answer = outcome(scheduling.schedule(parsed, input))
  expect(answer).toEqual(outcome(plain.schedule(parsed, input)))
  return answer
}

const important = (words: PodWords = {}): Pod => pod('important', { cpu: '3', priority: 10, ...words })

describe('preempt', () => {
  it('selects as few victims as possible, least important first', () => {
    const cluster = createSmallCluster({
      nodes: [node('n1')],
      pods: [
        running('old', 'n1', { cpu: '1', status: { startTime: '2026-01-01T00:00:00Z' } }),
        running('young', 'n1', { cpu: '1', status: { startTime: '2026-01-01T01:00:00Z' } }),
        running('better', 'n1', { cpu: '1', priority: 5 }),
        running('equal', 'n1', { cpu: '1', priority: 10 }),
      ],
    })
    expect(ask(cluster, important({ cpu: '1' }))).toEqual({
      nominating: { kind: 'set', node: 'n1' },
      victims: ['young'],
    })
    expect(ask(cluster, important({ cpu: '2' }))).toMatchObject({ victims: ['old', 'young'] })
    expect(ask(cluster, important({ cpu: '3' }))).toMatchObject({ victims: ['better', 'old', 'young'] })
  })

  it.each([
    ['1.36', ['first']],
    ['1.37', ['second']],
  ])('evicts one of two pods without a start time, in v%s: %s', (version, victims) => {
    const unstarted = { cpu: '2', status: { phase: 'Running' } } as const
    const pods = [running('first', 'n1', unstarted), running('second', 'n1', unstarted)]
    const profile = createDefaultProfile({ release: must(releaseOf(version)) })
    const cluster = createSmallCluster({ nodes: [node('n1')], pods, profile })
    expect(ask(cluster, important({ cpu: '2' }))).toMatchObject({ victims })
  })

  it('reports the number of nodes on which preemption does not help, with reasons', () => {
    const cluster = createSmallCluster({
      nodes: [
        node('n1'),
        node('n2'),
        node('n3', { spec: { unschedulable: true } }),
        node('n4', { allocatable: { cpu: '4' } }),
      ],
      pods: [
        running('equal', 'n1', { priority: 10 }),
        running('heavy', 'n2', { cpu: '1', priority: 0 }),
        running('rock', 'n2', { cpu: '3', priority: 10 }),
        running('other', 'n4', { priority: 10 }),
      ],
    })
    expect(ask(cluster, important())).toEqual({
      nominating: { kind: 'clear' },
      victims: undefined,
      said:
        'preemption: 0/4 nodes are available: 1 Insufficient cpu, 1 Preemption is not helpful for scheduling, ' +
        '2 No preemption victims found for incoming pod.',
    })
  })

  it('rejects pods with preemptionPolicy Never', () => {
    const cluster = createSmallCluster({ nodes: [node('n1')], pods: [running('a', 'n1')] })
    expect(ask(cluster, important({ preemptionPolicy: 'Never' }))).toEqual({
      nominating: { kind: 'keep' },
      victims: undefined,
      said: 'preemption: not eligible due to preemptionPolicy=Never.',
    })
  })

  it('a preemptor waits for terminating victims on the nominated node', () => {
    const leaving = running('a', 'n1', {
      metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' },
      status: { conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' }] },
    })
    const cluster = createSmallCluster({ nodes: [node('n1'), node('n2')], pods: [leaving, running('b', 'n2')] })
    const waiting = important({ status: { nominatedNodeName: 'n1' } })
    cluster.nominator.add(cluster.cache.parser.parse(waiting))
    expect(ask(cluster, waiting)).toMatchObject({
      nominating: { kind: 'keep' },
      said: 'preemption: not eligible due to a terminating pod on the nominated node.',
    })
  })

  it('preempts again when the nominated node has become unresolvable', () => {
    const cluster = createSmallCluster({
      nodes: [node('n1', { spec: { unschedulable: true } }), node('n2')],
      pods: [running('a', 'n1', { metadata: { deletionTimestamp: '2026-01-01T00:00:30Z' } }), running('b', 'n2')],
    })
    const waiting = important({ status: { nominatedNodeName: 'n1' } })
    expect(ask(cluster, waiting)).toMatchObject({ nominating: { kind: 'set', node: 'n2' }, victims: ['b'] })
  })

  it('counts nominated pods and clears nominations of lower priority', () => {
    const cluster = createSmallCluster({ nodes: [node('n1')], pods: [running('a', 'n1')] })
    const { parser } = cluster.cache
    cluster.nominator.add(parser.parse(pod('rival', { cpu: '2', priority: 10 })), { kind: 'set', node: 'n1' })
    cluster.nominator.add(parser.parse(pod('lesser', { cpu: '2', priority: 5 })), { kind: 'set', node: 'n1' })
    expect(ask(cluster, important({ cpu: '3' }))).toMatchObject({ nominating: { kind: 'clear' } })
    const result = cluster.schedule(important({ cpu: '2', priority: 11 }))
    expect(result).toMatchObject({ kind: 'placed' })
    const greedy = cluster.schedule(important({ cpu: '4', priority: 11 }))
    expect(greedy.kind === 'unschedulable' && greedy.preemption?.displaced.map(({ key }) => key)).toEqual([
      'default/rival',
      'default/lesser',
    ])
  })

  it('preempts pods that violate topology spread and anti-affinity', () => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    const cluster = createSmallCluster({
      nodes: [node('n1')],
      pods: [running('web', 'n1', { cpu: '1', labels: { app: 'web' } }), running('db', 'n1', { cpu: '1' })],
    })
    expect(ask(cluster, important({ cpu: '1', affinity }))).toMatchObject({ victims: ['web'] })
  })

  it('prefers a node without budget violations', () => {
    const cluster = createSmallCluster({
      nodes: [node('n1'), node('n2')],
      pods: [
        running('web', 'n1', { labels: { app: 'web' } }),
        running('db', 'n2', { labels: { app: 'db' }, priority: 5 }),
      ],
      objects: { 'poddisruptionbudgets.policy': [budget('web', 0)] },
    })
    expect(ask(cluster, important())).toMatchObject({ nominating: { kind: 'set', node: 'n2' }, victims: ['db'] })
  })

  describe('every candidate violates a budget', () => {
    const words = {
      nodes: [node('n1')],
      pods: [running('web', 'n1', { labels: { app: 'web' } })],
      objects: { 'poddisruptionbudgets.policy': [budget('web', 0)] },
    }

    it('preemption violates a budget when there is no other candidate, as upstream', () => {
      expect(ask(createSmallCluster(words), important())).toMatchObject({ victims: ['web'] })
    })

    it('preemption leaves the pod pending with the fix preemption-budgets when every candidate violates a budget', () => {
      const profile = createDefaultProfile({ args: { DefaultPreemption: { keepsBudgets: true } } })
      expect(ask(createSmallCluster({ ...words, profile }), important())).toEqual({
        nominating: { kind: 'clear' },
        victims: undefined,
        said: 'preemption: 0/1 nodes are available: 1 Preemption would violate a PodDisruptionBudget.',
      })
    })
  })
})

it.each([
  [5000, 500],
  [500, 100],
  [50, 50],
])('preemption on %d potential nodes stops at %d candidates', (potential, wanted) => {
  const settings = {
    minCandidateNodesPercentage: 10,
    minCandidateNodesAbsolute: 100,
    keepsBudgets: false,
    endsAtViolation: false,
    unstartedInOrder: false,
  }
  expect(candidatesWanted(potential, settings)).toBe(wanted)
})
