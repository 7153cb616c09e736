import type { ServerResponse } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { MetricRegistry } from '../../base/metrics.ts'
import type { ApiResponse, StreamSink } from '../exchange.ts'
import { ByteBudget } from './byte-budget.ts'
import { type Connection, Connections } from './connections.ts'
import { FlowControl, type FlowRejection } from './flow-control.ts'
import type { ServerLimits } from './limits.ts'
import { registerServerMetrics } from './metrics.ts'
import { type ResponseContext, sendFull, sendPieces, startStream } from './responses.ts'

/** The current state of the server for its clients. */
export interface ServerLoad {
  readonly connections: number
  readonly unprovenConnections: number
  readonly bytesInFlight: number
  /** The number of responses and bodies that were aborted to stay within the budget. */
  readonly cutOff: number
  readonly readsInFlight: number
  readonly writesInFlight: number
  readonly readsInQueue: number
  readonly writesInQueue: number
  readonly rejected: Readonly<Record<FlowRejection, number>>
  readonly streams: number
}

export interface ServerState {
  readonly clock: Clock
  readonly limits: ServerLimits
  readonly connections: Connections
  readonly budget: ByteBudget
  readonly flow: FlowControl
  /** Functions that end the open streams. */
  readonly streams: Set<() => void>
}

export function createState(clock: Clock, limits: ServerLimits, metrics: MetricRegistry | undefined): ServerState {
  const now = () => clock.now()
  const budget = new ByteBudget({ limit: limits.bytesInFlight, now })
  const flow = new FlowControl({ limits, now, hasRoom: () => budget.hasRoom })
  const state: ServerState = {
    clock,
    limits,
    connections: new Connections({ unproven: limits.unprovenConnections }),
    budget,
    flow,
    streams: new Set(),
  }
  if (metrics !== undefined) registerServerMetrics(metrics, () => loadOf(state))
  return state
}

export function loadOf({ connections, budget, flow, streams }: ServerState): ServerLoad {
  return {
    connections: connections.size,
    unprovenConnections: connections.unprovenCount,
    bytesInFlight: budget.total,
    cutOff: budget.closedCount,
    readsInFlight: flow.inFlight('readOnly'),
    writesInFlight: flow.inFlight('mutating'),
    readsInQueue: flow.inQueue('readOnly'),
    writesInQueue: flow.inQueue('mutating'),
    rejected: { ...flow.rejected },
    streams: streams.size,
  }
}

export function contextOf(connection: Connection, state: ServerState, headOnly: boolean): ResponseContext {
  const { budget, clock, limits, streams } = state
  const { streamBufferBytes } = limits
  return { budget, clock, connection, streamBufferBytes, streams, headOnly, auditId: undefined, flow: undefined }
}

const closedSink: StreamSink = {
  write: () => false,
  isFull: true,
  onDrain: () => {},
  keep: () => {},
  unkeep: () => {},
  end: () => {},
}

export function respond(outgoing: ServerResponse, response: ApiResponse, context: ResponseContext): void {
  const { connection, clock } = context
  if (outgoing.destroyed) {
    // The client disconnected while its request was handled: a watch has already started and must be ended.
    if (response.kind === 'stream') response.start(closedSink)()
    return
  }
  connection.phase = response.kind === 'stream' ? 'stream' : 'response'
  connection.since = connection.progressAt = clock.now()
  if (response.kind === 'full') sendFull(outgoing, response, context)
  else if (response.kind === 'pieces') sendPieces(outgoing, response, context)
  else startStream(outgoing, response, context)
}
