import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import * as https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchContext, Suite } from '../suite.ts'
import { RawHttps, requestText } from './raw-https.ts'

/** The peer, measured on a similar 2-core machine: kube-apiserver v1.36.4 with etcd, fsync off. */
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
    const beside = peerValue === undefined ? {} : { beside: { what: 'kube-apiserver, etcd', value: peerValue } }
    context.record({ name: `${mode}: ${what}`, value, unit, ...beside })
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
    // Compiles the code before the measurement, because the peer is compiled ahead of time.
    await warmUp(server)
    for (const [what, spec] of [
      ['pod creates', shared],
      ['pod creates, every spec another', own],
    ] as const) {
      context.progress(`${mode}: ${what}`)
      const before = server.cpuMs()
      const name = spec === shared ? 'p' : 'own'
      const ms = await timed(() =>
        server.send(pods, (i) => requestText('POST', podsPath, pod(`${name}-${i}`, spec)), 201),
      )
      say(what, (pods / ms) * 1000, '/s', peer.createsPerSecond)
      say(`${what}, CPU each`, ((server.cpuMs() - before) / pods) * 1000, 'µs')
      if (spec === shared) say(`memory, ${pods} pods`, server.megabytes(), 'MB')
    }
    const reads = await timed(() => server.send(pods, (i) => requestText('GET', `${podsPath}/p-${i}`), 200))
    say('pod reads', (pods / reads) * 1000, '/s')
    const list = await timed(() =>
      server.send(1, () => requestText('GET', `${podsPath}?labelSelector=app%3Dbench`), 200),
    )
    say(`list of ${2 * pods} pods`, list, 'ms')
    for (const [what, accept] of listFormats) {
      context.progress(`${mode}: list in ${what}`)
      const { bytes, ms, cpuMs } = await measureList(server, accept)
      say(`list of ${listed} pods in ${what}, bytes`, bytes / 1e6, 'MB')
      say(`list of ${listed} pods in ${what}, elapsed`, ms, 'ms')
      say(`list of ${listed} pods in ${what}, CPU`, cpuMs, 'ms')
    }
    for (const watchers of [1, 100]) {
      context.progress(`${mode}: ${watchers} watchers`)
      const events = watchers === 1 ? 5000 : 1000
      const patch = JSON.stringify({ metadata: { labels: { round: String(watchers) } } })
      const ms = await server.watchWhile(watchers, events, () =>
        server.send(
          events,
          (i) => requestText('PATCH', `${podsPath}/p-${i}`, patch, 'application/merge-patch+json'),
          200,
        ),
      )
      say(`watch events to ${watchers} watcher${watchers === 1 ? '' : 's'}`, ((events * watchers) / ms) * 1000, '/s')
    }
  } finally {
    await server.stop()
  }
  return rows
}

const listed = 10_000
const listFormats = [
  ['JSON', 'application/json'],
  ['protobuf', 'application/vnd.kubernetes.protobuf'],
] as const
const listRounds = 10

/** The mean of several lists of 10,000 pods, read by one client. The first list, which compiles code and fills caches, is not counted. */
async function measureList(server: Served, accept: string) {
  const path = `${podsPath}?labelSelector=app%3Dbench&limit=${listed}`
  for (let i = 0; i < 3; i++) await server.read(path, accept)
  const before = server.cpuMs()
  let bytes = 0
  const ms = await timed(async () => {
    for (let i = 0; i < listRounds; i++) bytes = await server.read(path, accept)
  })
  return { bytes, ms: ms / listRounds, cpuMs: (server.cpuMs() - before) / listRounds }
}

/** Sends every kind of measured request once, so that no measurement includes compilation. */
async function warmUp(server: Served): Promise<void> {
  for (const [name, image] of [
    ['warm', shared],
    ['warm-own', own],
  ] as const) {
    await server.send(4000, (i) => requestText('POST', podsPath, pod(`${name}-${i}`, image)), 201)
  }
  await server.send(8000, (i) => requestText('GET', `${podsPath}/warm-${i % 4000}`), 200)
  const patch = JSON.stringify({ metadata: { labels: { app: 'warm' } } })
  await server.watchWhile(20, 8000, () =>
    server.send(
      8000,
      (i) =>
        requestText(
          'PATCH',
          `${podsPath}/${i % 2 === 0 ? 'warm' : 'warm-own'}-${i >> 1}`,
          patch,
          'application/merge-patch+json',
        ),
      200,
    ),
  )
}

const podsPath = '/api/v1/namespaces/default/pods'

/** As created by a controller: pods of one template differ in their name only. */
const shared = (_name: string): string => 'registry.example/app:1'
/** Pods for which no result can be reused. */
const own = (name: string): string => `registry.example/${name}:1`

export function pod(name: string, image: (name: string) => string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    spec: {
      containers: [{ name: 'c', image: image(name), resources: { requests: { cpu: '100m', memory: '64Mi' } } }],
    },
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

export interface Served {
  readonly readyMs: number
  megabytes(): number
  /** CPU time of all threads of the server. */
  cpuMs(): number
  /** Requests as sent over the network, 32 at a time. */
  send(total: number, text: (number: number) => string, expected: number): Promise<void>
  watchWhile(watchers: number, events: number, work: () => Promise<void>): Promise<number>
  /** The length of the response in bytes. */
  read(path: string, accept: string): Promise<number>
  stop(): Promise<void>
}

export async function startServer(mode: 'durable' | 'ephemeral'): Promise<Served> {
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
  const url = new URL(server)
  const target = { host: url.hostname, port: Number(url.port), ...tls }
  const requests = await RawHttps.open(target, connections)
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
  return {
    readyMs,
    megabytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    cpuMs: () => {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
      return (Number(user) + Number(system)) * 10
    },
    send: (total, text, expected) => requests.send(total, text, expected),
    watchWhile: async (watchers, events, work) => {
      const start = process.hrtime.bigint()
      const all = Array.from({ length: watchers }, () => watchFor(events, { ...target, agent: false }))
      await Promise.all(all.map(({ open }) => open))
      await work()
      await Promise.all(all.map(({ done }) => done))
      return Number(process.hrtime.bigint() - start) / 1e6
    },
    read: (path, accept) => lengthOf({ ...target, agent, path, headers: { accept } }, accept),
    stop: async () => {
      requests.close()
      agent.destroy()
      child.kill('SIGTERM')
      await new Promise((resolve) => child.on('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function lengthOf(target: https.RequestOptions, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = https.request(target, (incoming) => {
      if (incoming.statusCode !== 200 || incoming.headers['content-type'] !== type) {
        reject(new Error(`list: ${incoming.statusCode} ${incoming.headers['content-type']}`))
      }
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      incoming.on('end', () => resolve(bytes))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** A watch that ends after `count` events. */
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
