import { failure } from '../api/status.ts'
import type { Client } from './contract.ts'

/**
 * A client that writes only while it may. Whoever loses the right to act learns it from a timer, and a timer is late
 * when the process was: this asks at the moment of the write, which no delay can get past.
 */
export function createFencedClient(client: Client, mayWrite: () => boolean): Client {
  return {
    watch: (request, onEvents, onEnd) => client.watch(request, onEvents, onEnd),
    call: async (call) => {
      const isRead = call.verb === 'get' || call.verb === 'list'
      if (isRead || mayWrite()) return client.call(call)
      return failure('ServiceUnavailable', 'not written: the lease is no longer held')
    },
  }
}
