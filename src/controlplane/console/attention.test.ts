import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/objects/meta.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { createStore } from '../../store/memory-store.ts'
import { attentionOf, workloadName } from './attention.ts'
import { ConsoleBoard } from './board.ts'
import { reasonsOf } from './pending-reasons.ts'
import { storeSource } from './source.ts'

const startMs = Date.UTC(2026, 0, 1)
const at = (seconds: number) => new Date(startMs + seconds * 1000).toISOString()

type Fields = Readonly<Record<string, unknown>>

const object = (resource: string, name: string, fields: Fields, namespace = 'shop') => ({
  resource,
  key: resource === 'nodes' ? name : `${namespace}/${name}`,
  object: {
    metadata: {
      name,
      ...(resource === 'nodes' ? {} : { namespace }),
      creationTimestamp: at(0),
      ...(fields['metadata'] as object),
    },
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => field !== 'metadata')),
  } as unknown as KubeObject,
})

const node = (name: string, ready: string, zone = 'a') =>
  object('nodes', name, {
    metadata: { labels: { 'topology.kubernetes.io/zone': zone } },
    status: { conditions: [{ type: 'Ready', status: ready, lastTransitionTime: at(60) }] },
  })

const unplaced = '0/3 nodes are available: 3 Insufficient cpu.'

const pending = (name: string, message: string, owner = { kind: 'ReplicaSet', name: 'web-5d4f' }) =>
  object('pods', name, {
    metadata: { ownerReferences: [{ ...owner, controller: true }] },
    spec: { containers: [] },
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message }] },
  })

function attention(
  objects: readonly ReturnType<typeof object>[],
  more: Partial<Parameters<typeof attentionOf>[0]> = {},
) {
  const clock = new VirtualClock(startMs + 600_000)
  const store = createStore({ initial: { revision: 1, objects } })
  const source = storeSource(store, () => undefined, clock)
  const board = new ConsoleBoard(source, () => clock.wall())
  return attentionOf({ source, board, summary: { crashed: [] }, drains: [], now: clock.wall(), ...more })
}

describe('what needs attention', () => {
  it('a healthy cluster has no items that need attention', () => {
    expect(attention([node('a1', 'True')])).toEqual([])
  })

  it('reports a silent node, the time since which it is silent, and a remedy', () => {
    const [item] = attention([node('a1', 'Unknown'), node('a2', 'True')])
    expect(item).toMatchObject({ object: 'a1', tone: 'bad', sinceMs: startMs + 60_000, path: '/nodes/a1' })
    expect(item?.wayOut).toContain('out-of-service')
  })

  it('reports many silent nodes of a zone as one item', () => {
    const items = attention(Array.from({ length: 9 }, (_, index) => node(`a${index}`, 'Unknown')))
    expect(items.map(({ object: what, problem }) => `${what}: ${problem}`)).toEqual(['Zone a: 9 nodes are not ready'])
  })

  it('groups pending pods by their reasons, regardless of the counts', () => {
    const items = attention([
      pending('web-1', '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No.'),
      pending('web-2', '0/4 nodes are available: 4 Insufficient cpu.'),
      pending(
        'web-3',
        '0/5 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 3 Insufficient cpu.',
      ),
    ])
    expect(items.map(({ object: what, problem }) => `${what}: ${problem}`).sort()).toEqual([
      'Deployment shop/web: 1 pod is pending: Insufficient cpu, memory; untolerated taint(s)',
      'Deployment shop/web: 2 pods are pending: Insufficient cpu',
    ])
  })

  it('names the workloads that are pending for one reason by name, those with the most pods if there are many', () => {
    const of = (kind: string, owner: string, pods: number) =>
      Array.from({ length: pods }, (_, index) => pending(`${owner}-${index}`, unplaced, { kind, name: owner }))
    const objectsOf = (...pods: readonly (readonly ReturnType<typeof object>[])[]) =>
      attention(pods.flat()).map(({ object: what, path }) => `${what}, ${path}`)
    const [training, tuning] = [of('ReplicaSet', 'training-5d4f', 1), of('ReplicaSet', 'finetune-7c8b', 3)]
    const both = 'Deployment shop/finetune, shop/training, /pods/shop/finetune-7c8b-0'
    expect(objectsOf(training, tuning)).toEqual([both])
    expect(objectsOf(tuning, of('ReplicaSet', 'training-5d4f', 9))).toEqual([both])
    expect(objectsOf(training, tuning, of('StatefulSet', 'db', 2), of('Job', 'solo', 1), of('Job', 'z', 1))).toEqual([
      'Deployment shop/finetune, shop/training, StatefulSet shop/db and 2 more, /pods/shop/db-0',
    ])
  })

  it('reports a pod group that does not fit as one line, with the reason of the pod that was tried', () => {
    const spec = { schedulingPolicy: { gang: { minCount: 2 } } }
    const group = object('podgroups.scheduling.k8s.io', 'train', { spec })
    const member = (name: string, message: string) =>
      object('pods', name, {
        spec: { containers: [], schedulingGroup: { podGroupName: 'train' } },
        status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message }] },
      })
    const waits = 'minCount (2) cannot be satisfied: 0 scheduled'
    const line = { object: 'PodGroup shop/train', problem: '0 of 2 pods are placed: Insufficient cpu', tone: 'bad' }
    expect(attention([group, member('a', unplaced), member('b', waits)])).toMatchObject([line])
    expect(attention([group, member('a', waits), member('b', unplaced)])).toMatchObject([line])
    expect(attention([member('a', unplaced)])).toMatchObject([{ object: 'Pod shop/a' }])
  })

  it('reports a budget that is not met, with the number of pods that it needs', () => {
    const budget = (healthy: number) =>
      object('poddisruptionbudgets.policy', 'web', {
        spec: { minAvailable: 4, selector: { matchLabels: { app: 'web' } } },
        status: { currentHealthy: healthy, desiredHealthy: 4, expectedPods: 5, disruptionsAllowed: 0 },
      })
    expect(attention([budget(4)])).toEqual([])
    expect(attention([budget(3)])[0]?.problem).toBe('3 of 5 pods are healthy, minAvailable 4 needs 4')
  })

  const stuckRollout = (revision: string) =>
    object('deployments.apps', 'web', {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': revision } },
      spec: { replicas: 3 },
      status: {
        conditions: [
          { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', lastTransitionTime: at(30) },
        ],
      },
    })

  it('reports a rollout that exceeded its deadline, with the command that undoes it if an earlier revision exists', () => {
    const [item] = attention([stuckRollout('2')])
    expect(item).toMatchObject({
      object: 'Deployment shop/web',
      problem: 'ProgressDeadlineExceeded',
      wayOut: 'kubectl rollout undo deployment/web -n shop',
      path: '/workloads/shop/Deployment/web',
      sinceMs: startMs + 30_000,
    })
    expect(attention([stuckRollout('1')])[0]?.wayOut).toBe('See its pods')
  })

  it('reports only the cause if a rollout is stuck because its pods are pending', () => {
    const items = attention([stuckRollout('2'), pending('web-1', '0/4 nodes are available: 4 Insufficient cpu.')])
    expect(items.map(({ problem }) => problem)).toEqual(['1 pod is pending: Insufficient cpu'])
  })

  it('reports pods with crashing containers by workload', () => {
    const crashing = object('pods', 'web-1', {
      metadata: { ownerReferences: [{ kind: 'StatefulSet', name: 'db', controller: true }] },
      spec: { nodeName: 'a1', containers: [{ name: 'c' }] },
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'c', restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    })
    expect(attention([crashing])[0]).toMatchObject({
      object: 'StatefulSet shop/db',
      problem: '1 pod is in CrashLoopBackOff',
    })
  })

  it('reports a range of addresses before it is exhausted', () => {
    const cidrs = (used: number) =>
      attention([], { summary: { crashed: [], cidrs: [{ range: '10.0.0.0/16', used, max: 256 }] } })
    expect(cidrs(100)).toEqual([])
    expect(cidrs(250)[0]).toMatchObject({ tone: 'warn', problem: '6 of 256 blocks are left' })
    expect(cidrs(256)[0]).toMatchObject({ tone: 'bad', problem: 'no block is left for a new node' })
  })

  it('reports the pressure of a node, with the time since which it exists', () => {
    const pressed = object('nodes', 'a1', {
      status: {
        conditions: [
          { type: 'Ready', status: 'True', lastTransitionTime: at(0) },
          { type: 'DiskPressure', status: 'True', lastTransitionTime: at(90) },
        ],
      },
    })
    expect(attention([pressed])).toMatchObject([
      { object: 'a1', problem: 'disk pressure', sinceMs: startMs + 90_000, path: '/nodes/a1' },
    ])
  })

  it('reports a workload whose pods are repeatedly deleted shortly after they were placed', () => {
    const clock = new VirtualClock(startMs)
    const store = createStore({ initial: { revision: 1, objects: [] } })
    const source = storeSource(store, () => undefined, clock)
    const board = new ConsoleBoard(source, () => clock.wall())
    const items = () => attentionOf({ source, board, summary: { crashed: [] }, drains: [], now: clock.wall() })
    const placed = (name: string, more: Fields = {}, bornMs = clock.wall()) =>
      object('pods', name, {
        metadata: {
          creationTimestamp: new Date(bornMs).toISOString(),
          ownerReferences: [{ kind: 'ReplicaSet', name: 'web-5d4f', controller: true }],
          ...more,
        },
        spec: { nodeName: 'a1', containers: [] },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      })
    const loop = (name: string) => {
      const born = clock.wall()
      store.commit([{ kind: 'create', ...placed(name) }])
      clock.advanceTo(clock.now() + 30_000)
      store.commit([
        { kind: 'update', ...placed(name, { deletionTimestamp: new Date(clock.wall()).toISOString() }, born) },
      ])
    }
    for (let time = 0; time < 5; time++) loop(`web-${time}`)
    expect(items()).toEqual([])
    loop('web-5')
    expect(items()).toMatchObject([
      { object: 'Deployment shop/web', problem: '6 of its pods were deleted shortly after they were placed' },
    ])
    clock.advanceTo(clock.now() + 3_600_000)
    expect(items()).toEqual([])
  })

  it('reports a blocked drain with the pod that blocks it', () => {
    const drain = {
      node: 'a1',
      since: startMs,
      left: 2,
      blocked: [{ pod: 'shop/web-1', why: 'budget web' }],
      done: false,
    }
    expect(attention([], { drains: [drain] })[0]?.problem).toBe(
      'the drain is blocked, 2 pods are left: shop/web-1: budget web',
    )
  })
})

describe('names of workloads', () => {
  it.each([
    ['shop/web-5d4f-x', 'ReplicaSet/web-5d4f', 'Deployment shop/web'],
    ['shop/db-0', 'StatefulSet/db', 'StatefulSet shop/db'],
    ['shop/solo', '', 'Pod shop/solo'],
  ])('a pod %s with the owner %s belongs to the workload %s', (key, owner, name) => {
    expect(workloadName(key, owner)).toBe(name)
  })

  it('removes counts and preemption from messages of the scheduler', () => {
    expect(reasonsOf('0/5 nodes are available: 2 node(s) had untolerated taint {a: b}, 3 Too many pods.')).toBe(
      'Too many pods, node(s) had untolerated taint {a: b}',
    )
  })
})
