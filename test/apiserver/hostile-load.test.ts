import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/apiserver/server.ts'
import { codeOf, configMap, configMaps, type RawClient, rawClient, requestText, startServer, until } from './sockets.ts'

// BERTH_HOSTILE=200 is the long form.
const each = Number(process.env['BERTH_HOSTILE'] ?? 10)

interface Attack {
  readonly name: string
  readonly tls?: boolean
  readonly reads?: boolean
  readonly sends?: string
}

const body = configMap('never')
const half = (token?: string) =>
  requestText('POST', configMaps, { body, ...(token === undefined ? {} : { token }) }).slice(0, -5)
const asked = (path: string) => requestText('GET', path, { token: 'alice-token' })

const attacks: readonly Attack[] = [
  { name: 'connects and is silent', tls: false },
  { name: 'finishes the handshake and is silent' },
  { name: 'sends half of a handshake', tls: false, sends: '\u0016\u0003\u0001\u0002' },
  { name: 'speaks plain HTTP', tls: false, sends: requestText('GET', '/') },
  { name: 'sends half of the headers', sends: 'GET /api HTTP/1.1\r\nhost: x\r\nx: ' },
  { name: 'sends half of a body without credentials', sends: half() },
  { name: 'sends half of a body', sends: half('alice-token') },
  {
    name: 'announces a body that is too large',
    sends: requestText('POST', configMaps, { token: 'alice-token', headers: ['content-length: 9999999999'] }),
  },
  { name: 'sends too many headers', sends: `GET / HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(40_000)}` },
  { name: 'does not read a list', reads: false, sends: asked(configMaps) },
  { name: 'does not read a watch', reads: false, sends: asked(`${configMaps}?watch=1`) },
  { name: 'pipelines 50 lists', reads: false, sends: asked(configMaps).repeat(50) },
  { name: 'pipelines 2,000 requests', reads: false, sends: asked('/version').repeat(2_000) },
  { name: 'sends rubbish', sends: '\u0000\u0001\u0002\r\n\r\n' },
]

describe(`beside ${each} hostile clients of each of ${attacks.length} kinds`, () => {
  let server: RunningServer
  let hostile: RawClient[] = []
  const limits = { bytesInFlight: 8 * 1024 * 1024, writesInFlight: 4, readsInFlight: 4 }
  beforeAll(async () => {
    const started = await startServer({ limits })
    server = started.server
    for (let i = 0; i < 200; i++)
      started.registry.call({
        verb: 'create',
        resource: 'configmaps',
        namespace: 'default',
        object: JSON.parse(configMap(`big-${i}`, { text: 'x'.repeat(50_000) })),
      })
    hostile = attacks.flatMap(({ tls, reads, sends }) =>
      Array.from({ length: each }, () => {
        const client = rawClient(server, { ...(tls === undefined ? {} : { tls }), reads: reads ?? true })
        if (reads === false) client.socket.pause()
        if (sends !== undefined) client.socket.write(Buffer.from(sends, 'latin1'))
        return client
      }),
    )
    await until(() => server.load().connections > 5 * each)
  })
  afterAll(async () => {
    for (const { socket } of hostile) socket.destroy()
    await server.close()
  })

  it.each(['bob', 'admin'])('answers every request of %s', async (user) => {
    const token = `${user}-token`
    for (let i = 0; i < 10; i++) {
      const name = `${user}-${i}`
      const codes = [
        await codeOf(server, requestText('POST', configMaps, { token, body: configMap(name) })),
        await codeOf(server, requestText('GET', `${configMaps}/${name}`, { token })),
        await codeOf(server, requestText('GET', `${configMaps}?limit=10`, { token })),
        await codeOf(server, requestText('DELETE', `${configMaps}/${name}`, { token })),
        await codeOf(server, requestText('GET', '/readyz', { token })),
      ]
      expect(codes).toEqual([201, 200, 200, 200, 200])
    }
  })

  it('keeps all bytes that wait for clients within the budget', () => {
    expect(server.load().bytesInFlight).toBeLessThanOrEqual(limits.bytesInFlight)
    expect(server.load().rejected).toEqual({ 'queue-full': 0, 'time-out': 0 })
  })
})
