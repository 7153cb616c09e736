import { describe, expect, it } from 'vitest'
import type { Pod } from '../api/objects/pod.ts'
import { defaultRelease } from '../api/releases/release-of.ts'
import { type AnyPlugin, definePlugin, ok, type Profile, pending, unschedulable } from './contract/contract.ts'
import { feasibleNodesWanted } from './cycle.ts'
import { assembleProfile, createDefaultProfile, defaultPlugins } from './plugins/default-plugins.ts'
import { createSmallCluster, node, pod } from './small-cluster.fixture.ts'

function profileWith(...added: readonly { readonly plugin: AnyPlugin; readonly weight: number }[]): Profile {
  const builtIn = defaultPlugins(defaultRelease).map(({ weight, create }) => ({
    plugin: create(undefined, defaultRelease),
    weight,
  }))
  return assembleProfile('mine', [...builtIn, ...added])
}

describe('scheduling cycle', () => {
  it('reports that no nodes are available in an empty cluster', () => {
    const { schedule } = createSmallCluster({ nodes: [] })
    expect(schedule(pod('a'))).toMatchObject({
      kind: 'unschedulable',
      message: 'no nodes available to schedule pods',
      nominating: { kind: 'clear' },
    })
  })

  it('selects the node with the lowest utilization', () => {
    const { schedule } = createSmallCluster({
      nodes: [node('n1'), node('n2'), node('n3')],
      pods: [pod('a', { cpu: '2', nodeName: 'n1' }), pod('b', { cpu: '1', nodeName: 'n3' })],
    })
    expect(schedule(pod('c', { cpu: '1' }))).toMatchObject({ kind: 'placed', node: 'n2', feasible: 3, evaluated: 3 })
  })

  it('selects randomly among equal nodes, and the same node for the same seed', () => {
    const nodes = Array.from({ length: 20 }, (_, i) => node(`n${i}`))
    const drawn = (seed: string): unknown => createSmallCluster({ nodes, seed }).schedule(pod('a', { cpu: '1' }))
    expect(drawn('1')).toEqual(drawn('1'))
    const places = new Set(['1', '2', '3', '4', '5'].map((seed) => (drawn(seed) as { node: string }).node))
    expect(places.size).toBeGreaterThan(1)
  })

  it('selects the nominated node if it still fits, even if it has the lowest score', () => {
    const { schedule, nominator, cache } = createSmallCluster({
      nodes: [node('n1'), node('n2')],
      pods: [pod('a', { cpu: '3', nodeName: 'n1' })],
    })
    const promised = pod('b', { cpu: '1', status: { nominatedNodeName: 'n1' } })
    nominator.add(cache.parser.parse(promised))
    expect(schedule(promised)).toMatchObject({ kind: 'placed', node: 'n1', feasible: 1 })
  })

  it('reserves resources for nominated pods of equal or higher priority and uses those of lower priority', () => {
    const cluster = createSmallCluster({ nodes: [node('n1')] })
    const nominated = cluster.cache.parser.parse(pod('big', { cpu: '3', priority: 10 }))
    cluster.nominator.add(nominated, { kind: 'set', node: 'n1' })
    expect(cluster.failure(pod('a', { cpu: '2', priority: 10 }))).toContain('1 Insufficient cpu')
    expect(cluster.failure(pod('b', { cpu: '2', priority: 11 }))).toBe('placed on n1')
    expect(cluster.schedule(nominated.pod)).toMatchObject({ kind: 'placed', node: 'n1' })
  })

  it('does not satisfy affinity with a nominated pod', () => {
    const cluster = createSmallCluster({ nodes: [node('n1')] })
    const friend = cluster.cache.parser.parse(pod('friend', { labels: { app: 'db' }, priority: 10 }))
    cluster.nominator.add(friend, { kind: 'set', node: 'n1' })
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } }
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
    expect(cluster.failure(pod('a', { affinity }))).toContain("1 node(s) didn't match pod affinity rules")
  })

  it('evaluates only the nodes that the pod names and reports this for the others', () => {
    const cluster = createSmallCluster({
      nodes: [node('n1'), node('n2'), node('n3', { spec: { unschedulable: true } })],
    })
    const named = (...values: string[]): Pod =>
      pod('a', {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: values.map((value) => ({
                matchFields: [{ key: 'metadata.name', operator: 'In', values: [value] }],
              })),
            },
          },
        },
      })
    expect(cluster.schedule(named('n2'))).toMatchObject({ kind: 'placed', node: 'n2', evaluated: 1 })
    expect(cluster.failure(named('n3'))).toBe(
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
        'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    )
    expect(cluster.explain(named('n1', 'n2')).feasible).toEqual(['n1', 'n2'])
  })

  it('lists every plugin that rejected a node', () => {
    const { schedule } = createSmallCluster({
      nodes: [node('n1', { spec: { unschedulable: true } }), node('n2', { allocatable: { cpu: '1' } })],
    })
    const result = schedule(pod('a', { cpu: '2' }))
    expect(result.kind === 'unschedulable' && [...result.unschedulablePlugins].sort()).toEqual([
      'NodeResourcesFit',
      'NodeUnschedulable',
    ])
  })
})

describe('a profile without PreFilter or PreScore of a plugin', () => {
  const nodes = [node('n1'), node('n2')]
  const without = (point: 'preFilter' | 'preScore', plugin: string): string => {
    const profile = createDefaultProfile()
    const cut = { ...profile, [point]: profile[point].filter(({ name }) => name !== plugin) }
    return createSmallCluster({ nodes, profile: cut }).failure(pod('a', { cpu: '1' }))
  }
  const unread = (plugin: string, words: string): string => `running "${plugin}" filter plugin: ${words}`
  const unscored = (plugin: string, words: string): string =>
    `running Score plugins: plugin "${plugin}" failed with: ${words}`
  it.each([
    ['NodePorts', unread('NodePorts', 'reading "PreFilterNodePorts" from cycleState: not found')],
    [
      'NodeResourcesFit',
      unread('NodeResourcesFit', 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
    ],
    ['VolumeBinding', unread('VolumeBinding', 'not found')],
    ['NodeAffinity', 'placed on'],
    ['VolumeZone', 'placed on'],
  ])(
    "a cycle without PreFilter of %s fails with upstream's message, or the filter prepares its own state",
    (plugin, said) => {
      expect(without('preFilter', plugin)).toContain(said)
    },
  )
  it.each([
    [
      'TaintToleration',
      unscored('TaintToleration', 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
    ],
    ['NodeAffinity', 'placed on'],
    ['NodeResourcesFit', 'placed on'],
  ])(
    "a cycle without PreScore of %s fails with upstream's message, or the plugin prepares its own state",
    (plugin, said) => {
      expect(without('preScore', plugin)).toContain(said)
    },
  )
})

describe('number of feasible nodes to find', () => {
  const wanted = (percentageOfNodesToScore: number | undefined, nodes: number): number =>
    feasibleNodesWanted(
      { ...createDefaultProfile(), ...(percentageOfNodesToScore && { percentageOfNodesToScore }) },
      nodes,
    )

  it.each([
    ['all feasible nodes by default', undefined, 5000, 5000],
    ['all feasible nodes of a small cluster', 5, 99, 99],
    ['the configured percentage of nodes', 30, 1000, 300],
    ['at least 100 nodes', 5, 1000, 100],
  ])('a cycle finds %s', (_, share, nodes, want) => {
    expect(wanted(share, nodes)).toBe(want)
  })

  it('continues a search where the last search ended', () => {
    const nodes = Array.from({ length: 200 }, (_, i) => node(`n${i}`))
    const { schedule } = createSmallCluster({ nodes, profile: createDefaultProfile({ percentageOfNodesToScore: 50 }) })
    const numbers = [1, 2, 3].map((i) => {
      const result = schedule(pod(`p${i}`))
      expect(result).toMatchObject({ kind: 'placed', feasible: 100 })
      return result.kind === 'placed' ? Number(result.node.slice(1)) : -1
    })
    expect(numbers.map((number) => number < 100)).toEqual([true, false, true])
  })
})

describe('user plugin', () => {
  const picky = definePlugin({
    name: 'Picky',
    preFilter: ({ pod: { metadata } }) => ({ state: metadata.labels?.['color'] ?? 'any' }),
    filter: (_pod, { node: { metadata } }, color) =>
      color === 'any' || metadata.labels?.['color'] === color ? ok : unschedulable('wrong color'),
    preScore: () => ({ state: { wanted: 'n3' } }),
    score: (_pod, { name }, { wanted }) => (name === wanted ? 100 : 0),
  })
  const nodes = [node('n1', { labels: { color: 'red' } }), node('n2'), node('n3', { labels: { color: 'red' } })]

  it('a user plugin filters and scores together with built-in plugins', () => {
    const { schedule, explain } = createSmallCluster({ nodes, profile: profileWith({ plugin: picky, weight: 10 }) })
    const red = pod('a', { labels: { color: 'red' } })
    expect(schedule(red)).toMatchObject({ kind: 'placed', node: 'n3', feasible: 2 })
    expect(explain(red).rejected.get('n2')).toEqual({
      code: 'Unschedulable',
      plugin: 'Picky',
      reasons: ['wrong color'],
    })
    expect(explain(red).scores.find((one) => one.node === 'n3')?.plugins['Picky']).toBe(1000)
  })

  it('the PreFilter state of a user plugin is passed to the binding cycle', () => {
    const { schedule } = createSmallCluster({ nodes, profile: profileWith({ plugin: picky, weight: 1 }) })
    const result = schedule(pod('a', { labels: { color: 'red' } }))
    expect(result.kind === 'placed' && result.states.get(picky)).toBe('red')
  })

  it('a user plugin can reject a pod as pending', () => {
    const waiting = definePlugin({ name: 'Waiting', filter: () => pending('not yet') })
    const { schedule } = createSmallCluster({ nodes, profile: profileWith({ plugin: waiting, weight: 0 }) })
    const result = schedule(pod('a'))
    expect(result.kind === 'unschedulable' && [...result.pendingPlugins]).toEqual(['Waiting'])
  })

  it('a score out of range ends the cycle with an error', () => {
    const wild = definePlugin({ name: 'Wild', score: () => 101 })
    const { schedule } = createSmallCluster({ nodes, profile: profileWith({ plugin: wild, weight: 1 }) })
    expect(schedule(pod('a'))).toMatchObject({ kind: 'error', message: expect.stringContaining('invalid score 101') })
  })
})

describe('cycle in two halves', () => {
  const nodes = [node('n1'), node('n2'), node('n3')]

  it('lets extenders reject nodes and add scores', () => {
    const { scheduling, cache, input } = createSmallCluster({ nodes })
    const halves = scheduling.begin(cache.parser.parse(pod('a')), input)
    expect(halves.filtered).toEqual(['n1', 'n2', 'n3'])
    halves.refuse('n1', unschedulable('the extender says no'))
    expect(halves.score()?.map((one) => one.node)).toEqual(['n2', 'n3'])
    halves.addScore('n3', 'http://extender', 500)
    expect(halves.finish()).toMatchObject({ kind: 'placed', node: 'n3', feasible: 2 })
  })

  it('lists Extender as the rejecting plugin when extenders reject all nodes', () => {
    const { scheduling, cache, input } = createSmallCluster({ nodes })
    const halves = scheduling.begin(cache.parser.parse(pod('a')), input)
    for (const name of ['n1', 'n2', 'n3']) halves.refuse(name, unschedulable('the extender says no'))
    expect(halves.score()).toBeUndefined()
    const result = halves.finish()
    expect(result.kind === 'unschedulable' && [...result.unschedulablePlugins]).toEqual(['Extender'])
    expect(result.kind === 'unschedulable' && result.message).toContain('3 the extender says no')
  })
})
