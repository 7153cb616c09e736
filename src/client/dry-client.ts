import type { Call, Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import type { Client } from './contract.ts'

/** A client that reads but does not write: it passes every write to `onWrite` and answers as if the write succeeded. */
export function createDryClient(client: Client, onWrite: (call: Call) => void): Client {
  return {
    watch: (request, onEvents, onEnd) => client.watch(request, onEvents, onEnd),
    call: async (call) => {
      if (call.verb === 'get' || call.verb === 'list') return client.call(call)
      onWrite(call)
      return pretended(call)
    },
  }
}

function pretended(call: Exclude<Call, { verb: 'get' | 'list' }>): Outcome {
  if (call.verb === 'create' || call.verb === 'update') return { ok: true, kind: 'object', object: call.object }
  const named = call.verb === 'deletecollection' ? '' : call.name
  const object: KubeObject = {
    metadata: { name: named, ...(call.namespace === undefined ? {} : { namespace: call.namespace }) },
  }
  return { ok: true, kind: 'object', object }
}
