import * as http from 'node:http'
import * as https from 'node:https'
import type { Duplex } from 'node:stream'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { failure } from '../api/status.ts'
import type { Logger } from '../base/log.ts'
import type { ApiRequest, ApiResponse, StreamSink } from './exchange.ts'
import { json } from './exchange.ts'

/** The one file with sockets: it turns connections into exchanges and keeps their limits. */
export interface ServerOptions {
  readonly handle: (request: ApiRequest) => Promise<ApiResponse> | ApiResponse
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly tls?: { readonly certificate: string; readonly key: string; readonly ca: string }
  readonly log: Logger
  readonly limits?: Partial<ServerLimits>
  /** A console, or whatever else wants to upgrade or answer before the API does. */
  readonly onUpgrade?: (request: http.IncomingMessage, socket: Duplex) => void
}

export interface ServerLimits {
  /** kube-apiserver's --max-resource-write-bytes: 3 MiB. */
  readonly bodyBytes: number
  /** What may wait for a client that does not read before its stream is closed. */
  readonly streamBufferBytes: number
  /** --max-requests-inflight and --max-mutating-requests-inflight. */
  readonly readsInFlight: number
  readonly writesInFlight: number
  readonly connections: number
  /** How long a client may take to send a request. */
  readonly requestTimeoutMs: number
}

export const defaultLimits: ServerLimits = {
  bodyBytes: 3 * 1024 * 1024,
  streamBufferBytes: 16 * 1024 * 1024,
  readsInFlight: 400,
  writesInFlight: 200,
  connections: 10_000,
  requestTimeoutMs: 60_000,
}

export interface RunningServer {
  readonly host: string
  readonly port: number
  readonly url: string
  /** Stops accepting, ends watches, waits for requests in flight. */
  close(): Promise<void>
}

export async function serve(options: ServerOptions): Promise<RunningServer> {
  const limits = { ...defaultLimits, ...options.limits }
  const streams = new Set<() => void>()
  const inFlight = { reads: 0, writes: 0 }
  const listener = (incoming: http.IncomingMessage, outgoing: http.ServerResponse) => {
    void exchange(incoming, outgoing, { options, limits, streams, inFlight })
  }
  const settings = {
    keepAliveTimeout: 120_000,
    headersTimeout: 30_000,
    requestTimeout: limits.requestTimeoutMs,
    noDelay: true,
  }
  const server =
    options.tls === undefined
      ? http.createServer(settings, listener)
      : https.createServer(
          {
            ...settings,
            cert: options.tls.certificate,
            key: options.tls.key,
            ca: options.tls.ca,
            // Certificates are optional: a token identifies a client as well.
            requestCert: true,
            rejectUnauthorized: false,
            minVersion: 'TLSv1.2',
            ALPNProtocols: ['http/1.1'],
          },
          listener,
        )
  server.maxConnections = limits.connections
  if (options.onUpgrade !== undefined) server.on('upgrade', options.onUpgrade)
  server.on('tlsClientError', (error) => options.log.debug({ error: error.message }, 'TLS handshake failed'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A browser opens connections ahead of need: one that waited in vain is closed, as Go's server closes it. An answer
    // would be taken for that of the request which is sent just then.
    const isIdle = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (!isIdle && socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    host: options.host,
    port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${shown === '0.0.0.0' ? '127.0.0.1' : shown}:${port}`,
    close: () =>
      new Promise((resolve) => {
        for (const end of [...streams]) end()
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

interface Connection {
  readonly options: ServerOptions
  readonly limits: ServerLimits
  readonly streams: Set<() => void>
  readonly inFlight: { reads: number; writes: number }
}

async function exchange(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  context: Connection,
): Promise<void> {
  const { options, limits, inFlight } = context
  const kind = incoming.method === 'GET' || incoming.method === 'HEAD' ? 'reads' : 'writes'
  const limit = kind === 'reads' ? limits.readsInFlight : limits.writesInFlight
  if (inFlight[kind] >= limit) {
    const busy = failure(
      'TooManyRequests',
      'The request could not be completed because too many requests are in flight, please try again later.',
      { retryAfterSeconds: 1 },
    )
    incoming.resume()
    return send(outgoing, json(429, busy.status, { 'retry-after': '1' }))
  }
  inFlight[kind]++
  try {
    const body = await readBody(incoming, limits.bodyBytes)
    if (body === 'too-large') {
      const message = `Request entity too large: limit is ${limits.bodyBytes}`
      outgoing.setHeader('connection', 'close')
      return send(outgoing, json(413, failure('RequestEntityTooLarge', message).status))
    }
    if (body === 'aborted') return
    const response = await options.handle(toRequest(incoming, body))
    if (response.kind === 'full') return send(outgoing, response, incoming.method === 'HEAD')
    stream(outgoing, response, context)
  } catch (error) {
    options.log.error(
      { error: error instanceof Error ? (error.stack ?? error.message) : String(error), path: incoming.url },
      'request failed',
    )
    if (!outgoing.headersSent)
      send(
        outgoing,
        json(500, failure('InternalError', 'Internal error occurred: the request could not be completed').status),
      )
    else outgoing.destroy()
  } finally {
    inFlight[kind]--
  }
}

const emptyBody = new Uint8Array(0)

function readBody(incoming: http.IncomingMessage, limit: number): Promise<Uint8Array | 'too-large' | 'aborted'> {
  const declared = incoming.headers['content-length']
  if (declared === '0' || (declared === undefined && incoming.headers['transfer-encoding'] === undefined)) {
    incoming.resume()
    return Promise.resolve(emptyBody)
  }
  if (declared !== undefined && Number(declared) > limit) {
    incoming.resume()
    return Promise.resolve('too-large')
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        incoming.removeAllListeners('data')
        incoming.resume()
        resolve('too-large')
      } else chunks.push(chunk)
    })
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    incoming.on('error', () => resolve('aborted'))
    incoming.on('close', () => resolve('aborted'))
  })
}

function toRequest(incoming: http.IncomingMessage, body: Uint8Array): ApiRequest {
  const url = incoming.url ?? '/'
  const mark = url.indexOf('?')
  const rawPath = mark < 0 ? url : url.slice(0, mark)
  const certificate = certificateOf(incoming.socket as TLSSocket)
  return {
    method: incoming.method ?? 'GET',
    path: rawPath.includes('%') ? decodePath(rawPath) : rawPath,
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers: incoming.headers as Record<string, string | undefined>,
    body,
    ...(certificate === undefined ? {} : { certificate }),
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The verified client certificate of a connection, looked at once: reading it is slow. */
const certificates = new WeakMap<TLSSocket, NonNullable<ApiRequest['certificate']> | 'none'>()

function certificateOf(socket: TLSSocket): ApiRequest['certificate'] {
  if (socket.getPeerCertificate === undefined) return undefined
  let known = certificates.get(socket)
  if (known === undefined) {
    known = socket.authorized ? (holderOf(socket.getPeerCertificate()) ?? 'none') : 'none'
    certificates.set(socket, known)
  }
  return known === 'none' ? undefined : known
}

function holderOf({ subject, fingerprint256 }: PeerCertificate): ApiRequest['certificate'] {
  if (subject === undefined) return undefined
  const id = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`
  return {
    name: String(subject.CN ?? ''),
    groups: subject.O === undefined ? [] : [subject.O].flat(),
    extra: { 'authentication.kubernetes.io/credential-id': [id] },
  }
}

function send(outgoing: http.ServerResponse, response: Extract<ApiResponse, { kind: 'full' }>, headOnly = false): void {
  const { body } = response
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
  outgoing.writeHead(response.code, { ...response.headers, 'content-length': length } as http.OutgoingHttpHeaders)
  // Node sends a text together with the head in one write, and bytes in a second one.
  outgoing.end(headOnly ? undefined : body)
}

function stream(
  outgoing: http.ServerResponse,
  response: Extract<ApiResponse, { kind: 'stream' }>,
  context: Connection,
): void {
  outgoing.writeHead(response.code, response.headers as http.OutgoingHttpHeaders)
  outgoing.flushHeaders()
  let ended = false
  let stop: (() => void) | undefined
  const finish = () => {
    if (ended) return
    ended = true
    context.streams.delete(finish)
    stop?.()
    outgoing.end()
  }
  const sink: StreamSink = {
    write(chunk) {
      if (ended) return false
      outgoing.write(chunk)
      if (outgoing.writableLength <= context.limits.streamBufferBytes) return true
      // Whoever does not read is cut off rather than buffered for: it will list and watch again.
      finish()
      outgoing.destroy()
      return false
    },
    end: finish,
  }
  context.streams.add(finish)
  outgoing.on('close', finish)
  stop = response.start(sink)
  if (ended) stop()
}
