import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../api/objects/pod.ts'
import { createDefaultProfile } from '../plugins/default-plugins.ts'
import { type ClusterWords, createSmallCluster, node, type PodWords, pod } from '../small-cluster.fixture.ts'
import { naturalLogarithm } from './pod-topology-spread/natural-logarithm.ts'

const zone = 'topology.kubernetes.io/zone'
const hostname = 'kubernetes.io/hostname'
const zoned = [
  node('a1', { labels: { [zone]: 'a' } }),
  node('a2', { labels: { [zone]: 'a' } }),
  node('b1', { labels: { [zone]: 'b' } }),
  node('nowhere'),
]

function web(name: string, nodeName: string, words: PodWords = {}): Pod {
  return pod(name, { labels: { app: 'web' }, nodeName, ...words })
}

/** The nodes left, and the reasons of the others; both evaluations asked. */
function places(
  words: ClusterWords,
  pending: PodWords,
): { readonly feasible: readonly string[]; readonly refused: object } {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', { labels: { app: 'web' }, ...pending })
  const { feasible, rejected } = cluster.explain(asked)
  const result = cluster.schedule(asked)
  if (feasible.length > 0) expect(result).toMatchObject({ kind: 'placed', feasible: feasible.length })
  else expect(result.kind === 'unschedulable' && result.diagnosis?.rejected()).toEqual(rejected)
  return {
    feasible,
    refused: Object.fromEntries([...rejected].map(([name, { code, reasons }]) => [name, `${code}: ${reasons}`])),
  }
}

function scores(words: ClusterWords, plugin: string, pending: PodWords): Record<string, number | undefined> {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', { labels: { app: 'web' }, ...pending })
  const { scores: all } = cluster.explain(asked)
  const best = Math.max(...all.map(({ total }) => total))
  const result = cluster.schedule(asked)
  expect(all.find((one) => result.kind === 'placed' && one.node === result.node)?.total).toBe(best)
  return Object.fromEntries(all.map(({ node: name, plugins }) => [name, plugins[plugin]]))
}

describe('PodTopologySpread', () => {
  const spread = (words: Partial<TopologySpreadConstraint>): PodWords => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: zone,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
        ...words,
      },
    ],
  })
  const uneven = "Unschedulable: node(s) didn't match pod topology spread constraints"
  const unlabelled =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)"

  it('keeps zones balanced and rejects nodes without the label', () => {
    expect(places({ nodes: zoned, pods: [web('x', 'a1')] }, spread({}))).toEqual({
      feasible: ['b1'],
      refused: { a1: uneven, a2: uneven, nowhere: unlabelled },
    })
    expect(places({ nodes: zoned, pods: [web('x', 'a1'), web('y', 'b1')] }, spread({})).feasible).toEqual([
      'a1',
      'b1',
      'a2',
    ])
  })

  it('uses a minimum of zero with fewer domains than minDomains', () => {
    const pods = [web('x', 'a1'), web('y', 'b1')]
    expect(places({ nodes: zoned, pods }, spread({ minDomains: 3 })).feasible).toEqual([])
  })

  it('does not count terminating pods, pods of other namespaces or pods with other matchLabelKeys values', () => {
    const going = web('x', 'a1', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })
    const elsewhere = web('y', 'a1', { namespace: 'prod' })
    expect(places({ nodes: zoned, pods: [going, elsewhere] }, spread({})).feasible).toContain('a1')
    const old = web('z', 'a1', { labels: { app: 'web', revision: '1' } })
    const words = { ...spread({ matchLabelKeys: ['revision'] }), labels: { app: 'web', revision: '2' } }
    expect(places({ nodes: zoned, pods: [old] }, words).feasible).toContain('a1')
  })

  it('counts nodes with taints unless nodeTaintsPolicy is Honor', () => {
    const tainted = node('b1', { labels: { [zone]: 'b' }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })
    const nodes = [...zoned.slice(0, 2), tainted]
    const pods = [web('x', 'a1')]
    expect(places({ nodes, pods }, spread({})).feasible).toEqual([])
    expect(places({ nodes, pods }, spread({ nodeTaintsPolicy: 'Honor' })).feasible).toEqual(['a1', 'a2'])
  })

  it('counts only nodes that match the node affinity unless nodeAffinityPolicy is Ignore', () => {
    const nodes = [...zoned.slice(0, 2), node('b1', { labels: { [zone]: 'b', disk: 'hdd' } })]
    const pods = [web('x', 'a1')]
    const picky = {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'DoesNotExist' as const }] }],
          },
        },
      },
    }
    expect(places({ nodes, pods }, { ...picky, ...spread({}) }).feasible).toEqual(['a1', 'a2'])
    expect(places({ nodes, pods }, { ...picky, ...spread({ nodeAffinityPolicy: 'Ignore' }) }).feasible).toEqual([])
  })

  it('scores with ScheduleAnyway constraints', () => {
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' })
    const pods = [web('x', 'a1'), web('y', 'a1'), web('z', 'b1')]
    expect(scores({ nodes: zoned, pods }, 'PodTopologySpread', soft)).toEqual({ a1: 66, a2: 66, b1: 200, nowhere: 0 })
  })

  describe('default constraints', () => {
    const service: KubeObject = {
      metadata: { name: 's', namespace: 'default' },
      ...{ spec: { selector: { app: 'web' } } },
    }
    const pods = [web('x', 'a1'), web('y', 'a1'), web('z', 'b1')]

    it('spreads the pods of a service over hosts and zones by default', () => {
      const words = { nodes: zoned, pods, objects: { services: [service] } }
      expect(scores(words, 'PodTopologySpread', {})).toEqual({ a1: 30, a2: 92, b1: 92, nowhere: 200 })
    })

    it('spreads the pods of a ReplicaSet by default', () => {
      const replicaSet: KubeObject = {
        metadata: { name: 'rs', namespace: 'default' },
        ...{ spec: { selector: { matchLabels: { app: 'web' } } } },
      }
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }
      const words = { nodes: zoned, pods, objects: { 'replicasets.apps': [replicaSet] } }
      const found = scores(words, 'PodTopologySpread', { metadata: { ownerReferences: [owner] } })
      expect(found['nowhere']).toBe(200)
    })

    it('applies no default constraints to pods without services and controllers, or in a profile without defaults', () => {
      expect(scores({ nodes: zoned, pods }, 'PodTopologySpread', {})['a1']).toBeUndefined()
      const profile = createDefaultProfile({ args: { PodTopologySpread: { defaultingType: 'List' } } })
      const words = { nodes: zoned, pods, objects: { services: [service] }, profile }
      expect(scores(words, 'PodTopologySpread', {})['a1']).toBeUndefined()
    })

    it('applies default constraints after the service is created', () => {
      const services: KubeObject[] = []
      const cluster = createSmallCluster({ nodes: zoned.slice(0, 2), pods: [], objects: { services } })
      const next = (i: number) => pod(`p${i}`, { labels: { app: 'web' }, cpu: '100m' })
      const settle = (i: number): string => {
        const result = cluster.schedule(next(i))
        const where = result.kind === 'placed' ? result.node : ''
        cluster.cache.assumePod(cluster.cache.parser.parse(next(i)), where)
        return where
      }
      cluster.cache.addPod(pod('ballast', { cpu: '1', memory: '2Gi', nodeName: 'a2' }))
      expect([settle(1), settle(2)]).toEqual(['a1', 'a1'])
      services.push(service)
      cluster.cache.noteChange('services', undefined, service)
      expect(settle(3)).toBe('a2')
    })
  })
})

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
    ['its own when none is named', {}, ['b1', 'nowhere', 'a2']],
    ['those named', { namespaces: ['prod'] }, ['a1', 'nowhere', 'a2']],
    ['those selected', { namespaceSelector: { matchLabels: { stage: 'prod' } } }, ['a1', 'nowhere', 'a2']],
    ['all with an empty selector', { namespaceSelector: {} }, ['nowhere', 'a2']],
    [
      'all with a selector that a namespace without labels would satisfy, as upstream has it',
      { namespaceSelector: { matchExpressions: [{ key: 'stage', operator: 'NotIn' as const, values: ['prod'] }] } },
      ['nowhere', 'a2'],
    ],
  ])('matches pods of %s', (_, words, feasible) => {
    const pods = [web('x', 'a1'), web('y', 'b1', { namespace: 'prod' })]
    const asked = apart(term(hostname, words))
    expect(places({ nodes: zoned, pods, objects: { namespaces } }, asked).feasible).toEqual(feasible)
  })

  const preferring = (weight: number, key: string): PodWords => ({
    affinity: {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term(key) }] },
    },
  })

  it('scores preferred terms of the pod, and preferred and required terms of placed pods', () => {
    expect(scores({ nodes: zoned, pods: [web('x', 'a1')] }, 'InterPodAffinity', preferring(5, zone))).toEqual({
      a1: 200,
      a2: 200,
      b1: 0,
      nowhere: 0,
    })
    const pods = [pod('x', { nodeName: 'a1', ...preferring(3, hostname) }), web('y', 'b1', near(term(hostname)))]
    expect(scores({ nodes: zoned, pods }, 'InterPodAffinity', {})).toEqual({ a1: 200, a2: 0, b1: 66, nowhere: 0 })
  })

  it('ignores preferred terms of placed pods when configured', () => {
    const args = { InterPodAffinity: { ignorePreferredTermsOfExistingPods: true } }
    const pods = [pod('x', { nodeName: 'a1', ...preferring(3, hostname) })]
    const words = { nodes: zoned, pods, profile: createDefaultProfile({ args }) }
    expect(scores(words, 'InterPodAffinity', {})['a1']).toBeUndefined()
  })
})

it('naturalLogarithm differs from Math.log by less than the last bit', () => {
  for (let x = 2; x < 20_000; x++) {
    expect(Math.abs(naturalLogarithm(x) - Math.log(x))).toBeLessThanOrEqual(Math.log(x) * 2 ** -52)
  }
  expect(naturalLogarithm(2)).toBe(Math.LN2)
})
