import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Call } from '../../../src/api/call.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import type { Pod } from '../../../src/api/objects/pod.ts'
import { milliValue } from '../../../src/api/quantity.ts'
import { conflict } from '../../../src/api/status.ts'
import { createRandom } from '../../../src/base/random.ts'
import { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../../src/client/in-process-client.ts'
import { createRegistry } from '../../../src/registry/registry.ts'
import { createStepDriver } from '../../../src/runtime/step-driver.ts'
import type { SchedulerInspection } from '../../../src/scheduler/observe/inspection.ts'
import { createScheduler } from '../../../src/scheduler/scheduler.ts'
import type { Store } from '../../../src/store/contract.ts'
import { createStore } from '../../../src/store/memory-store.ts'

// Random clusters: after any changes in any order, the state of the scheduler is consistent, and a pod that could be placed
// does not wait for the flush of the unschedulable pool. A new scheduler would place no pod.
// Two cases that upstream's hints miss are not generated: a new node for pods with the anti-affinity of other pods, and pods
// with affinity to themselves when the last other pod of their kind is deleted.

const admission = { disabledAdmission: ['TaintNodesByCondition', 'Priority'] }
const nodes = ['n1', 'n2', 'n3']
const podCount = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5']
const labels = ['a', 'b']

/** Most pods and nodes have no constraints, because otherwise no pod would fit. */
function rarely<T>(...values: readonly T[]): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  )
}

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pod' as const),
      name: fc.constantFrom(...podCount),
      cpu: fc.constantFrom('500m', '1', '2', '4'),
      selector: rarely(...labels),
      near: rarely('host'),
      app: fc.constantFrom('host', ...labels),
      tolerates: fc.boolean(),
      port: rarely(80),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('node' as const),
      name: fc.constantFrom(...nodes),
      cpu: fc.constantFrom('1', '2', '4'),
      label: fc.constantFrom(...labels),
      tainted: rarely(true),
      cordoned: rarely(true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deletePod' as const), name: fc.constantFrom(...podCount) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteNode' as const), name: fc.constantFrom(...nodes) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('relabelPod' as const),
      name: fc.constantFrom(...podCount),
      app: fc.constantFrom(...labels),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('failNextBind' as const) }) },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

function cluster() {
  const store = createStore()
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const random = createRandom('fuzz')
  const direct = createInProcessClient(createRegistry({ store, clock, random, options: admission }))
  let failures = 0
  const client = {
    ...direct,
    callNow(call: Call) {
      if (failures > 0 && call.verb === 'create' && call.subresource === 'binding') {
        failures--
        return conflict('pods', call.name ?? '', 'chance')
      }
      return direct.callNow(call)
    },
  }
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  // Without any node, pods wait for their backoff, and there is nothing to compare.
  const first = { kind: 'node', name: 'first', cpu: '1', label: 'a', tainted: undefined, cordoned: undefined } as const
  client.callNow({ verb: 'create', resource: 'nodes', object: nodeOf(first) })
  const driver = createStepDriver({
    client,
    source: store,
    clock,
    random,
    controllers: [createScheduler()],
    events: 'drop',
  })
  const act = (op: Operation): void => {
    switch (op.kind) {
      case 'pod':
        client.callNow({ verb: 'create', resource: 'pods', namespace: 'default', object: podOf(op) })
        break
      case 'node':
        putNode(op)
        break
      case 'deletePod': {
        const options = { gracePeriodSeconds: 0 }
        client.callNow({ verb: 'delete', resource: 'pods', namespace: 'default', name: op.name, options })
        break
      }
      case 'deleteNode':
        removeNode(op.name)
        break
      case 'relabelPod': {
        const patch = { metadata: { labels: { app: op.app } } }
        const at = { namespace: 'default', name: op.name }
        client.callNow({ verb: 'patch', resource: 'pods', ...at, patch: { kind: 'merge', patch } })
        break
      }
      case 'advance':
        driver.advance(op.ms)
        break
      case 'failNextBind':
        failures = 1
    }
  }
  const putNode = (op: Operation & { kind: 'node' }): void => {
    const node = nodeOf(op)
    const created = client.callNow({ verb: 'create', resource: 'nodes', object: node })
    if (created.ok) return
    // A node never shrinks below the requests of its pods, so that the sums can be checked.
    const used = (store.list('pods') as Pod[]).filter(({ spec }) => spec.nodeName === op.name)
    const cpu = used.reduce((sum, pod) => sum + cpuOf(pod), 0)
    if (cpu > milliValue(op.cpu)) return
    const { metadata, spec, status } = node
    const meta = { labels: metadata.labels ?? {} }
    const patch = { metadata: meta, spec: { taints: spec?.taints ?? null, unschedulable: spec?.unschedulable ?? null } }
    client.callNow({ verb: 'patch', resource: 'nodes', name: op.name, patch: { kind: 'merge', patch: patch as never } })
    const amounts = { status: { allocatable: status?.allocatable ?? {}, capacity: status?.capacity ?? {} } }
    client.callNow({
      verb: 'patch',
      resource: 'nodes',
      name: op.name,
      subresource: 'status',
      patch: { kind: 'merge', patch: amounts as never },
    })
  }
  const removeNode = (name: string): void => {
    client.callNow({ verb: 'delete', resource: 'nodes', name })
    for (const pod of store.list('pods') as Pod[]) {
      if (pod.spec.nodeName !== name) continue
      const options = { gracePeriodSeconds: 0 }
      client.callNow({ verb: 'delete', resource: 'pods', namespace: 'default', name: pod.metadata.name, options })
    }
  }
  return { store, driver, act }
}

function nodeOf({ name, cpu, label, tainted, cordoned }: Operation & { kind: 'node' }): Node {
  const amounts = { cpu, memory: '8Gi', pods: '10' }
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, pool: label } },
    spec: {
      ...(tainted ? { taints: [{ key: 'k', effect: 'NoSchedule' as const }] } : {}),
      ...(cordoned ? { unschedulable: true } : {}),
    },
    status: { allocatable: amounts, capacity: amounts },
  }
}

function podOf(op: Operation & { kind: 'pod' }): Pod {
  const { name, cpu, selector, near, app, tolerates, port } = op
  const term = (wanted: string) => [
    { labelSelector: { matchLabels: { app: wanted } }, topologyKey: 'kubernetes.io/hostname' },
  ]
  return {
    metadata: { name, namespace: 'default', labels: { app } },
    spec: {
      containers: [
        {
          name: 'c',
          image: 'pause',
          resources: { requests: { cpu } },
          ...(port === undefined ? {} : { ports: [{ containerPort: port, hostPort: port }] }),
        },
      ],
      ...(selector === undefined ? {} : { nodeSelector: { pool: selector } }),
      ...(tolerates ? { tolerations: [{ key: 'k', operator: 'Exists' as const }] } : {}),
      affinity: {
        ...(near === undefined || app === near
          ? {}
          : { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term(near) } }),
      },
    },
  }
}

function cpuOf(pod: Pod): number {
  return milliValue(pod.spec.containers[0]?.resources?.requests?.['cpu'])
}

function checkBooks(
  store: ReturnType<typeof createStore>,
  { queue, bindings, nominations }: SchedulerInspection,
): void {
  const pods = store.list('pods') as Pod[]
  for (const node of store.list('nodes') as Node[]) {
    const used = pods
      .filter(({ spec }) => spec.nodeName === node.metadata.name)
      .reduce((sum, pod) => sum + cpuOf(pod), 0)
    expect(used).toBeLessThanOrEqual(milliValue(node.status?.allocatable?.['cpu']))
  }
  const pending = pods
    .filter(({ spec }) => spec.nodeName === undefined)
    .map(({ metadata }) => `default/${metadata.name}`)
  expect(queue.map(({ pod }) => pod)).toEqual([...pending].sort())
  expect(bindings).toEqual([])
  for (const { pod } of nominations) expect(pending).toContain(pod)
}

/** The pods that a new scheduler would bind in this cluster. */
function boundAfresh(store: Store, now: number): string[] {
  const copy = store.fork()
  const clock = new VirtualClock(now)
  const random = createRandom('afresh')
  const client = createInProcessClient(createRegistry({ store: copy, clock, random, options: admission }))
  const controllers = [createScheduler()]
  const driver = createStepDriver({ client, source: copy, clock, random, controllers, events: 'drop' })
  driver.settle()
  driver.close()
  return boundPods(copy)
}

function boundPods(store: Store): string[] {
  const pods = store.list('pods') as Pod[]
  return pods.flatMap(({ spec, metadata }) => (spec.nodeName === undefined ? [] : [metadata.name]))
}

it('keeps its state consistent after every step and leaves no schedulable pod pending', () => {
  fc.assert(
    fc.property(fc.array(operation, { minLength: 5, maxLength: 20, size: 'max' }), (operations) => {
      const { store, driver, act } = cluster()
      for (const op of operations) {
        act(op)
        driver.settle()
        const inspection = driver.controller('scheduler')?.inspect?.(driver.now()) as SchedulerInspection
        checkBooks(store, inspection)
        // After an error, a pod waits although it may fit.
        if (inspection.queue.some(({ place }) => place === 'backoff')) continue
        expect(boundAfresh(store, driver.now())).toEqual(boundPods(store))
      }
    }),
    { numRuns: 100 },
  )
}, 60_000)
