import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ApiRequest } from '../../apiserver/exchange.ts'
import type { Caller } from '../../registry/contract.ts'

export interface SessionOptions {
  /** The key that signs cookies. If it is the same after a restart, sessions continue. */
  readonly secret: string
  readonly now: () => number
  /** An unguessable code. */
  readonly newCode: () => string
  /** Set only over TLS, because browsers otherwise drop Secure cookies. */
  readonly secure: boolean
  /** The storage of ended sessions. Absent: in memory. */
  readonly ended?: EndedSessions
}

/** A session that was ended before its expiry. */
export interface EndedSession {
  readonly id: string
  /** The time at which the session would have expired. It need not be stored for longer. */
  readonly until: number
}

export interface EndedSessions {
  readonly read: () => readonly EndedSession[]
  /** Returns when the sessions are durable. */
  readonly write: (ended: readonly EndedSession[]) => void
}

const codeLastsMs = 12 * 3_600_000
const sessionLastsMs = 24 * 3_600_000
const maxCodes = 32

/** A header that a page of another site cannot send without a CORS preflight. */
export const consoleHeader = 'x-berth-console'

interface SessionCode {
  readonly caller: Caller
  readonly expiresAt: number
}

interface Ticket {
  readonly name: string
  readonly groups: readonly string[]
  readonly until: number
  readonly id: string
}

/**
 * The users of the console. A link with a one-time code is exchanged for a signed cookie. Only ended sessions are
 * stored. Other sessions continue after a restart of the server.
 */
export class ConsoleSessions {
  private readonly options: SessionOptions
  private readonly codes = new Map<string, SessionCode>()
  private readonly ended: Map<string, number>
  private readonly key: Buffer
  readonly cookieName: string

  constructor(options: SessionOptions) {
    this.options = options
    this.ended = new Map(options.ended?.read().map(({ id, until }) => [id, until]))
    this.key = createHmac('sha256', options.secret).update('berth console sessions').digest()
    // Browsers separate cookies by host, not by port, so two clusters on one machine must not share a name.
    const mark = createHash('sha256').update(this.key).digest('hex').slice(0, 8)
    this.cookieName = `berth-console-${mark}`
  }

  /** A one-time code. */
  offer(caller: Caller): string {
    const now = this.options.now()
    for (const [code, { expiresAt }] of this.codes) {
      if (expiresAt <= now || this.codes.size >= maxCodes) this.codes.delete(code)
    }
    const code = this.options.newCode()
    this.codes.set(digest(code), { caller, expiresAt: now + codeLastsMs })
    return code
  }

  /** The Set-Cookie header of a session, if the code is valid. A code can be used once. */
  exchange(code: string): string | undefined {
    const kept = this.codes.get(digest(code))
    if (kept === undefined) return undefined
    this.codes.delete(digest(code))
    const now = this.options.now()
    if (kept.expiresAt <= now) return undefined
    const { name, groups } = kept.caller
    const ticket: Ticket = { name, groups, until: now + sessionLastsMs, id: this.options.newCode().slice(0, 16) }
    const body = Buffer.from(JSON.stringify(ticket)).toString('base64url')
    return this.cookie(`${body}.${this.sign(body)}`, sessionLastsMs / 1000)
  }

  /** The caller of a request's session. */
  callerOf(request: ApiRequest): Caller | undefined {
    const ticket = this.ticketOf(request)
    return ticket === undefined ? undefined : { name: ticket.name, groups: ticket.groups }
  }

  /** Ends the session of a request, and returns the Set-Cookie header that removes the cookie. */
  end(request: ApiRequest): string {
    const ticket = this.ticketOf(request)
    if (ticket !== undefined) {
      const now = this.options.now()
      for (const [id, until] of this.ended) if (until <= now) this.ended.delete(id)
      this.ended.set(ticket.id, ticket.until)
      this.options.ended?.write([...this.ended].map(([id, until]) => ({ id, until })))
    }
    return this.cookie('', 0)
  }

  private ticketOf(request: ApiRequest): Ticket | undefined {
    const value = cookieIn(request.headers['cookie'], this.cookieName)
    const [body, signature, ...more] = value?.split('.') ?? []
    if (body === undefined || signature === undefined || more.length > 0) return undefined
    const expected = Buffer.from(this.sign(body))
    const given = Buffer.from(signature)
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined
    const ticket = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Ticket
    return ticket.until <= this.options.now() || this.ended.has(ticket.id) ? undefined : ticket
  }

  private sign(body: string): string {
    return createHmac('sha256', this.key).update(body).digest('base64url')
  }

  private cookie(value: string, seconds: number): string {
    const secure = this.options.secure ? '; Secure' : ''
    return `${this.cookieName}=${value}; Path=/console; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
  }
}

// Codes are looked up by their hash, so that the lookup time reveals nothing about them.
const digest = (code: string) => createHash('sha256').update(code).digest('base64url')

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

/**
 * The reason why a request does not come from the console's page; undefined if it does. A browser sends the origin of a
 * request, so a client that does not send it is not a browser. Changes must also have a header that no form and no
 * image can send.
 */
export function foreignRequest(request: ApiRequest): string | undefined {
  const { headers, method } = request
  if (headers['upgrade'] !== undefined) return 'the console does not upgrade connections'
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'the request comes from another site'
  const { origin, host } = headers
  if (origin !== undefined && hostOf(origin) !== host) return 'the request comes from another origin'
  if (method === 'GET' || method === 'HEAD') return undefined
  if (headers[consoleHeader] === undefined) return `the header ${consoleHeader} is required for changes`
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return 'changes must be sent as application/json'
  return undefined
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
