import { describe, expect, it } from 'vitest'
import type { NodeSelectorTerm } from '../../../api/objects/node.ts'
import type { Affinity } from '../../../api/objects/pod.ts'
import { createSmallCluster, node, pod } from '../../small-cluster.fixture.ts'
import { createDefaultProfile } from '../default-plugins.ts'
import { verdicts } from '../plugin-answers.fixture.ts'

describe('NodeAffinity', () => {
  it('fails when a preference cannot be parsed and more than one node is feasible', () => {
    const preference = { matchExpressions: [{ key: 'rank', operator: 'Gt' as const, values: ['high'] }] }
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } }
    const asked = pod('asked', { affinity })
    expect(createSmallCluster({ nodes: [node('n1'), node('n2')] }).schedule(asked)).toMatchObject({
      kind: 'error',
      message:
        'running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0]: Invalid value: "high": ' +
        "for 'Gt', 'Lt' operators, the value must be an integer",
    })
    expect(createSmallCluster({ nodes: [node('n1')] }).schedule(asked)).toMatchObject({ kind: 'placed', node: 'n1' })
  })

  it('reports the status of the nominated node even if the pod names other nodes', () => {
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['n2'] }] }
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
    const cluster = createSmallCluster({
      nodes: [node('n1'), node('n2', { spec: { unschedulable: true } }), node('n3')],
    })
    const asked = pod('asked', { affinity: { nodeAffinity: required }, status: { nominatedNodeName: 'n1' } })
    const said =
      "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " +
      "1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) were unschedulable."
    expect(cluster.failure(asked)).toContain(said)
    expect(cluster.explain(asked).message).toBe(said)
  })

  const nodes = [
    node('ssd', { labels: { disk: 'ssd', rank: '5' } }),
    node('hdd', { labels: { disk: 'hdd', rank: '1' } }),
  ]
  const refused = "NodeAffinity!: node(s) didn't match Pod's node affinity/selector"
  const required = (...nodeSelectorTerms: NodeSelectorTerm[]): { affinity: Affinity } => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  })
  const expression = (
    key: string,
    operator: 'In' | 'NotIn' | 'Gt' | 'Lt' | 'Exists',
    ...values: string[]
  ): NodeSelectorTerm => ({
    matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
  })

  it.each([
    ['a node selector', { nodeSelector: { disk: 'ssd' } }, 'ok', refused],
    ['a node selector term', required(expression('disk', 'In', 'ssd')), 'ok', refused],
    ['alternative terms', required(expression('disk', 'In', 'ssd'), expression('rank', 'Lt', '2')), 'ok', 'ok'],
    ['a numeric comparison', required(expression('rank', 'Gt', '1')), 'ok', refused],
    [
      'a node selector and a term together',
      { nodeSelector: { disk: 'ssd' }, ...required(expression('rank', 'Lt', '2')) },
      refused,
      refused,
    ],
    ['an empty term, which selects no node', required({}), refused, refused],
  ])('NodeAffinity filters by %s', (_, words, ssd, hdd) => {
    expect(verdicts({ nodes }, words)).toEqual({ ssd, hdd })
  })

  it('rejects a pod for all nodes when its named nodes conflict', () => {
    const named = (name: string) => ({ key: 'metadata.name', operator: 'In' as const, values: [name] })
    const cluster = createSmallCluster({ nodes })
    const impossible = pod('a', required({ matchFields: [named('ssd'), named('hdd')] }))
    expect(cluster.explain(impossible).preFilter).toMatchObject({ plugin: 'NodeAffinity' })
    expect(cluster.failure(impossible)).toMatch(/^0\/2 nodes are available: pod affinity terms conflict\. /)
  })

  it('applies the added affinity of the profile to all pods', () => {
    const profile = createDefaultProfile({
      args: { NodeAffinity: { addedAffinity: required(expression('disk', 'In', 'hdd')).affinity.nodeAffinity } },
    })
    expect(verdicts({ nodes, profile }, {})).toEqual({
      ssd: "NodeAffinity!: node(s) didn't match scheduler-enforced node affinity",
      hdd: 'ok',
    })
  })

  it('sums and normalizes preferences', () => {
    const preferred = [
      { weight: 10, preference: expression('disk', 'In', 'ssd') },
      { weight: 5, preference: expression('rank', 'Exists') },
    ]
    const { explain } = createSmallCluster({ nodes })
    const asked = pod('a', {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    })
    expect(explain(asked).scores.map(({ plugins }) => plugins['NodeAffinity'])).toEqual([200, 66])
  })
})
