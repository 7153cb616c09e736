import type { Call } from '../../src/api/call.ts'
import type { JsonObject, KubeObject } from '../../src/api/objects/meta.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Registry } from '../../src/registry/contract.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'
import type { BenchContext, Suite } from '../suite.ts'

const batch = 1000
const warmRuns = 5
const runs = 15
const startMs = Date.UTC(2026, 0, 1)

/** `npm run bench -- registry --part status` measures the writes whose name contains the word. */
export const suite: Suite = {
  name: 'registry',
  summary: 'the cost of one write in the process: create, bind, status, event, delete',
  run: async (context) => {
    const rows: (readonly (string | number)[])[] = []
    const { part = '' } = context
    for (const write of writes.filter(({ name }) => name.includes(part))) {
      rows.push([write.name, ...microsecondsOf(context, write)])
    }
    context.table('Processor time of one write, store in memory, in µs', ['write', 'median', 'best batch'], rows)
  },
}

interface Write {
  readonly name: string
  /** Objects that must exist before. */
  readonly before: readonly ((number: number) => Call)[]
  readonly call: (number: number) => Call
}

const template = podSpec()

const createShared = (number: number): Call => createPod(number, template)
const bind = (number: number): Call => ({
  verb: 'create',
  resource: 'pods',
  namespace: 'default',
  name: `p-${number}`,
  subresource: 'binding',
  object: {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: `p-${number}`, namespace: 'default' },
    target: { kind: 'Node', name: `node-${number % 100}` },
  } as unknown as KubeObject,
})

const writes: readonly Write[] = [
  { name: 'create a pod, the spec shared with others', before: [], call: createShared },
  { name: 'create a pod, the spec its own', before: [], call: (number) => createPod(number, podSpec()) },
  {
    name: 'the same from a named manager',
    before: [],
    call: (number) => ({ ...createPod(number, podSpec()), fieldManager: 'bench' }) as Call,
  },
  { name: 'bind a pod', before: [createShared], call: bind },
  { name: 'patch the status of a pod', before: [createShared, bind], call: patchStatus },
  { name: 'update the status of a pod', before: [createShared, bind], call: updateStatus },
  {
    name: 'patch a label from a named manager',
    before: [(number) => ({ ...createShared(number), fieldManager: 'bench' }) as Call],
    call: (number) => ({
      verb: 'patch',
      resource: 'pods',
      namespace: 'default',
      name: `p-${number}`,
      fieldManager: 'other',
      patch: { kind: 'merge', patch: { metadata: { labels: { round: '1' } } } },
    }),
  },
  { name: 'create an event', before: [], call: createEvent },
  { name: 'delete a pod', before: [createShared], call: deletePod },
  { name: 'renew a lease', before: [createLease], call: renewLease },
  { name: 'patch the status of a node', before: [createNode], call: patchNode },
]

/** The median and the minimum of several batches, each on a new registry; the first ones include compilation and are not counted. */
function microsecondsOf(context: BenchContext, { name, before, call }: Write): readonly string[] {
  context.progress(name)
  const times: number[] = []
  for (let run = -warmRuns; run < runs; run++) {
    const registry = newRegistry()
    for (let number = 0; number < batch; number++) for (const earlier of before) demand(registry, earlier(number))
    const calls = Array.from({ length: batch }, (_, number) => call(number))
    const from = process.cpuUsage()
    for (const one of calls) demand(registry, one)
    const { user, system } = process.cpuUsage(from)
    if (run >= 0) times.push((user + system) / batch)
  }
  times.sort((a, b) => a - b)
  const median = times[runs >> 1] as number
  context.record({ name, value: median, unit: 'µs' })
  return [median, times[0] as number].map((time) => time.toFixed(1))
}

function newRegistry(): Registry {
  let now = startMs
  const store = createStore()
  const registry = createRegistry({ store, clock: { now: () => now++ }, random: createRandom('bench') })
  store.watch(() => {})
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }
  demand(registry, { verb: 'create', resource: 'namespaces', object: namespace })
  return registry
}

function demand(registry: Registry, call: Call): void {
  const outcome = registry.call(call)
  if (!outcome.ok) throw new Error(`${call.verb} ${call.resource}: ${outcome.status.message}`)
}

function podSpec(): object {
  return {
    containers: [
      { name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
    ],
  }
}

function createPod(number: number, spec: object): Call {
  const metadata = { name: `p-${number}`, namespace: 'default', labels: { app: 'bench' } }
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as unknown as KubeObject
  return { verb: 'create', resource: 'pods', namespace: 'default', object }
}

const time = '2026-01-01T00:00:00Z'

/** The status that a kubelet reports for a running pod. */
function runningStatus(number: number): JsonObject {
  const condition = (type: string) => ({
    type,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: secondsOn(number),
  })
  const ip = `10.0.${number >> 8}.${number & 255}`
  return {
    phase: 'Running',
    hostIP: '10.1.0.1',
    hostIPs: [{ ip: '10.1.0.1' }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: time,
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
    containerStatuses: [
      {
        name: 'c',
        image: 'registry.example/app:1',
        imageID: '',
        containerID: `containerd://${number}`,
        ready: true,
        started: true,
        restartCount: 0,
        lastState: {},
        state: { running: { startedAt: secondsOn(number) } },
      },
    ],
  }
}

/** Timestamps within one minute. */
const secondsOn = (number: number): string => new Date(startMs + (number % 60) * 1000).toISOString().replace('.000', '')

function patchStatus(number: number): Call {
  return {
    verb: 'patch',
    resource: 'pods',
    namespace: 'default',
    name: `p-${number}`,
    subresource: 'status',
    patch: { kind: 'strategic', patch: { status: runningStatus(number) } },
  }
}

function updateStatus(number: number): Call {
  const { object } = createPod(number, template) as Extract<Call, { verb: 'create' }>
  const changed = { ...object, status: runningStatus(number) } as unknown as KubeObject
  return {
    verb: 'update',
    resource: 'pods',
    namespace: 'default',
    name: `p-${number}`,
    subresource: 'status',
    object: changed,
  }
}

function createEvent(number: number): Call {
  const object = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `p-${number}.17f0a${number.toString(16)}`, namespace: 'default' },
    eventTime: `${secondsOn(number).slice(0, 19)}.${String(number).padStart(6, '0')}Z`,
    reportingController: 'default-scheduler',
    reportingInstance: 'default-scheduler-bench',
    action: 'Binding',
    reason: 'Scheduled',
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: `p-${number}`, uid: `u-${number}` },
    note: `Successfully assigned default/p-${number} to node-1`,
    type: 'Normal',
  } as unknown as KubeObject
  return { verb: 'create', resource: 'events.events.k8s.io', namespace: 'default', object }
}

function deletePod(number: number): Call {
  return { verb: 'delete', resource: 'pods', namespace: 'default', name: `p-${number}` }
}

function createLease(number: number): Call {
  const object = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `node-${number}`, namespace: 'default' },
    spec: { holderIdentity: `node-${number}`, leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' },
  } as unknown as KubeObject
  return { verb: 'create', resource: 'leases.coordination.k8s.io', namespace: 'default', object }
}

function renewLease(number: number): Call {
  return {
    verb: 'patch',
    resource: 'leases.coordination.k8s.io',
    namespace: 'default',
    name: `node-${number}`,
    patch: {
      kind: 'merge',
      patch: { spec: { renewTime: `2026-01-01T00:00:10.${String(number).padStart(6, '0')}Z` } },
    },
  }
}

function createNode(number: number): Call {
  const metadata = { name: `node-${number}`, labels: { 'topology.kubernetes.io/zone': 'a' } }
  return { verb: 'create', resource: 'nodes', object: { apiVersion: 'v1', kind: 'Node', metadata } }
}

function patchNode(number: number): Call {
  const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
    type,
    status: type === 'Ready' ? 'True' : 'False',
    lastHeartbeatTime: secondsOn(number),
    lastTransitionTime: time,
    reason: 'KubeletReady',
    message: 'node is healthy',
  }))
  const capacity = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' }
  const status = {
    conditions,
    capacity,
    allocatable: capacity,
    addresses: [{ type: 'InternalIP', address: '10.1.0.1' }],
  }
  return {
    verb: 'patch',
    resource: 'nodes',
    name: `node-${number}`,
    subresource: 'status',
    patch: { kind: 'strategic', patch: { status: status as unknown as JsonObject } },
  }
}
