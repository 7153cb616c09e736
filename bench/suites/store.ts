import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Store, StoreWrite } from '../../src/store/contract.ts'
import { type DurableStore, openStore } from '../../src/store/journal/open-store.ts'
import { createStore } from '../../src/store/memory-store.ts'
import type { BenchContext, Measurement, Suite } from '../suite.ts'

export const suite: Suite = {
  name: 'store',
  summary: 'writes in memory and on disk, watch fan-out, and the fork of a large cluster',
  run: async (context) => {
    await measureWrites(context)
    await measureFanOut(context)
    await measureFork(context)
    await measureDurable(context)
  },
}

const nodes = 5000
const pods = 150_000

/** A bound pod as the API server stores it: about a kilobyte of JSON. */
function pod(number: number): KubeObject {
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-${number}`,
      namespace: `team-${number % 40}`,
      uid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `web-${number % 300}`, 'pod-template-hash': '5d8f7c9b6' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
    },
    spec: {
      nodeName: `node-${number % nodes}`,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      priority: 0,
      containers: [
        {
          name: 'web',
          image: 'example.com/web:1',
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: {
      phase: 'Running',
      qosClass: 'Burstable',
      podIP: '10.0.0.1',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  }
  return object
}

function node(number: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: `node-${number}`, labels: { zone: `zone-${number % 3}` } },
  }
}

const keyOf = (object: KubeObject) => `${object.metadata.namespace}/${object.metadata.name}`
const creation = (object: KubeObject): StoreWrite => ({ kind: 'create', resource: 'pods', key: keyOf(object), object })
const renewal = (object: KubeObject): StoreWrite => ({ kind: 'update', resource: 'pods', key: keyOf(object), object })

function storeWith(objects: readonly KubeObject[]): Store {
  const store = createStore()
  for (const object of objects) store.commit([creation(object)])
  return store
}

async function measureWrites({ measure, table, full }: BenchContext): Promise<void> {
  const amount = full ? pods : 50_000
  const objects = Array.from({ length: amount }, (_, number) => pod(number))
  const watched = (store: Store) => {
    store.watch((changes) => void changes.length)
    return store
  }
  const bare = await measure({
    name: 'bare Map, set',
    unit: 'write',
    amount,
    setup: () => new Map<string, KubeObject>(),
    work: (map) => {
      for (const object of objects) map.set(keyOf(object), object)
    },
  })
  const wanted = { unit: 'write', amount, minMs: 2000, limit: bare, aimPerSecond: 200_000 }
  const created = await measure({
    ...wanted,
    name: 'create in memory, 1 watcher',
    setup: () => watched(createStore()),
    work: (store) => {
      for (const object of objects) store.commit([creation(object)])
    },
  })
  const store = watched(storeWith(objects))
  const updated = await measure({
    ...wanted,
    name: 'update in memory, 1 watcher',
    work: () => {
      for (const object of objects) store.commit([renewal(object)])
    },
  })
  const row = (measured: Measurement) => [measured.name, measured.perSecond, 200_000, bare.perSecond]
  table(`one write a transaction, ${amount} pods`, ['', 'writes/s', 'aim', 'bare Map'], [row(created), row(updated)])
}

async function measureFanOut({ measure, table, seed }: BenchContext): Promise<void> {
  const draws = createRandom(seed).stream('fan-out')
  const objects = Array.from({ length: 10_000 }, (_, number) => pod(number))
  const rows: (readonly (string | number)[])[] = []
  for (const watchers of [1, 10, 100]) {
    const store = storeWith(objects)
    let delivered = 0
    for (let at = 0; at < watchers; at++) {
      store.watch((changes) => {
        delivered += changes.length
      })
    }
    const measured = await measure({
      name: `update in memory, ${watchers} watchers`,
      unit: 'write',
      amount: objects.length,
      setup: () => draws.shuffle(objects),
      work: (shuffled) => {
        for (const object of shuffled) store.commit([renewal(object)])
      },
    })
    if (delivered !== (measured.runs + 1) * objects.length * watchers) throw new Error('a change was not delivered')
    rows.push([
      watchers === 1 ? '1 watcher' : `${watchers} watchers`,
      measured.perSecond,
      measured.perSecond * watchers,
    ])
  }
  table('fan-out', ['', 'writes/s', 'deliveries/s'], rows)
}

async function measureFork({ measure, memoryOf, record, table }: BenchContext): Promise<void> {
  const store = storeWith(Array.from({ length: pods }, (_, number) => pod(number)))
  for (let at = 0; at < nodes; at++) {
    const object = node(at)
    store.commit([{ kind: 'create', resource: 'nodes', key: object.metadata.name, object }])
  }
  const renewals = Array.from({ length: 1000 }, (_, number) => renewal(pod(number * 149)))
  store.list('pods')
  const rows: (readonly (string | number)[])[] = []
  const first = await measure({ name: 'fork, nothing written since the last', work: () => store.fork(), minRuns: 50 })
  const busy = await measure({
    name: 'fork, 1,000 writes since the last',
    setup: () => void store.commit(renewals),
    work: () => store.fork(),
    minRuns: 50,
  })
  for (const { name, medianMs, p99Ms } of [first, busy]) {
    rows.push([name, medianMs, p99Ms])
    record({ name: `${name}, time`, value: medianMs, unit: 'ms', aim: 5 })
  }
  // Measures many forks, because one is smaller than the resolution of the heap statistics.
  const forks = await memoryOf(() => Array.from({ length: 100 }, () => store.fork()))
  const bytes = forks.bytes / forks.value.length
  const written = await memoryOf(() => {
    const fork = store.fork()
    fork.commit(renewals)
    return fork
  })
  record({ name: 'fork, added memory', value: bytes, unit: 'byte' })
  record({ name: 'fork and 1,000 writes, added memory', value: written.bytes, unit: 'byte' })
  table(`fork of ${nodes} nodes and ${pods} pods (aim: under 5 ms)`, ['', 'median ms', 'p99 ms'], rows)
  table(
    'memory that a fork adds',
    ['', 'KiB'],
    [
      ['the fork', bytes / 1024],
      ['the fork and 1,000 writes', written.bytes / 1024],
    ],
  )
}

async function measureDurable(context: BenchContext): Promise<void> {
  const { table, measure, full } = context
  // In the working directory, because temporary directories are often not on a disk.
  const dir = mkdtempSync(join('bench', 'results', 'store-'))
  try {
    const objects = Array.from({ length: full ? 100_000 : 20_000 }, (_, number) => pod(number))
    const store = await openStore({ dir })
    for (const object of objects) {
      store.commit([creation(object)])
      if (store.revision % 5000 === 0) await store.durable()
    }
    await store.durable()
    const rows: (readonly (string | number)[])[] = []
    for (const size of [1, 100, 1000]) {
      // Measured again each time, because other load on the disk changes from minute to minute.
      const sync = await measureSync(context, dir)
      const waiting = await measureGroups(context, store, objects, size, 'one after the other')
      const flowing = await measureGroups(context, store, objects, size, 'overlapping')
      rows.push([`groups of ${size}`, waiting.perSecond, flowing.perSecond, flowing.perSecond / size, sync.perSecond])
    }
    await store.close()
    const opened = await measure({
      name: `open a journal of ${objects.length} pods`,
      unit: 'object',
      amount: objects.length,
      minRuns: 3,
      work: async () => (await openStore({ dir })).close(),
    })
    table(
      `durable updates of ${objects.length} pods, in random order (aim: 40,000 writes/s in groups of 1,000)`,
      ['', 'one after the other, writes/s', 'overlapping, writes/s', 'groups/s', 'bare fdatasync/s'],
      rows,
    )
    table('opening a journal', ['', 'ms', 'objects/s'], [[opened.name, opened.medianMs, opened.perSecond]])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function measureSync({ measure }: BenchContext, dir: string): Promise<Measurement> {
  const file = openSync(join(dir, 'sync'), 'w')
  const page = Buffer.alloc(4096)
  try {
    return await measure({
      name: 'bare fdatasync of 4 KiB',
      unit: 'sync',
      work: () => {
        writeSync(file, page)
        fdatasyncSync(file)
      },
    })
  } finally {
    closeSync(file)
  }
}

/**
 * Sequential: a group is written when the previous one is on disk, as by one client. Overlapping: it is prepared while the
 * previous one is being written, as by many clients.
 */
function measureGroups(
  { measure, seed }: BenchContext,
  store: DurableStore,
  objects: readonly KubeObject[],
  size: number,
  mode: 'one after the other' | 'overlapping',
): Promise<Measurement> {
  const draws = createRandom(seed).stream(`groups of ${size}, ${mode}`)
  const groups = mode === 'overlapping' ? 10 : 1
  const write = () => {
    for (let at = 0; at < size; at++) store.commit([renewal(draws.pick(objects))])
    return store.durable()
  }
  return measure({
    name: `update on disk, groups of ${size}, ${mode}`,
    unit: 'write',
    amount: size * groups,
    minMs: 2500,
    ...(size === 1000 ? { aimPerSecond: 40_000 } : {}),
    work: async () => {
      let last = write()
      for (let group = 1; group < groups; group++) {
        // The previous group is handed to the disk before the next one is prepared.
        await Promise.resolve().then(() => {})
        const next = write()
        await last
        last = next
      }
      await last
    },
  })
}
