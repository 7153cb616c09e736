import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../src/client/in-process-client.ts'
import { createNodeLifecycle, upstreamWorkers } from '../../src/controllers/node-lifecycle/controller.ts'
import { createTaintEviction } from '../../src/controllers/taint-eviction/controller.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import type { Controller } from '../../src/runtime/controller.ts'
import { type RequestLimits, upstreamRequestLimits } from '../../src/runtime/request-limits.ts'
import { createStepDriver, type StepDriver } from '../../src/runtime/step-driver.ts'
import type { Store, StoreWrite } from '../../src/store/contract.ts'
import { createStore } from '../../src/store/memory-store.ts'
import { type BenchContext, formatNumber, type Suite } from '../suite.ts'

export const suite: Suite = {
  name: 'node-lifecycle',
  summary: 'a zone of a large cluster becomes silent: virtual hours per second, and the cost of one monitor pass',
  run: async (context) => {
    const store = fillStore()
    await measurePasses(context, store)
    await measureOutage(context, store, 'requests take no time')
    await measureOutage(context, store, 'requests as upstream sends them')
  },
}

const nodeCount = 5_000
const podCount = 100_000
const zoneNames = ['zone-a', 'zone-b', 'zone-c']
const t0 = Date.parse('2026-01-01T00:00:00Z')
const hourMs = 3_600_000
const periodMs = 5_000
const leaseMs = 10_000

const nodeName = (number: number) => `node-${String(number).padStart(4, '0')}`
const isInSilentZone = (number: number) => number % zoneNames.length === 0

function node(number: number): KubeObject {
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' }
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' }))
  const times = { lastHeartbeatTime: '2025-12-31T23:59:50Z', lastTransitionTime: '2025-12-01T00:00:00Z' }
  const object = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName(number),
      uid: `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      creationTimestamp: '2025-12-01T00:00:00Z',
      labels: {
        'topology.kubernetes.io/region': 'r1',
        'topology.kubernetes.io/zone': zoneNames[number % zoneNames.length],
        'kubernetes.io/hostname': nodeName(number),
      },
    },
    spec: {},
    status: { conditions: [ready, ...pressures].map((condition) => ({ ...condition, ...times })) },
  }
  return object as KubeObject
}

function pod(number: number): KubeObject {
  const forFiveMinutes = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }
  const since = { lastTransitionTime: '2025-12-01T00:00:00Z' }
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-${number}`,
      namespace: `team-${number % 40}`,
      uid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      generation: 1,
      creationTimestamp: '2025-12-01T00:00:00Z',
      labels: { app: `web-${number % 300}` },
    },
    spec: {
      nodeName: nodeName(number % nodeCount),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      containers: [{ name: 'web', image: 'example.com/web:1', imagePullPolicy: 'IfNotPresent' }],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', ...forFiveMinutes },
        { key: 'node.kubernetes.io/unreachable', ...forFiveMinutes },
      ],
    },
    status: {
      phase: 'Running',
      conditions: ['PodScheduled', 'Ready', 'ContainersReady'].map((type) => ({ type, status: 'True', ...since })),
    },
  }
  return object as unknown as KubeObject
}

function fillStore(): Store {
  const store = createStore()
  const put = (resource: string, objects: readonly KubeObject[]) => {
    const writes = objects.map((object): StoreWrite => {
      const { namespace, name } = object.metadata
      return { kind: 'create', resource, key: namespace === undefined ? name : `${namespace}/${name}`, object }
    })
    const result = store.commit(writes)
    if (!result.ok) throw new Error(`the store refuses: ${result.refusal.kind}`)
  }
  put(
    'nodes',
    Array.from({ length: nodeCount }, (_, number) => node(number)),
  )
  for (let from = 0; from < podCount; from += 10_000) {
    put(
      'pods',
      Array.from({ length: 10_000 }, (_, number) => pod(from + number)),
    )
  }
  return store
}

interface World {
  readonly driver: StepDriver
  /** Makes the nodes of the zone silent. */
  silence(): void
  /** Durations of the steps of the node lifecycle controller, by number. */
  readonly stepMs: number[]
}

interface WorldOptions {
  readonly store: Store
  readonly seed: string
  readonly requests?: RequestLimits | undefined
}

/** A separate cluster on a fork of the store, with computed heartbeats at a different phase for each node. */
function createWorld({ store, seed, requests }: WorldOptions): World {
  const clock = new VirtualClock(t0)
  const random = createRandom(seed)
  const copy = store.fork()
  const client = createInProcessClient(createRegistry({ store: copy, clock, random }))
  let silentAt = Number.POSITIVE_INFINITY
  const phases = new Map(Array.from({ length: nodeCount }, (_, number) => [nodeName(number), number] as const))
  const heartbeats = (name: string) => {
    const number = phases.get(name) as number
    const end = isInSilentZone(number) ? Math.min(clock.now(), silentAt) : clock.now()
    const phase = (number * leaseMs) / nodeCount
    return t0 - leaseMs + phase + Math.floor((end - t0 + leaseMs - phase) / leaseMs) * leaseMs
  }
  const stepMs: number[] = []
  const workers = requests === undefined ? undefined : upstreamWorkers
  const lifecycle = timed(createNodeLifecycle({ heartbeats, resumed: true, workers }), stepMs)
  const controllers = [lifecycle, createTaintEviction({ resumed: true })]
  const requestLimits = () => requests
  const driver = createStepDriver({ client, source: copy, clock, random, controllers, events: 'drop', requestLimits })
  const silence = () => {
    silentAt = clock.now()
  }
  return { driver, silence, stepMs }
}

function timed(controller: Controller, stepMs: number[]): Controller {
  return {
    ...controller,
    step(input) {
      const from = performance.now()
      const output = controller.step(input)
      stepMs.push(performance.now() - from)
      return output
    },
  }
}

/** Passes over healthy nodes, and over a zone that has been silent for a long time. */
async function measurePasses({ seed, progress, record, table }: BenchContext, store: Store): Promise<void> {
  const rows: (readonly (string | number)[])[] = []
  for (const state of ['all nodes are heard', 'one zone is silent'] as const) {
    progress(`passes while ${state}`)
    const { driver, silence, stepMs } = createWorld({ store, seed })
    driver.advance(2 * 60_000)
    if (state === 'one zone is silent') {
      silence()
      driver.advance(10 * 60_000)
    }
    // A few hundred passes run before the measurement, so that the code is compiled.
    driver.advance(30 * 60_000)
    stepMs.length = 0
    const passes = (10 * 60_000) / periodMs
    driver.advance(10 * 60_000)
    const total = stepMs.reduce((sum, ms) => sum + ms, 0)
    const sorted = [...stepMs].sort((a, b) => a - b)
    const worst = sorted.at(-1) ?? 0
    rows.push([state, formatNumber(total / passes), formatNumber(worst), stepMs.length])
    record({ name: `CPU of a monitoring pass, ${state}`, value: total / passes, unit: 'ms' })
    record({ name: `the longest step, ${state}`, value: worst, unit: 'ms' })
    driver.close()
  }
  table(
    `one monitoring pass over ${nodeCount} nodes, CPU of the controller`,
    ['while', 'ms per pass', 'longest step, ms', `steps in ${(10 * 60_000) / periodMs} passes`],
    rows,
  )
}

type Requests = 'requests take no time' | 'requests as upstream sends them'

/** The hours after a third of the cluster became silent, with all writes. */
async function measureOutage(context: BenchContext, store: Store, how: Requests): Promise<void> {
  const { seed, progress, record, table, time, full } = context
  const hours = full ? 24 : 2
  const rows: (readonly (string | number)[])[] = []
  const requests = how === 'requests take no time' ? undefined : upstreamRequestLimits
  const { driver, silence } = createWorld({ store, seed, requests })
  const start = await time(() => driver.settle())
  rows.push(['start', '', formatNumber(start.ms)])
  const quiet = await time(() => driver.advance(hourMs))
  rows.push(['an hour in which nothing happens', 1, formatNumber(quiet.ms)])
  record({ name: `virtual hours a second, nothing happens, ${how}`, value: 1000 / quiet.ms, unit: 'h/s' })
  silence()
  let evictions = 0
  driver.onChanges((changes) => {
    for (const { before, after } of changes) {
      if (after?.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined)
        evictions++
    }
  })
  const outage = await time(() => {
    for (let hour = 1; hour <= hours; hour++) {
      driver.advance(hourMs)
      progress(`hour ${hour} of the outage, ${how}: ${evictions} pods evicted`)
    }
  })
  rows.push([`an outage: ${evictions} pods evicted`, hours, formatNumber(outage.ms)])
  const perSecond = (hours * 1000) / outage.ms
  record({ name: `virtual hours a second, one zone silent, ${how}`, value: perSecond, unit: 'h/s' })
  const title = `${nodeCount} nodes, ${podCount} pods, one of ${zoneNames.length} zones silent, ${how}`
  table(title, ['', 'virtual hours', 'ms'], rows)
  driver.close()
}
