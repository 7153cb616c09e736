import { describe, expect, it } from 'vitest'
import { createFaultyClient, type Fault } from '../../test/doubles/faulty-client.ts'
import type { Call } from '../api/call.ts'
import type { Pod } from '../api/objects/pod.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createDefaultNamespace } from './default-namespace.fixture.ts'
import { createFencedClient } from './fenced-client.ts'
import { createInProcessClient } from './in-process-client.ts'
import { createReadBackClient } from './read-back-client.ts'

function cluster(fault: (call: Call) => Fault = () => 'none') {
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const inside = createInProcessClient(createRegistry({ store: createStore(), clock, random: createRandom('test') }))
  createDefaultNamespace(inside)
  const pod = { metadata: { name: 'p', namespace: 'default' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const made = inside.callNow({ verb: 'create', resource: 'pods', namespace: 'default', object: pod })
  if (!made.ok || made.kind !== 'object') throw new Error('no pod')
  const { uid } = made.object.metadata
  const faulty = createFaultyClient(inside, fault)
  let isNeeded = true
  const client = createReadBackClient({
    client: faulty,
    clock,
    random: createRandom('waits').stream('read back'),
    isNeeded: () => isNeeded,
  })
  const giveUp = () => {
    isNeeded = false
  }
  return { clock, inside, faulty, client, giveUp, uid: uid as string }
}

const binding = (node: string, uid: string): Call => ({
  verb: 'create',
  resource: 'pods',
  namespace: 'default',
  name: 'p',
  subresource: 'binding',
  object: {
    metadata: { name: 'p', namespace: 'default', uid },
    target: { kind: 'Node', name: node },
  } as never,
})
const deletion = (uid: string): Call => ({
  verb: 'delete',
  resource: 'pods',
  namespace: 'default',
  name: 'p',
  options: { gracePeriodSeconds: 0, preconditions: { uid } },
})
const isWrite = (call: Call) => call.verb !== 'get'

describe('a write whose response was lost', () => {
  it('reports success of a bind that was executed but whose response was lost', async () => {
    const { client, uid } = cluster((call) => (isWrite(call) ? 'answer-lost' : 'none'))
    expect(await client.call(binding('n1', uid))).toMatchObject({ ok: true })
  })

  it('reports the failure of a bind that did not reach the server', async () => {
    const { client, uid, inside } = cluster((call) => (isWrite(call) ? 'refused' : 'none'))
    expect(await client.call(binding('n1', uid))).toMatchObject({ ok: false, status: { reason: 'InternalError' } })
    const read = inside.callNow({ verb: 'get', resource: 'pods', namespace: 'default', name: 'p' })
    expect(read.ok && read.kind === 'object' && (read.object as Pod).spec.nodeName).toBeFalsy()
  })

  it('reports success of a bind that was sent twice and whose second request conflicts with the first', async () => {
    const { client, inside, uid } = cluster()
    inside.callNow(binding('n1', uid))
    expect(await client.call(binding('n1', uid))).toMatchObject({ ok: true })
    expect(await client.call(binding('n2', uid))).toMatchObject({ ok: false, status: { reason: 'Conflict' } })
  })

  it('reports a conflict of a lost bind if the pod was replaced by another pod with the same name', async () => {
    const { client, inside } = cluster((call) => (isWrite(call) ? 'refused' : 'none'))
    inside.callNow(binding('n1', ''))
    expect(await client.call(binding('n1', 'another'))).toMatchObject({ ok: false, status: { reason: 'Conflict' } })
  })

  it('reports whether a lost delete was executed', async () => {
    const lost = cluster((call) => (isWrite(call) ? 'answer-lost' : 'none'))
    expect(await lost.client.call(deletion(lost.uid))).toMatchObject({ ok: false, status: { reason: 'NotFound' } })
    const refused = cluster((call) => (isWrite(call) ? 'refused' : 'none'))
    expect(await refused.client.call(deletion(refused.uid))).toMatchObject({
      ok: false,
      status: { reason: 'InternalError' },
    })
  })

  it('reads the object of a lost write until it gets an answer, and stops when the result is no longer needed', async () => {
    let reads = 0
    const { client, clock, uid } = cluster((call) => {
      if (isWrite(call)) return 'answer-lost'
      return ++reads < 5 ? 'refused' : 'none'
    })
    const outcome = client.call(binding('n1', uid))
    for (let i = 0; i < 100; i++) {
      await Promise.resolve()
      clock.advanceTo(clock.now() + 1000)
    }
    expect(await outcome).toMatchObject({ ok: true })
    expect(reads).toBe(5)

    const given = cluster((call) => (isWrite(call) ? 'answer-lost' : 'none'))
    given.giveUp()
    expect(await given.client.call(binding('n1', given.uid))).toMatchObject({
      ok: false,
      status: { reason: 'Timeout' },
    })
  })
})

describe('a fenced client', () => {
  it('a fenced client always reads, and writes only while it may write', async () => {
    const { inside, uid } = cluster()
    let may = true
    const fenced = createFencedClient(inside, () => may)
    may = false
    expect(await fenced.call(deletion(uid))).toMatchObject({ ok: false, status: { reason: 'ServiceUnavailable' } })
    expect(await fenced.call({ verb: 'get', resource: 'pods', namespace: 'default', name: 'p' })).toMatchObject({
      ok: true,
    })
    may = true
    expect(await fenced.call(deletion(uid))).toMatchObject({ ok: true })
  })
})
