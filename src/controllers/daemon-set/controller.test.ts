import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { DaemonSet } from '../../api/objects/workloads.ts'
import { failure } from '../../api/status.ts'
import { WorkloadCluster, type WorkloadClusterOptions } from '../workload-cluster.fixture.ts'
import { createDaemonSetController } from './controller.ts'
import { daemonPod, eligibilityOf, targetNode, tolerationsOf } from './daemon-pod.ts'
import { FailedPodBackoff } from './failed-pod-backoff.ts'

type Spec = NonNullable<DaemonSet['spec']>
type PodSpec = Spec['template']['spec']

function daemonSet(more: Partial<Spec> = {}, podSpec: Partial<PodSpec> = {}): DaemonSet {
  return {
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'c', image: 'v1' }], ...podSpec },
      },
      ...more,
    },
  }
}

const nodes = ['n1', 'n2', 'n3', 'n4']

function cluster(options: Partial<WorkloadClusterOptions> = {}): WorkloadCluster {
  return new WorkloadCluster({ controllers: [createDaemonSetController()], nodes, ...options })
}

/** `node image` of each daemon pod that is not terminating, by node. */
const daemons = (c: WorkloadCluster) =>
  c
    .pods()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => `${targetNode(pod)} ${pod.spec.containers[0]?.image}`)
    .sort()
const statusOf = (c: WorkloadCluster) => c.get('daemonsets.apps', 'default/agent')?.status
const setImage = (c: WorkloadCluster, image: string) =>
  c.patch('daemonsets.apps', 'default/agent', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } })
const taint = (c: WorkloadCluster, node: string, ...taints: object[]) => c.patch('nodes', node, { spec: { taints } })

describe('a daemon pod', () => {
  const node = (name: string, more: Partial<Node> = {}): Node => ({ metadata: { name }, ...more })

  it('tolerates the taints of unhealthy nodes without a time limit', () => {
    expect(tolerationsOf({ containers: [] })).toEqual([
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
    ])
    const own = {
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: 30,
    } as const
    const all = tolerationsOf({ containers: [], tolerations: [own], hostNetwork: true })
    expect(all[0]).toEqual({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' })
    expect(all).toHaveLength(7)
    expect(all.at(-1)?.key).toBe('node.kubernetes.io/network-unavailable')
  })

  it('a daemon pod is restricted to one node by its affinity and keeps its preferences', () => {
    const preferred = [{ weight: 1, preference: { matchExpressions: [] } }]
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred }
    const pod = daemonPod(daemonSet({}, { affinity: { nodeAffinity } }), 'h', 'n7')
    expect(pod.spec.affinity?.nodeAffinity).toEqual({
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n7'] }] }],
      },
    })
    expect(targetNode(pod)).toBe('n7')
    expect(pod.metadata.labels).toEqual({ app: 'agent', 'controller-revision-hash': 'h' })
  })

  it.each<[string, Partial<PodSpec>, Node, boolean, boolean]>([
    ['runs on every node without restrictions', {}, node('a'), true, true],
    ['runs only on nodes that match its node selector', { nodeSelector: { disk: 'ssd' } }, node('a'), false, false],
    ['runs only on the node that its spec names', { nodeName: 'b' }, node('a'), false, false],
    [
      'stays on a node that gets a NoSchedule taint later',
      {},
      node('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
      false,
      true,
    ],
    [
      'leaves a node with a NoExecute taint that it does not tolerate',
      {},
      node('a', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } }),
      false,
      false,
    ],
    [
      'runs on an unschedulable node',
      {},
      node('a', { spec: { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] } }),
      true,
      true,
    ],
  ])('a daemon pod %s', (_name, podSpec, on, starts, stays) => {
    expect(eligibilityOf(daemonSet({}, podSpec), on, {})).toEqual({ starts, stays })
  })
})

describe('the DaemonSet controller', () => {
  it('runs one daemon pod on every node, and on every node that joins', () => {
    const c = cluster()
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1', 'n2 v1', 'n3 v1', 'n4 v1'])
    expect(statusOf(c)).toEqual({
      observedGeneration: 1,
      desiredNumberScheduled: 4,
      currentNumberScheduled: 4,
      numberMisscheduled: 0,
      numberReady: 4,
      updatedNumberScheduled: 4,
      numberAvailable: 4,
    })
    c.addNode('n5')
    c.settle()
    expect(daemons(c)).toContain('n5 v1')
    expect(c.events('agent').filter((text) => text.startsWith('SuccessfulCreate: Created pod: agent-'))).toHaveLength(5)
  })

  it('reacts to labels and taints of nodes', () => {
    const c = cluster()
    c.patch('nodes', 'n1', { metadata: { labels: { disk: 'ssd' } } })
    c.create('daemonsets.apps', daemonSet({}, { nodeSelector: { disk: 'ssd' } }))
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1'])
    c.patch('nodes', 'n2', { metadata: { labels: { disk: 'ssd' } } })
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1', 'n2 v1'])
    taint(c, 'n1', { key: 'k', effect: 'NoSchedule' })
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1', 'n2 v1'])
    taint(c, 'n1', { key: 'k', effect: 'NoExecute' })
    c.settle()
    expect(daemons(c)).toEqual(['n2 v1'])
    taint(c, 'n1')
    c.patch('nodes', 'n2', { metadata: { labels: { disk: null } } })
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1'])
  })

  it('replaces a deleted daemon pod immediately, and a failed one with increasing delays', () => {
    const c = cluster({ nodes: ['n1'] })
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    c.delete('pods', `default/${c.pods()[0]?.metadata.name}`)
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1'])
    const fail = () => {
      const [pod] = c.pods()
      c.patch('pods', `default/${pod?.metadata.name}`, { status: { phase: 'Failed' } }, 'status')
      c.settle()
      return pod?.metadata.name === c.pods()[0]?.metadata.name ? 'kept' : 'replaced'
    }
    expect(fail()).toBe('replaced')
    expect(fail()).toBe('kept')
    expect(c.events('agent').join()).toMatch(
      /FailedDaemonPod: Found failed daemon pod default\/agent-\w+ on node n1, will try to kill it/,
    )
    c.advance(1000)
    expect(c.pods()[0]?.status?.phase).toBe('Running')
    expect(fail()).toBe('kept')
    c.advance(1000)
    expect(c.pods()[0]?.status?.phase).toBe('Failed')
    c.advance(1000)
    expect(c.pods()[0]?.status?.phase).toBe('Running')
  })

  it('updates one node at a time by default', () => {
    const c = cluster({ kubelet: { startMs: 1000 } })
    c.create('daemonsets.apps', daemonSet())
    c.advance(5000)
    let fewest = 4
    c.driver.onChanges(() => {
      fewest = Math.min(fewest, c.pods().filter(({ status }) => status?.phase === 'Running').length)
    })
    setImage(c, 'v2')
    c.advance(1500)
    expect(statusOf(c)).toMatchObject({ updatedNumberScheduled: 2, numberAvailable: 3, numberUnavailable: 1 })
    c.advance(10_000)
    expect(daemons(c)).toEqual(['n1 v2', 'n2 v2', 'n3 v2', 'n4 v2'])
    expect(fewest).toBe(3)
    expect(
      c
        .list('controllerrevisions.apps')
        .map(({ revision }) => revision)
        .sort(),
    ).toEqual([1, 2])
  })

  it('updates a percentage of the nodes, rounded up', () => {
    const c = cluster({ kubelet: { startMs: 1000 } })
    c.create(
      'daemonsets.apps',
      daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '60%' } } }),
    )
    c.advance(5000)
    setImage(c, 'v2')
    c.advance(500)
    expect(daemons(c).filter((text) => text.endsWith('v2'))).toHaveLength(3)
  })

  it('runs the new daemon pod next to the old one until it is available, with maxSurge', () => {
    const c = cluster({ kubelet: { startMs: 1000 } })
    const rollingUpdate = { maxSurge: 2, maxUnavailable: 0 }
    c.create('daemonsets.apps', daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }))
    c.advance(5000)
    let fewest = 4
    let most = 4
    c.driver.onChanges(() => {
      most = Math.max(most, c.pods().length)
      fewest = Math.min(fewest, c.pods().filter(({ status }) => status?.phase === 'Running').length)
    })
    setImage(c, 'v2')
    c.advance(500)
    expect(daemons(c)).toHaveLength(6)
    c.advance(10_000)
    expect(daemons(c)).toEqual(['n1 v2', 'n2 v2', 'n3 v2', 'n4 v2'])
    expect(fewest).toBe(4)
    expect(most).toBe(6)
  })

  it('updates only deleted pods, with OnDelete', () => {
    const c = cluster({ nodes: ['n1', 'n2'] })
    c.create('daemonsets.apps', daemonSet({ updateStrategy: { type: 'OnDelete' } }))
    c.settle()
    setImage(c, 'v2')
    c.settle()
    expect(daemons(c)).toEqual(['n1 v1', 'n2 v1'])
    const onFirst = c.pods().find((pod) => targetNode(pod) === 'n1')
    c.delete('pods', `default/${onFirst?.metadata.name}`)
    c.settle()
    expect(daemons(c)).toEqual(['n1 v2', 'n2 v1'])
    expect(statusOf(c)).toMatchObject({ updatedNumberScheduled: 1 })
  })

  it('runs no second daemon pod on a node', () => {
    const c = cluster({ nodes: ['n1'] })
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    const first = c.pods()[0]?.metadata.name
    c.advance(1000)
    const spec = { containers: [{ name: 'c', image: 'stray' }], nodeName: 'n1' }
    c.create('pods', { metadata: { name: 'stray', namespace: 'default', labels: { app: 'agent' } }, spec })
    c.settle()
    expect(c.pods().map(({ metadata }) => metadata.name)).toEqual([first])
  })

  it('the DaemonSet controller uses slow start and reports failures', () => {
    const c = cluster({
      refuse: (call) => (call.verb === 'create' && call.resource === 'pods' ? failure('Forbidden', 'no') : undefined),
    })
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    expect(c.pods()).toEqual([])
    expect(c.events('agent')[0]).toMatch(/^FailedCreate: Error creating: no/)
    expect(statusOf(c)).toMatchObject({ desiredNumberScheduled: 4, currentNumberScheduled: 0, numberUnavailable: 4 })
  })

  it('the DaemonSet controller handles five hundred nodes', () => {
    const many = Array.from({ length: 500 }, (_, i) => `n${i}`)
    const c = cluster({ nodes: many })
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    expect(statusOf(c)).toMatchObject({ desiredNumberScheduled: 500, numberReady: 500 })
  })

  it('uses another name for a revision when its name is already taken', () => {
    const c = cluster({ nodes: ['n1'] })
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    c.delete('daemonsets.apps', 'default/agent')
    c.create('daemonsets.apps', daemonSet())
    c.settle()
    expect(statusOf(c)).toMatchObject({ collisionCount: 1, numberReady: 1 })
    // The names that v1.37.1 generates without a collision count and with a count of one.
    const names = c.list('controllerrevisions.apps').map(({ metadata }) => metadata.name)
    expect(names.sort()).toEqual(['agent-6755d597d8', 'agent-864cc57c97'])
  })
})

it('increases the delay for a node whose daemon pod keeps failing, and resets it after a while', () => {
  const backoff = new FailedPodBackoff()
  expect(backoff.tryAt('n', 0)).toBe(0)
  expect(backoff.tryAt('n', 500)).toBe(1000)
  expect(backoff.tryAt('n', 1000)).toBe(1000)
  expect(backoff.tryAt('n', 1000)).toBe(3000)
  expect(backoff.tryAt('n', 1000 + 2_000_000)).toBe(2_001_000)
  expect(backoff.tryAt('n', 2_001_000)).toBe(2_002_000)
})
