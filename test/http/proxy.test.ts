import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import {
  type AddressInfo,
  connect as connectTo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { HttpConnection } from '../../src/client/http-connection.ts'
import { loadAccess } from '../../src/client/kubeconfig/load-access.ts'
import { proxyOf } from '../../src/client/kubeconfig/proxy-settings.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

describe('an API server behind a proxy', () => {
  let folder: string
  let closing: (() => void)[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'berth-proxy-'))
    closing = []
  })
  afterEach(() => {
    for (const close of closing) close()
    rmSync(folder, { recursive: true })
    vi.unstubAllEnvs()
  })

  const listen = async (server: SocketServer): Promise<number> => {
    const sockets = new Set<Socket>()
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => socket.destroy())
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    closing.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return (server.address() as AddressInfo).port
  }

  /** Serves TLS with a certificate of its authority, and returns the requested path. */
  const apiServer = async () => {
    const made = createCredentials({ hosts: ['127.0.0.1'], adminToken: 'unused', now })
    const answer = (incoming: { url?: string }, outgoing: { end(text: string): void }) =>
      outgoing.end(`asked for ${incoming.url}`)
    const server = createHttpsServer({ cert: made.serverCertificate, key: made.serverKey }, answer as never)
    return { port: await listen(server), ca: made.caCertificate }
  }

  interface Proxy {
    readonly port: number
    readonly asked: string[]
  }

  const connectProxy = async (login?: string): Promise<Proxy> => {
    const asked: string[] = []
    const server = createHttpServer((_incoming, outgoing) => outgoing.writeHead(405).end())
    server.on('connect', (incoming, socket: Socket) => {
      asked.push(incoming.url ?? '')
      socket.on('error', () => socket.destroy())
      const given = Buffer.from((incoming.headers['proxy-authorization'] ?? '').replace('Basic ', ''), 'base64')
      if (login !== undefined && given.toString() !== login) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        return
      }
      const [host, port] = (incoming.url ?? '').split(':')
      const onward = connectTo(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
        onward.pipe(socket).pipe(onward)
      })
      onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    })
    return { port: await listen(server), asked }
  }

  /** A proxy of RFC 1928 that sends one byte at a time, so that a reader must wait for the complete answer. */
  const socksProxy = async (login?: string): Promise<Proxy> => {
    const asked: string[] = []
    const server = createSocketServer((socket) => {
      let read = Buffer.alloc(0)
      let stage = 'greeting'
      const say = (...bytes: number[]) => {
        for (const byte of bytes) socket.write(Buffer.from([byte]))
      }
      socket.on('data', function take(chunk: Buffer) {
        read = Buffer.concat([read, chunk])
        if (stage === 'greeting' && read.length >= 2 + (read[1] ?? 0)) {
          const ways = [...read.subarray(2, 2 + (read[1] ?? 0))]
          read = Buffer.alloc(0)
          stage = login === undefined ? 'request' : 'login'
          say(5, login === undefined ? 0 : ways.includes(2) ? 2 : 255)
        } else if (stage === 'login') {
          const user = read.subarray(2, 2 + (read[1] ?? 0)).toString()
          const password = read.subarray(3 + user.length).toString()
          read = Buffer.alloc(0)
          stage = 'request'
          say(1, `${user}:${password}` === login ? 0 : 1)
        } else if (stage === 'request' && read.length >= 7) {
          const host = read.subarray(5, 5 + (read[4] ?? 0)).toString()
          const port = read.readUInt16BE(5 + host.length)
          asked.push(`${host}:${port}`)
          socket.off('data', take)
          const onward = connectTo(port, host, () => {
            say(5, 0, 0, 1, 127, 0, 0, 1, 0, 80)
            onward.pipe(socket).pipe(onward)
          })
          onward.on('error', () => say(5, 5, 0, 1, 0, 0, 0, 0, 0, 0))
        }
      })
    })
    return { port: await listen(server), asked }
  }

  const connection = async (api: { port: number; ca: string }, proxyUrl: string) => {
    const file = join(folder, 'kubeconfig')
    const ca = Buffer.from(api.ca).toString('base64')
    const cluster = { server: `https://127.0.0.1:${api.port}`, 'certificate-authority-data': ca, 'proxy-url': proxyUrl }
    writeFileSync(
      file,
      JSON.stringify({
        'current-context': 'me',
        clusters: [{ name: 'me', cluster }],
        users: [{ name: 'me', user: { token: 't' } }],
        contexts: [{ name: 'me', context: { cluster: 'me', user: 'me' } }],
      }),
    )
    const access = await loadAccess({ kubeconfig: file }, () => now)
    const clock = new VirtualClock(now)
    const made = new HttpConnection({ access, clock, userAgent: 't', timeoutMs: 60_000, maxSockets: 4 })
    closing.push(() => made.close())
    return made
  }
  const ask = async (through: HttpConnection, path = '/version') => {
    const answer = await through.exchange({ method: 'GET', path })
    return answer.kind === 'answer' ? answer.body : answer.kind === 'lost' ? answer.message : answer.kind
  }

  it.each([
    ['CONNECT', 'http', connectProxy],
    ['SOCKS 5', 'socks5', socksProxy],
  ] as const)('is reached by %s, once for as long as the connection lasts', async (_how, scheme, start) => {
    const api = await apiServer()
    const proxy = await start()
    const made = await connection(api, `${scheme}://127.0.0.1:${proxy.port}`)
    expect(await ask(made)).toBe('asked for /version')
    expect(await ask(made, '/readyz')).toBe('asked for /readyz')
    expect(proxy.asked).toEqual([`127.0.0.1:${api.port}`])
  })

  it.each([
    ['CONNECT', 'http', connectProxy, '407 Proxy Authentication Required'],
    ['SOCKS 5', 'socks5', socksProxy, 'rejected the user and the password'],
  ] as const)('logs in with the user of the URL, by %s', async (_how, scheme, start, refusal) => {
    const api = await apiServer()
    const proxy = await start('jane:p@ss')
    expect(await ask(await connection(api, `${scheme}://jane:p%40ss@127.0.0.1:${proxy.port}`))).toBe(
      'asked for /version',
    )
    const wrong = await ask(await connection(api, `${scheme}://jane:wrong@127.0.0.1:${proxy.port}`))
    expect(wrong).toContain(`the proxy ${scheme}://127.0.0.1:${proxy.port}: `)
    expect(wrong).toContain(refusal)
    expect(wrong).not.toContain('wrong')
  })

  it.each([
    ['CONNECT', 'http', connectProxy, '502 Bad Gateway'],
    ['SOCKS 5', 'socks5', socksProxy, 'connection refused'],
  ] as const)(
    'reports an unreachable API server with the message of the proxy, by %s',
    async (_how, scheme, start, said) => {
      const api = await apiServer()
      const proxy = await start()
      const made = await connection({ ...api, port: 1 }, `${scheme}://127.0.0.1:${proxy.port}`)
      expect(await ask(made)).toBe(
        `the proxy ${scheme}://127.0.0.1:${proxy.port}: refused to connect to 127.0.0.1:1: ${said}`,
      )
    },
  )

  it.each([['http'], ['socks5']])(
    'gives up when the proxy does not answer and everything is closed (%s)',
    async (scheme) => {
      const api = await apiServer()
      let reached = () => {}
      const arrival = new Promise<void>((done) => {
        reached = done
      })
      let ended = () => {}
      const end = new Promise<void>((done) => {
        ended = done
      })
      const mute = createSocketServer((socket) => {
        socket.on('data', () => reached())
        socket.on('close', () => ended())
      })
      const made = await connection(api, `${scheme}://127.0.0.1:${await listen(mute)}`)
      const asking = ask(made)
      await arrival
      made.close()
      await end
      expect(await asking).not.toContain('asked for')
    },
  )
})

describe('the selected proxy', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    [
      'the one of the kubeconfig',
      'https://k8s.example.com',
      'socks5://s:1',
      { HTTPS_PROXY: 'http://e:2' },
      'socks5://s:1',
    ],
    ['the one of the environment', 'https://k8s.example.com', undefined, { HTTPS_PROXY: 'http://e:2' }, 'http://e:2/'],
    ['in small letters', 'https://k8s.example.com', undefined, { https_proxy: 'e:2' }, 'http://e:2/'],
    ['another for plain HTTP', 'http://k8s.example.com', undefined, { HTTPS_PROXY: 'http://e:2' }, undefined],
    ['none to this machine', 'https://127.0.0.1:6443', undefined, { HTTPS_PROXY: 'http://e:2' }, undefined],
    ['none to localhost', 'https://localhost:6443', undefined, { HTTPS_PROXY: 'http://e:2' }, undefined],
    [
      'none to a name left out',
      'https://k8s.example.com',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: 'x,k8s.example.com' },
      undefined,
    ],
    [
      'none within a domain',
      'https://k8s.example.com',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: 'example.com' },
      undefined,
    ],
    [
      'not the end of a word',
      'https://notexample.com',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: 'example.com' },
      'http://e:2/',
    ],
    [
      'a leading dot leaves out what is below',
      'https://example.com',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: '.example.com' },
      'http://e:2/',
    ],
    ['none in a range', 'https://10.1.2.3:6443', undefined, { HTTPS_PROXY: 'e:2', NO_PROXY: '10.0.0.0/8' }, undefined],
    [
      'none at a port',
      'https://10.1.2.3:6443',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: '10.1.2.3:6443' },
      undefined,
    ],
    [
      'one at another port',
      'https://10.1.2.3:443',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: '10.1.2.3:6443' },
      'http://e:2/',
    ],
    [
      'none to an IPv6 address',
      'https://[fd00::1]:6443',
      undefined,
      { HTTPS_PROXY: 'e:2', NO_PROXY: 'fd00::1' },
      undefined,
    ],
    ['none at all', 'https://k8s.example.com', undefined, { HTTPS_PROXY: 'e:2', NO_PROXY: '*' }, undefined],
  ] as const)('%s', (_what, server, named, environment, expected) => {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'])
      vi.stubEnv(name, (environment as Record<string, string>)[name] ?? '')
    expect(proxyOf(server, named, 'me')?.href).toBe(expected)
  })
})
