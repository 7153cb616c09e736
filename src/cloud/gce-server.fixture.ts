import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../base/clock.ts'

interface Instance {
  readonly name: string
  readonly zone: string
  networkInterfaces: { name: string; fingerprint: string; aliasIpRanges?: { ipCidrRange: string }[] }[]
}

/** The failure of the next request. */
export type ServerFault =
  | { readonly code: number; readonly reason?: string; readonly message?: string; readonly retryAfter?: number }
  | 'hang up'
  | 'not JSON'

interface Reply {
  readonly code: number
  readonly value: unknown
  readonly headers?: Readonly<Record<string, string>>
}

function failure(code: number, reason: string, message: string): Reply {
  return { code, value: { error: { code, message, errors: [{ domain: 'global', reason, message }] } } }
}

interface PendingChange {
  readonly name: string
  polls: number
  readonly error?: { readonly code: string; readonly message: string; readonly status: number }
}

/** A loopback server with the part of Compute Engine's API that alias ranges need, and its failures. */
export class ComputeEngine {
  readonly instances = new Map<string, Instance>()
  readonly requests: string[] = []
  readonly faults: ServerFault[] = []
  /** The accepted token, and the number of issued tokens. */
  token = 'token-1'
  tokensMade = 0
  /** If true, requests need no token. */
  isOpen = false
  /** The number of polls before an operation is done. */
  pollsNeeded = 0
  operationError: PendingChange['error']
  /** Called when a change arrives, before it is checked. Simulates another client. */
  beforeChange: () => void = () => {}
  private readonly changes = new Map<string, PendingChange>()
  private readonly server: Server

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => this.answer(request, response, Buffer.concat(chunks).toString('utf8')))
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  add(name: string, ...aliases: readonly string[]): void {
    const aliasIpRanges = aliases.map((ipCidrRange) => ({ ipCidrRange }))
    this.instances.set(name, {
      name,
      zone: 'z',
      networkInterfaces: [{ name: 'nic0', fingerprint: 'f1', ...(aliases.length === 0 ? {} : { aliasIpRanges }) }],
    })
  }

  aliasesOf(name: string): readonly string[] {
    const interfaces = this.instances.get(name)?.networkInterfaces ?? []
    return interfaces.flatMap(({ aliasIpRanges = [] }) => aliasIpRanges.map(({ ipCidrRange }) => ipCidrRange))
  }

  private answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const url = new URL(request.url ?? '/', 'http://localhost')
    this.requests.push(`${request.method} ${url.pathname}${url.search}`)
    const reply = url.pathname === '/token' ? this.tokenFor(request) : this.replyTo(request, url, body)
    if (reply === 'hang up') request.socket.destroy()
    else if (reply === 'not JSON') response.writeHead(502).end('<html>bad gateway</html>')
    else {
      response.writeHead(reply.code, { 'content-type': 'application/json', ...reply.headers })
      response.end(JSON.stringify(reply.value))
    }
  }

  private tokenFor(request: IncomingMessage): Reply {
    this.tokensMade++
    if (request.headers['metadata-flavor'] !== 'Google') return { code: 403, value: {} }
    return { code: 200, value: { access_token: this.token, expires_in: 3600, token_type: 'Bearer' } }
  }

  private replyTo(request: IncomingMessage, url: URL, body: string): Reply | 'hang up' | 'not JSON' {
    const fault = this.faults.shift()
    if (fault === 'hang up' || fault === 'not JSON') return fault
    if (fault !== undefined) {
      const { code, reason = 'backendError', message = 'injected by the test', retryAfter } = fault
      const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
      return { ...failure(code, reason, message), headers }
    }
    if (!this.isOpen && request.headers.authorization !== `Bearer ${this.token}`) {
      return failure(401, 'authError', 'Invalid Credentials')
    }
    const operation = /^\/v1\/projects\/p\/zones\/z\/operations\/([^/]+)$/.exec(url.pathname)
    if (operation !== null) return { code: 200, value: this.poll(operation[1] as string) }
    const path = /^\/v1\/projects\/p\/zones\/z\/instances\/([^/]+)(\/updateNetworkInterface)?$/.exec(url.pathname)
    const instance = path === null ? undefined : this.instances.get(path[1] as string)
    if (instance === undefined) return failure(404, 'notFound', `The resource '${url.pathname}' was not found`)
    return request.method === 'GET' ? { code: 200, value: instance } : this.change(instance, url, body)
  }

  private change(instance: Instance, url: URL, body: string): Reply {
    this.beforeChange()
    const asked = JSON.parse(body) as Instance['networkInterfaces'][number]
    const target = instance.networkInterfaces.find(({ name }) => name === url.searchParams.get('networkInterface'))
    if (target === undefined) return failure(400, 'invalid', 'no such interface')
    if (asked.fingerprint !== target.fingerprint) return failure(412, 'conditionNotMet', 'Invalid fingerprint.')
    const error = this.operationError
    const name = `operation-${this.changes.size + 1}`
    this.changes.set(name, { name, polls: 0, ...(error === undefined ? {} : { error }) })
    if (error === undefined) {
      target.aliasIpRanges = asked.aliasIpRanges ?? []
      target.fingerprint = `${target.fingerprint}+`
    }
    return { code: 200, value: this.poll(name) }
  }

  private poll(name: string): unknown {
    const change = this.changes.get(name)
    if (change === undefined) return { name, status: 'DONE' }
    if (change.polls++ < this.pollsNeeded) return { name, status: change.polls === 1 ? 'PENDING' : 'RUNNING' }
    const { error } = change
    if (error === undefined) return { name, status: 'DONE' }
    const errors = [{ code: error.code, message: error.message }]
    return { name, status: 'DONE', httpErrorStatusCode: error.status, error: { errors } }
  }
}

/** A clock whose timers up to a limit fire immediately. Later timers never fire. */
export class HastyClock implements Clock {
  readonly waits: number[] = []
  private time = 0
  private readonly limitMs: number

  constructor(limitMs: number) {
    this.limitMs = limitMs
  }

  wall(): number {
    return this.now()
  }

  now(): number {
    return this.time
  }

  at(ms: number, fn: () => void): () => void {
    const waitMs = ms - this.time
    if (waitMs >= this.limitMs) return () => {}
    let isOpen = true
    this.waits.push(waitMs)
    this.time = Math.max(this.time, ms)
    Promise.resolve().then(() => {
      if (isOpen) fn()
    })
    return () => {
      isOpen = false
    }
  }
}
