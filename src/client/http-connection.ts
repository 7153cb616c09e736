import * as http from 'node:http'
import * as https from 'node:https'
import type { Cancel, Clock } from '../base/clock.ts'
import { throughProxy } from './http-proxy.ts'

/** How to reach an API server and authenticate to it. `authorize` may be called repeatedly: tokens expire. */
export interface ServerAccess {
  readonly server: string
  /** The proxy, including its user and password. */
  readonly proxy?: URL
  /** If `authorize` changes this object, the identity has changed, and new connections are opened. */
  readonly tls?: {
    readonly ca?: string | Buffer
    readonly cert?: string | Buffer
    readonly key?: string | Buffer
    readonly servername?: string
    readonly rejectUnauthorized?: boolean
  }
  /**
   * Returns headers such as Authorization. `refused`: the headers that it returned before and that the server did not
   * accept.
   */
  readonly authorize?: (refused?: AccessHeaders) => Promise<AccessHeaders>
  /** A possible reason why the server does not accept the credentials. */
  readonly explainRefusal?: () => string | undefined
}

export type AccessHeaders = Readonly<Record<string, string>>

export interface HttpRequest {
  readonly method: string
  /** Including the query. */
  readonly path: string
  readonly body?: string
  readonly contentType?: string
  /** Called immediately before the request is sent, after all waits. */
  readonly mayStillSend?: () => boolean
}

export type HttpAnswer =
  | {
      readonly kind: 'answer'
      readonly code: number
      readonly headers: http.IncomingHttpHeaders
      readonly body: string
    }
  | { readonly kind: 'timeout' }
  /** `sent`: the request may have been executed. `stale`: sent on an idle connection, without any response. */
  | { readonly kind: 'lost'; readonly message: string; readonly sent: boolean; readonly stale?: boolean }

export interface ConnectionOptions {
  readonly access: ServerAccess
  readonly clock: Clock
  readonly userAgent: string
  readonly timeoutMs: number
  readonly maxSockets: number
  /** A stream without data for this time is considered broken, and ended. Default: 75 s. */
  readonly silenceMs?: number
}

// The API server sends a bookmark about once a minute on every watch. Without this limit, a broken connection would be
// detected only by the kernel, after many minutes.
const silenceMs = 75_000

/** Keep-alive connections to one API server. */
export class HttpConnection {
  private readonly options: ConnectionOptions
  private readonly base: URL
  private agent: http.Agent
  /** Watches hold their connections for minutes. In a separate pool, they cannot starve other calls. */
  private streamAgent: http.Agent
  private tls: ServerAccess['tls']
  private readonly transport: typeof http | typeof https
  private readonly outgoing = new Set<http.ClientRequest>()
  private closed = false

  constructor(options: ConnectionOptions) {
    this.options = options
    this.base = new URL(options.access.server)
    this.transport = this.base.protocol === 'https:' ? https : http
    this.tls = options.access.tls
    this.agent = this.createAgent(true)
    this.streamAgent = this.createAgent(false)
  }

  private createAgent(pooled: boolean): http.Agent {
    const { maxSockets } = this.options
    const pool: http.AgentOptions = pooled
      ? { keepAlive: true, keepAliveMsecs: 30_000, maxSockets, maxFreeSockets: maxSockets, noDelay: true }
      : { keepAlive: false, noDelay: true }
    const { proxy } = this.options.access
    const agent = this.transport === https ? new https.Agent({ ...pool, ...this.tls }) : new http.Agent(pool)
    return proxy === undefined ? agent : throughProxy(agent, proxy)
  }

  /**
   * Opens new connections after a change of identity. Requests in flight finish on their connections, which are not
   * reused.
   */
  private followIdentity(): void {
    const { tls } = this.options.access
    if (tls === this.tls) return
    this.tls = tls
    this.agent.maxFreeSockets = 0
    for (const socket of Object.values(this.agent.freeSockets).flat()) socket?.destroy()
    this.agent = this.createAgent(true)
    this.streamAgent = this.createAgent(false)
  }

  /** Closes immediately: waiting requests are not sent, and requests in flight are aborted. */
  close(): void {
    this.closed = true
    for (const request of this.outgoing) request.destroy()
    this.agent.destroy()
    this.streamAgent.destroy()
  }

  async exchange(request: HttpRequest): Promise<HttpAnswer> {
    let credentials: AccessHeaders | undefined
    for (let refusals = 0; ; refusals++) {
      try {
        credentials = await this.credentials(credentials)
      } catch (error) {
        return { kind: 'lost', message: `no credentials: ${messageOf(error)}`, sent: false }
      }
      let answer = await this.attempt(request, credentials)
      // A server may close an idle connection at the moment it is reused. Repeating a read is harmless.
      if (answer.kind === 'lost' && answer.stale === true && request.method === 'GET')
        answer = await this.attempt(request, credentials)
      // An expired token is renewed once, and the request is repeated.
      if (answer.kind !== 'answer' || answer.code !== 401 || refusals > 0 || !this.options.access.authorize)
        return answer
    }
  }

  private attempt(request: HttpRequest, credentials: AccessHeaders): Promise<HttpAnswer> {
    if (this.closed) return Promise.resolve({ kind: 'lost', message: 'the connection is closed', sent: false })
    if (request.mayStillSend?.() === false)
      return Promise.resolve({ kind: 'lost', message: 'no longer allowed to send', sent: false })
    const headers = this.headersFor(request, credentials)
    return new Promise((resolve) => {
      const { clock, timeoutMs } = this.options
      const outgoing = this.transport.request({ ...this.target(request), headers, agent: this.agent })
      const cancelTimeout = clock.at(clock.now() + timeoutMs, () => {
        resolve({ kind: 'timeout' })
        outgoing.destroy()
      })
      this.outgoing.add(outgoing)
      const settle = (answer: HttpAnswer) => {
        this.outgoing.delete(outgoing)
        cancelTimeout()
        resolve(answer)
      }
      let sent = false
      outgoing.on('finish', () => {
        sent = true
      })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        settle({ kind: 'lost', message: messageOf(error), sent, ...(stale ? { stale } : {}) })
      })
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () =>
          settle({
            kind: 'answer',
            code: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        )
        incoming.on('error', (error) => settle({ kind: 'lost', message: messageOf(error), sent: true }))
        incoming.on('aborted', () => settle({ kind: 'lost', message: 'the connection is closed', sent: true }))
      })
      outgoing.end(request.body)
    })
  }

  /** A streaming response: lines as they arrive. Calls `onEnd` once. */
  stream(request: HttpRequest, on: StreamEvents): { readonly cancel: () => void } {
    let outgoing: http.ClientRequest | undefined
    let over = false
    const alarm = this.silenceAlarm(() => {
      end()
      outgoing?.destroy()
    })
    const end = (error?: Error) => {
      if (over) return
      over = true
      alarm.off()
      on.end(error)
    }
    const begin = async (refused?: AccessHeaders): Promise<void> => {
      const credentials = await this.credentials(refused)
      if (over) return
      if (this.closed) return end()
      const headers = this.headersFor(request, credentials)
      outgoing = this.transport.request({ ...this.target(request), headers, agent: this.streamAgent })
      outgoing.on('error', (error) => end(error))
      outgoing.on('response', (incoming) => {
        if (incoming.statusCode === 401 && refused === undefined && this.options.access.authorize !== undefined) {
          incoming.resume()
          begin(credentials).catch((error) => end(asError(error)))
          return
        }
        readLines(incoming, on, end)
        incoming.on('data', alarm.heard)
      })
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000))
      outgoing.end()
    }
    begin().catch((error) => end(asError(error)))
    return {
      cancel: () => {
        over = true
        alarm.off()
        outgoing?.destroy()
      },
    }
  }

  private silenceAlarm(ring: () => void): { readonly heard: () => void; readonly off: () => void } {
    const { clock, silenceMs: patienceMs = silenceMs } = this.options
    let heardAt = clock.now()
    // The timer checks the last activity when it fires. Resetting it for every chunk would cost more.
    const arm = (): Cancel =>
      clock.at(heardAt + patienceMs, () => {
        if (clock.now() < heardAt + patienceMs) cancel = arm()
        else ring()
      })
    let cancel = arm()
    return {
      heard: () => {
        heardAt = clock.now()
      },
      off: () => cancel(),
    }
  }

  private target(request: HttpRequest): http.RequestOptions {
    const prefix = this.base.pathname.replace(/\/$/, '')
    return {
      protocol: this.base.protocol,
      hostname: this.base.hostname.replace(/^\[|\]$/g, ''),
      port: this.base.port,
      method: request.method,
      path: prefix + request.path,
    }
  }

  private async credentials(refused?: AccessHeaders): Promise<AccessHeaders> {
    const given = (await this.options.access.authorize?.(refused)) ?? {}
    this.followIdentity()
    return given
  }

  private headersFor(request: HttpRequest, credentials: AccessHeaders): http.OutgoingHttpHeaders {
    return {
      accept: 'application/json',
      'user-agent': this.options.userAgent,
      ...credentials,
      ...(request.body === undefined
        ? {}
        : {
            'content-type': request.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(request.body),
          }),
    }
  }
}

export interface StreamEvents {
  readonly head: (code: number) => void
  /** Receives the complete lines that arrived together, in order. */
  readonly lines: (lines: readonly string[]) => void
  readonly end: (error?: Error) => void
}

function readLines(incoming: http.IncomingMessage, on: StreamEvents, end: (error?: Error) => void): void {
  on.head(incoming.statusCode ?? 0)
  incoming.setEncoding('utf8')
  let rest = ''
  incoming.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const complete = lines.filter((line) => line !== '')
    if (complete.length > 0) on.lines(complete)
  })
  incoming.on('end', () => {
    if (rest !== '') on.lines([rest])
    end()
  })
  incoming.on('error', (error) => end(error))
}

const messageOf = (error: unknown) => asError(error).message

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
