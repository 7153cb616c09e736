import * as http from 'node:http'
import * as https from 'node:https'
import * as net from 'node:net'
import * as tls from 'node:tls'

// How long a proxy may take until the way is open.
const patienceMs = 30_000
const givenUp = 'the attempt to connect was given up'

/** An agent whose connections go through a proxy: CONNECT for http and https, or SOCKS 5. */
export function throughProxy<A extends http.Agent>(agent: A, proxy: URL): A {
  const opening = new Set<{ destroy(): unknown }>()
  const isTls = agent instanceof https.Agent
  type Connect = (options: tls.ConnectionOptions, give: (error: Error | null, socket?: net.Socket) => void) => void
  const connect: Connect = (options, give) => {
    const host = options.host ?? 'localhost'
    const port = Number(options.port ?? (isTls ? 443 : 80))
    const open = proxy.protocol === 'socks5:' ? openSocks : openTunnel
    const attempt = open(proxy, host, port, (error, socket) => {
      // An attempt that fails says so and is closed thereupon; one that is given up is only closed.
      if (!opening.delete(attempt)) return
      if (socket === undefined) {
        give(new Error(`${namedSafely(proxy)}: ${error?.message ?? 'no way'}`))
        return
      }
      socket.setNoDelay(true)
      give(null, isTls ? tls.connect({ ...options, socket }) : socket)
    })
    opening.add(attempt)
  }
  const { destroy } = agent
  // Node takes a connection that comes later through the second argument; its types know only of one that is returned.
  return Object.assign(agent, {
    createConnection: connect,
    destroy() {
      for (const attempt of opening) attempt.destroy()
      destroy.call(agent)
    },
  }) as A
}

type Opened = (error: Error | undefined, socket?: net.Socket) => void

function openTunnel(proxy: URL, host: string, port: number, opened: Opened): { destroy(): unknown } {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const authorization = authorizationOf(proxy)
  const outgoing = (proxy.protocol === 'https:' ? https : http).request({
    method: 'CONNECT',
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    path: place,
    agent: false,
    timeout: patienceMs,
    headers: { host: place, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no way to ${place} within ${patienceMs / 1000} s`)))
  outgoing.on('error', opened)
  outgoing.on('close', () => opened(new Error(givenUp)))
  outgoing.on('connect', (answer, socket, head) => {
    if (answer.statusCode !== 200) {
      socket.destroy()
      opened(new Error(`refuses to connect to ${place}: ${answer.statusCode} ${answer.statusMessage}`))
      return
    }
    socket.setTimeout(0)
    if (head.length > 0) socket.unshift(head)
    opened(undefined, socket as net.Socket)
  })
  outgoing.end()
  return outgoing
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

const socksRefusals: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'took too long',
  7: 'command not supported',
  8: 'kind of address not supported',
}

/** RFC 1928, with the passwords of RFC 1929. The proxy looks up names. */
function openSocks(proxy: URL, host: string, port: number, opened: Opened): { destroy(): unknown } {
  const socket = net.connect({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port || 1080) })
  let read = Buffer.alloc(0)
  const fail = (message: string) => socket.destroy(new Error(message))
  socket.setTimeout(patienceMs, () => fail(`no way to ${host}:${port} within ${patienceMs / 1000} s`))
  const onEnd = () => fail('ended the connection')
  const onClose = () => opened(new Error(givenUp))
  socket.on('error', opened).on('end', onEnd).on('close', onClose)
  const user = Buffer.from(decodeURIComponent(proxy.username))
  const password = Buffer.from(decodeURIComponent(proxy.password))
  const request = (): void => {
    const name = Buffer.from(host)
    socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3, name.length]), name, Buffer.from([port >> 8, port & 255])]))
    next = takeReply
  }
  const takeMethod = (): boolean => {
    if (read.length < 2) return false
    const method = read[1]
    read = read.subarray(2)
    if (method === 0) request()
    else if (method === 2 && user.length > 0) {
      socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]))
      next = takeLogin
    } else fail(method === 2 ? 'asks for a user and a password' : 'accepts none of the ways to log in')
    return true
  }
  const takeLogin = (): boolean => {
    if (read.length < 2) return false
    const code = read[1]
    read = read.subarray(2)
    if (code === 0) request()
    else fail('does not accept the user and the password')
    return true
  }
  const takeReply = (): boolean => {
    // The address that it used comes with it: of 4 or 16 bytes, or a name with its length.
    const length = { 1: 4, 4: 16, 3: 1 + (read[4] ?? 0) }[read[3] ?? 0] ?? 0
    if (read.length < 5 || read.length < 6 + length) return false
    const code = read[1] ?? 1
    if (code !== 0) {
      fail(`refuses to connect to ${host}:${port}: ${socksRefusals[code] ?? `code ${code}`}`)
      return true
    }
    socket.setTimeout(0)
    socket.off('data', onData).off('error', opened).off('end', onEnd).off('close', onClose)
    socket.pause()
    if (read.length > 6 + length) socket.unshift(read.subarray(6 + length))
    next = () => false
    opened(undefined, socket)
    return true
  }
  let next: () => boolean = takeMethod
  const onData = (chunk: Buffer) => {
    read = Buffer.concat([read, chunk])
    while (!socket.destroyed && next());
  }
  socket.on('data', onData)
  socket.on('connect', () => socket.write(Buffer.from(user.length > 0 ? [5, 2, 0, 2] : [5, 1, 0])))
  return socket
}

/** Without the password. */
function namedSafely(proxy: URL): string {
  return `the proxy ${proxy.protocol}//${proxy.host}`
}
