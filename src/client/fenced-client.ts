import { failure } from '../api/status.ts'
import type { Client } from './contract.ts'

const notWritten = 'not written: the lease is no longer held'

/**
 * A client that writes only while it holds the lease. A timer tells a process that it lost the lease. The timer is late
 * if the process was suspended, so the lease is checked immediately before each write. A client that delays calls (rate
 * limit, Retry-After, credentials) checks again after the delay.
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
