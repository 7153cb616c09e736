import * as http from 'node:http'
import * as https from 'node:https'
import * as net from 'node:net'
import * as tls from 'node:tls'

// Time limit for a connection through a proxy.
const timeoutMs = 30_000
const aborted = 'connection attempt aborted'

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
      // A failed attempt reports its error and is then closed; an aborted one is only closed.
      if (!opening.delete(attempt)) return
      if (socket === undefined) {
        give(new Error(`${withoutPassword(proxy)}: ${error?.message ?? 'no connection'}`))
        return
      }
      socket.setNoDelay(true)
      give(null, isTls ? tls.connect({ ...options, socket }) : socket)
    })
    opening.add(attempt)
  }
  const { destroy } = agent
  // Node accepts a later connection through the callback; its types only declare the returned one.
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
    timeout: timeoutMs,
    headers: { host: place, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) },
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error(`no connection to ${place} within ${timeoutMs / 1000} s`)))
  outgoing.on('error', opened)
  outgoing.on('close', () => opened(new Error(aborted)))
  outgoing.on('connect', (answer, socket, head) => {
    if (answer.statusCode !== 200) {
      socket.destroy()
      opened(new Error(`refused to connect to ${place}: ${answer.statusCode} ${answer.statusMessage}`))
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
  6: 'TTL expired',
  7: 'command not supported',
  8: 'address type not supported',
}

/** RFC 1928, with the passwords of RFC 1929. The proxy resolves names. */
function openSocks(proxy: URL, host: string, port: number, opened: Opened): { destroy(): unknown } {
  const socket = net.connect({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port || 1080) })
  let read = Buffer.alloc(0)
  const fail = (message: string) => socket.destroy(new Error(message))
  socket.setTimeout(timeoutMs, () => fail(`no connection to ${host}:${port} within ${timeoutMs / 1000} s`))
  const onEnd = () => fail('closed the connection')
  const onClose = () => opened(new Error(aborted))
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
    } else fail(method === 2 ? 'requires a user and a password' : 'supports no common authentication method')
    return true
  }
  const takeLogin = (): boolean => {
    if (read.length < 2) return false
    const code = read[1]
    read = read.subarray(2)
    if (code === 0) request()
    else fail('rejected the user and the password')
    return true
  }
  const takeReply = (): boolean => {
    // The response contains the address that the proxy used: 4 or 16 bytes, or a name with its length.
    const length = { 1: 4, 4: 16, 3: 1 + (read[4] ?? 0) }[read[3] ?? 0] ?? 0
    if (read.length < 5 || read.length < 6 + length) return false
    const code = read[1] ?? 1
    if (code !== 0) {
      fail(`refused to connect to ${host}:${port}: ${socksRefusals[code] ?? `code ${code}`}`)
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

function withoutPassword(proxy: URL): string {
  return `the proxy ${proxy.protocol}//${proxy.host}`
}
