import * as http from 'node:http'
import * as https from 'node:https'
import type { Cancel, Clock } from '../base/clock.ts'

/** How to reach and convince an API server. `authorize` may be asked again and again: tokens expire. */
export interface ServerAccess {
  readonly server: string
  /** Another object after `authorize` means another identity: connections are made anew. */
  readonly tls?: {
    readonly ca?: string | Buffer
    readonly cert?: string | Buffer
    readonly key?: string | Buffer
    readonly servername?: string
    readonly rejectUnauthorized?: boolean
  }
  /** Headers such as Authorization. `refresh`: the last ones were refused. */
  readonly authorize?: (refresh: boolean) => Promise<Readonly<Record<string, string>>>
}

export interface HttpRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

export type HttpAnswer =
  | {
      readonly kind: 'answer'
      readonly code: number
      readonly headers: http.IncomingHttpHeaders
      readonly body: string
    }
  | { readonly kind: 'timeout' }
  /** `sent`: the request may have been carried out. */
  | { readonly kind: 'lost'; readonly message: string; readonly sent: boolean }

export interface ConnectionOptions {
  readonly access: ServerAccess
  readonly clock: Clock
  readonly userAgent: string
  readonly timeoutMs: number
  readonly maxSockets: number
  /** A stream that is silent for so long is taken for dead, and ended. Default: 75 s. */
  readonly silenceMs?: number
}

// The API server sends a bookmark about once a minute on every watch that it has anything to say on. A connection that
// was cut without a word would otherwise be found out only by the kernel, after many minutes.
const silenceMs = 75_000

/** Keep-alive connections to one API server. */
export class HttpConnection {
  private readonly options: ConnectionOptions
  private readonly base: URL
  private agent: http.Agent
  /** Watches hold their connections for minutes: apart from the pool they cannot starve the calls. */
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
    return this.transport === https ? new https.Agent({ ...pool, ...this.tls }) : new http.Agent(pool)
  }

  /** What is under way ends on the connections it has. */
  private followIdentity(): void {
    const { tls } = this.options.access
    if (tls === this.tls) return
    this.tls = tls
    this.agent = this.createAgent(true)
    this.streamAgent = this.createAgent(false)
  }

  /** At once: what waits is not sent, and what is under way is cut off. */
  close(): void {
    this.closed = true
    for (const request of this.outgoing) request.destroy()
    this.agent.destroy()
    this.streamAgent.destroy()
  }

  async exchange(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await this.attempt(request, false)
    // An expired token is worth one more try with a fresh one.
    if (answer.kind === 'answer' && answer.code === 401 && this.options.access.authorize !== undefined) {
      return this.attempt(request, true)
    }
    return answer
  }

  private async attempt(request: HttpRequest, refresh: boolean): Promise<HttpAnswer> {
    let headers: http.OutgoingHttpHeaders
    try {
      headers = await this.headersFor(request, refresh)
    } catch (error) {
      return { kind: 'lost', message: `no credentials: ${messageOf(error)}`, sent: false }
    }
    if (this.closed) return { kind: 'lost', message: 'the connection was closed', sent: false }
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
      outgoing.on('error', (error) => settle({ kind: 'lost', message: messageOf(error), sent }))
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
        incoming.on('aborted', () => settle({ kind: 'lost', message: 'the connection was closed', sent: true }))
      })
      outgoing.end(request.body)
    })
  }

  /** A response that goes on: lines as they come. Ends with `onEnd`, once. */
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
    const begin = async (refresh: boolean): Promise<void> => {
      const headers = await this.headersFor(request, refresh)
      if (over) return
      if (this.closed) return end()
      outgoing = this.transport.request({ ...this.target(request), headers, agent: this.streamAgent })
      outgoing.on('error', (error) => end(error))
      outgoing.on('response', (incoming) => {
        if (incoming.statusCode === 401 && !refresh && this.options.access.authorize !== undefined) {
          incoming.resume()
          begin(true).catch((error) => end(asError(error)))
          return
        }
        readLines(incoming, on, end)
        incoming.on('data', alarm.heard)
      })
      outgoing.on('socket', (socket) => socket.setKeepAlive(true, 30_000))
      outgoing.end()
    }
    begin(false).catch((error) => end(asError(error)))
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
    // Looked at when it might ring, instead of being set anew for every piece of data.
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

  private async headersFor(request: HttpRequest, refresh: boolean): Promise<http.OutgoingHttpHeaders> {
    const authorization = await this.options.access.authorize?.(refresh)
    this.followIdentity()
    return {
      accept: 'application/json',
      'user-agent': this.options.userAgent,
      ...authorization,
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
  /** Complete lines, in order, as many as came at once. */
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
