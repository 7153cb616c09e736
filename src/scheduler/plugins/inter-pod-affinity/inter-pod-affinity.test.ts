import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Pod, PodAffinityTerm } from '../../../api/objects/pod.ts'
import { releaseOf } from '../../../api/releases/release-of.ts'
import { must } from '../../../base/result.ts'
import { type PodWords, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { hostname, places, scoresOf, zone, zoned } from '../plugin-answers.fixture.ts'

function web(name: string, nodeName: string, words: PodWords = {}): Pod {
  return pod(name, { labels: { app: 'web' }, nodeName, ...words })
}

describe('InterPodAffinity', () => {
  const term = (topologyKey: string, words: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
    topologyKey,
    labelSelector: { matchLabels: { app: 'web' } },
    ...words,
  })
  const near = (...terms: PodAffinityTerm[]): PodWords => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })
  const apart = (...terms: PodAffinityTerm[]): PodWords => ({
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  })

  it('places a pod in the domain of a matching pod', () => {
    const { feasible, refused } = places({ nodes: zoned, pods: [web('x', 'a1')] }, near(term(zone)))
    expect(feasible).toEqual(['a1', 'a2'])
    expect(refused).toMatchObject({ b1: "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules" })
  })

  it('places the first pod of a group on any node with the label', () => {
    expect(places({ nodes: zoned }, near(term(zone))).feasible).toEqual(['a1', 'b1', 'a2'])
    expect(places({ nodes: zoned }, { ...near(term(zone)), labels: { app: 'other' } }).feasible).toEqual([])
  })

  it('requires one pod that matches all affinity terms', () => {
    const pods = [web('x', 'a1'), pod('y', { labels: { tier: 'front' }, nodeName: 'a1' })]
    const both = near(term(zone), { topologyKey: zone, labelSelector: { matchLabels: { tier: 'front' } } })
    expect(places({ nodes: zoned, pods }, both).feasible).toEqual([])
  })

  it('rejects domains with pods that match anti-affinity terms', () => {
    const { feasible, refused } = places({ nodes: zoned, pods: [web('x', 'a1')] }, apart(term(zone)))
    expect(feasible).toEqual(['b1', 'nowhere'])
    expect(refused).toMatchObject({ a2: "Unschedulable: node(s) didn't match pod anti-affinity rules" })
  })

  it('rejects domains with placed pods that have anti-affinity to the pod', () => {
    const loner = pod('x', { nodeName: 'a1', ...apart(term(hostname)) })
    const { feasible, refused } = places({ nodes: zoned, pods: [loner] }, {})
    expect(feasible).toEqual(['b1', 'nowhere', 'a2'])
    expect(refused).toEqual({ a1: "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules" })
  })

  const namespaces: KubeObject[] = ['default', 'prod', 'test'].map((name) => ({
    metadata: { name, labels: { stage: name } },
  }))

  it.each([
    ['its own namespace by default', {}, ['b1', 'nowhere', 'a2']],
    ['the listed namespaces', { namespaces: ['prod'] }, ['a1', 'nowhere', 'a2']],
    ['the selected namespaces', { namespaceSelector: { matchLabels: { stage: 'prod' } } }, ['a1', 'nowhere', 'a2']],
    ['all namespaces with an empty selector', { namespaceSelector: {} }, ['nowhere', 'a2']],
  ])('InterPodAffinity matches pods of %s', (_, words, feasible) => {
    const pods = [web('x', 'a1'), web('y', 'b1', { namespace: 'prod' })]
    const asked = apart(term(hostname, words))
    expect(places({ nodes: zoned, pods, objects: { namespaces } }, asked).feasible).toEqual(feasible)
  })

  it.each([
    ['1.36', ['nowhere', 'a2']],
    ['1.37', ['b1', 'nowhere', 'a2']],
  ])(
    'InterPodAffinity with a namespace selector that matches a namespace without labels selects pods as v%s does',
    (version, feasible) => {
      const namespaceSelector = { matchExpressions: [{ key: 'stage', operator: 'NotIn' as const, values: ['prod'] }] }
      const pods = [web('x', 'a1'), web('y', 'b1', { namespace: 'prod' })]
      const profile = createDefaultProfile({ release: must(releaseOf(version)) })
      const asked = apart(term(hostname, { namespaceSelector }))
      expect(places({ nodes: zoned, pods, objects: { namespaces }, profile }, asked).feasible).toEqual(feasible)
    },
  )

  const preferring = (weight: number, key: string): PodWords => ({
    affinity: {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(key) }] },
    },
  })

  it('scores preferred terms of the pod, and preferred and required terms of placed pods', () => {
    expect(scoresOf({ nodes: zoned, pods: [web('x', 'a1')] }, 'InterPodAffinity', preferring(5, zone))).toEqual({
      a1: 200,
      a2: 200,
      b1: 0,
      nowhere: 0,
    })
    const pods = [pod('x', { nodeName: 'a1', ...preferring(3, hostname) }), web('y', 'b1', near(term(hostname)))]
    expect(scoresOf({ nodes: zoned, pods }, 'InterPodAffinity', {})).toEqual({ a1: 200, a2: 0, b1: 66, nowhere: 0 })
  })

  it('ignores preferred terms of placed pods when configured', () => {
    const args = { InterPodAffinity: { ignorePreferredTermsOfExistingPods: true } }
    const pods = [pod('x', { nodeName: 'a1', ...preferring(3, hostname) })]
    const words = { nodes: zoned, pods, profile: createDefaultProfile({ args }) }
    expect(scoresOf(words, 'InterPodAffinity', {})['a1']).toBeUndefined()
  })
})
