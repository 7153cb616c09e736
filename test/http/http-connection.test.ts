import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createRandom } from '../../src/base/random.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { createHttpClient } from '../../src/client/http-client.ts'
import { HttpConnection } from '../../src/client/http-connection.ts'

describe('connections to a server that misbehaves', () => {
  let server: Server | undefined
  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  /** A server that records requests, and answers only on request of the test. */
  async function silentServer(answer: Parameters<typeof createServer>[1]) {
    server = createServer(answer as never)
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('sends no waiting requests after it is closed, and aborts those in flight', async () => {
    const asked: string[] = []
    let arrived = () => {}
    const first = new Promise<void>((done) => {
      arrived = done
    })
    const url = await silentServer((request) => {
      asked.push(request.url ?? '')
      arrived()
    })
    const clock = new VirtualClock(0)
    const client = createHttpClient({
      access: { server: url },
      clock,
      random: createRandom('closed').stream('watch'),
      maxSockets: 1,
      qps: 1,
      burst: 2,
    })
    const get = (name: string) => client.call({ verb: 'get', resource: 'nodes', name })
    // The first request is in flight, the second waits for its connection, the third for the rate limit.
    const calls = ['a', 'b', 'c'].map(get)
    await first
    client.close()
    clock.advanceTo(60_000)
    const outcomes = await Promise.all(calls)
    expect(outcomes.map((outcome) => outcome.ok)).toEqual([false, false, false])
    expect(asked).toEqual(['/api/v1/nodes/a'])
  })

  it('ends a stream that has been silent for too long, and not an active one', async () => {
    let say: (text: string) => void = () => {}
    const url = await silentServer((_request, response) => {
      response.writeHead(200)
      say = (text) => void response.write(text)
      say('first\n')
    })
    const clock = new VirtualClock(0)
    const connection = new HttpConnection({
      access: { server: url },
      clock,
      userAgent: 'test',
      timeoutMs: 1000,
      maxSockets: 1,
      silenceMs: 60_000,
    })
    const heard: string[] = []
    let onLine = () => {}
    const line = () =>
      new Promise<void>((done) => {
        onLine = done
      })
    let next = line()
    const ended = new Promise<void>((done) =>
      connection.stream(
        { method: 'GET', path: '/' },
        {
          head: () => {},
          lines: (lines) => {
            heard.push(...lines)
            onLine()
          },
          end: () => {
            heard.push('end')
            done()
          },
        },
      ),
    )
    await next
    clock.advanceTo(50_000)
    next = line()
    say('second\n')
    await next
    clock.advanceTo(100_000)
    expect(heard).toEqual(['first', 'second'])
    clock.advanceTo(110_000)
    await ended
    expect(heard).toEqual(['first', 'second', 'end'])
    connection.close()
  })

  it('waits for the Retry-After of an overloaded server, and retries', async () => {
    let asked = 0
    let refused = () => {}
    const first = new Promise<void>((done) => {
      refused = done
    })
    const url = await silentServer((_request, response) => {
      asked++
      if (asked > 1) return response.end('{"kind":"Node","metadata":{"name":"a"}}')
      response.on('close', refused)
      response.writeHead(429, { 'retry-after': '7' })
      response.end('{}')
    })
    const clock = new VirtualClock(0)
    const client = createHttpClient({ access: { server: url }, clock, random: createRandom('late').stream('watch') })
    const outcome = client.call({ verb: 'get', resource: 'nodes', name: 'a' })
    await first
    await eventLoopTurns(() => clock.nextDeadline() === 7000)
    clock.advanceTo(6999)
    expect(asked).toBe(1)
    clock.advanceTo(7000)
    expect(await outcome).toMatchObject({ ok: true, object: { metadata: { name: 'a' } } })
    client.close()
  })
})

async function eventLoopTurns(until: () => boolean): Promise<void> {
  for (let i = 0; i < 10_000 && !until(); i++) await new Promise((next) => setImmediate(next))
}
