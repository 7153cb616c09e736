import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `berth up` as a separate process, as users run it. */
export class Berth {
  readonly dataDir: string
  private readonly folder = mkdtempSync(join(tmpdir(), 'berth-console-'))
  private child: ChildProcess | undefined
  private said = ''

  constructor() {
    this.dataDir = join(this.folder, 'cluster')
  }

  /** Resolves when it reports that it is ready. `port`: for a second start on the same port. */
  start(args: readonly string[], port = 0): Promise<this> {
    this.said = ''
    const child = spawn(
      process.execPath,
      ['bin/berth', 'up', '--port', String(port), '--data-dir', this.dataDir, ...args],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.child = child
    return new Promise((resolve, reject) => {
      const listen = (chunk: Buffer) => {
        this.said += String(chunk)
        if (this.said.includes('Ctrl-C stops')) resolve(this)
      }
      child.stdout?.on('data', listen)
      child.stderr?.on('data', listen)
      child.on('exit', (code) => reject(new Error(`berth up ended with ${code}: ${this.said}`)))
    })
  }

  get url(): string {
    return /berth is up at (\S+),/.exec(this.said)?.[1] as string
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** The printed link; it works once. */
  get link(): string {
    return /https:\S+\/console\/\?code=\S+/.exec(this.said)?.[0] as string
  }

  /** A link for another browser. Anyone with the credentials of the API may request it. */
  consoleLink(): Promise<{ readonly link: string }> {
    return this.api('POST', '/console/api/link', {})
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name)
  }

  stop(): Promise<void> {
    const { child } = this
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    return new Promise((done) => {
      child.on('exit', () => done())
      child.kill('SIGCONT')
      child.kill('SIGTERM')
    })
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** A request with the credentials of the kubeconfig, as kubectl would send it. */
  api<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer> {
    const kubeconfig = JSON.parse(readFileSync(join(this.dataDir, 'kubeconfig'), 'utf8')) as Kubeconfig
    const { 'client-certificate-data': cert, 'client-key-data': key } = kubeconfig.users[0].user
    const ca = kubeconfig.clusters[0].cluster['certificate-authority-data']
    const text = body === undefined ? undefined : JSON.stringify(body)
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.url),
        {
          method,
          cert: decoded(cert),
          key: decoded(key),
          ca: decoded(ca),
          headers: { 'content-type': type, 'x-berth-console': '1' },
        },
        (response) => {
          let answer = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            answer += chunk
          })
          response.on('end', () => {
            const code = response.statusCode ?? 0
            if (code < 300) resolve(JSON.parse(answer) as Answer)
            else reject(new Error(`${method} ${path}: ${code} ${answer.slice(0, 500)}`))
          })
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  }

  async apply(...objects: readonly ApiObject[]): Promise<void> {
    for (const object of objects) await this.api('POST', pathOf(object), object)
  }
}

interface Kubeconfig {
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }]
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }]
}

const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64')

export interface ApiObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string } & Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

function pathOf({ apiVersion, kind, metadata: { namespace } }: ApiObject): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  const plural = kind.endsWith('s') ? `${kind.toLowerCase()}es` : `${kind.toLowerCase()}s`
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
}

export interface ConsoleWorkload {
  readonly name: string
  readonly replicas?: number
  readonly cpu: string
  readonly memory?: string
  readonly spec?: Readonly<Record<string, unknown>>
}

const podSpec = ({ cpu, memory = '64Mi', spec = {} }: ConsoleWorkload) => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'c', image: 'i', resources: { requests: { cpu, memory } } }],
  ...spec,
})

export function deployment(workload: ConsoleWorkload): ApiObject {
  const labels = { app: workload.name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: workload.name, namespace: 'default' },
    spec: {
      replicas: workload.replicas ?? 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podSpec(workload) },
    },
  }
}

export function pod(workload: ConsoleWorkload): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: workload.name, namespace: 'default', labels: { app: workload.name } },
    spec: podSpec(workload),
  }
}

/** Timers shortened by upstream's own flags, so that silence is noticed in seconds. */
export const hurried = [
  '--node-monitor-period',
  '1s',
  '--node-monitor-grace-period',
  '4s',
  '--lease-renew-interval',
  '1s',
  '--node-eviction-rate',
  '10',
]
