import { failure } from '../api/status.ts'
import type { Client } from './contract.ts'

const notWritten = 'not written: the lease is no longer held'

/**
 * A client that writes only while it may. Whoever loses the right to act learns it from a timer, and a timer is late
 * when the process was: this asks at the moment of the write, which no delay can get past. A client that lets calls wait
 * (for a rate limit, for a server that said "later", for credentials) asks once more when the wait is over.
 */
export function createFencedClient(client: Client, mayWrite: () => boolean): Client {
  return {
    watch: (request, onEvents, onEnd) => client.watch(request, onEvents, onEnd),
    call: async (call) => {
      const isRead = call.verb === 'get' || call.verb === 'list'
      if (isRead) return client.call(call)
      return mayWrite() ? client.call(call, mayWrite) : failure('ServiceUnavailable', notWritten)
    },
  }
}
