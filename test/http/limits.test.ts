import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Call } from '../../src/api/call.ts'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createFencedClient } from '../../src/client/fenced-client.ts'
import { createHttpClient, type HttpClientOptions } from '../../src/client/http-client.ts'

let servers: Server[] = []
afterEach(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  servers = []
})

/** A server, its requests in order, and the number of connections. */
async function serve(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  const asked: string[] = []
  let connections = 0
  const server = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    answer(incoming, outgoing)
  })
  server.on('connection', () => connections++)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { server, url, asked, connections: () => connections }
}

const fine = (_: IncomingMessage, outgoing: ServerResponse) =>
  void outgoing.end('{"kind":"Pod","metadata":{"name":"a"}}')

function clientOf(url: string, more: Partial<HttpClientOptions> = {}) {
  const clock = new VirtualClock(0)
  const random = createRandom('limits').stream('watch')
  return { clock, client: createHttpClient({ access: { server: url }, clock, random, ...more }) }
}

const get = (name: string): Call => ({ verb: 'get', resource: 'pods', namespace: 'default', name })
const bind = (name: string): Call => ({
  ...{ verb: 'create', resource: 'pods', subresource: 'binding', namespace: 'default', name },
  object: { metadata: { name } },
})
const event = (name: string): Call => ({
  ...{ verb: 'create', resource: 'events.events.k8s.io', namespace: 'default' },
  object: { metadata: { name } },
})

async function turns(until: () => boolean): Promise<void> {
  for (let i = 0; i < 20_000 && !until(); i++) await new Promise((next) => setImmediate(next))
  expect(until()).toBe(true)
}

describe('connections', () => {
  it('reuses connections: a hundred calls in a row need one', async () => {
    const { url, connections } = await serve(fine)
    const { client } = clientOf(url)
    for (let i = 0; i < 100; i++) expect(await client.call(get(`p-${i}`))).toMatchObject({ ok: true })
    expect(connections()).toBe(1)
    client.close()
  })

  it('opens at most the allowed number of connections', async () => {
    const { url, connections, asked } = await serve(fine)
    const { client } = clientOf(url, { maxSockets: 4 })
    await Promise.all(Array.from({ length: 100 }, (_, i) => client.call(get(`p-${i}`))))
    expect([asked.length, connections()]).toEqual([100, 4])
    client.close()
  })

  it('opens new connections for another identity, and closes those of the old one', async () => {
    const { url, server, connections } = await serve(fine)
    let tls: object = {}
    const access = {
      server: url,
      get tls() {
        return tls
      },
    }
    const { client } = clientOf(url, { access })
    await client.call(get('a'))
    tls = {}
    await client.call(get('b'))
    expect(connections()).toBe(2)
    const openConnections = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)))
    // The server detects the end of the old connection later.
    let open = await openConnections()
    for (let i = 0; i < 1000 && open > 1; i++) open = await openConnections()
    expect(open).toBe(1)
    client.close()
  })

  it('retries a read on a connection that the server closed while idle, and does not send a write twice', async () => {
    // The server accepts the second request of each connection, and closes the connection without an answer.
    const served = new WeakMap<object, number>()
    const { url, asked } = await serve((incoming, outgoing) => {
      const nth = (served.get(incoming.socket) ?? 0) + 1
      served.set(incoming.socket, nth)
      if (nth > 1) return void incoming.socket.destroy()
      fine(incoming, outgoing)
    })
    const { client } = clientOf(url, { maxSockets: 1 })
    expect(await client.call(get('a'))).toMatchObject({ ok: true })
    expect(await client.call(get('b'))).toMatchObject({ ok: true })
    expect(await client.call(bind('c'))).toMatchObject({ ok: false, status: { reason: 'ServiceUnavailable' } })
    expect(asked).toEqual([
      'GET /api/v1/namespaces/default/pods/a',
      'GET /api/v1/namespaces/default/pods/b',
      'GET /api/v1/namespaces/default/pods/b',
      'POST /api/v1/namespaces/default/pods/c/binding',
    ])
    client.close()
  })
})

describe('time', () => {
  it('ends a call without an answer at its timeout, and the next one gets a connection', async () => {
    const { url, asked } = await serve((incoming, outgoing) => {
      if (!incoming.url?.endsWith('/hangs')) fine(incoming, outgoing)
    })
    const { client, clock } = clientOf(url, { timeoutMs: 5000, maxSockets: 1 })
    const outcome = client.call(get('hangs'))
    await turns(() => asked.length === 1)
    clock.advanceTo(4999)
    const early = await Promise.race([outcome, new Promise((next) => setImmediate(() => next('waits')))])
    expect(early).toBe('waits')
    clock.advanceTo(5000)
    expect(await outcome).toMatchObject({ ok: false, status: { reason: 'Timeout' } })
    expect(await client.call(get('a'))).toMatchObject({ ok: true })
    client.close()
  })

  it('ends an answer that stops in the middle at the timeout', async () => {
    const { url, asked } = await serve((_, outgoing) => {
      outgoing.writeHead(200, { 'content-length': '1000' })
      outgoing.write('{"kind":')
    })
    const { client, clock } = clientOf(url, { timeoutMs: 5000 })
    const outcome = client.call(get('a'))
    await turns(() => asked.length === 1)
    clock.advanceTo(5000)
    expect(await outcome).toMatchObject({ ok: false, status: { reason: 'Timeout' } })
    client.close()
  })
})

describe('the limits of the client', () => {
  /** The names of the sent requests in order, second by second. */
  const sentInOrder = async (calls: readonly Call[], qps: number, burst: number) => {
    const { url, asked } = await serve(fine)
    const { client, clock } = clientOf(url, { qps, burst })
    const outcomes = calls.map((call) => client.call(call))
    const counts: number[] = []
    for (let sent = burst; sent < calls.length; sent++) {
      await turns(() => asked.length === sent)
      counts.push(asked.length)
      clock.advanceTo(clock.now() + 1000 / qps)
    }
    await Promise.all(outcomes)
    client.close()
    const names = asked.map((line) => /pods\/([^/]+)/.exec(line)?.[1] ?? 'event')
    return { names, counts, lastMs: clock.now() }
  }

  it('limits the rate of calls: a burst at once, then one at a time', async () => {
    const calls = Array.from({ length: 12 }, (_, i) => get(`p-${i}`))
    const { counts, lastMs } = await sentInOrder(calls, 10, 4)
    expect(counts).toEqual([4, 5, 6, 7, 8, 9, 10, 11])
    expect(lastMs).toBe(800)
  })

  it('sends binds first, then other calls, then events, each in order', async () => {
    const calls = [event('e1'), event('e2'), event('e3'), get('a'), get('b'), bind('x'), bind('y')]
    const { names } = await sentInOrder(calls, 10, 1)
    expect(names).toEqual(['event', 'x', 'y', 'a', 'b', 'event', 'event'])
  })

  it('sends an event regularly even if many binds wait', async () => {
    const calls = [event('e'), event('e'), ...Array.from({ length: 70 }, (_, i) => bind(`x-${i}`))]
    const { names } = await sentInOrder(calls, 10, 1)
    expect(names.indexOf('event', 1)).toBe(32)
  })
})

describe('a client that ends', () => {
  it('a closed client does not wait for a Retry-After of an hour, or for the rate limit', async () => {
    const { url, asked } = await serve((_, outgoing) => {
      outgoing.writeHead(429, { 'retry-after': '3600' })
      outgoing.end('{}')
    })
    const { client, clock } = clientOf(url, { qps: 0.001, burst: 1 })
    const outcomes = [client.call(bind('a')), client.call(bind('b'))]
    await turns(() => asked.length === 1 && clock.nextDeadline() !== undefined)
    // The answer has arrived when the only deadlines are its hour and the rate limit of the other request.
    await turns(() => (clock.nextDeadline() ?? 0) >= 1_000_000)
    client.close()
    for (const outcome of await Promise.all(outcomes)) expect(outcome.ok).toBe(false)
    expect(asked.length).toBe(1)
  })
})

describe('a fence', () => {
  /** A bind that has to wait until 10 s; the right to write ends at 9 s, without a notification. */
  const waitsPastTheEnd = async (waitsFor: 'its turn' | 'a busy server', fenced: boolean) => {
    let refusals = waitsFor === 'a busy server' ? 1 : 0
    const { url, asked } = await serve((incoming, outgoing) => {
      if (!incoming.url?.endsWith('/binding') || refusals-- <= 0) return fine(incoming, outgoing)
      outgoing.writeHead(429, { 'retry-after': '10' })
      outgoing.end('{}')
    })
    const { client, clock } = clientOf(url, waitsFor === 'its turn' ? { qps: 0.1, burst: 1 } : {})
    const mayWrite = () => clock.now() < 9000
    const writer = fenced ? createFencedClient(client, mayWrite) : client
    if (waitsFor === 'its turn') await client.call(get('first'))
    const outcome = writer.call(bind('late'))
    await turns(() => clock.nextDeadline() === 10_000)
    const before = asked.length
    clock.advanceTo(10_000)
    const { ok } = await outcome
    client.close()
    return { ok, sentLate: asked.length - before }
  }

  it.each(['its turn', 'a busy server'] as const)('cancels a fenced write that waited for %s', async (waitsFor) => {
    expect(await waitsPastTheEnd(waitsFor, true)).toEqual({ ok: false, sentLate: 0 })
  })

  it.each(['its turn', 'a busy server'] as const)(
    'is what holds it: without one, a write that waited for %s is sent',
    async (waitsFor) => {
      expect(await waitsPastTheEnd(waitsFor, false)).toEqual({ ok: true, sentLate: 1 })
    },
  )
})
