import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { administrator, type Gate } from '../../apiserver/api-server.ts'
import type { ApiResponse } from '../../apiserver/exchange.ts'
import { silentLogger } from '../../base/log.ts'
import { createRandom } from '../../base/random.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { createRegistry } from '../../registry/registry.ts'
import { createStore } from '../../store/memory-store.ts'
import type { ForecastResult } from '../../wire/console-questions.ts'
import type { FeedLine } from '../../wire/console-wire.ts'
import { endedSessionsIn } from '../ports-data-dir.ts'
import { type Console, type ConsoleOptions, createConsole } from './console.ts'
import { storeSource } from './source.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-console-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A client that reads writes immediately. */
const keepsUp = { isFull: false, onDrain: () => {}, keep: () => {}, unkeep: () => {} }

const closedGate: Gate = { authenticate: () => undefined, authorize: () => true }
const marked = { 'content-type': 'application/json', 'x-berth-console': '1' }

interface Asked {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly gate?: Gate
}

/** A console on a cluster of one node and one pod, called without sockets. */
function consoleOn(more: Partial<ConsoleOptions> = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1))
  const registry = createRegistry({ store: createStore(), clock, random: createRandom('console') })
  registry.call({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'default' } } as never })
  registry.call({ verb: 'create', resource: 'nodes', object: { metadata: { name: 'node-1' } } as never })
  registry.call({
    verb: 'create',
    resource: 'pods',
    namespace: 'default',
    object: {
      metadata: { name: 'web', namespace: 'default' },
      spec: { nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] },
    } as never,
  })
  const logged: unknown[] = []
  const note = (fields: unknown, message: string) => void logged.push({ fields, message })
  const options: ConsoleOptions = {
    source: storeSource(registry.store, () => undefined, clock),
    clock,
    log: { ...silentLogger, info: note, warn: note, error: note },
    secret: 'the secret of the cluster',
    address: () => 'https://127.0.0.1:6443',
    kubernetes: 'v1.36',
    registry,
    owner: administrator,
    ...more,
  }
  const console = createConsole(options)
  return { clock, registry, logged, console, options, ask: asker(console) }
}

function asker(console: Console) {
  return async (method: string, url: string, { body, headers = {}, gate = closedGate }: Asked = {}) => {
    const [path = '', query = ''] = url.split('?')
    const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
    const response = await console.handle(
      {
        method,
        path,
        query: new URLSearchParams(query),
        headers: { host: '127.0.0.1:6443', ...(method === 'POST' ? marked : {}), ...headers },
        body: new TextEncoder().encode(bytes),
      },
      gate,
    )
    return { ...response, value: parsed(response) }
  }
}

type Ask = ReturnType<typeof asker>

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of any response
function parsed(response: ApiResponse): any {
  if (response.kind !== 'full' || !String(response.headers['content-type']).includes('json')) return undefined
  return JSON.parse(String(response.body))
}

const codeIn = (link: string) => new URL(link).searchParams.get('code') as string

async function signIn(ask: Ask, console: Console): Promise<{ readonly cookie: string }> {
  const { headers } = await ask('POST', '/console/api/session', { body: { code: codeIn(console.link()) } })
  return { cookie: String(headers['set-cookie']).split(';')[0] as string }
}

describe('signing in to the console', () => {
  it('exchanges the code of a link once for a cookie that scripts and other sites cannot use', async () => {
    const { ask, console } = consoleOn()
    const code = codeIn(console.link())
    const first = await ask('POST', '/console/api/session', { body: { code } })
    expect(first.code).toBe(200)
    expect(String(first.headers['set-cookie'])).toMatch(
      /^berth-console-[0-9a-f]{8}=\S+; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=86400; Secure$/,
    )
    const second = await ask('POST', '/console/api/session', { body: { code } })
    expect([second.code, second.value]).toEqual([401, { message: 'the link was already used or has expired' }])
    expect(second.headers['set-cookie']).toBeUndefined()
  })

  it('marks the cookie Secure only if the console is served over HTTPS', async () => {
    const { ask, console } = consoleOn({ address: () => 'http://127.0.0.1:10259' })
    const { headers } = await ask('POST', '/console/api/session', { body: { code: codeIn(console.link()) } })
    expect(String(headers['set-cookie'])).not.toContain('Secure')
  })

  it('refuses a link after 12 hours and a session after 24 hours', async () => {
    const { ask, console, clock } = consoleOn()
    const code = codeIn(console.link())
    const session = await signIn(ask, console)
    clock.advanceTo(clock.now() + 12 * 3_600_000)
    expect((await ask('POST', '/console/api/session', { body: { code } })).code).toBe(401)
    expect((await ask('GET', '/console/api/session', { headers: session })).code).toBe(200)
    clock.advanceTo(clock.now() + 12 * 3_600_000)
    expect((await ask('GET', '/console/api/session', { headers: session })).code).toBe(401)
  })

  it('refuses cookies that it did not sign, or that have another format', async () => {
    const { ask, console } = consoleOn()
    const { cookie } = await signIn(ask, console)
    const [name, value = ''] = cookie.split('=')
    const [body, signature] = value.split('.')
    const forged = Buffer.from(JSON.stringify({ name: 'x', groups: ['system:masters'], until: 9e15, id: 'x' }))
    for (const wrong of [
      `${forged.toString('base64url')}.${signature}`,
      `${body}.x`,
      `${body}`,
      '',
      `${value}.x`,
      'null.null',
    ]) {
      expect((await ask('GET', '/console/api/session', { headers: { cookie: `${name}=${wrong}` } })).code).toBe(401)
    }
    expect((await ask('GET', '/console/api/session', { headers: { cookie } })).code).toBe(200)
  })

  it('keeps a session across a restart, and keeps a logged-out session logged out', async () => {
    const ended = endedSessionsIn(folder)
    const before = consoleOn({ ended })
    const kept = await signIn(before.ask, before.console)
    const left = await signIn(before.ask, before.console)
    const out = await before.ask('POST', '/console/api/logout', { headers: left })
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0')
    expect((await before.ask('GET', '/console/api/session', { headers: left })).code).toBe(401)
    const after = consoleOn({ ended: endedSessionsIn(folder) })
    expect((await after.ask('GET', '/console/api/session', { headers: kept })).code).toBe(200)
    expect((await after.ask('GET', '/console/api/session', { headers: left })).code).toBe(401)
    expect(statSync(join(folder, 'sessions.json')).mode & 0o777).toBe(0o600)
  })

  it('authenticates callers by their API credentials, except anonymous callers', async () => {
    const { ask } = consoleOn()
    const as = (name: string, groups: readonly string[]): Gate => ({
      ...closedGate,
      authenticate: () => ({ name, groups }),
    })
    expect(
      (await ask('GET', '/console/api/session', { gate: as('jane', ['system:authenticated']) })).value.caller,
    ).toBe('jane')
    expect(
      (await ask('GET', '/console/api/session', { gate: as('system:anonymous', ['system:unauthenticated']) })).code,
    ).toBe(401)
    const denied: Gate = { ...as('jane', []), authorize: ({ plural }) => plural !== 'pods' }
    expect((await ask('GET', '/console/api/session', { gate: denied })).code).toBe(403)
  })

  it('never logs a link, a code or a cookie', async () => {
    const { ask, console, logged } = consoleOn()
    const session = await signIn(ask, console)
    const { value } = await ask('POST', '/console/api/link', { headers: session })
    await ask('POST', '/console/api/actions', { headers: session, body: { kind: 'cordon', nodes: ['node-1'] } })
    expect(logged.length).toBeGreaterThan(0)
    const text = JSON.stringify(logged)
    for (const secret of [codeIn(value.link), session.cookie, 'code=']) expect(text).not.toContain(secret)
  })
})

describe('requests of other sites', () => {
  const cordon = { kind: 'cordon', nodes: ['node-1'] }
  let shown: ReturnType<typeof consoleOn>
  let session: { readonly cookie: string }
  beforeEach(async () => {
    shown = consoleOn({ hostNames: ['berth.example'] })
    session = await signIn(shown.ask, shown.console)
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['a document without an origin', { origin: 'null' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a form', { 'content-type': 'text/plain' }],
    ['a WebSocket', { upgrade: 'websocket', connection: 'Upgrade' }],
    ['a page under a rebound host name', { host: 'evil.example:6443', origin: 'https://evil.example:6443' }],
    ['an empty host', { host: '' }],
    ['an invalid host', { host: '127.0.0.1:6443@evil.example' }],
  ])('requests of other sites are refused: %s', async (_, headers) => {
    const { code } = await shown.ask('POST', '/console/api/actions', {
      body: cordon,
      headers: { ...session, ...headers },
    })
    expect(code).toBe(403)
  })

  it('changes without the header of the page are refused', async () => {
    const { code } = await shown.ask('POST', '/console/api/actions', {
      body: cordon,
      headers: { ...session, 'x-berth-console': undefined as never },
    })
    expect(code).toBe(403)
  })

  it.each(['127.0.0.1:6443', 'localhost:6443', '[::1]:6443', '10.1.2.3', 'Berth.Example:6443'])(
    'accepts requests to %s from other sites',
    async (host) => {
      const { code } = await shown.ask('GET', '/console/api/session', { headers: { ...session, host } })
      expect(code).toBe(200)
    },
  )

  it('does not serve the page under a foreign host name', async () => {
    expect((await shown.ask('GET', '/console/', { headers: { host: 'evil.example' } })).code).toBe(403)
  })
})

describe('responses of the console', () => {
  const feedOf = (response: ApiResponse, clock: VirtualClock): readonly FeedLine[] => {
    if (response.kind !== 'stream') throw new Error('not a stream')
    const lines: FeedLine[] = []
    const stop = response.start({
      write: (chunk) => {
        for (const line of String(chunk).split('\n')) if (line !== '') lines.push(JSON.parse(line) as FeedLine)
        return true
      },
      end: () => {},
      ...keepsUp,
    })
    clock.advanceTo(clock.now() + 2_000)
    stop()
    return lines
  }

  it('pages, answers, errors and redirects of the console have strict headers', async () => {
    const { ask, console } = consoleOn()
    const session = await signIn(ask, console)
    for (const url of ['/console', '/console/', '/console/none.js', '/console/api/none', '/console/api/session']) {
      const { headers } = await ask('GET', url, { headers: session })
      expect(String(headers['content-security-policy'])).toContain("default-src 'none'")
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      expect(headers['referrer-policy']).toBe('no-referrer')
    }
    expect((await ask('GET', '/console/api/session', { headers: session })).headers['cache-control']).toBe('no-store')
  })

  it('redirects to the page with its query, and serves nothing outside its files', async () => {
    const { ask } = consoleOn()
    const moved = await ask('GET', '/console?code=x')
    expect([moved.code, moved.headers['location']]).toEqual([308, '/console/?code=x'])
    for (const path of ['/console/../credentials.json', '/console/..%2f', '/console/constructor', '/console/__proto__'])
      expect((await ask('GET', path)).code).toBe(404)
    expect((await ask('POST', '/console/')).code).toBe(405)
  })

  it('streams the cluster first, then its changes', async () => {
    const { ask, console, clock } = consoleOn()
    const lines = feedOf(await ask('GET', '/console/api/feed', { headers: await signIn(ask, console) }), clock)
    expect(JSON.stringify(lines)).toContain('node-1')
    expect(JSON.stringify(lines)).toContain('default/web')
  })

  it('sends the state before summaries, but waits only a moment for a slow reader', async () => {
    const { ask, console, clock } = consoleOn()
    const response = await ask('GET', '/console/api/feed', { headers: await signIn(ask, console) })
    if (response.kind !== 'stream') throw new Error('not a stream')
    const kinds: string[] = []
    const sink = {
      write: (chunk: string | Uint8Array) => {
        kinds.push((JSON.parse(String(chunk)) as FeedLine).k)
        return true
      },
      end: () => {},
      ...keepsUp,
      isFull: true,
    }
    const stop = response.start(sink)
    clock.advanceTo(clock.now() + 1_500)
    expect(kinds).not.toContain('summary')
    clock.advanceTo(clock.now() + 1_500)
    expect(kinds).toContain('summary')
    stop()
  })

  it.each([
    ['/console/api/nodes/node-1', 200],
    ['/console/api/nodes/none', 404],
    ['/console/api/nodes/__proto__', 404],
    ['/console/api/pods/default/web', 200],
    ['/console/api/pods/default/none', 404],
    ['/console/api/pods/constructor', 404],
    ['/console/api/evictions?place=constructor&limit=-1', 200],
    ['/console/api/cidrs', 200],
    ['/console/api/history?before=x', 200],
    ['/console/api/queue', 404],
    ['/console/api/explain/default/web', 404],
    ['/console/api/none', 404],
    ['/console/api/', 404],
  ])('the console answers %s with %d', async (url, code) => {
    const { ask, console } = consoleOn()
    expect((await ask('GET', url, { headers: await signIn(ask, console) })).code).toBe(code)
  })

  it('explains a pod once for several concurrent requests', async () => {
    let asked = 0
    const { ask, console } = consoleOn({
      explain: async (pod) => {
        asked++
        return pod === 'default/web' ? ({ pod } as never) : undefined
      },
    })
    const headers = await signIn(ask, console)
    const url = '/console/api/explain/default/web'
    const both = await Promise.all([ask('GET', url, { headers }), ask('GET', url, { headers })])
    expect(both.map(({ value }) => value)).toEqual([{ pod: 'default/web' }, { pod: 'default/web' }])
    expect(asked).toBe(1)
    expect((await ask('GET', '/console/api/explain/default/none', { headers })).code).toBe(404)
  })

  it('executes an action on behalf of its caller, and refuses invalid actions', async () => {
    const { ask, console, registry } = consoleOn()
    const headers = await signIn(ask, console)
    const act = (body: unknown) => ask('POST', '/console/api/actions', { headers, body })
    expect((await act({ kind: 'cordon', nodes: ['node-1'] })).code).toBe(200)
    expect(registry.store.get('nodes', 'node-1')).toMatchObject({ spec: { unschedulable: true } })
    expect((await act({ kind: 'cordon', nodes: ['none'] })).code).toBe(409)
    for (const wrong of [
      '',
      '{',
      'null',
      '[]',
      { kind: 'constructor', nodes: ['node-1'] },
      { kind: 'cordon', nodes: 'node-1' },
    ])
      expect((await act(wrong)).code).toBe(400)
    const reader: Gate = {
      ...closedGate,
      authenticate: () => ({ name: 'r', groups: [] }),
      authorize: ({ verb }) => verb === 'list',
    }
    const denied = await ask('POST', '/console/api/actions', {
      gate: reader,
      body: { kind: 'cordon', nodes: ['node-1'] },
    })
    expect(denied.code).toBe(403)
  })

  it('refuses changes without a registry', async () => {
    const { options } = consoleOn()
    const { registry: _, ...readOnly } = options
    const console = createConsole(readOnly)
    const ask = asker(console)
    const headers = await signIn(ask, console)
    expect((await ask('GET', '/console/api/session', { headers })).value.can.act).toBe(false)
    expect(
      (await ask('POST', '/console/api/actions', { headers, body: { kind: 'cordon', nodes: ['node-1'] } })).code,
    ).toBe(403)
  })

  it('allows only one forecast at a time, and reports its failure', async () => {
    const waiting: ((made: ForecastResult) => void)[] = []
    const { ask, console } = consoleOn({
      forecast: ({ seconds }) =>
        seconds === 1 ? Promise.reject(new Error('no such node')) : new Promise((resolve) => waiting.push(resolve)),
    })
    const headers = await signIn(ask, console)
    const forecast = (seconds: unknown) =>
      ask('POST', '/console/api/forecast', {
        headers,
        body: { steps: [{ question: 'cordon', args: ['node-1'] }], seconds },
      })
    for (const wrong of [0, 'x', 1e9, null]) expect((await forecast(wrong)).code).toBe(400)
    for (const steps of [
      undefined,
      [],
      [1],
      [{ question: 1 }],
      [{ question: 'a', args: [1] }],
      [{ question: 'a', options: { x: 1 } }],
    ])
      expect((await ask('POST', '/console/api/forecast', { headers, body: { steps, seconds: 60 } })).code).toBe(400)
    const lines = (response: ApiResponse) =>
      new Promise<string>((resolve) => {
        let text = ''
        if (response.kind !== 'stream') throw new Error(`not a stream: ${response.code}`)
        response.start({
          write: (chunk) => {
            text += String(chunk)
            return true
          },
          end: () => resolve(text),
          ...keepsUp,
        })
      })
    expect(await lines(await forecast(1))).toBe('{"k":"failed","message":"no such node"}\n')
    const running = lines(await forecast(60))
    expect((await forecast(60)).code).toBe(429)
    waiting[0]?.({ forecast: { made: true } } as never)
    expect(await running).toBe('{"k":"forecast","forecast":{"made":true}}\n')
  })
})
