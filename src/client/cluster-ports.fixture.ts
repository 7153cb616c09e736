import type { Call } from '../api/call.ts'
import { createRandom } from '../base/random.ts'
import { VirtualClock } from '../base/virtual-clock.ts'
import { createRegistry } from '../registry/registry.ts'
import { createStore } from '../store/memory-store.ts'
import { createInProcessClient } from './in-process-client.ts'

export const start = Date.parse('2026-01-01T00:00:00Z')

/**
 * The parts that a driver needs: a store with these namespaces, its client, a virtual clock, and calls that must
 * succeed.
 */
export function clusterPorts(namespaces: readonly string[] = ['default'], seed = 'test') {
  const store = createStore()
  const clock = new VirtualClock(start)
  const random = createRandom(seed)
  const client = createInProcessClient(createRegistry({ store, clock, random }))
  const must = (call: Call) => {
    const outcome = client.callNow(call)
    if (!outcome.ok) throw new Error(outcome.status.message)
    return outcome
  }
  for (const name of namespaces) must({ verb: 'create', resource: 'namespaces', object: { metadata: { name } } })
  return { store, clock, random, client, must }
}
