import type { Noted } from '../api/call.ts'
import type { Status } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import { encodeJson } from '../base/exact-json.ts'
import type { Caller } from '../registry/contract.ts'
import type { Route } from './route.ts'
import type { Flow } from './serving/flow-control.ts'

/** The head of a request, which is enough for authentication and authorization. */
export interface RequestHead {
  readonly method: string
  /** Decoded path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The values of headers that were sent several times or must not be joined. Absent: see `headers`. */
  readonly headerLists?: Readonly<Record<string, readonly string[] | undefined>> | undefined
  /** The address that the request came from. */
  readonly remoteAddress?: (() => string | undefined) | undefined
  /**
   * The subject of a verified client certificate. `invalid`: it was not issued here, is not for clients, or has
   * expired.
   */
  readonly certificate?: Caller | 'invalid' | undefined
  /** The common name of a proxy whose certificate was issued by the authority of proxies. */
  readonly frontProxy?: string | undefined
}

/** One request and its response, without sockets: the server is a function between the two. */
export interface ApiRequest extends RequestHead {
  readonly body: Uint8Array
}

/** Lists all members, so that all requests have the same hidden class and are read quickly. */
export const withBody = (head: RequestHead, body: Uint8Array): ApiRequest => ({
  method: head.method,
  path: head.path,
  query: head.query,
  headers: head.headers,
  remoteAddress: head.remoteAddress,
  headerLists: head.headerLists,
  certificate: head.certificate,
  frontProxy: head.frontProxy,
  body,
})

/** The first half of a request: authentication and authorization by the head, before the body is read. */
export type Admit = (head: RequestHead) => RequestAdmission

export type RequestAdmission = Refused | Admitted

interface Admissible {
  /** The parsed path, if it was parsed. */
  readonly route?: Route | undefined
  /** Identifies the request to its client, in the header Audit-Id of the response. */
  readonly auditId?: string
  /**
   * The sender of the request, the impersonated user, and the authorization decision. Absent: the sender is not known.
   */
  readonly identity?: RequestIdentity
}

export interface RequestIdentity {
  readonly authenticated: Caller
  readonly caller: Caller
  readonly decision?: { readonly allowed: boolean; readonly reason: string }
}

export interface Refused extends Admissible {
  readonly kind: 'refused'
  readonly response: FullResponse
}

export interface Admitted extends Admissible {
  readonly kind: 'admitted'
  readonly flow: Flow
  readonly answer: (body: Uint8Array) => ApiAnswer
}

/** Most answers are available without waiting. */
export type ApiAnswer = Promise<ApiResponse> | ApiResponse

/** Observes or changes an answer when it is available. */
export function whenAnswered(answer: ApiAnswer, then: (response: ApiResponse) => ApiResponse): ApiAnswer {
  return answer instanceof Promise ? answer.then(then) : then(answer)
}

export type ApiResponse = FullResponse | PiecesResponse | StreamResponse

export interface FullResponse extends Noted {
  readonly kind: 'full'
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
  /** The Status in the body, which clients may request in another encoding. */
  readonly status?: Status
}

/** A response that is too large for one string: each piece is created when the client has read the previous one. */
export interface PiecesResponse extends Noted {
  readonly kind: 'pieces'
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly pieces: Iterator<string | Uint8Array, undefined>
  /** The bytes kept in memory until the last piece is created. */
  readonly keptBytes: number
}

/** A response that continues until the client or the server ends it, such as a watch. */
export interface StreamResponse extends Noted {
  readonly kind: 'stream'
  readonly code: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Called when the head is sent. Returns a function to call when the client disconnects. */
  start(sink: StreamSink): () => void
}

export interface StreamSink {
  /** False if the stream is closed: the client disconnected, or too many bytes wait for it. */
  write(chunk: string | Uint8Array): boolean
  /** The client has not read the written data. Further writes should wait until `onDrain`. */
  readonly isFull: boolean
  /** Called each time the client has read the written data. */
  onDrain(callback: () => void): void
  /** Content of `bytes` that is kept until this client has read more. Content that several streams keep counts once. */
  keep(object: object, bytes: number): void
  unkeep(object: object): void
  end(): void
}

/** The response of upstream's router to a method that a path does not have. */
export const methodNotAllowed = failure(
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
  {},
)

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
    body: `${encodeJson(value)}\n`,
  }
}

/** A Status as JSON. The handler encodes it again for clients that request protobuf. */
export const statusResponse = (
  status: Status,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): FullResponse => ({ ...json(status.code ?? 200, status, headers), status })

/** The few responses that upstream writes for people: indented, and without a newline at the end. */
export const indentedJson = (value: unknown): FullResponse => ({
  kind: 'full',
  code: 200,
  headers: { 'content-type': 'application/json' },
  body: encodeJson(value, 2),
})
