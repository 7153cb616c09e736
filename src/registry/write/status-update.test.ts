import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Call, Outcome } from '../../api/call.ts'
import type { Json, JsonObject, KubeObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createStore } from '../../store/memory-store.ts'
import type { Caller, Registry } from '../contract.ts'
import { createRegistry } from '../registry.ts'

// Other than controllers in this process, so that all its writes take the full path.
const stranger: Caller = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] }

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: 'nginx', resources: { limits: { cpu: '1' } } }] },
}
const workload = { replicas: 2, selector: { matchLabels: { app: 'a' } }, template }
const specs: Readonly<Record<string, JsonObject>> = {
  pods: { ...template.spec, nodeName: 'n' },
  nodes: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] },
  'replicasets.apps': workload,
  'deployments.apps': workload,
  'poddisruptionbudgets.policy': { minAvailable: 1, selector: { matchLabels: { app: 'a' } } },
}

const number = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1.5, '2', null) },
)
const time = fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', null, 'yesterday')
const condition = fc.record(
  {
    type: fc.constantFrom('Ready', 'PodScheduled', 'Available', 'bad type'),
    status: fc.constantFrom('True', 'False'),
    reason: fc.constantFrom('', 'Because'),
    message: fc.constantFrom('', 'words'),
    observedGeneration: number,
    lastProbeTime: fc.constant(null),
    lastTransitionTime: time,
    more: fc.constant('unknown'),
  },
  { requiredKeys: ['type', 'status'] },
)
const ended = { state: { terminated: { exitCode: 1 } } }
const container = fc.constantFrom<JsonObject>(
  { name: 'c', image: 'nginx', imageID: '', ready: true, restartCount: 0 },
  { name: 'c', image: 'nginx', imageID: '', ready: false, restartCount: 0, ...ended },
  { name: 'c', image: 'nginx', imageID: '', ready: true, restartCount: 0, allocatedResources: { cpu: '0.1n' } },
)
const status = fc.record(
  {
    replicas: number,
    readyReplicas: number,
    availableReplicas: number,
    observedGeneration: number,
    collisionCount: number,
    currentHealthy: number,
    disruptionsAllowed: number,
    phase: fc.constantFrom('Running', 'Failed'),
    podIP: fc.constantFrom('10.0.0.1', 'nonsense'),
    podIPs: fc.constantFrom([], [{ ip: '10.0.0.1' }], [{ ip: '10.0.0.2' }]),
    qosClass: fc.constantFrom('Burstable', 'BestEffort'),
    conditions: fc.array(condition, { maxLength: 2 }),
    containerStatuses: fc.array(container, { maxLength: 1 }),
    capacity: fc.constantFrom({ cpu: '4', memory: '0.5' }, { cpu: '1500m' }, { cpu: '-1' }),
    allocatable: fc.constantFrom({ cpu: '4' }, { cpu: '1u' }),
    addresses: fc.constantFrom([{ type: 'InternalIP', address: '10.0.0.1' }], [{ type: 'Hostname', address: '' }]),
    config: fc.constantFrom({}, { error: 'none' }),
  },
  { requiredKeys: [] },
)

function createWorld(resource: string, annotations: Readonly<Record<string, string>>) {
  const store = createStore()
  const registry = createRegistry({ store, clock: { now: () => 1_700_000_000_000 }, random: createRandom(1) })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } })
  const object = { metadata: { name: 'a', annotations }, spec: specs[resource] } as unknown as KubeObject
  const made = registry.call({ verb: 'create', resource, ...within(resource), object })
  if (!made.ok) throw new Error(JSON.stringify(made))
  return { registry, stored: () => store.list(resource)[0] as KubeObject }
}

const within = (resource: string) => (resource === 'nodes' ? {} : { namespace: 'default' })

const writeTo = (resource: string, object: KubeObject): Call => ({
  verb: 'update',
  resource,
  ...within(resource),
  name: 'a',
  subresource: 'status',
  object,
})

const patchOf = (resource: string, patch: Json): Call => ({
  verb: 'patch',
  resource,
  ...within(resource),
  name: 'a',
  subresource: 'status',
  patch: { kind: 'strategic', patch: { status: patch } as JsonObject },
})

/** The outcome without warnings, which controllers in this process do not receive. */
function answer(registry: Registry, call: Call, caller?: Caller): Omit<Outcome, 'warnings'> {
  const { warnings: _, ...outcome } = registry.call(call, caller) as Outcome & { readonly warnings?: readonly string[] }
  return outcome
}

test.each(Object.keys(specs))(
  'answers a controller that writes only the status of %s as it answers other clients',
  (resource) => {
    const annotated = fc.constantFrom<Readonly<Record<string, string>>>(
      {},
      { 'pod.beta.kubernetes.io/init-containers': '[]' },
    )
    fc.assert(
      fc.property(annotated, fc.array(fc.tuple(fc.boolean(), status), { maxLength: 4 }), (annotations, writes) => {
        const short = createWorld(resource, annotations)
        const long = createWorld(resource, annotations)
        for (const [isPatch, next] of writes) {
          const call = ({ stored }: typeof short): Call =>
            isPatch
              ? patchOf(resource, next as Json)
              : writeTo(resource, { ...stored(), status: next } as unknown as KubeObject)
          expect(answer(short.registry, call(short))).toEqual(answer(long.registry, call(long), stranger))
          expect(JSON.stringify(short.stored())).toBe(JSON.stringify(long.stored()))
        }
      }),
      { numRuns: 60 },
    )
  },
)

test('answers a controller that patches only the message of a condition as it answers other clients', () => {
  const patched = fc.record(
    {
      type: fc.constantFrom('Ready', 'PodScheduled'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constant('Because'),
      message: fc.constantFrom('', 'words', 'other words', 'more words'),
      observedGeneration: fc.constantFrom(1, 2),
      lastTransitionTime: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00'),
    },
    { requiredKeys: ['type', 'message'] },
  )
  const more = fc.constantFrom<JsonObject>({}, {}, {}, { phase: 'Failed' }, { nominatedNodeName: 'n' })
  const relabeled = (call: Call, annotations: JsonObject): Call =>
    ({
      ...call,
      patch: { kind: 'merge', patch: { metadata: { annotations } } },
    }) as Call
  fc.assert(
    fc.property(fc.array(fc.tuple(patched, more, fc.integer({ min: 0, max: 9 })), { maxLength: 20 }), (writes) => {
      const short = createWorld('pods', {})
      const long = createWorld('pods', {})
      for (const [condition, others, die] of writes) {
        const call = patchOf('pods', { conditions: [condition], ...others } as unknown as Json)
        expect(answer(short.registry, call)).toEqual(answer(long.registry, call, stranger))
        const { subresource: _, ...whole } = call as Call & { readonly subresource?: string }
        if (die === 0) for (const { registry } of [short, long]) registry.call(relabeled(whole as Call, { a: 'b' }))
        expect(JSON.stringify(short.stored())).toBe(JSON.stringify(long.stored()))
      }
    }),
    { numRuns: 100 },
  )
})

test('leaves the sent and the stored object unchanged', () => {
  const { registry, stored } = createWorld('pods', {})
  const before = stored()
  const sent = { ...before, status: { phase: 'Running' } } as KubeObject
  const texts = [JSON.stringify(before), JSON.stringify(sent)]
  expect(registry.call(writeTo('pods', sent)).ok).toBe(true)
  expect([JSON.stringify(before), JSON.stringify(sent)]).toEqual(texts)
  expect(stored().metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
})
