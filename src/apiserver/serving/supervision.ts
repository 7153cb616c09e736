import type { Server } from 'node:http'
import { failure } from '../../api/status.ts'
import { json } from '../exchange.ts'
import type { Connection } from './connections.ts'
import { contextOf, respond, type ServerState } from './state.ts'

/** The maximum time that a client may pause in the middle of a body. */
const bodyStallMs = 20_000
/** Clients that have not read for this time are closed if other clients wait for memory. */
const readStallMs = 2_000

/**
 * Ends everything that takes too long: bodies that do not arrive, responses that clients do not read, requests that
 * wait for a seat.
 */
export function superviseEverySecond(state: ServerState): () => void {
  const { clock, limits, connections, budget, flow } = state
  let cancel = () => {}
  const supervise = () => {
    const now = clock.now()
    for (const connection of connections) {
      const age = now - connection.since
      if (connection.phase === 'body') {
        if (age > limits.requestTimeoutMs || now - connection.progressAt > bodyStallMs)
          answerLateBody(connection, state)
      } else if (connection.phase === 'response' && age > limits.requestTimeoutMs) connection.response?.destroy()
    }
    if (flow.isWaiting) {
      budget.makeRoom(readStallMs)
      flow.dispatch()
    }
    cancel = clock.at(now + 1_000, supervise)
  }
  cancel = clock.at(clock.now() + 1_000, supervise)
  return () => cancel()
}

/** The response of upstream to a request that takes longer than --request-timeout (apiserver, filters, WithTimeout). */
function answerLateBody(connection: Connection, state: ServerState): void {
  const { response } = connection
  if (response === undefined || response.headersSent) return
  const { status } = failure('Timeout', 'Timeout: request did not complete within the allotted timeout')
  response.setHeader('connection', 'close')
  respond(response, json(504, status), contextOf(connection, state, false))
}

/** The maximum time for a client to read or send the rest while the server stops. */
const stopGraceMs = 1_000

export async function closeServer(server: Server, state: ServerState): Promise<void> {
  const { clock, connections, streams } = state
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const end of [...streams]) end()
  const drained = connections.drain()
  const cancel = clock.at(clock.now() + stopGraceMs, () => connections.destroyAll())
  await Promise.all([closed, drained])
  cancel()
}
