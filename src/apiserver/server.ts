import { constants } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { failure } from '../api/status.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import { restOfTurn } from '../store/journal/turn.ts'
import { createIssuerCheck } from './access/request-header.ts'
import type { Admit, Admitted, ApiResponse, RequestHead } from './exchange.ts'
import { json } from './exchange.ts'
import { discardBody, emptyBody, hasBody, readBody } from './serving/bodies.ts'
import type { Connection } from './serving/connections.ts'
import type { FlowControl } from './serving/flow-control.ts'
import { defaultLimits, type ServerLimits } from './serving/limits.ts'
import { contextOf, createState, loadOf, respond, type ServerLoad, type ServerState } from './serving/state.ts'
import { closeServer, superviseEverySecond } from './serving/supervision.ts'

/** Converts connections to requests and responses, and enforces their limits. */
export interface ServerOptions {
  readonly admit: Admit
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly tls?: {
    readonly certificate: string
    readonly key: string
    readonly ca: string
    /** Certificate authorities of proxies that name the caller. */
    readonly proxyCa?: string
  }
  readonly clock: Clock
  readonly log: Logger
  readonly metrics?: MetricRegistry
  readonly limits?: Partial<ServerLimits>
  /** Called when the server starts to stop: from now on it is not ready. */
  readonly onStop?: () => void
}

export type { ServerLimits }

export interface RunningServer {
  readonly host: string
  readonly port: number
  readonly url: string
  load(): ServerLoad
  /**
   * Stops accepting connections, closes idle connections, ends watches, and waits for requests in flight, but not for
   * clients that neither read nor send.
   */
  close(): Promise<void>
}

export async function serve(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...options.limits }
  const state = createState(options.clock, limits, options.metrics)
  const { connections } = state
  const serving: Serving = { state, options, identify: createIdentify(options.tls), expectsContinue: false }
  const servingContinue: Serving = { ...serving, expectsContinue: true }
  const listener = (incoming: http.IncomingMessage, outgoing: http.ServerResponse) =>
    receive(incoming, outgoing, serving)
  const server = createServer(options, limits, listener)
  server.maxConnections = limits.connections
  // The size of the headers is limited instead of their number: Node silently drops headers above the number.
  server.maxHeadersCount = 0
  server.on('connection', (socket: Socket) => connections.add(socket))
  server.on('secureConnection', (socket: Socket) => connections.secured(socket))
  server.on('checkContinue', (incoming: http.IncomingMessage, outgoing: http.ServerResponse) =>
    receive(incoming, outgoing, servingContinue),
  )
  server.on('connect', (_, socket) => socket.end(plainAnswer('405 Method Not Allowed')))
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    options.log.debug({ error: error.message }, 'TLS handshake failed')
    const tcp = connections.ofPeer(socket)?.tcp
    if (error.code === 'ERR_SSL_HTTP_REQUEST') tcp?.end(plainHttpAnswer)
    else tcp?.destroy()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket, state))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const stopWatching = superviseEverySecond(state)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host
  let closing: Promise<void> | undefined
  return {
    host: options.host,
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${shown === '0.0.0.0' ? '127.0.0.1' : shown}:${port}`,
    load: () => loadOf(state),
    close: () => {
      if (closing === undefined) {
        options.onStop?.()
        closing = closeServer(server, state).finally(stopWatching)
      }
      return closing
    },
  }
}

function createServer(
  { tls }: ServerOptions,
  limits: ServerLimits,
  listener: http.RequestListener,
): http.Server | https.Server {
  const settings = {
    keepAliveTimeout: 120_000,
    // Upstream's ReadHeaderTimeout.
    headersTimeout: Math.min(32_000, limits.requestTimeoutMs),
    // The server itself answers a late body; this closes the remaining connection.
    requestTimeout: limits.requestTimeoutMs + 5_000,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: limits.headerBytes,
    noDelay: true,
  }
  if (tls === undefined) return http.createServer(settings, listener)
  return https.createServer(
    {
      ...settings,
      cert: tls.certificate,
      key: tls.key,
      ca: tls.proxyCa === undefined ? tls.ca : [tls.ca, tls.proxyCa],
      // Certificates are optional, because a token identifies a client as well.
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: limits.handshakeTimeoutMs,
      // As in Go's server, which does not support renegotiation.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    },
    listener,
  )
}

const plainAnswer = (status: string, body = '') =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body === '' ? status : body}`

/** The response has the text of Go's server. */
const plainHttpAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n'

function answerClientError(error: NodeJS.ErrnoException, socket: Socket, { connections }: ServerState): void {
  const connection = connections.of(socket)
  // Node reports failed handshakes here as well.
  if (connection === undefined) return
  // A browser opens connections in advance: an unused one is closed, as in Go's server. A response would be taken for
  // the response to the next request. A response cannot follow a response that has started, either.
  const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || connection.response?.headersSent === true
  if (isSilent || !socket.writable) socket.destroy()
  else if (error.code === 'HPE_HEADER_OVERFLOW') socket.end(plainAnswer('431 Request Header Fields Too Large'))
  else socket.end(plainAnswer('400 Bad Request'))
}

/** The number of requests that a client may send on one connection without waiting for responses. */
const maxPipelined = 100

function receive(incoming: http.IncomingMessage, outgoing: http.ServerResponse, serving: Serving): void {
  const { state } = serving
  const connection = state.connections.of(incoming.socket)
  if (connection === undefined) return void incoming.socket.destroy()
  const begin = () => {
    connection.response = outgoing
    void exchange(incoming, outgoing, connection, serving)
  }
  outgoing.on('close', () => {
    if (connection.response !== outgoing) return
    connection.response = undefined
    connection.phase = 'idle'
    if (state.connections.isClosing) incoming.socket.destroySoon()
    else connection.waiting.shift()?.()
  })
  if (connection.response === undefined) begin()
  else if (connection.waiting.length < maxPipelined) connection.waiting.push(begin)
  else incoming.socket.destroy()
}

interface Serving {
  readonly state: ServerState
  readonly options: ServerOptions
  readonly identify: Identify
  readonly expectsContinue: boolean
}

async function exchange(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  connection: Connection,
  serving: Serving,
): Promise<void> {
  const { state, options } = serving
  const { limits, connections } = state
  const context = contextOf(connection, state, incoming.method === 'HEAD')
  try {
    const admission = options.admit(toHead(incoming, serving.identify))
    context.auditId = admission.auditId
    if (admission.kind === 'refused') {
      if (hasBody(incoming)) discardBody(incoming, limits.bodyBytes)
      return respond(outgoing, admission.response, context)
    }
    context.flow = admission.flow.matched
    connections.prove(connection)
    const body = hasBody(incoming) ? await bodyOf(incoming, outgoing, connection, serving) : emptyBody
    if (body === 'aborted' || outgoing.headersSent) return
    if (body === 'too-large') {
      discardBody(incoming, limits.bodyBytes)
      const message = `Request entity too large: limit is ${limits.bodyBytes}`
      return respond(outgoing, json(413, failure('RequestEntityTooLarge', message).status), context)
    }
    connection.phase = 'handling'
    const handled = handle(admission, body, state, outgoing)
    const response = handled instanceof Promise ? await handled : handled
    // Node sends the events of this turn at its end. Controllers read their own writes from their caches.
    if (admission.flow.kind === 'mutating') await restOfTurn()
    if (response !== undefined) respond(outgoing, response, context)
  } catch (error) {
    options.log.error(
      {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        path: incoming.url?.split('?')[0],
      },
      'request failed',
    )
    if (outgoing.headersSent) return void outgoing.destroy()
    const { status } = failure('InternalError', 'Internal error occurred: the request could not be completed')
    respond(outgoing, json(500, status), context)
  }
}

function bodyOf(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  connection: Connection,
  { state, expectsContinue }: Serving,
) {
  const now = () => state.clock.now()
  connection.phase = 'body'
  connection.since = connection.progressAt = now()
  if (expectsContinue) outgoing.writeContinue()
  return readBody(incoming, { limit: state.limits.bodyBytes, budget: state.budget, connection, now })
}

/**
 * A request takes a seat only while it is complete and being handled, so slow clients do not block seats. Undefined:
 * the client disconnected.
 */
function handle(
  admitted: Admitted,
  body: Uint8Array,
  { flow }: ServerState,
  outgoing: http.ServerResponse,
): Promise<ApiResponse | undefined> | ApiResponse | undefined {
  const waits = flow.enter(admitted.flow)
  if (waits === undefined) return handleSeated(admitted, body, flow, outgoing)
  return waits.then((rejection) =>
    rejection === undefined ? handleSeated(admitted, body, flow, outgoing) : tooManyRequests(),
  )
}

function handleSeated(
  admitted: Admitted,
  body: Uint8Array,
  flow: FlowControl,
  outgoing: http.ServerResponse,
): Promise<ApiResponse> | ApiResponse | undefined {
  let made: Promise<ApiResponse> | ApiResponse | undefined
  try {
    made = outgoing.destroyed ? undefined : admitted.answer(body)
  } finally {
    if (!(made instanceof Promise)) flow.leave(admitted.flow)
  }
  return made instanceof Promise ? made.finally(() => flow.leave(admitted.flow)) : made
}

function tooManyRequests(): ApiResponse {
  const message = 'The request could not be completed because too many requests are in flight, please try again later.'
  const { status } = failure('TooManyRequests', message, { retryAfterSeconds: 1 })
  return json(429, status, { 'retry-after': '1' })
}

/** Never changed. */
const noQuery = new URLSearchParams()

function toHead(incoming: http.IncomingMessage, identify: Identify): RequestHead {
  const url = incoming.url ?? '/'
  const mark = url.indexOf('?')
  const rawPath = mark < 0 ? url : url.slice(0, mark)
  const peer = identify(incoming.socket as TLSSocket)
  const lists = peer.frontProxy === undefined ? headerLists(incoming) : incoming.headersDistinct
  return {
    method: incoming.method ?? 'GET',
    path: rawPath.includes('%') ? decodePath(rawPath) : rawPath,
    query: mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1)),
    headers: incoming.headers as Record<string, string | undefined>,
    remoteAddress: () => incoming.socket.remoteAddress,
    headerLists: lists,
    certificate: peer.certificate,
    frontProxy: peer.frontProxy,
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

type Peer = Pick<RequestHead, 'certificate' | 'frontProxy'>
type Identify = (socket: TLSSocket) => Peer

const noPeer: Peer = {}

/** The caller of a connection. Read once, because reading a certificate is slow. */
function createIdentify(tls: ServerOptions['tls']): Identify {
  const known = new WeakMap<TLSSocket, Peer>()
  const isClient = tls?.proxyCa === undefined ? undefined : createIssuerCheck(tls.ca)
  const isProxy = tls?.proxyCa === undefined ? undefined : createIssuerCheck(tls.proxyCa)
  const read = (socket: TLSSocket): Peer => {
    const certificate = holderOf(socket.getPeerCertificate(), socket.authorized)
    if (certificate === undefined || certificate === 'invalid')
      return certificate === undefined ? noPeer : { certificate }
    const issued = isProxy === undefined ? undefined : socket.getPeerX509Certificate()
    if (issued === undefined || isProxy?.(issued) !== true) return { certificate }
    const frontProxy = certificate.name
    return isClient?.(issued) === true ? { certificate, frontProxy } : { frontProxy }
  }
  return (socket) => {
    if (socket.getPeerCertificate === undefined) return noPeer
    let peer = known.get(socket)
    if (peer === undefined) {
      peer = read(socket)
      known.set(socket, peer)
    }
    return peer
  }
}

const uidAttribute = '1.3.6.1.4.1.57683.2'

/** The caller of a certificate (apiserver, request/x509, CommonNameUserConversion). */
function holderOf({ subject, fingerprint256 }: PeerCertificate, isVerified: boolean): RequestHead['certificate'] {
  if (fingerprint256 === undefined) return undefined
  if (!isVerified) return 'invalid'
  const attributes = (subject ?? {}) as unknown as Readonly<Record<string, string | readonly string[] | undefined>>
  const valuesOf = (name: string): readonly string[] => [attributes[name] ?? []].flat()
  const name = valuesOf('CN').at(-1) ?? ''
  if (name === '') return undefined
  const uids = valuesOf(uidAttribute)
  if (uids.length > 1 || uids[0] === '') return 'invalid'
  const id = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`
  return {
    name,
    groups: valuesOf('O'),
    ...(uids[0] === undefined ? {} : { uid: uids[0] }),
    extra: { 'authentication.kubernetes.io/credential-id': [id] },
  }
}

/** Groups and extra values may contain commas, so they are split only if they were sent as separate headers. */
function headerLists(incoming: http.IncomingMessage): RequestHead['headerLists'] {
  for (const name in incoming.headers) if (name.startsWith('impersonate-')) return incoming.headersDistinct
  return undefined
}
