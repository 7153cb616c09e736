import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { defaultRelease } from '../../api/releases/release-of.ts'
import type { AnyPlugin, PodParser, WakeRule } from '../contract/contract.ts'
import { ActionType, ok, unresolvable } from '../contract/contract.ts'
import type { ClusterChange } from './cluster-event.ts'
import { assignedPodDelete, clusterEvent } from './cluster-event.ts'
import { HintTable } from './hint-table.ts'
import { PodNominator } from './nominator.ts'
import type { QueueOptions } from './queue-options.ts'
import type { QueuedPod } from './queued-pod.ts'
import { createRequeuePolicy } from './requeue-policy.ts'
import { SchedulingQueue } from './scheduling-queue.ts'

const parser: PodParser = {
  parse: (pod) => ({
    pod,
    key: `${pod.metadata.namespace}/${pod.metadata.name}`,
    uid: pod.metadata.uid ?? '',
    priority: pod.spec.priority ?? 0,
    isTerminating: false,
    shape: undefined as never,
  }),
}

interface PodWish {
  readonly priority?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly gates?: number
  readonly nominated?: string
}

function pod(name: string, { priority, labels, gates, nominated }: PodWish = {}): Pod {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...(labels && { labels }) },
    spec: {
      containers: [],
      schedulerName: 's',
      ...(priority !== undefined && { priority }),
      ...(gates && { schedulingGates: [{ name: 'g' }] }),
    },
    status: nominated === undefined ? {} : { nominatedNodeName: nominated },
  }
}

function node(name: string): Node {
  return { metadata: { name } }
}

const gates: AnyPlugin = {
  name: 'Gates',
  preEnqueue: (gated) => ((gated.spec.schedulingGates ?? []).length > 0 ? unresolvable('gated') : ok),
}

const nodeAdded = (name: string): ClusterChange => ({
  event: clusterEvent('Node', ActionType.Add),
  after: node(name),
})

const wakeRules: Readonly<Record<string, readonly WakeRule[]>> = {
  Gates: [
    {
      on: clusterEvent('Pod', ActionType.UpdatePodSchedulingGatesEliminated),
      hint: (target, { after }) => after?.metadata.uid === target.metadata.uid,
    },
  ],
  Wish: [
    {
      on: clusterEvent('Node', ActionType.Add),
      hint: (target, { after }) => target.metadata.labels?.['wish'] === after?.metadata.name,
    },
  ],
  VolumeRoom: [{ on: clusterEvent('Pod', ActionType.Delete) }],
  Broken: [{ on: clusterEvent('Node', ActionType.Delete), hint: () => fail() }],
}

function queueWith(options: Partial<QueueOptions> = {}): SchedulingQueue {
  const policy = createRequeuePolicy(options.mode ?? 'hints', options.release ?? defaultRelease)
  const rules = Object.entries(wakeRules).map(([plugin, own]) => [plugin, policy.wakeRules(plugin, own)] as const)
  return new SchedulingQueue({
    hints: new HintTable(new Map([['s', new Map(rules)]])),
    profiles: new Map([['s', { preEnqueue: [gates] }]]),
    parser,
    nominator: new PodNominator(),
    objects: { get: () => undefined, list: () => [] },
    ...options,
  })
}

function fail(): never {
  throw new Error('broken hint')
}

function rejected(
  queue: SchedulingQueue,
  name: string,
  plugins: readonly string[],
  now: number,
  wish?: PodWish,
): QueuedPod {
  queue.add(pod(name, wish), now)
  const taken = queue.pop(now) as QueuedPod
  queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: plugins, pendingPlugins: [] }, now)
  return taken
}

function popAll(queue: SchedulingQueue, now: number): string[] {
  const names: string[] = []
  for (let next = queue.pop(now); next !== undefined; next = queue.pop(now)) names.push(next.parsed.pod.metadata.name)
  return names
}

describe('order', () => {
  it('pops by priority, then by queue time', () => {
    const queue = queueWith()
    queue.add(pod('old-low'), 0)
    queue.add(pod('young-high', { priority: 10 }), 2)
    queue.add(pod('middle-low'), 1)
    expect(popAll(queue, 3)).toEqual(['young-high', 'old-low', 'middle-low'])
  })

  it('pops in order of arrival at equal queue times', () => {
    const queue = queueWith()
    for (const name of ['c', 'a', 'b']) queue.add(pod(name), 0)
    expect(popAll(queue, 0)).toEqual(['c', 'a', 'b'])
  })

  it('counts a failed attempt as a new queue time', () => {
    const queue = queueWith()
    queue.add(pod('tried'), 0)
    const tried = queue.pop(0) as QueuedPod
    queue.add(pod('waiting'), 5_000)
    queue.requeue(tried, { pod: tried.parsed.pod, unschedulablePlugins: ['VolumeRoom'], pendingPlugins: [] }, 6_000)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 20_000)
    expect(popAll(queue, 20_000)).toEqual(['waiting', 'tried'])
  })

  it('reorders a pod whose priority changes', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    queue.add(pod('b'), 1)
    queue.update(pod('b'), pod('b', { priority: 7 }), [], 2)
    expect(popAll(queue, 2)).toEqual(['b', 'a'])
  })
})

describe('rejected pods', () => {
  it('keeps a rejected pod in the pool when nothing changed during the attempt', () => {
    const queue = queueWith()
    const { key } = rejected(queue, 'a', ['VolumeRoom'], 0)
    expect(queue.get(key)?.place).toBe('unschedulable')
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 1, gated: 0 })
  })

  it('moves a rejected pod to backoff when a change during the attempt may help', () => {
    const queue = queueWith()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('n1'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('keeps a rejected pod in the pool when the change during the attempt does not help', () => {
    const queue = queueWith()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('n2'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('unschedulable')
  })

  it('ignores changes before the attempt', () => {
    const queue = queueWith()
    queue.add(pod('first'), 0)
    queue.add(pod('second', { labels: { wish: 'n1' } }), 0)
    queue.pop(0)
    queue.moveAll(nodeAdded('n1'), 0)
    const second = queue.pop(0) as QueuedPod
    queue.requeue(second, { pod: second.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(second.place).toBe('unschedulable')
  })

  it('moves a rejected pod on an event that a rejecting plugin registered and whose hint accepts it', () => {
    const queue = queueWith()
    const wishing = rejected(queue, 'a', ['Wish'], 0, { labels: { wish: 'n1' } })
    const other = rejected(queue, 'b', ['VolumeRoom'], 0, { labels: { wish: 'n1' } })
    queue.moveAll(nodeAdded('n2'), 100)
    expect(wishing.place).toBe('unschedulable')
    queue.moveAll(nodeAdded('n1'), 100)
    expect([wishing.place, other.place]).toEqual(['backoff', 'unschedulable'])
  })

  it('moves a pod to the active queue when its backoff ended in the pool', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['VolumeRoom'], 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 2_000)
    expect(waiting.place).toBe('active')
  })

  it('skips the backoff when the event of a pending plugin happens', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: ['VolumeRoom'] }, 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 1)
    expect(taken.place).toBe('active')
  })

  it('moves a pod when a hint throws', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['Broken'], 0)
    queue.moveAll({ event: clusterEvent('Node', ActionType.Delete), before: node('n') }, 1)
    expect(waiting.place).toBe('backoff')
  })

  it('flushes a pod after five minutes, checked every thirty seconds', () => {
    const queue = queueWith()
    queue.flush(0)
    const waiting = rejected(queue, 'a', ['VolumeRoom'], 1_000)
    expect(queue.nextWakeAt(1_000)).toBe(330_000)
    queue.flush(329_999)
    expect(waiting.place).toBe('unschedulable')
    queue.flush(330_000)
    expect(waiting.place).toBe('active')
    expect(waiting.wasFlushed).toBe(true)
  })

  it('does not flush a pod after exactly five minutes', () => {
    const queue = queueWith()
    queue.flush(0)
    rejected(queue, 'a', ['VolumeRoom'], 0)
    expect(queue.nextWakeAt(0)).toBe(330_000)
  })
})

describe('backoff', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 8_000],
    [5, 10_000],
    [9, 10_000],
  ])('after %i rejections in a row the backoff is %i ms', (attempts, backoffMs) => {
    const queue = queueWith()
    let waiting = rejected(queue, 'a', ['VolumeRoom'], 0)
    for (let attempt = 1; attempt < attempts; attempt++) {
      queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
      waiting = queue.pop(0) as QueuedPod
      queue.requeue(waiting, { pod: waiting.parsed.pod, unschedulablePlugins: ['VolumeRoom'], pendingPlugins: [] }, 0)
    }
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
    expect(queue.backoffEndsAt(waiting)).toBe(backoffMs)
  })

  it('ends backoff at the start of the second after its expiry', () => {
    const queue = queueWith({ popFromBackoff: true })
    queue.flush(10_000)
    queue.add(pod('a'), 10_300)
    const failed = queue.pop(10_300) as QueuedPod
    queue.requeue(failed, { pod: failed.parsed.pod, unschedulablePlugins: [], pendingPlugins: [] }, 10_300)
    expect(queue.backoffEndsAt(failed)).toBe(11_000)
    expect(queue.nextWakeAt(10_300)).toBe(12_000)
    queue.flush(11_999)
    expect(failed.place).toBe('backoff')
    queue.flush(12_000)
    expect(failed.place).toBe('active')
  })

  it('pops pods from backoff when no other pod waits, by priority within one second', () => {
    const queue = queueWith()
    rejected(queue, 'low', ['VolumeRoom'], 100)
    rejected(queue, 'high', ['VolumeRoom'], 200, { priority: 5 })
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 300)
    expect(queue.counts().backoff).toBe(2)
    expect(queue.nextWakeAt(300)).toBe(300)
    expect(popAll(queue, 300)).toEqual(['high', 'low'])
  })

  it('never pops a pod early after an error', () => {
    const queue = queueWith()
    queue.flush(0)
    queue.add(pod('a'), 0)
    const failed = queue.pop(0) as QueuedPod
    queue.requeue(failed, { pod: failed.parsed.pod, unschedulablePlugins: [], pendingPlugins: [] }, 0)
    expect(queue.pop(500)).toBeUndefined()
    expect(queue.nextWakeAt(500)).toBe(2_000)
    queue.flush(2_000)
    expect(queue.pop(2_000)).toBe(failed)
  })

  it('counts errors separately, and a rejection resets them', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const tried = queue.pop(0) as QueuedPod
    const fails = { pod: tried.parsed.pod, unschedulablePlugins: [], pendingPlugins: [] }
    queue.requeue(tried, fails, 0)
    queue.activate([tried.parsed.pod], 0)
    queue.requeue(queue.pop(0) as QueuedPod, fails, 0)
    expect([tried.errorCount, queue.backoffEndsAt(tried)]).toEqual([2, 2_000])
    queue.activate([tried.parsed.pod], 0)
    queue.requeue(queue.pop(0) as QueuedPod, { ...fails, unschedulablePlugins: ['VolumeRoom'] }, 0)
    expect([tried.errorCount, tried.unschedulableCount]).toEqual([0, 1])
  })

  it('disables backoff when maxBackoffMs is 0', () => {
    const queue = queueWith({ maxBackoffMs: 0 })
    const waiting = rejected(queue, 'a', ['VolumeRoom'], 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
    expect(waiting.place).toBe('active')
  })
})

describe('gated pods', () => {
  it('keeps a gated pod in the pool without an attempt, and adds no backoff when its gates are removed', () => {
    const queue = queueWith()
    const gated = pod('a', { gates: 1 })
    queue.add(gated, 0)
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 })
    const event = clusterEvent('UnschedulablePod', ActionType.UpdatePodSchedulingGatesEliminated)
    queue.update(gated, pod('a'), [{ event, before: gated, after: pod('a') }], 10)
    expect(queue.counts()).toEqual({ active: 1, backoff: 0, unschedulable: 0, gated: 0 })
  })

  it('does not evaluate a gated pod for events that its gate did not register', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 1 }), 0)
    queue.moveAll(nodeAdded('n'), 0)
    expect(queue.get('default/a')?.gatingPlugin).toBe('Gates')
    expect(queue.pop(0)).toBeUndefined()
  })

  it('gates a pod again when it is activated too early', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 1 }), 0)
    queue.activate([pod('a', { gates: 1 })], 0)
    expect(queue.counts().gated).toBe(1)
  })
})

describe('updates and deletions', () => {
  it('adds an unknown pod on update', () => {
    const queue = queueWith()
    queue.update(pod('a'), pod('a'), [], 0)
    expect(popAll(queue, 0)).toEqual(['a'])
  })

  it('replays an update of a pod in flight when its attempt fails', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 0 }), 0)
    const taken = queue.pop(0) as QueuedPod
    const event = clusterEvent('UnschedulablePod', ActionType.UpdatePodSchedulingGatesEliminated)
    queue.update(pod('a'), pod('a'), [{ event, before: pod('a'), after: pod('a') }], 0)
    expect(queue.pop(0)).toBeUndefined()
    queue.requeue(taken, { pod: pod('a'), unschedulablePlugins: ['Gates'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('keeps a pod in the pool when an update helps no plugin', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['VolumeRoom'], 0)
    queue.update(
      pod('a'),
      pod('a', { labels: { x: 'y' } }),
      [{ event: clusterEvent('UnschedulablePod', ActionType.Update) }],
      0,
    )
    expect([waiting.place, waiting.parsed.pod.metadata.labels]).toEqual(['unschedulable', { x: 'y' }])
  })

  it('deletes a pod and its nomination from any place', () => {
    const queue = queueWith()
    queue.add(pod('active', { nominated: 'n' }), 0)
    const unschedulable = rejected(queue, 'b', ['VolumeRoom'], 0, { priority: 1 })
    expect(queue.nominator.nodeOf('uid-active')).toBe('n')
    queue.delete(pod('active'), 0)
    queue.delete(unschedulable.parsed.pod, 0)
    expect(queue.nominator.size).toBe(0)
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 })
  })

  it('retries a pod that was activated in flight when its attempt fails', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.activate([pod('a')], 0)
    queue.requeue(taken, { pod: pod('a'), unschedulablePlugins: ['VolumeRoom'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })
})

describe('legacy queue', () => {
  const legacy = (): SchedulingQueue => queueWith({ mode: 'legacy' })

  it('the legacy queue moves a pod to backoff after any move request during its attempt', () => {
    const queue = legacy()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('another'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('the legacy queue keeps a pod in the pool when the move request preceded its attempt', () => {
    const queue = legacy()
    queue.add(pod('a'), 0)
    queue.moveAll(nodeAdded('n'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('unschedulable')
  })

  it('the legacy queue moves pods by registration and node check without hints', () => {
    const queue = legacy()
    const wanting = rejected(queue, 'a', ['Wish'], 0, { labels: { wish: 'n1' } })
    const refused = rejected(queue, 'b', ['Wish'], 0, { labels: { wish: 'n1' } })
    queue.moveAll(nodeAdded('n2'), 0, (candidate) => candidate.key !== refused.key)
    expect([wanting.place, refused.place]).toEqual(['backoff', 'unschedulable'])
  })

  it('the legacy queue does not pop from backoff and ends backoff to the millisecond at the next flush', () => {
    const queue = legacy()
    queue.flush(250)
    rejected(queue, 'a', [], 300)
    expect(queue.pop(400)).toBeUndefined()
    expect(queue.nextWakeAt(400)).toBe(2_250)
    queue.flush(2_250)
    expect(queue.pop(2_250)?.key).toBe('default/a')
  })

  it('the legacy queue retries a pending pod when its specification changes', () => {
    const queue = legacy()
    const waiting = rejected(queue, 'a', ['VolumeRoom'], 0)
    queue.update(
      pod('a'),
      pod('a', { labels: { x: 'y' } }),
      [{ event: clusterEvent('UnschedulablePod', ActionType.Update) }],
      0,
    )
    expect(waiting.place).toBe('backoff')
  })
})
