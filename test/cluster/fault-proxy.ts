import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { kubeconfigOf } from '../../src/apiserver/kubeconfig.ts'
import type { RealCluster } from './real-parts.ts'

/** The fault of one request. */
export type Fate =
  | { readonly kind: 'pass' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The request waits until the connection is restored, unless its sender cancels it before. */
  | { readonly kind: 'hold' }
  /** The answer comes a few bytes at a time. */
  | { readonly kind: 'trickle'; readonly ms: number }
  /** The server executes the request, and the answer is lost: the connection breaks, or no more data arrives. */
  | { readonly kind: 'lose'; readonly how: 'break' | 'hang' }
  | { readonly kind: 'answer'; readonly code: number; readonly headers?: Record<string, string>; readonly body: string }

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly isWatch: boolean
}

/**
 * A connection to the API server that can fail, for one client. It accepts plain HTTP, and connects to the server as
 * administrator under the name of the client, so that the audit log distinguishes the clients.
 */
export interface FaultProxy {
  readonly kubeconfig: string
  /** Requests seen, and their outcomes. */
  readonly seen: { readonly request: ProxiedRequest; readonly fate: Fate['kind'] }[]
  decide(fate: (request: ProxiedRequest) => Fate): void
  /** Nothing passes in either direction, without an error. Waiting requests are forwarded when the connection is restored. */
  hang(): void
  /** Connections break, new ones are refused. */
  cut(): void
  restore(): void
  /** Ends the watches, and refuses new ones until the connection is restored. */
  cutWatches(): void
  close(): Promise<void>
}

const pass: Fate = { kind: 'pass' }

export async function startFaultProxy(cluster: RealCluster, name: string): Promise<FaultProxy> {
  const access = accessOf(cluster)
  const agent = new Agent({ keepAlive: true, maxSockets: 256, ...access.tls })
  const seen: FaultProxy['seen'] = []
  const watches = new Set<ServerResponse>()
  let decide: (request: ProxiedRequest) => Fate = () => pass
  let state: 'fine' | 'hangs' | 'cut' | 'no watches' = 'fine'
  let waiting: (() => void)[] = []
  const notHanging = () =>
    state === 'hangs' ? new Promise<void>((resolve) => waiting.push(resolve)) : Promise.resolve()

  const server = createServer((incoming, outgoing) => {
    const asked = requestIn(incoming)
    if (state === 'cut' || (state === 'no watches' && asked.isWatch)) return void incoming.socket.destroy()
    const fate = decide(asked)
    seen.push({ request: asked, fate: fate.kind })
    if (asked.isWatch) {
      watches.add(outgoing)
      outgoing.on('close', () => watches.delete(outgoing))
    }
    void carry(incoming, outgoing, fate).catch(() => incoming.socket.destroy())
  })
  server.keepAliveTimeout = 600_000

  async function carry(incoming: IncomingMessage, outgoing: ServerResponse, fate: Fate): Promise<void> {
    const body = await bodyOf(incoming)
    if (fate.kind === 'answer') {
      outgoing.writeHead(fate.code, { 'content-type': 'application/json', ...fate.headers })
      return void outgoing.end(fate.body)
    }
    if (fate.kind === 'delay') await later(fate.ms)
    if (fate.kind === 'hold') await new Promise<void>((resolve) => waiting.push(resolve))
    await notHanging()
    // A client that has disconnected cancels the requests that it could not send.
    if (incoming.socket.destroyed) return
    const options: RequestOptions = {
      ...{ host: access.host, port: access.port, method: incoming.method, path: incoming.url, agent },
      headers: { ...incoming.headers, host: `${access.host}:${access.port}`, 'user-agent': name },
    }
    const upstream = request(options, (answer) => {
      answer.on('error', () => incoming.socket.destroy())
      if (fate.kind === 'lose') {
        answer.resume()
        answer.on('end', () => fate.how === 'break' && incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      forward(answer, outgoing, fate).catch(() => incoming.socket.destroy())
    })
    upstream.on('error', () => incoming.socket.destroy())
    outgoing.on('close', () => upstream.destroy())
    upstream.end(body)
  }

  async function forward(answer: IncomingMessage, outgoing: ServerResponse, fate: Fate): Promise<void> {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      const step = fate.kind === 'trickle' ? Math.max(1, Math.ceil(chunk.length / 5)) : chunk.length
      for (let at = 0; at < chunk.length; at += step) {
        if (fate.kind === 'trickle') await later(fate.ms)
        await notHanging()
        outgoing.write(chunk.subarray(at, at + step))
      }
    }
    outgoing.end()
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(cluster.folder, `${name}.kubeconfig`)
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf({ server: `http://127.0.0.1:${port}`, name })))
  return {
    kubeconfig,
    seen,
    decide: (fate) => {
      decide = fate
    },
    hang: () => {
      state = 'hangs'
    },
    cut: () => {
      state = 'cut'
      server.closeAllConnections()
    },
    cutWatches: () => {
      state = 'no watches'
      for (const watch of watches) watch.destroy()
    },
    restore: () => {
      state = 'fine'
      const held = waiting
      waiting = []
      for (const resume of held) resume()
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}

function accessOf(cluster: RealCluster) {
  const { hostname, port } = new URL(cluster.url)
  const config = JSON.parse(readFileSync(cluster.kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: Record<string, string> }[]
    readonly users: readonly { readonly user: Record<string, string> }[]
  }
  const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64')
  const user = config.users[0]?.user
  return {
    host: hostname,
    port,
    tls: {
      ca: decoded(config.clusters[0]?.cluster['certificate-authority-data']),
      cert: decoded(user?.['client-certificate-data']),
      key: decoded(user?.['client-key-data']),
    },
  }
}

function requestIn({ method = 'GET', url = '/' }: IncomingMessage): ProxiedRequest {
  return { method, path: url, isWatch: /[?&]watch=(true|1)/.test(url) }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const later = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
