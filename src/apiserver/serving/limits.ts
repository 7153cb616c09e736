import type { FlowLimits } from './flow-control.ts'

export interface ServerLimits extends FlowLimits {
  /** kube-apiserver's --max-resource-write-bytes: 3 MiB. */
  readonly bodyBytes: number
  readonly headerBytes: number
  /** The maximum bytes that wait for one client that does not read its stream. */
  readonly streamBufferBytes: number
  /** The maximum bytes that wait for all clients: unread responses, incomplete bodies, events of slow watchers. */
  readonly bytesInFlight: number
  readonly connections: number
  /** Connections without an accepted request. */
  readonly unprovenConnections: number
  /** --request-timeout: the maximum time for a client to send a request, or to read the response. */
  readonly requestTimeoutMs: number
  readonly handshakeTimeoutMs: number
}

export const defaultLimits: ServerLimits = {
  bodyBytes: 3 * 1024 * 1024,
  headerBytes: 128 * 1024,
  streamBufferBytes: 16 * 1024 * 1024,
  bytesInFlight: 64 * 1024 * 1024,
  readsInFlight: 400,
  writesInFlight: 200,
  // A queue of upstream's default priority level has room for 50 requests; a request waits for a quarter of its
  // timeout.
  queueLength: 50,
  queueWaitMs: 15_000,
  connections: 10_000,
  unprovenConnections: 1_000,
  requestTimeoutMs: 60_000,
  handshakeTimeoutMs: 10_000,
}
