import * as http from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApiServer } from '../../src/apiserver/api-server.ts'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'

describe('limits of the API server', () => {
  const clock = new RealClock()
  const registry = createRegistry({ store: createStore(), clock, random: createRandom('limits') })
  let server: RunningServer
  beforeAll(async () => {
    const limits = { bytesInFlight: 4 * 1024 * 1024 }
    server = await startApiServer({
      registry,
      clock,
      log: silentLogger,
      metrics: new MetricRegistry(),
      host: '127.0.0.1',
      port: 0,
      limits,
    })
  })
  afterAll(() => server.close())

  const maps = '/api/v1/namespaces/default/configmaps'
  const post = (body: string) =>
    new Promise<{ code: number; headers: http.IncomingHttpHeaders; text: string; request: http.ClientRequest }>(
      (resolve, reject) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
        const request = http.request(`${server.url}${maps}`, { method: 'POST', headers, agent: false }, (incoming) => {
          let text = ''
          incoming.on('data', (chunk) => {
            text += chunk
          })
          incoming.on('end', () =>
            resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, text, request }),
          )
        })
        request.on('error', reject)
        request.end(body)
      },
    )

  it('rejects a body of more than 3 MiB with 413', async () => {
    const answer = await post(JSON.stringify({ metadata: { name: 'big' }, data: { a: 'x'.repeat(3 * 1024 * 1024) } }))
    expect(answer.code).toBe(413)
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'RequestEntityTooLarge' })
  })

  it('disconnects a watcher that does not read, and serves the others', async () => {
    const deaf = connect(server.port, '127.0.0.1')
    const closed = new Promise<void>((resolve) => {
      deaf.on('close', () => resolve())
      deaf.on('error', () => resolve())
    })
    deaf.write(`GET ${maps}?watch=1 HTTP/1.1\r\nhost: x\r\n\r\n`)
    await new Promise<void>((resolve) => deaf.once('readable', () => resolve()))
    deaf.pause()
    const data = { a: 'x'.repeat(200_000) }
    for (let i = 0; i < 100; i++) {
      registry.call({
        verb: 'create',
        resource: 'configmaps',
        namespace: 'default',
        object: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `flood-${i}`, namespace: 'default' },
          data,
        } as never,
      })
      // The server gets a turn between two writes, as between two requests.
      await new Promise((next) => setImmediate(next))
    }
    // The data in the buffers of the kernel is read, then the connection ends.
    deaf.resume()
    await closed
    expect((await post(JSON.stringify({ metadata: { name: 'still-here' } }))).code).toBe(201)
  })

  it('answers invalid HTTP with 400, and closes', async () => {
    const text = await new Promise<string>((resolve) => {
      const socket = connect(server.port, '127.0.0.1')
      let said = ''
      socket.on('data', (chunk) => {
        said += chunk
      })
      socket.on('close', () => resolve(said))
      socket.write('\u0000\u0001rubbish\r\n\r\n')
    })
    expect(text).toContain('400 Bad Request')
  })
})
