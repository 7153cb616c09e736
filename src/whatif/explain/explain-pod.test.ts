import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { explainPod } from './explain-pod.ts'
import { ObjectSet } from './object-set.ts'

const now = Date.UTC(2026, 0, 1)

function node(name: string, more: Partial<Node> = {}): Node {
  const resources = { cpu: '4', memory: '8Gi', pods: '10' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, zone: 'a' } },
    status: { capacity: resources, allocatable: resources },
    ...more,
  }
}

function pod(name: string, spec: Partial<Pod['spec']> = {}, cpu = '1'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, labels: { app: name } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }], ...spec },
  }
}

function explain(asked: Pod, nodes: readonly Node[], others: readonly Pod[] = []) {
  const objects = new ObjectSet()
  objects.add('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } })
  for (const each of nodes) objects.add('nodes', each)
  for (const each of [...others, asked]) objects.add('pods', each)
  return explainPod({ objects, pod: asked, now })
}

const sentences = (answer: ReturnType<typeof explain>) =>
  answer.repairs.map(({ changes }) => changes.map(({ sentence }) => sentence).join(' and '))

describe('the smallest change that would place a pod', () => {
  const taint = { key: 'dedicated', value: 'db', effect: 'NoSchedule' } as const
  const cases: readonly [string, ReturnType<typeof explain>, string][] = [
    [
      'a toleration for a taint',
      explain(pod('p'), [node('n', { spec: { taints: [taint] } })]),
      'add a toleration for dedicated=db:NoSchedule to the pod',
    ],
    [
      'uncordoning a cordoned node',
      explain(pod('p'), [
        node('n', {
          spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
        }),
      ]),
      'kubectl uncordon n',
    ],
    [
      'a label for a node selector',
      explain(pod('p', { nodeSelector: { disk: 'ssd' } }), [node('n')]),
      'kubectl label node n disk=ssd --overwrite',
    ],
    [
      'freeing the missing resources of a full node',
      explain(pod('p', {}, '1500m'), [node('n')], [pod('q', { nodeName: 'n' }, '3')]),
      'free 500m cpu on n',
    ],
    [
      'two changes for two obstacles',
      explain(pod('p', { nodeSelector: { disk: 'ssd' } }), [node('n', { spec: { taints: [taint] } })]),
      'add a toleration for dedicated=db:NoSchedule to the pod and kubectl label node n disk=ssd --overwrite',
    ],
  ]
  it.each(cases)('suggests the smallest change that would place a pod: %s', (_name, answer, expected) => {
    expect(answer.state).toBe('pending')
    expect(sentences(answer)[0]).toBe(expected)
  })

  it('lists the cheaper of two changes first', () => {
    const answer = explain(
      pod('p', {}, '3'),
      [node('full'), node('tainted', { spec: { taints: [taint] } })],
      [pod('q', { nodeName: 'full' }, '2')],
    )
    expect(sentences(answer)).toEqual(['add a toleration for dedicated=db:NoSchedule to the pod', 'free 1 cpu on full'])
  })

  it('reports never if no change helps', () => {
    const answer = explain(pod('p', {}, '10'), [node('n')])
    expect(answer.never).toBe('never: requests 10 cpu, but the largest node has 4')
    expect(answer.repairs).toEqual([])
  })

  it('suggests creating a missing claim', () => {
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
    const answer = explain(pod('p', { volumes }), [node('n', { spec: { taints: [taint] } })])
    expect(answer.message).toContain('persistentvolumeclaim "data" not found')
    expect(sentences(answer)).toEqual([
      'create the PersistentVolumeClaim default/data and add a toleration for dedicated=db:NoSchedule to the pod',
    ])
  })

  it('suggests nothing if the scheduling cycle ends in an error', () => {
    const preference = { matchExpressions: [{ key: 'rank', operator: 'Gt' as const, values: ['high'] }] }
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] }
    const nodes = [node('a'), node('b'), node('c', { spec: { unschedulable: true } })]
    const answer = explain(pod('p', { affinity: { nodeAffinity } }), nodes)
    expect(answer).toMatchObject({ state: 'pending', repairs: [], wakesOn: {} })
    expect(answer.message).toMatch(/^running PreScore plugin "NodeAffinity": .* the value must be an integer$/)
  })

  it('names the pod that holds a host port', () => {
    const ports = [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' as const }] }]
    const answer = explain(
      pod('p', { containers: ports }),
      [node('n')],
      [pod('q', { containers: ports, nodeName: 'n' })],
    )
    expect(sentences(answer)).toEqual(['free host port 80/TCP on n, held by default/q'])
  })
})

describe('an explanation', () => {
  it('lists the plugin that rejects each node, and the events that requeue the pod', () => {
    const answer = explain(pod('p', { nodeSelector: { disk: 'ssd' } }), [node('a'), node('b')])
    expect(answer.message).toBe(
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    )
    expect(answer.nodes).toEqual(
      ['a', 'b'].map((name) => ({
        node: name,
        feasible: false,
        plugin: 'NodeAffinity',
        reasons: ["node(s) didn't match Pod's node affinity/selector"],
      })),
    )
    expect(answer.wakesOn).toEqual({ NodeAffinity: ['NodeAdd', 'NodeUpdateNodeLabel'] })
  })

  it('scores feasible nodes, highest score first', () => {
    const answer = explain(pod('p'), [node('busy'), node('idle')], [pod('q', { nodeName: 'busy' }, '2')])
    expect(answer.state).toBe('placeable')
    expect(answer.nodes.map(({ node: name }) => name)).toEqual(['idle', 'busy'])
    expect(answer.nodes[0]?.scores).toHaveProperty('NodeResourcesFit')
  })

  it('reports the time and reason of the eviction of a bound pod', () => {
    const taints = [{ key: 'maintenance', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] as const
    const tolerations = [
      { key: 'maintenance', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ] as const
    const answer = explain(pod('p', { nodeName: 'n', tolerations }), [node('n', { spec: { taints } })])
    expect(answer.eviction).toMatchObject({ at: now + 300_000, estimated: true })
  })

  it('lists the gates of a gated pod', () => {
    const gated = pod('p', { schedulingGates: [{ name: 'quota' }] })
    const metadata = { ...gated.metadata, creationTimestamp: '2026-01-01T00:00:00Z' }
    const answer = explain({ ...gated, metadata }, [node('n')])
    expect(sentences(answer)).toEqual(['remove the scheduling gate quota'])
    expect(answer.queue).toEqual({ place: 'gated', since: now, estimated: true })
  })

  it('lists the victims of a preemption', () => {
    const answer = explain(
      { ...pod('p', { priority: 10 }, '3') },
      [node('n')],
      [pod('q', { nodeName: 'n', priority: 0 }, '3')],
    )
    expect(answer.preemption).toEqual({ node: 'n', victims: ['default/q'] })
  })
})

describe('a pod that waits for a GPU', () => {
  const gpu = (name: string, count = '4') =>
    node(name, {
      metadata: { name, labels: { 'kubernetes.io/hostname': name, 'node.kubernetes.io/instance-type': 'p4d' } },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', 'nvidia.com/gpu': count } },
    })
  const asking = (name: string, count: string, spec: Partial<Pod['spec']> = {}): Pod => {
    const requests = { cpu: '100m', 'nvidia.com/gpu': count }
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'set', controller: true }
    const made = pod(name, {
      containers: [{ name: 'c', image: 'i', resources: { requests, limits: { 'nvidia.com/gpu': count } } }],
      ...spec,
    })
    return { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } }
  }
  const small = Array.from({ length: 30 }, (_, at) => node(`cpu-${at}`))
  const full = () =>
    explain(
      asking('p', '2'),
      [...small, gpu('g1'), gpu('g2')],
      [
        asking('a', '3', { nodeName: 'g1' }),
        asking('b', '1', { nodeName: 'g2' }),
        asking('c', '2', { nodeName: 'g2' }),
      ],
    )

  it('suggests for a pod that waits for a GPU a pod to move, a node to add and a request that would fit', () => {
    const answer = full()
    expect(sentences(answer)).toEqual(
      expect.arrayContaining([
        'free 1 nvidia.com/gpu on g2 by moving default/b',
        'add a node like g1 (p4d)',
        'request 1 nvidia.com/gpu instead of 2',
      ]),
    )
  })

  it('suggests one change before two changes', () => {
    const resources = { cpu: '8', memory: '8Gi', pods: '10' }
    const large = node('large', { status: { capacity: resources, allocatable: resources } })
    const small = node('small', { metadata: { name: 'small', labels: { pool: 'x' } } })
    const answer = explain(
      pod('p', { nodeSelector: { pool: 'x' } }, '5'),
      [large, small],
      [pod('a', { nodeName: 'large' }, '4')],
    )
    expect(sentences(answer)).toEqual([
      'request 4 cpu instead of 5',
      'kubectl label node large pool=x --overwrite and free 1 cpu on large',
    ])
  })

  it('suggests a node like the nodes with GPUs in a cluster with many other shapes of nodes', () => {
    const shapes = Array.from({ length: 60 }, (_, at) =>
      node(`cpu-${at}`, { metadata: { name: `cpu-${at}`, labels: { rack: `r${at}` } } }),
    )
    const taken = [asking('a', '4', { nodeName: 'g1' })]
    expect(sentences(explain(asking('p', '4'), [...shapes, gpu('g1')], taken))).toContain('add a node like g1 (p4d)')
  })

  it('lists the nodes with GPUs first, and marks the other nodes as too small', () => {
    const { nodes } = full()
    expect(
      nodes
        .slice(0, 2)
        .map(({ node: name }) => name)
        .toSorted(),
    ).toEqual(['g1', 'g2'])
    expect(nodes.filter(({ isTooSmall }) => isTooSmall === true)).toHaveLength(30)
  })
})

describe('changes that are never suggested', () => {
  it.each(['unreachable', 'not-ready', 'disk-pressure', 'out-of-service'])(
    'does not suggest a toleration for a node that is %s',
    (what) => {
      const taints = [{ key: `node.kubernetes.io/${what}`, effect: 'NoSchedule' }] as const
      const answer = explain(pod('p'), [node('n', { spec: { taints } })])
      expect(sentences(answer).join()).not.toContain('toleration')
    },
  )
})

it('names the gates of a gated pod', () => {
  const answer = explain(pod('p', { schedulingGates: [{ name: 'quota' }, { name: 'images' }] }), [node('n')])
  expect(answer.message).toBe('Scheduling is blocked due to non-empty scheduling gates: quota, images')
})
