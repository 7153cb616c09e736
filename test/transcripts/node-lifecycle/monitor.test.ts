import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Call } from '../../../src/api/call.ts'
import { findCondition } from '../../../src/api/conditions.ts'
import type { KubeObject } from '../../../src/api/objects/meta.ts'
import type { Node } from '../../../src/api/objects/node.ts'
import { formatMicroTime, formatTime } from '../../../src/api/time.ts'
import { createRandom } from '../../../src/base/random.ts'
import { VirtualClock } from '../../../src/base/virtual-clock.ts'
import { createInProcessClient } from '../../../src/client/in-process-client.ts'
import { createNodeLifecycle } from '../../../src/controllers/node-lifecycle/controller.ts'
import { createRegistry } from '../../../src/registry/registry.ts'
import { createStepDriver } from '../../../src/runtime/step-driver.ts'
import { createStore } from '../../../src/store/memory-store.ts'

const t0 = Date.parse('2026-01-01T00:00:00Z')
const periodMs = 5_000
const graceMs = 20_000
const endMs = 150_000
const nodes = ['a', 'b', 'c']
/** In its own zone and never silent, so that not all zones are silent at once. */
const witness = 'w'

/** A heartbeat half a second after a whole second, never at the instant of a pass. */
interface Sign {
  readonly node: string
  readonly kind: 'lease' | 'status'
  readonly second: number
}

const sign = fc.record({
  node: fc.constantFrom(...nodes),
  kind: fc.constantFrom('lease' as const, 'lease' as const, 'status' as const),
  second: fc.integer({ min: 0, max: 120 }),
})
const signs = fc
  .uniqueArray(sign, { maxLength: 60, selector: ({ node, kind, second }) => `${node} ${kind} ${second}` })
  .map((list) => list.sort((a, b) => a.second - b.second))

/** Every pass checks every node, exactly as in upstream. */
function everyNodeInEveryPass(list: readonly Sign[]): readonly string[] {
  const fell: string[] = []
  for (const name of nodes) {
    let status = 'True'
    let heartbeat = -1
    let lease: number | undefined
    let saved: { probe: number; heartbeat: number; lease: number | undefined } | undefined
    for (let now = 0; now <= endMs; now += periodMs) {
      for (const { node, kind, second } of list) {
        const at = second * 1000 + 500
        if (node !== name || at > now || at <= now - periodMs) continue
        if (kind === 'lease') lease = second
        else [status, heartbeat] = ['True', second]
      }
      const savedLease = saved?.lease
      if (saved === undefined || saved.heartbeat !== heartbeat) saved = { probe: now, heartbeat, lease: undefined }
      if (lease !== undefined && (savedLease === undefined || savedLease < lease))
        saved = { ...saved, probe: now, lease }
      if (now < saved.probe + graceMs || status === 'Unknown') continue
      status = 'Unknown'
      saved = { ...saved, lease }
      fell.push(`${name} at ${now / 1000}s`)
    }
  }
  return fell.sort()
}

function asTheControllerHasIt(list: readonly Sign[]): readonly string[] {
  const clock = new VirtualClock(t0)
  const store = createStore()
  const random = createRandom('signs')
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  const call = (made: Call): KubeObject => {
    const outcome = client.callNow(made)
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    return outcome.object
  }
  const post = (name: string, heartbeat: string) => {
    const node = call({ verb: 'get', resource: 'nodes', name }) as Node
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: heartbeat, lastTransitionTime: heartbeat }]
    call({
      verb: 'update',
      resource: 'nodes',
      name,
      subresource: 'status',
      object: { ...node, status: { conditions } } as Node,
    })
  }
  const leases = 'leases.coordination.k8s.io'
  const renew = (name: string) => {
    const at = { resource: leases, namespace: 'kube-node-lease', name }
    const known = client.callNow({ verb: 'get', ...at })
    const spec = { holderIdentity: name, renewTime: formatMicroTime(clock.now()) }
    if (known.ok && known.kind === 'object')
      call({ verb: 'update', ...at, object: { ...known.object, spec } as KubeObject })
    else
      call({
        verb: 'create',
        resource: leases,
        namespace: 'kube-node-lease',
        object: { metadata: { name }, spec } as KubeObject,
      })
  }
  call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'kube-node-lease' } } })
  for (const name of [...nodes, witness]) {
    const labels = { 'topology.kubernetes.io/zone': name === witness ? 'other' : 'east' }
    call({ verb: 'create', resource: 'nodes', object: { metadata: { name, labels } } })
    post(name, formatTime(t0 - 1000))
  }
  const settings = { nodeMonitorPeriodMs: periodMs, nodeMonitorGracePeriodMs: graceMs, nodeEvictionRate: 100 }
  const controllers = [createNodeLifecycle(settings)]
  const driver = createStepDriver({ client, source: store, clock, random, controllers, events: 'drop' })
  const fell: string[] = []
  driver.onChanges((changes) => {
    for (const { resource, key, before, after } of changes) {
      if (resource !== 'nodes' || key === witness) continue
      const [was, is] = [before, after].map((node) =>
        findCondition((node as Node | undefined)?.status?.conditions, 'Ready'),
      )
      if (was?.status === 'True' && is?.status === 'Unknown') fell.push(`${key} at ${(clock.now() - t0) / 1000}s`)
    }
  })
  for (const { node, kind, second } of list) {
    const act = () => (kind === 'lease' ? renew(node) : post(node, formatTime(t0 + second * 1000)))
    driver.at(t0 + second * 1000 + 500, act)
  }
  for (let at = 2_500; at < endMs; at += 10_000) driver.at(t0 + at, () => renew(witness))
  driver.advanceTo(t0 + endMs)
  driver.close()
  return fell.sort()
}

test('a monitor that checks only nodes with possible changes finds the same as one that checks all nodes', () => {
  fc.assert(
    fc.property(signs, (list) => {
      expect(asTheControllerHasIt(list)).toEqual(everyNodeInEveryPass(list))
    }),
    { numRuns: 100 },
  )
})
