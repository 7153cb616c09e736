import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import type { Admit } from '../../src/apiserver/exchange.ts'
import { text } from '../../src/apiserver/exchange.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import {
  codeOf,
  configMap,
  configMaps,
  rawClient,
  requestText,
  servePlainly,
  serveSecurely,
  startServer,
  until,
} from './sockets.ts'

let running: RunningServer | undefined
afterEach(async () => {
  await running?.close()
  running = undefined
})

async function start(...given: Parameters<typeof startServer>) {
  const started = await startServer(...given)
  running = started.server
  return started
}

describe('requests that are never completed', () => {
  it('gives no seat to incomplete requests: half-sent writes of one user leave all seats to others', async () => {
    const { server } = await start({ limits: { writesInFlight: 4 } })
    const body = configMap('never')
    for (const token of [undefined, 'alice-token', 'admin-token']) {
      for (let i = 0; i < 20; i++) {
        const request = requestText('POST', configMaps, { body, ...(token === undefined ? {} : { token }) })
        rawClient(server, { reads: false }).send(request.slice(0, -2))
      }
    }
    await until(() => server.load().bytesInFlight === 40 * (body.length - 2))
    expect(server.load()).toMatchObject({ writesInFlight: 0, writesInQueue: 0 })
    for (let i = 0; i < 5; i++)
      expect(
        await codeOf(server, requestText('POST', configMaps, { token: 'bob-token', body: configMap(`b${i}`) })),
      ).toBe(201)
  })

  it('rejects a request before its body is read if the client is unknown or has no right', async () => {
    const { server } = await start()
    const headers = ['content-type: application/json', 'content-length: 3000000']
    for (const [token, code] of [
      ['wrong-token', 401],
      [undefined, 403],
    ] as const) {
      const request = requestText('POST', configMaps, { headers, ...(token === undefined ? {} : { token }) })
      expect(await codeOf(server, request)).toBe(code)
    }
    expect(server.load().bytesInFlight).toBe(0)
  })

  it('answers 504 if the body takes longer than the request timeout', async () => {
    const { server } = await start({ limits: { requestTimeoutMs: 1 } })
    const client = rawClient(server)
    client.send(requestText('POST', configMaps, { token: 'alice-token', headers: ['content-length: 10'] }))
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 504 .*request did not complete within the allotted timeout/s)
  })

  it('disconnects the slowest clients when their bodies fill the budget', async () => {
    const { server } = await start({ limits: { bytesInFlight: 1_000_000 } })
    const begin = (bytes: number) => {
      const client = rawClient(server)
      const headers = ['content-type: application/json', 'content-length: 3000000']
      client.send(requestText('POST', configMaps, { token: 'alice-token', headers }) + ' '.repeat(bytes))
      return client
    }
    const slowest = begin(400_000)
    await until(() => server.load().bytesInFlight === 400_000)
    const other = begin(400_000)
    await until(() => server.load().bytesInFlight === 800_000)
    begin(400_000)
    await slowest.closed
    expect(server.load().cutOff).toBe(1)
    await until(() => server.load().bytesInFlight === 800_000)
    expect(other.socket.destroyed).toBe(false)
  })
})

describe('seats', () => {
  /** A server whose answers wait until they are released; the path names the user. */
  async function slowServer(limits: Parameters<typeof servePlainly>[1]) {
    const held: (() => void)[] = []
    const admit: Admit = ({ path, method }) => ({
      kind: 'admitted',
      flow: {
        user: path.slice(1),
        kind: method === 'POST' ? 'mutating' : 'readOnly',
        level: path === '/admin' ? 'exempt' : path === '/probe' ? 'probe' : 'normal',
      },
      answer: () =>
        path === '/probe' ? text(200, 'ok') : new Promise((resolve) => held.push(() => resolve(text(200, path)))),
    })
    running = await servePlainly(admit, limits)
    return { server: running, held }
  }

  const ask = (server: RunningServer, user: string) => codeOf(server, requestText('POST', `/${user}`, { body: '{}' }))

  it('limits the seats of one user', async () => {
    const { server, held } = await slowServer({ writesInFlight: 4 })
    const greedy = Array.from({ length: 10 }, () => ask(server, 'greedy'))
    await until(() => server.load().writesInQueue === 8)
    const modest = [ask(server, 'modest'), ask(server, 'modest')]
    await until(() => server.load().writesInFlight === 4)
    expect(server.load()).toMatchObject({ writesInFlight: 4, writesInQueue: 8 })
    const serving = (async () => {
      for (let released = 0; released < 12; released++) {
        await until(() => held.length > 0)
        held.shift()?.()
      }
    })()
    expect(await Promise.all([...greedy, ...modest])).toEqual(Array.from({ length: 12 }, () => 200))
    await serving
  })

  it('needs no seat for administrators and probes', async () => {
    const { server, held } = await slowServer({ writesInFlight: 1 })
    const others = [ask(server, 'someone'), ask(server, 'someone')]
    await until(() => server.load().writesInQueue === 1)
    expect(await ask(server, 'probe')).toBe(200)
    const admin = ask(server, 'admin')
    await until(() => held.length === 2)
    held.splice(1, 1)[0]?.()
    expect(await admin).toBe(200)
    held.shift()?.()
    await until(() => held.length > 0)
    held.shift()?.()
    expect(await Promise.all(others)).toEqual([200, 200])
  })

  it('limits the queue for seats in length and time, then answers 429 with Retry-After', async () => {
    const { server, held } = await slowServer({ writesInFlight: 1, queueLength: 1, queueWaitMs: 1 })
    const first = ask(server, 'someone')
    await until(() => server.load().writesInFlight === 1)
    const waits = rawClient(server)
    waits.send(requestText('POST', '/someone', { body: '{}' }))
    await until(() => server.load().writesInQueue === 1)
    expect(await ask(server, 'someone')).toBe(429)
    expect(await waits.until(/too many requests/)).toMatch(/^HTTP\/1\.1 429 .*retry-after: 1/s)
    expect(server.load().rejected).toEqual({ 'queue-full': 1, 'time-out': 1 })
    held.shift()?.()
    expect(await first).toBe(200)
  })
})

describe('connections', () => {
  it('closes connections without a request, the oldest first, when there are too many', async () => {
    const { server } = await start({ limits: { unprovenConnections: 3 } })
    const keptAlive = rawClient(server)
    keptAlive.send(requestText('GET', '/api', { token: 'alice-token' }))
    await keptAlive.until(/200 OK/)
    const idle = []
    for (let i = 1; i <= 5; i++) {
      const client = rawClient(server)
      await client.opened
      idle.push(client)
    }
    await Promise.all(idle.slice(0, 2).map(({ closed }) => closed))
    expect(server.load()).toMatchObject({ unprovenConnections: 3, connections: 4 })
    keptAlive.send(requestText('GET', '/livez', { token: 'alice-token' }))
    await keptAlive.until(/\r\n\r\nok/)
  })

  it('answers plain HTTP on the TLS port with the message of Go', async () => {
    const server = await serveSecurely(() => ({ kind: 'refused', response: text(403, '') }))
    running = server
    const client = rawClient(server, { tls: false })
    client.send(requestText('GET', '/'))
    await client.closed
    expect(client.text()).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n')
  })

  it('closes connections that do not finish their handshake', async () => {
    const server = await serveSecurely(() => ({ kind: 'refused', response: text(403, '') }), { handshakeTimeoutMs: 1 })
    running = server
    await rawClient(server, { tls: false }).closed
  })

  it('rejects TLS renegotiation', async () => {
    const { server } = await start()
    const socket = connectTls({
      port: server.port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
    })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const problem = await new Promise((resolve) => {
      socket.on('error', resolve)
      socket.renegotiate({}, (error) => resolve(error))
    })
    expect(problem).toBeInstanceOf(Error)
  })
})

describe('unusual requests', () => {
  const admit: Admit = ({ path }) => ({
    kind: 'admitted',
    flow: { user: 'someone', kind: 'readOnly', level: 'normal' },
    answer: (body) => text(200, `[${path} ${Buffer.from(body)}]`),
  })
  const say = async (sent: string) => {
    running = await servePlainly(admit)
    const client = rawClient(running)
    client.send(sent)
    client.socket.end()
    await client.closed
    return client.text()
  }

  it.each([
    [
      'a length and an encoding',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd', 400],
    ['an encoding that is not chunked', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\nabc', 400],
    ['a header that continues on the next line', 'GET / HTTP/1.1\r\nhost: x\r\nx: 1\r\n 2\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['headers of 200 kB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`, 431],
    ['5,000 headers', `GET / HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(5_000)}\r\n`, 200],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405],
    ['an upgrade', 'GET /up HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 200],
    ['an expectation that is unknown', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n\r\n', 417],
    ['a negative length', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', 400],
  ])('answers unusual requests: %s', async (_, sent, code) => {
    expect(await say(sent)).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `))
  })

  it('reads a body in chunks, and drops its trailers', async () => {
    const chunks = '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nauthorization: Bearer x\r\n\r\n'
    expect(await say(`POST /chunks HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`)).toContain(
      '[/chunks abcde]',
    )
  })

  it('answers pipelined requests in their order, one after the other', async () => {
    const said = await say([1, 2, 3].map((i) => requestText('GET', `/${i}`)).join(''))
    expect(said.match(/\[.*?\]/g)).toEqual(['[/1 ]', '[/2 ]', '[/3 ]'])
  })

  it('reads a long request that arrives while a long response is being sent', async () => {
    const { server, registry } = await start()
    const long = 'x'.repeat(500_000)
    registry.call({
      verb: 'create',
      resource: 'configmaps',
      namespace: 'default',
      object: JSON.parse(configMap('long', { long })),
    })
    const client = rawClient(server)
    const token = 'alice-token'
    client.send(requestText('GET', `${configMaps}/long`, { token }))
    await client.until(/HTTP\/1\.1 200 /)
    const body = configMap('next', { long: long.slice(0, 200_000) })
    client.send(
      requestText('GET', `${configMaps}/long`, { token }) +
        requestText('POST', configMaps, { token, headers: ['content-type: application/json'], body }),
    )
    await client.until(/HTTP\/1\.1 201 Created/)
  })

  it('requests the body of a client that waits for 100 Continue only if the client may send it', async () => {
    const { server } = await start()
    const expecting = (token: string) =>
      requestText('POST', configMaps, {
        token,
        headers: ['content-type: application/json', `content-length: ${configMap('c').length}`, 'expect: 100-continue'],
      })
    const refused = rawClient(server)
    refused.send(expecting('wrong-token'))
    expect(await refused.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 401 /)
    const admitted = rawClient(server)
    admitted.send(expecting('alice-token'))
    expect(await admitted.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 100 Continue/)
    admitted.send(configMap('c'))
    await admitted.until(/201 Created/)
  })
})
