import { expect, it } from 'vitest'
import { describeClientContract } from '../../test/contracts/client-contract-suite.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createDefaultNamespace } from './default-namespace.fixture.ts'
import { createInProcessClient } from './in-process-client.ts'

function cluster() {
  const store = createStore()
  const clock = new VirtualClock(Date.parse('2026-01-01T00:00:00Z'))
  const client = createInProcessClient(createRegistry({ store, clock, random: createRandom('test') }))
  createDefaultNamespace(client)
  return { store, client }
}

describeClientContract('in process', () => {
  const { store, client } = cluster()
  return { client, expireHistory: () => store.compact(store.revision), close: () => {} }
})

it('an in-process client answers immediately with the stored object itself', () => {
  const { store, client } = cluster()
  const outcome = client.callNow({ verb: 'get', resource: 'namespaces', name: 'default' })
  expect(outcome.ok && outcome.kind === 'object' && outcome.object).toBe(store.get('namespaces', 'default'))
})

it('an in-process client delivers events within the write that caused them, but not before watch has returned', async () => {
  const { client } = cluster()
  const seen: string[] = []
  client.watch(
    { resource: 'namespaces' },
    (events) => {
      for (const event of events) if ('object' in event) seen.push(event.object.metadata.name)
    },
    () => {},
  )
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'early' } } })
  expect(seen).toEqual([])
  await Promise.resolve()
  expect(seen).toEqual(['default', 'early'])
  client.callNow({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'late' } } })
  expect(seen).toEqual(['default', 'early', 'late'])
})
