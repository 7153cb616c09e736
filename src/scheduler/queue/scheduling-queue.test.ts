import { describe, expect, it } from 'vitest'
import type { Node } from '../../api/objects/node.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { AnyPlugin, PodParser, WakeRule } from '../contract/contract.ts'
import { ActionType, ok, unresolvable } from '../contract/contract.ts'
import type { ClusterChange } from './cluster-event.ts'
import { assignedPodDelete, clusterEvent, unscheduledPodUpdate } from './cluster-event.ts'
import { HintTable } from './hint-table.ts'
import { PodNominator } from './nominator.ts'
import type { QueuedPod } from './queued-pod.ts'
import { createRequeuePolicy } from './requeue-policy.ts'
import type { QueueOptions } from './scheduling-queue.ts'
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
  Room: [{ on: clusterEvent('Pod', ActionType.Delete) }],
  Broken: [{ on: clusterEvent('Node', ActionType.Delete), hint: () => fail() }],
}

function queueWith(options: Partial<QueueOptions> = {}): SchedulingQueue {
  const policy = createRequeuePolicy(options.mode ?? 'hints')
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

describe('the order of the queue', () => {
  it('is by priority, then by the time of the last queueing', () => {
    const queue = queueWith()
    queue.add(pod('old-low'), 0)
    queue.add(pod('young-high', { priority: 10 }), 2)
    queue.add(pod('middle-low'), 1)
    expect(popAll(queue, 3)).toEqual(['young-high', 'old-low', 'middle-low'])
  })

  it('is first come, first served within one instant', () => {
    const queue = queueWith()
    for (const name of ['c', 'a', 'b']) queue.add(pod(name), 0)
    expect(popAll(queue, 0)).toEqual(['c', 'a', 'b'])
  })

  it('counts a failed attempt as a new queueing, so that the pod goes behind those that wait', () => {
    const queue = queueWith()
    queue.add(pod('tried'), 0)
    const tried = queue.pop(0) as QueuedPod
    queue.add(pod('waiting'), 5_000)
    queue.requeue(tried, { pod: tried.parsed.pod, unschedulablePlugins: ['Room'], pendingPlugins: [] }, 6_000)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 20_000)
    expect(popAll(queue, 20_000)).toEqual(['waiting', 'tried'])
  })

  it('follows a priority that changes while the pod waits', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    queue.add(pod('b'), 1)
    queue.update(pod('b'), pod('b', { priority: 7 }), [], 2)
    expect(popAll(queue, 2)).toEqual(['b', 'a'])
  })
})

describe('a rejected pod', () => {
  it('stays in the pool when nothing happened during the attempt', () => {
    const queue = queueWith()
    const { key } = rejected(queue, 'a', ['Room'], 0)
    expect(queue.get(key)?.place).toBe('unschedulable')
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 1, gated: 0 })
  })

  it('goes to backoff when a change that helps came in during the attempt', () => {
    const queue = queueWith()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('n1'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('stays in the pool when the change during the attempt does not help it', () => {
    const queue = queueWith()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('n2'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('unschedulable')
  })

  it('does not hear of changes from before its attempt', () => {
    const queue = queueWith()
    queue.add(pod('first'), 0)
    queue.add(pod('second', { labels: { wish: 'n1' } }), 0)
    queue.pop(0)
    queue.moveAll(nodeAdded('n1'), 0)
    const second = queue.pop(0) as QueuedPod
    queue.requeue(second, { pod: second.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(second.place).toBe('unschedulable')
  })

  it('is moved by an event that a plugin which rejected it registered for and whose hint says so', () => {
    const queue = queueWith()
    const wishing = rejected(queue, 'a', ['Wish'], 0, { labels: { wish: 'n1' } })
    const other = rejected(queue, 'b', ['Room'], 0, { labels: { wish: 'n1' } })
    queue.moveAll(nodeAdded('n2'), 100)
    expect(wishing.place).toBe('unschedulable')
    queue.moveAll(nodeAdded('n1'), 100)
    expect([wishing.place, other.place]).toEqual(['backoff', 'unschedulable'])
  })

  it('goes straight to active when its backoff has ended while it waited', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['Room'], 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 2_000)
    expect(waiting.place).toBe('active')
  })

  it('skips the backoff when what a pending plugin waited for happened', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: ['Room'] }, 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 1)
    expect(taken.place).toBe('active')
  })

  it('is moved when a hint breaks', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['Broken'], 0)
    queue.moveAll({ event: clusterEvent('Node', ActionType.Delete), before: node('n') }, 1)
    expect(waiting.place).toBe('backoff')
  })

  it('is tried again by the flush after five minutes, looked at every thirty seconds', () => {
    const queue = queueWith()
    queue.flush(0)
    const waiting = rejected(queue, 'a', ['Room'], 1_000)
    expect(queue.nextWakeAt(1_000)).toBe(330_000)
    queue.flush(329_999)
    expect(waiting.place).toBe('unschedulable')
    queue.flush(330_000)
    expect(waiting.place).toBe('active')
    expect(waiting.wasFlushed).toBe(true)
  })

  it('is not flushed when it has waited exactly five minutes', () => {
    const queue = queueWith()
    queue.flush(0)
    rejected(queue, 'a', ['Room'], 0)
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
  ])('after %i rejections in a row is %i ms', (attempts, backoffMs) => {
    const queue = queueWith()
    let waiting = rejected(queue, 'a', ['Room'], 0)
    for (let attempt = 1; attempt < attempts; attempt++) {
      queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
      waiting = queue.pop(0) as QueuedPod
      queue.requeue(waiting, { pod: waiting.parsed.pod, unschedulablePlugins: ['Room'], pendingPlugins: [] }, 0)
    }
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
    expect(queue.backoffEndsAt(waiting)).toBe(backoffMs)
  })

  it('ends in whole seconds: a pod is let go at the beginning of the second after the one its backoff ends in', () => {
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

  it('is cut short when nothing else waits, by priority within one second', () => {
    const queue = queueWith()
    rejected(queue, 'low', ['Room'], 100)
    rejected(queue, 'high', ['Room'], 200, { priority: 5 })
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 300)
    expect(queue.counts().backoff).toBe(2)
    expect(queue.nextWakeAt(300)).toBe(300)
    expect(popAll(queue, 300)).toEqual(['high', 'low'])
  })

  it('is never cut short after an error', () => {
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

  it('counts errors apart, and a rejection forgets them', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const tried = queue.pop(0) as QueuedPod
    const fails = { pod: tried.parsed.pod, unschedulablePlugins: [], pendingPlugins: [] }
    queue.requeue(tried, fails, 0)
    queue.activate([tried.parsed.pod], 0)
    queue.requeue(queue.pop(0) as QueuedPod, fails, 0)
    expect([tried.errorCount, queue.backoffEndsAt(tried)]).toEqual([2, 2_000])
    queue.activate([tried.parsed.pod], 0)
    queue.requeue(queue.pop(0) as QueuedPod, { ...fails, unschedulablePlugins: ['Room'] }, 0)
    expect([tried.errorCount, tried.unschedulableCount]).toEqual([0, 1])
  })

  it('of zero at most is none', () => {
    const queue = queueWith({ maxBackoffMs: 0 })
    const waiting = rejected(queue, 'a', ['Room'], 0)
    queue.moveAll({ event: assignedPodDelete, before: pod('gone') }, 0)
    expect(waiting.place).toBe('active')
  })
})

describe('a gated pod', () => {
  it('waits in the pool without an attempt, and pays no backoff when its gates go', () => {
    const queue = queueWith()
    const gated = pod('a', { gates: 1 })
    queue.add(gated, 0)
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 })
    const event = clusterEvent('UnschedulablePod', ActionType.UpdatePodSchedulingGatesEliminated)
    queue.update(gated, pod('a'), [{ event, before: gated, after: pod('a') }], 10)
    expect(queue.counts()).toEqual({ active: 1, backoff: 0, unschedulable: 0, gated: 0 })
  })

  it('is not looked at for events its gate did not register for', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 1 }), 0)
    queue.moveAll(nodeAdded('n'), 0)
    expect(queue.get('default/a')?.gatingPlugin).toBe('Gates')
    expect(queue.pop(0)).toBeUndefined()
  })

  it('is gated again when activated too early', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 1 }), 0)
    queue.activate([pod('a', { gates: 1 })], 0)
    expect(queue.counts().gated).toBe(1)
  })
})

describe('updates and deletions', () => {
  it('an update of a pod nobody knows queues it', () => {
    const queue = queueWith()
    queue.update(pod('a'), pod('a'), [], 0)
    expect(popAll(queue, 0)).toEqual(['a'])
  })

  it('an update of a pod in flight is replayed when the attempt fails', () => {
    const queue = queueWith()
    queue.add(pod('a', { gates: 0 }), 0)
    const taken = queue.pop(0) as QueuedPod
    const event = clusterEvent('UnschedulablePod', ActionType.UpdatePodSchedulingGatesEliminated)
    queue.update(pod('a'), pod('a'), [{ event, before: pod('a'), after: pod('a') }], 0)
    expect(queue.pop(0)).toBeUndefined()
    queue.requeue(taken, { pod: pod('a'), unschedulablePlugins: ['Gates'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('an update that helps no plugin leaves the pod in the pool', () => {
    const queue = queueWith()
    const waiting = rejected(queue, 'a', ['Room'], 0)
    queue.update(pod('a'), pod('a', { labels: { x: 'y' } }), [{ event: unscheduledPodUpdate }], 0)
    expect([waiting.place, waiting.parsed.pod.metadata.labels]).toEqual(['unschedulable', { x: 'y' }])
  })

  it('a deletion takes the pod and its nomination out, wherever it is', () => {
    const queue = queueWith()
    queue.add(pod('active', { nominated: 'n' }), 0)
    const unschedulable = rejected(queue, 'b', ['Room'], 0, { priority: 1 })
    expect(queue.nominator.nodeOf('uid-active')).toBe('n')
    queue.delete(pod('active'))
    queue.delete(unschedulable.parsed.pod)
    expect(queue.nominator.size).toBe(0)
    expect(queue.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 })
  })

  it('an activation while in flight retries the pod when its attempt fails', () => {
    const queue = queueWith()
    queue.add(pod('a'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.activate([pod('a')], 0)
    queue.requeue(taken, { pod: pod('a'), unschedulablePlugins: ['Room'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })
})

describe('the legacy queue', () => {
  const legacy = (): SchedulingQueue => queueWith({ mode: 'legacy' })

  it('sends a pod to backoff when any move request came during its attempt, whether or not it helps', () => {
    const queue = legacy()
    queue.add(pod('a', { labels: { wish: 'n1' } }), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.moveAll(nodeAdded('another'), 0)
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('backoff')
  })

  it('keeps a pod in the pool when the move request came before its attempt', () => {
    const queue = legacy()
    queue.add(pod('a'), 0)
    queue.moveAll(nodeAdded('n'), 0)
    const taken = queue.pop(0) as QueuedPod
    queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: ['Wish'], pendingPlugins: [] }, 0)
    expect(taken.place).toBe('unschedulable')
  })

  it('moves by registration and pre-check alone, without hints', () => {
    const queue = legacy()
    const wanting = rejected(queue, 'a', ['Wish'], 0, { labels: { wish: 'n1' } })
    const refused = rejected(queue, 'b', ['Wish'], 0, { labels: { wish: 'n1' } })
    queue.moveAll(nodeAdded('n2'), 0, (candidate) => candidate.key !== refused.key)
    expect([wanting.place, refused.place]).toEqual(['backoff', 'unschedulable'])
  })

  it('does not pop from backoff, and ends backoff to the millisecond at the next look, once a second', () => {
    const queue = legacy()
    queue.flush(250)
    rejected(queue, 'a', [], 300)
    expect(queue.pop(400)).toBeUndefined()
    expect(queue.nextWakeAt(400)).toBe(2_250)
    queue.flush(2_250)
    expect(queue.pop(2_250)?.key).toBe('default/a')
  })

  it('retries a pending pod whenever its specification changes', () => {
    const queue = legacy()
    const waiting = rejected(queue, 'a', ['Room'], 0)
    queue.update(pod('a'), pod('a', { labels: { x: 'y' } }), [{ event: unscheduledPodUpdate }], 0)
    expect(waiting.place).toBe('backoff')
  })
})
