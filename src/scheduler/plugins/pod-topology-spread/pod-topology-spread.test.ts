import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../api/objects/meta.ts'
import type { Pod, TopologySpreadConstraint } from '../../../api/objects/pod.ts'
import { createSmallCluster, node, type PodWords, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { places, scoresOf, zone, zoned } from '../plugin-answers.fixture.ts'

function web(name: string, nodeName: string, words: PodWords = {}): Pod {
  return pod(name, { labels: { app: 'web' }, nodeName, ...words })
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
  const unlabeled =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing required label)"

  it('keeps zones balanced and rejects nodes without the label', () => {
    expect(places({ nodes: zoned, pods: [web('x', 'a1')] }, spread({}))).toEqual({
      feasible: ['b1'],
      refused: { a1: uneven, a2: uneven, nowhere: unlabeled },
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
    expect(scoresOf({ nodes: zoned, pods }, 'PodTopologySpread', soft)).toEqual({ a1: 66, a2: 66, b1: 200, nowhere: 0 })
  })

  describe('default constraints', () => {
    const service: KubeObject = {
      metadata: { name: 's', namespace: 'default' },
      ...{ spec: { selector: { app: 'web' } } },
    }
    const pods = [web('x', 'a1'), web('y', 'a1'), web('z', 'b1')]

    it('spreads the pods of a service over hosts and zones by default', () => {
      const words = { nodes: zoned, pods, objects: { services: [service] } }
      expect(scoresOf(words, 'PodTopologySpread', {})).toEqual({ a1: 30, a2: 92, b1: 92, nowhere: 200 })
    })

    it('spreads the pods of a ReplicaSet by default', () => {
      const replicaSet: KubeObject = {
        metadata: { name: 'rs', namespace: 'default' },
        ...{ spec: { selector: { matchLabels: { app: 'web' } } } },
      }
      const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u', controller: true }
      const words = { nodes: zoned, pods, objects: { 'replicasets.apps': [replicaSet] } }
      const found = scoresOf(words, 'PodTopologySpread', { metadata: { ownerReferences: [owner] } })
      expect(found['nowhere']).toBe(200)
    })

    it('applies no default constraints to pods without services and controllers, or in a profile without defaults', () => {
      expect(scoresOf({ nodes: zoned, pods }, 'PodTopologySpread', {})['a1']).toBeUndefined()
      const profile = createDefaultProfile({ args: { PodTopologySpread: { defaultingType: 'List' } } })
      const words = { nodes: zoned, pods, objects: { services: [service] }, profile }
      expect(scoresOf(words, 'PodTopologySpread', {})['a1']).toBeUndefined()
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
