import { describe, expect, it } from 'vitest'
import type { NodeSelectorTerm } from '../../api/objects/node.ts'
import type { Affinity } from '../../api/objects/pod.ts'
import { createDefaultProfile } from '../plugins/default-plugins.ts'
import { type ClusterWords, createSmallCluster, node, type PodWords, pod } from '../small-cluster.fixture.ts'
import { prioritySort } from './priority-sort/priority-sort.ts'
import { schedulingGates } from './scheduling-gates/scheduling-gates.ts'

/** Why each node was refused, and `ok` where it was not; the columns have to agree. */
function verdicts(words: ClusterWords, pending: PodWords): Record<string, string> {
  const cluster = createSmallCluster(words)
  const asked = pod('asked', pending)
  const { feasible, rejected } = cluster.explain(asked)
  const result = cluster.schedule(asked)
  if (feasible.length > 0) expect(result).toMatchObject({ kind: 'placed', feasible: feasible.length })
  else expect(result.kind === 'unschedulable' && result.diagnosis?.rejected()).toEqual(rejected)
  const refused = [...rejected].map(([name, { plugin, code, reasons }]) => [
    name,
    `${plugin}${code === 'Unschedulable' ? '' : '!'}: ${reasons.join(', ')}`,
  ])
  return Object.fromEntries([...feasible.map((name) => [name, 'ok']), ...refused])
}

describe('NodeUnschedulable', () => {
  const nodes = [node('open'), node('cordoned', { spec: { unschedulable: true } })]

  it('rejects cordoned nodes', () => {
    expect(verdicts({ nodes }, {})).toEqual({ open: 'ok', cordoned: 'NodeUnschedulable!: node(s) were unschedulable' })
  })

  it('accepts cordoned nodes for pods that tolerate the unschedulable taint, even if the node does not have it', () => {
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' as const }]
    expect(verdicts({ nodes }, { tolerations })).toEqual({ open: 'ok', cordoned: 'ok' })
  })
})

describe('NodeName', () => {
  it('rejects all nodes except the named one', () => {
    const refused = "NodeName!: node(s) didn't match the requested node name"
    expect(verdicts({ nodes: [node('n1'), node('n2')] }, { nodeName: 'n2' })).toEqual({ n1: refused, n2: 'ok' })
  })
})

describe('TaintToleration', () => {
  const tainted = (name: string, effect: 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule') =>
    node(name, { spec: { taints: [{ key: 'k', value: 'v', effect }] } })
  const nodes = [tainted('hard', 'NoSchedule'), tainted('evicting', 'NoExecute'), tainted('soft', 'PreferNoSchedule')]
  const refused = 'TaintToleration!: node(s) had untolerated taint(s)'
  const finite = { tolerations: [{ key: 'k', operator: 'Exists' as const, tolerationSeconds: 60 }] }

  it('rejects nodes with NoSchedule and NoExecute taints and accepts PreferNoSchedule taints', () => {
    expect(verdicts({ nodes }, {})).toEqual({ hard: refused, evicting: refused, soft: 'ok' })
    expect(verdicts({ nodes }, { tolerations: [{ key: 'k', operator: 'Equal', value: 'v' }] })).toEqual({
      hard: 'ok',
      evicting: 'ok',
      soft: 'ok',
    })
  })

  it('places a pod on a node that will evict it after tolerationSeconds, as upstream', () => {
    expect(verdicts({ nodes }, finite)['evicting']).toBe('ok')
  })

  it('rejects such a node with the fix finite-tolerations', () => {
    const profile = createDefaultProfile({ args: { TaintToleration: { finiteTolerations: 'ignore' } } })
    expect(verdicts({ nodes, profile }, finite)).toEqual({ hard: 'ok', evicting: refused, soft: 'ok' })
  })

  it('prefers nodes with fewer PreferNoSchedule taints', () => {
    const two = node('two', {
      spec: { taints: ['a', 'b'].map((key) => ({ key, effect: 'PreferNoSchedule' as const })) },
    })
    const { explain } = createSmallCluster({ nodes: [node('none'), tainted('one', 'PreferNoSchedule'), two] })
    const scores = explain(pod('a')).scores.map(({ plugins }) => plugins['TaintToleration'])
    expect(scores).toEqual([300, 150, 0])
  })
})

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
    ['a term', required(expression('disk', 'In', 'ssd')), 'ok', refused],
    [
      'terms of which one is enough',
      required(expression('disk', 'In', 'ssd'), expression('rank', 'Lt', '2')),
      'ok',
      'ok',
    ],
    ['numbers', required(expression('rank', 'Gt', '1')), 'ok', refused],
    ['both at once', { nodeSelector: { disk: 'ssd' }, ...required(expression('rank', 'Lt', '2')) }, refused, refused],
    ['an empty term, which selects nothing', required({}), refused, refused],
  ])('filters by %s', (_, words, ssd, hdd) => {
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

describe('NodePorts', () => {
  const ports = (hostPort: number) => ({
    containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort }] }],
  })

  it('rejects nodes where a port is in use, as resolvable by preemption', () => {
    const nodes = [node('n1'), node('n2')]
    const pods = [pod('a', { nodeName: 'n1', ...ports(80) })]
    const taken = "NodePorts: node(s) didn't have free ports for the requested pod ports"
    expect(verdicts({ nodes, pods }, ports(80))).toEqual({ n1: taken, n2: 'ok' })
    expect(verdicts({ nodes, pods }, ports(81))).toEqual({ n1: 'ok', n2: 'ok' })
  })
})

describe('NodeDeclaredFeatures', () => {
  it('rejects nodes that do not declare the required features', () => {
    const nodes = [node('new', { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } }), node('old')]
    const missing = "NodeDeclaredFeatures!: node(s) didn't match Pod's required features"
    expect(verdicts({ nodes }, { hostNetwork: true, hostUsers: false })).toEqual({ new: 'ok', old: missing })
    expect(verdicts({ nodes }, { hostNetwork: true })).toEqual({ new: 'ok', old: 'ok' })
  })
})

describe('SchedulingGates', () => {
  it('keeps a pod out of the queue until the last gate is removed', () => {
    const gated = pod('a', { schedulingGates: [{ name: 'one' }, { name: 'two' }] })
    expect(schedulingGates.preEnqueue?.(gated, {} as never)).toEqual({
      code: 'UnschedulableAndUnresolvable',
      reasons: ['waiting for scheduling gates: [one two]'],
    })
    expect(schedulingGates.preEnqueue?.(pod('b'), {} as never)).toMatchObject({ code: 'Success' })
  })
})

describe('PrioritySort', () => {
  const { parser } = createSmallCluster({ nodes: [] }).cache
  const queued = (priority: number, queuedAt: number) => ({ parsed: parser.parse(pod('a', { priority })), queuedAt })

  it('sorts by priority before queue time', () => {
    expect(prioritySort.queueSort?.(queued(2, 9), queued(1, 1))).toBe(true)
    expect(prioritySort.queueSort?.(queued(1, 1), queued(1, 2))).toBe(true)
    expect(prioritySort.queueSort?.(queued(1, 2), queued(1, 1))).toBe(false)
  })
})
