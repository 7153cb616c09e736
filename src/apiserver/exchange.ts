import type { Caller } from '../registry/contract.ts'

/** One request and its answer, without sockets: the server is a function between the two. */
export interface ApiRequest {
  readonly method: string
  /** Decoded path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The subject of a verified client certificate. */
  readonly certificate?: Caller
}

export type ApiResponse = FullResponse | StreamResponse

export interface FullResponse {
  readonly kind: 'full'
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
}

/** A response without an end of its own, such as a watch. */
export interface StreamResponse {
  readonly kind: 'stream'
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Called once the head is sent. Returns what to do when the client goes away. */
  start(sink: StreamSink): () => void
}

export interface StreamSink {
  /** False when the client does not keep up and `limit` bytes wait for it: the stream has then been closed. */
  write(chunk: string | Uint8Array): boolean
  end(): void
}

export function text(code: number, body: string, headers: Readonly<Record<string, string>> = {}): FullResponse {
  return { kind: 'full', code, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body }
}

export function json(
  code: number,
  value: unknown,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): FullResponse {
  return {
    kind: 'full',
    code,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(value)}\n`,
  }
}

/** The few answers that upstream writes for people: indented, and without a line end. */
export const indentedJson = (value: unknown): FullResponse => ({
  kind: 'full',
  code: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value, undefined, 2),
})
