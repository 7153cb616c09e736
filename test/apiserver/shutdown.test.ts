import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Admit } from '../../src/apiserver/exchange.ts'
import { json, text } from '../../src/apiserver/exchange.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { type RawClient, rawClient, requestText, servePlainly, serveSecurely, startServer, until } from './sockets.ts'

const flow = { user: 'someone', kind: 'mutating', level: 'normal' } as const

/** Answers each path in another way. */
const admit: Admit = ({ path }) => ({
  kind: 'admitted',
  flow,
  answer: () => {
    switch (path) {
      case '/watch':
        return {
          kind: 'stream',
          code: 200,
          headers: {},
          start: (sink) => {
            sink.write('event\n')
            return () => {}
          },
        }
      case '/list': {
        const piece = 'x'.repeat(256 * 1024)
        return {
          kind: 'pieces',
          code: 200,
          headers: {},
          pieces: { next: () => ({ done: false, value: piece }) },
          keptBytes: 0,
        }
      }
      default:
        return text(200, 'done')
    }
  },
})

interface Guest {
  readonly name: string
  readonly tls?: boolean
  readonly reads?: boolean
  /** Nothing is in flight, so that it is closed at once. */
  readonly isIdle?: boolean
  readonly does: (client: RawClient, server: RunningServer) => Promise<unknown>
}

const guests: readonly Guest[] = [
  { name: 'is connected and silent', isIdle: true, tls: false, does: async () => {} },
  { name: 'has finished its handshake and is silent', isIdle: true, does: ({ opened }) => opened },
  { name: 'has sent half of its headers', isIdle: true, does: async ({ send }) => send('GET / HTTP/1.1\r\nhost: ') },
  {
    name: 'has sent half of its body',
    does: ({ send }, server) => {
      send('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n12345')
      return until(() => server.load().bytesInFlight === 5)
    },
  },
  {
    name: 'has had an answer and keeps its connection',
    isIdle: true,
    does: (client) => {
      client.send(requestText('GET', '/'))
      return client.until(/done/)
    },
  },
  {
    name: 'has a watch open',
    does: (client) => {
      client.send(requestText('GET', '/watch'))
      return client.until(/event/)
    },
  },
  {
    name: 'does not read the list that it asked for',
    reads: false,
    does: (client, server) => {
      client.send(requestText('GET', '/list'))
      return until(() => server.load().bytesInFlight > 0)
    },
  },
]

describe.each([
  ['HTTP', servePlainly, false],
  ['HTTPS', serveSecurely, true],
] as const)('a server that stops, over %s,', (_, start, tls) => {
  it.each(guests)('does not wait for a client that $name', async (guest) => {
    const server = await start(admit)
    const client = rawClient(server, { tls: guest.tls ?? tls, reads: guest.reads ?? true })
    await until(() => server.load().connections === 1)
    await guest.does(client, server)
    await server.close()
    expect(server.load().connections).toBe(0)
    client.socket.resume()
    await client.closed
  })

  it.each(guests.filter(({ isIdle }) => isIdle))(
    'immediately closes the connection of a client that $name',
    async (guest) => {
      // On this clock, no time passes, so the grace period does not end.
      const server = await start(admit, {}, new VirtualClock(0))
      const client = rawClient(server, { tls: guest.tls ?? tls })
      await until(() => server.load().connections === 1)
      await guest.does(client, server)
      await server.close()
      await client.closed
    },
  )

  it('rejects new connections while it answers the write that is in flight', async () => {
    let answer: () => void = () => {}
    const written = new Promise<void>((resolve) => {
      answer = resolve
    })
    const server = await start(() => ({
      kind: 'admitted',
      flow,
      answer: () => written.then(() => json(201, { written: true })),
    }))
    const client = rawClient(server)
    client.send(requestText('POST', '/', { body: '{}' }))
    await until(() => server.load().writesInFlight === 1)
    const stopped = server.close()
    const late = connect(server.port, '127.0.0.1')
    // The kernel may have taken the connection before the socket was closed; then it is reset.
    const { code } = await new Promise<NodeJS.ErrnoException>((resolve) => late.once('error', resolve))
    expect(code).toMatch(/^(ECONNREFUSED|ECONNRESET)$/)
    answer()
    await stopped
    await client.closed
    expect(client.text()).toMatch(/^HTTP\/1\.1 201 .*"written":true/s)
  })

  it('ends an open watch with its last chunk', async () => {
    const server = await start(admit)
    const client = rawClient(server)
    client.send(requestText('GET', '/watch'))
    await client.until(/event/)
    await server.close()
    await client.closed
    expect(client.text()).toMatch(/event\n\r\n0\r\n\r\n$/)
  })
})

it('a server that is stopping is not ready, but live', async () => {
  const { server } = await startServer()
  // Requests that have begun when the server stops, and are complete afterwards.
  const probes = ['/readyz?verbose', '/livez?verbose'].map((path) => {
    const client = rawClient(server)
    client.send(requestText('GET', path, { token: 'alice-token', headers: ['content-length: 1'] }))
    return client
  })
  await until(() => server.load().connections - server.load().unprovenConnections === probes.length)
  const stopped = server.close()
  for (const { send } of probes) send('1')
  await stopped
  const [ready, alive] = await Promise.all(probes.map((client) => client.closed.then(() => client.text())))
  expect(ready).toMatch(/^HTTP\/1\.1 500 .*\[-\]shutdown failed.*readyz check failed/s)
  expect(alive).toMatch(/^HTTP\/1\.1 200 .*livez check passed/s)
})
