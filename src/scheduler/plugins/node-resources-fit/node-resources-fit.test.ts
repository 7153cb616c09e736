import { describe, expect, it } from 'vitest'
import { type ClusterWords, createSmallCluster, node, type PodWords, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { resourceScores } from '../plugin-answers.fixture.ts'
import type { ScoringStrategy } from './allocation.ts'

function fitOn(allocatable: Record<string, string>, words: PodWords, pods: ClusterWords['pods'] = []): string {
  const cluster = createSmallCluster({ nodes: [node('n1', { allocatable })], pods })
  const status = cluster.explain(pod('asked', words)).rejected.get('n1')
  return status === undefined
    ? 'fits'
    : `${status.code === 'Unschedulable' ? '' : 'never: '}${status.reasons.join(', ')}`
}

describe('NodeResourcesFit', () => {
  it.each([
    ['the free amount', { cpu: '4' }, 'fits'],
    ['more than the free amount', { cpu: '3500m' }, 'Insufficient cpu'],
    ['more than the allocatable amount', { cpu: '5' }, 'never: Insufficient cpu'],
    ['too much of two resources', { cpu: '3500m', memory: '9Gi' }, 'never: Insufficient cpu, Insufficient memory'],
    ['nothing', {}, 'fits'],
    [
      'an extended resource that the node does not have',
      { requests: { 'example.com/gpu': '1' } },
      'never: Insufficient example.com/gpu',
    ],
    ['zero of a resource that the node does not have', { requests: { 'example.com/gpu': '0' } }, 'fits'],
  ])('NodeResourcesFit reports insufficient resources for a pod that requests %s', (what, words, want) => {
    const pods = what === 'the free amount' ? [] : [pod('a', { cpu: '1', nodeName: 'n1' })]
    expect(fitOn({}, words, pods)).toBe(want)
  })

  it('counts pods without requests against the pod limit', () => {
    expect(fitOn({ pods: '1' }, {}, [pod('a', { nodeName: 'n1' })])).toBe('Too many pods')
    expect(fitOn({ pods: '1' }, { cpu: '5' }, [pod('a', { nodeName: 'n1' })])).toBe(
      'never: Too many pods, Insufficient cpu',
    )
  })

  it('counts init containers, sidecars and overhead', () => {
    const initContainers = [
      { name: 'init', resources: { requests: { cpu: '3' } } },
      { name: 'sidecar', restartPolicy: 'Always' as const, resources: { requests: { cpu: '2' } } },
    ]
    expect(fitOn({}, { cpu: '1', initContainers, overhead: { cpu: '1' } })).toBe('fits')
    expect(fitOn({}, { cpu: '1', initContainers, overhead: { cpu: '1001m' } })).toBe('never: Insufficient cpu')
  })

  it('ignores resources of ignoredResources and ignoredResourceGroups', () => {
    const args = { NodeResourcesFit: { ignoredResources: ['example.com/gpu'], ignoredResourceGroups: ['other.org'] } }
    const cluster = createSmallCluster({ nodes: [node('n1')], profile: createDefaultProfile({ args }) })
    const ask = (name: string) => cluster.failure(pod('a', { requests: { [name]: '1' } }))
    expect(ask('example.com/gpu')).toBe('placed on n1')
    expect(ask('other.org/thing')).toBe('placed on n1')
    expect(ask('example.com/fpga')).toContain('Insufficient example.com/fpga')
  })
})

describe('NodeResourcesFit scores', () => {
  const resources = [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ]

  it('prefers nodes with low utilization by default', () => {
    expect(resourceScores('NodeResourcesFit', undefined, { cpu: '1', memory: '2Gi' })).toEqual([75, 25])
  })

  it('counts pods without requests with default requests', () => {
    expect(resourceScores('NodeResourcesFit', undefined, {})).toEqual([97, 47, 97])
  })

  it('prefers nodes with high utilization with MostAllocated', () => {
    expect(
      resourceScores('NodeResourcesFit', { type: 'MostAllocated', resources }, { cpu: '1', memory: '2Gi' }),
    ).toEqual([25, 75])
  })

  it('interpolates the shape of RequestedToCapacityRatio', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 50, score: 10 },
      { utilization: 100, score: 5 },
    ]
    const strategy: ScoringStrategy = {
      type: 'RequestedToCapacityRatio',
      resources,
      requestedToCapacityRatio: { shape },
    }
    expect(resourceScores('NodeResourcesFit', strategy, { cpu: '1', memory: '2Gi' })).toEqual([50, 75])
  })
})
