import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import * as https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchContext, Suite } from '../suite.ts'

/** The peer, measured on a 2-core machine like ours: kube-apiserver v1.36.4 with etcd, fsync off. */
const peer = { createsPerSecond: 1180, readyMs: 2200, emptyMegabytes: 264 }

const connections = 32

export const suite: Suite = {
  name: 'apiserver',
  summary: 'creates, reads, lists and watches over HTTPS, durable; time to ready; memory',
  run: async (context) => {
    const rows: (readonly (string | number)[])[] = []
    for (const mode of ['durable', 'ephemeral'] as const) rows.push(...(await measureServer(context, mode)))
    context.table('API server over HTTPS, 32 connections', ['mode', 'what', 'berth', 'peer', 'ratio'], rows)
  },
}

async function measureServer(context: BenchContext, mode: 'durable' | 'ephemeral') {
  const pods = context.full ? 50_000 : 10_000
  const server = await startServer(mode)
  const rows: (readonly (string | number)[])[] = []
  const say = (what: string, value: number, unit: string, peerValue?: number) => {
    context.record({ name: `${mode}: ${what}`, value, unit })
    const ratio = peerValue === undefined ? '' : (value / peerValue).toFixed(2)
    rows.push([
      mode,
      what,
      `${Math.round(value * 10) / 10} ${unit}`,
      peerValue === undefined ? '' : `${peerValue} ${unit}`,
      ratio,
    ])
  }
  try {
    say('start to ready', server.readyMs, 'ms', peer.readyMs)
    say('memory, empty', server.megabytes(), 'MB', peer.emptyMegabytes)
    context.progress(`${mode}: creating ${pods} pods`)
    const created = await timed(() =>
      inParallel(pods, (i) => server.request('POST', '/api/v1/namespaces/default/pods', pod(i), 201)),
    )
    say('pod creates', (pods / created) * 1000, '/s', peer.createsPerSecond)
    say(`memory, ${pods} pods`, server.megabytes(), 'MB')
    const reads = await timed(() =>
      inParallel(pods, (i) => server.request('GET', `/api/v1/namespaces/default/pods/p-${i}`, undefined, 200)),
    )
    say('pod reads', (pods / reads) * 1000, '/s')
    say(`list of ${pods} pods`, await timed(() => server.request('GET', '/api/v1/pods', undefined, 200)), 'ms')
    for (const watchers of [1, 100]) {
      context.progress(`${mode}: ${watchers} watchers`)
      const events = watchers === 1 ? 5000 : 1000
      const ms = await server.watchWhile(watchers, events, () =>
        inParallel(events, (i) =>
          server.request(
            'PATCH',
            `/api/v1/namespaces/default/pods/p-${i}`,
            { metadata: { labels: { round: String(watchers) } } },
            200,
          ),
        ),
      )
      say(`watch events to ${watchers} watcher${watchers === 1 ? '' : 's'}`, ((events * watchers) / ms) * 1000, '/s')
    }
  } finally {
    await server.stop()
  }
  return rows
}

function pod(i: number) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p-${i}`, namespace: 'default', labels: { app: 'bench' } },
    spec: {
      containers: [
        { name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
      ],
    },
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

async function inParallel(total: number, one: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < total) await one(next++)
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

interface Served {
  readonly readyMs: number
  megabytes(): number
  request(method: string, path: string, body: unknown, expected: number): Promise<void>
  watchWhile(watchers: number, events: number, work: () => Promise<void>): Promise<number>
  stop(): Promise<void>
}

async function startServer(mode: 'durable' | 'ephemeral'): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const storage = mode === 'durable' ? ['--data-dir', join(folder, 'data')] : ['--ephemeral']
  const startedAt = process.hrtime.bigint()
  const child = spawn(
    process.execPath,
    ['bin/berth', 'apiserver', '--port', '0', '--kubeconfig', kubeconfig, ...storage],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await firstLine(child)
  const readyMs = Number(process.hrtime.bigint() - startedAt) / 1e6
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
  }
  const decoded = (text: string) => Buffer.from(text, 'base64')
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster
  const { 'client-certificate-data': cert, 'client-key-data': key } = config.users[0].user
  const tls = { ca: decoded(ca), cert: decoded(cert), key: decoded(key) }
  const agent = new https.Agent({ keepAlive: true, maxSockets: connections, ...tls })
  const url = new URL(server)
  const target = { hostname: url.hostname, port: url.port }
  return {
    readyMs,
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    request: (method, path, body, expected) =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : JSON.stringify(body)
        const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
        const headers =
          text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }
        const outgoing = https.request({ ...target, method, path, headers, agent }, (incoming) => {
          incoming.resume()
          incoming.on('end', () =>
            incoming.statusCode === expected
              ? resolve()
              : reject(new Error(`${method} ${path}: ${incoming.statusCode}`)),
          )
        })
        outgoing.on('error', reject)
        outgoing.end(text)
      }),
    watchWhile: async (watchers, events, work) => {
      const start = process.hrtime.bigint()
      const all = Array.from({ length: watchers }, () => watchFor(events, { ...target, ...tls, agent: false }))
      await Promise.all(all.map(({ open }) => open))
      await work()
      await Promise.all(all.map(({ done }) => done))
      return Number(process.hrtime.bigint() - start) / 1e6
    },
    stop: async () => {
      agent.destroy()
      child.kill('SIGTERM')
      await new Promise((resolve) => child.on('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A watch that is done when it has seen so many events. */
function watchFor(
  events: number,
  target: https.RequestOptions,
): { readonly open: Promise<void>; readonly done: Promise<void> } {
  let opened: () => void = () => {}
  const open = new Promise<void>((resolve) => {
    opened = resolve
  })
  const done = new Promise<void>((resolve, reject) => {
    const outgoing = https.request(
      { ...target, path: '/api/v1/pods?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan' },
      (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`watch: ${incoming.statusCode}`))
        opened()
        let seen = 0
        incoming.on('data', (chunk: Buffer) => {
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen++
          if (seen >= events) {
            resolve()
            outgoing.destroy()
          }
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
  return { open, done }
}

function firstLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`berth apiserver ended with ${code}`)))
  })
}
