import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pod } from '../../api/objects/pod.ts'
import type { AnyPlugin, PodParser } from '../contract/contract.ts'
import { ActionType, ok, unresolvable } from '../contract/contract.ts'
import type { ClusterChange } from './cluster-event.ts'
import { clusterEvent, covers } from './cluster-event.ts'
import { HintTable } from './hint-table.ts'
import { PodNominator } from './nominator.ts'
import type { QueuedPod } from './queued-pod.ts'
import { SchedulingQueue } from './scheduling-queue.ts'

// A simple model of the queue: one list, and every answer is computed from all of its pods.

const allEvents = [
  clusterEvent('Node', ActionType.Add),
  clusterEvent('Node', ActionType.UpdateNodeLabel),
  clusterEvent('AssignedPod', ActionType.Delete),
]
const allRules: Readonly<Record<string, readonly number[]>> = { A: [0], B: [0, 1], C: [2], None: [] }

/** A change helps a pod if the object has the name of the pod, or the name `all`. */
const helps = (pod: Pod, change: { after?: { metadata: { name: string } } }): boolean =>
  change.after?.metadata.name === 'all' || change.after?.metadata.name === pod.metadata.name

interface ModelPod {
  readonly name: string
  pod: Pod
  place: 'active' | 'backoff' | 'pool' | 'flying' | 'gone'
  queuedAt: number
  order: number
  rejections: number
  errors: number
  plugins: string[]
  gated: boolean
  flushedAt: number
  meanwhile: ClusterChange[]
  /**
   * Reports whether the pool was flushed while the pod was in flight. A flush is an event like any other, and may help
   * every pod.
   */
  sawFlush: boolean
}

class Model {
  readonly pods = new Map<string, ModelPod>()
  private order = 0
  private backoffTick: number
  private poolTick: number
  private readonly startedAt: number

  constructor(now: number) {
    this.startedAt = now
    this.backoffTick = Math.floor(now / 1_000)
    this.poolTick = 0
  }

  private queued(): ModelPod[] {
    return [...this.pods.values()]
  }

  private expiry(p: ModelPod): number {
    const count = p.errors > 0 ? p.errors : p.rejections
    if (count === 0) return Number.NEGATIVE_INFINITY
    return Math.floor((p.queuedAt + Math.min(1_000 * 2 ** (count - 1), 10_000)) / 1_000)
  }

  private enter(p: ModelPod, now: number, immediately: boolean): void {
    if ((p.pod.spec.schedulingGates ?? []).length > 0) {
      p.gated = true
      if (!p.plugins.includes('Gate')) p.plugins = [...p.plugins, 'Gate']
      p.place = 'pool'
      return
    }
    p.gated = false
    p.place = !immediately && this.expiry(p) >= Math.floor(now / 1_000) ? 'backoff' : 'active'
  }

  add(pod: Pod, now: number): void {
    const p: ModelPod = {
      name: pod.metadata.name,
      pod,
      place: 'active',
      queuedAt: now,
      order: this.order++,
      rejections: 0,
      errors: 0,
      plugins: [],
      gated: false,
      flushedAt: 0,
      meanwhile: [],
      sawFlush: false,
    }
    this.pods.set(p.name, p)
    this.enter(p, now, true)
  }

  pop(): string | undefined {
    const sort = (a: ModelPod, b: ModelPod): number =>
      (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0) || a.queuedAt - b.queuedAt || a.order - b.order
    const active = this.queued().filter((p) => p.place === 'active')
    const backoff = this.queued().filter((p) => p.place === 'backoff' && p.plugins.length > 0)
    const next =
      active.sort(sort)[0] ?? backoff.sort((a, b) => this.expiry(a) - this.expiry(b) || sort(a, b))[0] ?? undefined
    if (next === undefined) return undefined
    next.place = 'flying'
    next.meanwhile = []
    next.sawFlush = false
    return next.name
  }

  requeue(name: string, plugins: string[], now: number): void {
    const p = this.pods.get(name) as ModelPod
    p.plugins = plugins
    p.queuedAt = now
    p.order = this.order++
    p.flushedAt = 0
    if (plugins.length === 0) p.errors++
    else {
      p.rejections++
      p.errors = 0
    }
    const isHelped = p.sawFlush || p.meanwhile.some((change) => this.worth(p, change))
    if (plugins.length === 0 || isHelped) this.enter(p, now, false)
    else p.place = 'pool'
  }

  private registered(plugin: string, change: ClusterChange): boolean {
    return (allRules[plugin] ?? []).some((i) => covers(allEvents[i] as (typeof allEvents)[number], change.event))
  }

  private worth(p: ModelPod, change: ClusterChange): boolean {
    return p.plugins.some((plugin) => this.registered(plugin, change)) && helps(p.pod, change)
  }

  change(change: ClusterChange, now: number): void {
    for (const p of this.queued()) {
      if (p.place === 'flying') p.meanwhile.push(change)
      if (p.place === 'pool' && !p.gated && this.worth(p, change)) this.enter(p, now, false)
    }
  }

  flush(now: number): void {
    const second = Math.floor(now / 1_000)
    if (second > this.backoffTick) {
      this.backoffTick = second
      for (const p of this.queued()) if (p.place === 'backoff' && this.expiry(p) < second) p.place = 'active'
    }
    const tick = Math.floor((now - this.startedAt) / 30_000)
    if (tick > this.poolTick) {
      this.poolTick = tick
      const at = this.startedAt + tick * 30_000
      const left = this.queued().filter((p) => p.place === 'pool' && at - Math.max(p.queuedAt, p.flushedAt) > 300_000)
      for (const p of left) {
        p.flushedAt = now
        this.enter(p, now, false)
      }
      if (left.length > 0) for (const p of this.queued()) if (p.place === 'flying') p.sawFlush = true
    }
  }

  update(pod: Pod, now: number): void {
    const p = this.pods.get(pod.metadata.name)
    if (p === undefined) this.add(pod, now)
    else p.pod = pod
  }

  /** The expected place of every pod. */
  places(): Record<string, string> {
    return Object.fromEntries(this.queued().map((p) => [p.name, p.place]))
  }
}

const parser: PodParser = {
  parse: (pod) => ({
    pod,
    key: `ns/${pod.metadata.name}`,
    uid: `uid-${pod.metadata.name}`,
    priority: pod.spec.priority ?? 0,
    isTerminating: false,
    shape: undefined as never,
  }),
}

const gate: AnyPlugin = {
  name: 'Gate',
  preEnqueue: (pod) => ((pod.spec.schedulingGates ?? []).length > 0 ? unresolvable('gated') : ok),
}

function makePod(name: string, priority: number, gated: boolean): Pod {
  return {
    metadata: { name, namespace: 'ns', uid: `uid-${name}` },
    spec: { containers: [], schedulerName: 's', priority, ...(gated && { schedulingGates: [{ name: 'g' }] }) },
  }
}

function realQueue(): SchedulingQueue {
  const rules = new Map(
    Object.entries(allRules).map(([plugin, events]) => [
      plugin,
      events.map((i) => ({ on: allEvents[i] as (typeof allEvents)[number], hint: helps })),
    ]),
  )
  return new SchedulingQueue({
    hints: new HintTable(new Map([['s', rules]])),
    profiles: new Map([['s', { preEnqueue: [gate] }]]),
    parser,
    nominator: new PodNominator(),
    objects: { get: () => undefined, list: () => [] },
  })
}

const names = ['p0', 'p1', 'p2', 'p3', 'p4']
const name = fc.constantFrom(...names)
const operation = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), name, priority: fc.nat(2), gated: fc.boolean() }),
  fc.record({ kind: fc.constant('pop' as const) }),
  fc.record({
    kind: fc.constant('fail' as const),
    which: fc.nat(4),
    plugins: fc.subarray(Object.keys(allRules)),
  }),
  fc.record({ kind: fc.constant('succeed' as const), which: fc.nat(4) }),
  fc.record({
    kind: fc.constant('change' as const),
    event: fc.nat(allEvents.length - 1),
    object: fc.constantFrom('all', ...names),
  }),
  fc.record({ kind: fc.constant('update' as const), name, priority: fc.nat(2) }),
  fc.record({ kind: fc.constant('delete' as const), name }),
  fc.record({
    kind: fc.constant('advance' as const),
    ms: fc.oneof(fc.nat(3_000), fc.nat(60_000), fc.constant(310_000)),
  }),
)

it('behaves like a queue that is a single list', () => {
  fc.assert(
    fc.property(fc.nat(2_000), fc.array(operation, { maxLength: 60 }), (start, operations) => {
      let now = start
      const queue = realQueue()
      const model = new Model(now)
      queue.flush(now)
      const flying: string[] = []
      for (const op of operations) {
        switch (op.kind) {
          case 'add': {
            if (model.pods.has(op.name)) break
            const pod = makePod(op.name, op.priority, op.gated)
            queue.add(pod, now)
            model.add(pod, now)
            break
          }
          case 'pop': {
            const popped = queue.pop(now)?.parsed.pod.metadata.name
            expect(popped).toBe(model.pop())
            if (popped !== undefined) flying.push(popped)
            break
          }
          case 'fail': {
            const failed = flying[op.which]
            if (failed === undefined) break
            flying.splice(op.which, 1)
            const queued = queue.inFlightPod(`uid-${failed}`)
            if (queued === undefined) throw new Error('not in flight')
            const rejection = { pod: queued.parsed.pod, unschedulablePlugins: op.plugins, pendingPlugins: [] }
            queue.requeue(queued, rejection, now)
            model.requeue(failed, [...op.plugins], now)
            break
          }
          case 'succeed': {
            const bound = flying[op.which]
            if (bound === undefined) break
            flying.splice(op.which, 1)
            queue.done(`uid-${bound}`)
            model.pods.delete(bound)
            break
          }
          case 'change': {
            const event = allEvents[op.event] as (typeof allEvents)[number]
            const change: ClusterChange = { event, after: { metadata: { name: op.object } } }
            queue.moveAll(change, now)
            model.change(change, now)
            break
          }
          case 'update': {
            const known = model.pods.get(op.name)
            if (known?.place === 'flying') break
            const pod = makePod(op.name, op.priority, known?.gated ?? false)
            queue.update(known?.pod ?? pod, pod, [], now)
            model.update(pod, now)
            break
          }
          case 'delete': {
            const known = model.pods.get(op.name)
            if (known === undefined || known.place === 'flying') break
            queue.delete(known.pod, now)
            model.pods.delete(op.name)
            break
          }
          case 'advance': {
            now += op.ms
            queue.flush(now)
            model.flush(now)
            break
          }
        }
        const places = [...queue.pods()].map((p) => [
          p.parsed.pod.metadata.name,
          p.place === 'unschedulable' ? 'pool' : p.place === 'inFlight' ? 'flying' : p.place,
        ])
        expect(Object.fromEntries(places)).toEqual(model.places())
      }
    }),
    { numRuns: 500 },
  )
})

it('nextWakeAt returns the time of the next effective flush', () => {
  fc.assert(
    fc.property(
      fc.nat(2_000),
      fc.array(fc.record({ at: fc.nat(5_000), plugins: fc.subarray(['A', 'C']) }), { minLength: 1, maxLength: 6 }),
      (start, failures) => {
        const queue = realQueue()
        let now = start
        queue.flush(now)
        failures.forEach(({ at, plugins }, i) => {
          now += at
          queue.flush(now)
          queue.add(makePod(`p${i}`, 10, false), now)
          const taken = queue.pop(now) as QueuedPod | undefined
          if (taken === undefined) throw new Error('nothing to take')
          queue.requeue(taken, { pod: taken.parsed.pod, unschedulablePlugins: plugins, pendingPlugins: [] }, now)
        })
        for (let steps = 0; steps < 50; steps++) {
          const wake = queue.nextWakeAt(now)
          if (wake === undefined) break
          if (wake === now) {
            const taken = queue.pop(now) as QueuedPod | undefined
            expect(taken).toBeDefined()
            queue.done((taken as NonNullable<typeof taken>).uid)
            continue
          }
          expect(wake).toBeGreaterThan(now)
          const before = queue.counts()
          queue.flush(wake - 1)
          expect(queue.counts()).toEqual(before)
          queue.flush(wake)
          expect(queue.counts()).not.toEqual(before)
          now = wake
        }
        expect(queue.nextWakeAt(now)).toBeUndefined()
      },
    ),
    { numRuns: 200 },
  )
})
