import { describe, expect, it } from 'vitest'
import { isNodeReady } from '../../api/conditions.ts'
import type { Node } from '../../api/objects/node.ts'
import { must } from '../../base/result.ts'
import { ForecastRun } from '../../whatif/run/forecast-run.ts'
import { containerOf, deploymentOf } from '../../whatif/run/story.fixture.ts'
import { readScenario } from '../../whatif/scenario/scenario.ts'
import { planOfScenario } from '../../whatif/scenario/scenario-plan.ts'

const offering = (zone: string, capacityType: string, price: number) => ({
  Price: price,
  Available: true,
  Requirements: [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] },
  ],
})

const type = (name: string, cpu: number, price: number) => ({
  name,
  architecture: 'amd64',
  operatingSystems: ['linux'],
  resources: { cpu: String(cpu), memory: `${4 * cpu}Gi`, pods: '58' },
  offerings: ['zone-a', 'zone-b'].flatMap((zone, at) => [
    offering(zone, 'on-demand', price + at / 1000),
    offering(zone, 'spot', price / 3 + at / 1000),
  ]),
})

const nodePool = (name: string, spec: object = {}, template: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
        expireAfter: 'Never',
        ...template,
      },
    },
    disruption: { consolidateAfter: '5s', budgets: [{ nodes: '100%' }] },
    ...spec,
  },
})

const workload = (name: string, replicas: number, spec: object, annotations: object = {}) => {
  const containers = [containerOf({ cpu: '1', memory: '1Gi' })]
  return deploymentOf(name, replicas, { terminationGracePeriodSeconds: 2, containers, ...spec }, annotations)
}
const web = (replicas: number, spec: object = {}, annotations: object = {}) =>
  workload('web', replicas, spec, annotations)

/** The nodes at the end, as `POOL TYPE ZONE CAPACITY-TYPE`. */
async function play(cluster: readonly object[], steps: readonly object[] = [], until = '2m', flags = {}) {
  const document = {
    apiVersion: 'berth.dev/v1alpha1',
    kind: 'Scenario',
    autoscaling: {
      karpenter: { flags, instanceTypes: [type('small', 2, 0.1), type('medium', 4, 0.19), type('large', 8, 0.37)] },
    },
    cluster: [
      {
        apiVersion: 'karpenter.kwok.sh/v1alpha1',
        kind: 'KWOKNodeClass',
        metadata: { name: 'default' },
        spec: { nodeRegistrationDelay: '3s' },
      },
      ...cluster,
    ],
    steps,
    until,
  }
  const { plan } = planOfScenario(must(await readScenario(document, async () => [])))
  const { cluster: end } = ForecastRun.start(plan).finish()
  const nodes = end.store
    .list('nodes')
    .map(({ metadata: { labels = {} } }) =>
      [
        labels['karpenter.sh/nodepool'],
        labels['node.kubernetes.io/instance-type'],
        labels['topology.kubernetes.io/zone'],
        labels['karpenter.sh/capacity-type'],
      ].join(' '),
    )
  const pods = end.store.list('pods') as unknown as { spec: { nodeName?: string } }[]
  const silent = (end.store.list('nodes') as readonly Node[]).filter((node) => !isNodeReady(node)).length
  return { nodes: nodes.sort(), silent, bound: pods.filter(({ spec }) => spec.nodeName !== undefined).length }
}

describe('provisioning', () => {
  it('creates the cheapest node that has room for all pods', async () => {
    expect(await play([nodePool('a'), web(3)])).toMatchObject({ nodes: ['a medium zone-a on-demand'], bound: 3 })
  })

  it('prefers the pool with the higher weight, and uses the other pool for pods that the first does not accept', async () => {
    const heavy = nodePool('heavy', { weight: 10 }, { taints: [{ key: 'gpu', effect: 'NoSchedule' }] })
    expect((await play([heavy, nodePool('light'), web(1)])).nodes).toEqual(['light small zone-a on-demand'])
    const tolerating = web(1, { tolerations: [{ key: 'gpu', operator: 'Exists' }] })
    expect((await play([heavy, nodePool('light'), tolerating])).nodes).toEqual(['heavy small zone-a on-demand'])
  })

  it('does not exceed the limits of a pool', async () => {
    const { nodes, bound } = await play([nodePool('a', { limits: { cpu: '2' } }), web(4)])
    expect(nodes).toEqual(['a small zone-a on-demand'])
    expect(bound).toBe(1)
  })

  it('spreads pods over the zones of the catalog', async () => {
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    }
    expect((await play([nodePool('a'), web(2, spread)])).nodes).toEqual([
      'a small zone-a on-demand',
      'a small zone-b on-demand',
    ])
  })

  it('uses spot capacity if the pool allows it', async () => {
    const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] }]
    expect((await play([nodePool('a', {}, { requirements }), web(1)])).nodes).toEqual(['a small zone-a spot'])
  })

  it('drops preferences that it cannot meet', async () => {
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: {
              matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-z'] }],
            },
          },
        ],
      },
    }
    expect((await play([nodePool('a'), web(1, { affinity })])).nodes).toEqual(['a small zone-a on-demand'])
  })
})

describe('disruption', () => {
  const scale = (at: string, replicas: number) => ({ at, scale: { target: 'deployment/web', replicas } })

  it('replaces an underutilized node by a cheaper one', async () => {
    const { nodes, bound } = await play([nodePool('a'), web(6)], [scale('30s', 1)], '3m')
    expect([nodes, bound]).toEqual([['a small zone-a on-demand'], 1])
  })

  it('removes an empty node', async () => {
    expect((await play([nodePool('a'), web(3)], [scale('30s', 0)], '3m')).nodes).toEqual([])
  })

  it('keeps a node with a pod that must not be disrupted', async () => {
    const pods = web(6, {}, { 'karpenter.sh/do-not-disrupt': 'true' })
    expect((await play([nodePool('a'), pods], [scale('30s', 1)], '3m')).nodes).toEqual(['a large zone-a on-demand'])
  })

  it('removes nothing if the budget is zero', async () => {
    const closed = nodePool('a', { disruption: { consolidateAfter: '5s', budgets: [{ nodes: '0' }] } })
    expect((await play([closed, web(6)], [scale('30s', 1)], '3m')).nodes).toEqual(['a large zone-a on-demand'])
  })

  it('replaces a node whose pool requires another instance type', async () => {
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['large'] },
    ]
    const patch = { target: 'nodepool/a', patch: { spec: { template: { spec: { requirements } } } } }
    const { nodes, bound } = await play([nodePool('a'), web(1)], [{ at: '30s', patch }], '3m')
    expect([nodes, bound]).toEqual([['a large zone-a on-demand'], 1])
  })

  it('replaces an expired node', async () => {
    const { nodes, bound } = await play([nodePool('a', {}, { expireAfter: '60s' }), web(1)], [], '100s')
    expect([nodes, bound]).toEqual([['a small zone-a on-demand'], 1])
  })
})

describe('the cloud', () => {
  const spot = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] }]

  it('launches on-demand capacity while spot capacity is out of stock', async () => {
    const stockOut = { at: '0s', stockOut: { capacityType: 'spot' } }
    expect((await play([nodePool('a', {}, { requirements: spot }), web(1)], [stockOut])).nodes).toEqual([
      'a small zone-a on-demand',
    ])
  })

  it('launches the next larger type, or a node in the next zone, when a type is out of stock', async () => {
    const steps = [{ at: '0s', stockOut: { instanceType: 'small' } }]
    expect((await play([nodePool('a'), web(1)], steps)).nodes).toEqual(['a medium zone-a on-demand'])
    const zone = [{ at: '0s', stockOut: { zone: 'zone-a' } }]
    expect((await play([nodePool('a'), web(1)], zone)).nodes).toEqual(['a small zone-b on-demand'])
  })

  it('places spread pods in another zone after attempts in a zone without machines', async () => {
    const topologySpreadConstraints = [
      {
        topologyKey: 'topology.kubernetes.io/zone',
        maxSkew: 1,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ]
    const steps = [{ at: '0s', stockOut: { zone: 'zone-a' } }]
    const { nodes, bound } = await play([nodePool('a'), web(3, { topologySpreadConstraints })], steps)
    // With one pod in zone-b and none in zone-a, no other pod may be placed in zone-b.
    expect({ nodes, bound }).toEqual({ nodes: ['a small zone-b on-demand'], bound: 1 })
    const one = await play([nodePool('a'), web(1, { topologySpreadConstraints })], steps)
    expect(one).toMatchObject({ nodes: ['a small zone-b on-demand'], bound: 1 })
  })

  it('keeps pods pending until the stock-out ends', async () => {
    const out = [{ at: '0s', stockOut: { capacityType: 'on-demand', for: '1m' } }]
    expect((await play([nodePool('a'), web(1)], out, '55s')).bound).toBe(0)
    expect((await play([nodePool('a'), web(1)], out, '2m')).bound).toBe(1)
  })

  it('Karpenter replaces a node within the notice when the cloud reclaims it', async () => {
    const interrupt = { at: '1m', interrupt: { selector: 'karpenter.sh/nodepool=a', notice: '30s' } }
    const { nodes, bound } = await play([nodePool('a'), web(2)], [interrupt], '80s')
    expect([nodes, bound]).toEqual([['a medium zone-a on-demand'], 2])
  })
})

describe('node repair', () => {
  const flags = { 'feature-gates': 'NodeRepair=true' }
  /** A node for each pod, in a zone. */
  const apart = (name: string, replicas: number, zone: string) => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: {} }
    return workload(name, replicas, {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      nodeSelector: { 'topology.kubernetes.io/zone': zone },
      tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }],
    })
  }
  const silence = [{ at: '1m', silence: { selector: 'topology.kubernetes.io/zone=zone-b' } }]

  it('replaces a node ten minutes after it became unhealthy, without waiting for its pods', async () => {
    const cluster = [nodePool('a'), apart('most', 4, 'zone-a'), apart('one', 1, 'zone-b')]
    expect((await play(cluster, silence, '11m', flags)).silent).toBe(1)
    expect(await play(cluster, silence, '13m', flags)).toMatchObject({ silent: 0, bound: 5 })
    expect((await play(cluster, silence, '13m')).silent).toBe(1)
  })

  it('keeps unhealthy nodes while more than a fifth of the pool is unhealthy', async () => {
    const cluster = [nodePool('a'), apart('most', 3, 'zone-a'), apart('two', 2, 'zone-b')]
    expect((await play(cluster, silence, '20m', flags)).silent).toBe(2)
  })
})

describe('pools with replicas', () => {
  const flags = { 'feature-gates': 'StaticCapacity=true' }
  const small = { requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['small'] }] }
  const patched = (spec: object) => [{ at: '1m', patch: { target: 'nodepool/fixed', patch: { spec } } }]

  it('pools with replicas have this number of nodes without any pods', async () => {
    const { nodes } = await play([nodePool('fixed', { replicas: 2 }, small)], [], '1m', flags)
    expect(nodes).toEqual(['fixed small zone-a spot', 'fixed small zone-a spot'])
  })

  it('pools with replicas are ignored while the feature gate is disabled', async () => {
    expect((await play([nodePool('fixed', { replicas: 2 }, small)])).nodes).toEqual([])
  })

  it('pools with replicas grow and shrink with their replicas', async () => {
    const pool = nodePool('fixed', { replicas: 2 }, small)
    expect((await play([pool], patched({ replicas: 3 }), '3m', flags)).nodes).toHaveLength(3)
    expect((await play([pool], patched({ replicas: 1 }), '3m', flags)).nodes).toHaveLength(1)
  })

  it('pools with replicas do not grow beyond their limit of nodes', async () => {
    const pool = nodePool('fixed', { replicas: 5, limits: { nodes: '3' } }, small)
    expect((await play([pool], [], '2m', flags)).nodes).toHaveLength(3)
  })

  it('pools with replicas replace nodes that have drifted', async () => {
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['medium'] }]
    const pool = nodePool('fixed', { replicas: 2 }, small)
    const steps = patched({ template: { spec: { requirements } } })
    expect((await play([pool], steps, '5m', flags)).nodes).toEqual([
      'fixed medium zone-a spot',
      'fixed medium zone-a spot',
    ])
  })
})
