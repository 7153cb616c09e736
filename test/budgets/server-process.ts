import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import * as https from 'node:https'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Attack } from './attack.ts'

/** The reason why the suite cannot run here; undefined if it can. */
export function missing(root: string): string | undefined {
  if (!existsSync(join(root, 'dist/cli.js'))) return 'dist/cli.js is not built'
  if (!existsSync('/proc/self/schedstat'))
    return 'there is no /proc/PID/schedstat to read the CPU time of a thread from'
  return undefined
}

export interface AttackReply {
  /** 0: the connection ended without a response. */
  readonly code: number
  readonly text: string
  readonly error?: string
}

/** `bin/berth apiserver` as a child process on a free port of loopback, keeping nothing on disk. */
export class ServerProcess {
  private readonly child: ChildProcess
  private readonly folder: string
  private readonly origin: string
  private readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
  private readonly said: () => string
  private isKilled = false

  private constructor(child: ChildProcess, folder: string, said: () => string) {
    this.child = child
    this.folder = folder
    this.said = said
    const config = JSON.parse(readFileSync(join(folder, 'kubeconfig'), 'utf8')) as {
      clusters: { cluster: Record<string, string> }[]
      users: { user: Record<string, string> }[]
    }
    const { cluster } = config.clusters[0]!
    const { user } = config.users[0]!
    const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64')
    this.origin = cluster['server']!
    this.tls = {
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    }
  }

  static start(root: string): Promise<ServerProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-budgets-'))
    const words = [
      '--expose-gc',
      '--import',
      resolve(root, 'test/budgets/meter-hook.mjs'),
      resolve(root, 'bin/berth'),
      'apiserver',
      '--ephemeral',
      '--port',
      '0',
      '--kubeconfig',
      join(folder, 'kubeconfig'),
    ]
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    let said = ''
    return new Promise((done, reject) => {
      const listen = (chunk: Buffer) => {
        said = (said + String(chunk)).slice(-10_000)
        if (said.includes('berth apiserver ready')) done(new ServerProcess(child, folder, () => said))
      }
      child.stdout?.on('data', listen)
      child.stderr?.on('data', listen)
      child.on('exit', (code) => reject(new Error(`berth apiserver ended with ${code}: ${said}`)))
    })
  }

  get isAlive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** The end of what it printed. */
  get output(): string {
    return this.said()
  }

  /** CPU time of the thread that serves requests, in milliseconds. Independent of the load of the machine. */
  cpuMs(): number {
    const pid = this.child.pid!
    const [nanos = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return Number(nanos) / 1e6
  }

  /** The memory in use after garbage collection. */
  memoryBytes(): Promise<number> {
    return new Promise((done, reject) => {
      this.child.once('message', (message) => done((message as { bytes: number }).bytes))
      this.child.send('memory', (error) => error !== null && reject(error))
    })
  }

  /** A separate connection: its requests wait for one another, but not for other connections. */
  connection(): AttackConnection {
    const agent = new https.Agent({ ...this.tls, keepAlive: true, maxSockets: 1 })
    return new AttackConnection(this.origin, agent)
  }

  async stop(): Promise<void> {
    if (this.isAlive && !this.child.killed) {
      const ended = new Promise((done) => this.child.once('exit', done))
      this.child.kill('SIGKILL')
      await ended
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Ends the server during a measurement; its requests fail. */
  kill(): void {
    this.isKilled = true
    this.child.kill('SIGKILL')
  }

  get wasKilled(): boolean {
    return this.isKilled
  }
}

export class AttackConnection {
  private readonly origin: string
  private readonly agent: https.Agent

  constructor(origin: string, agent: https.Agent) {
    this.origin = origin
    this.agent = agent
  }

  send({ method, path, headers = {}, body }: Omit<Attack, 'name'>, timeoutMs = 60_000): Promise<AttackReply> {
    return new Promise((done) => {
      const failed = (error: Error) => done({ code: 0, text: '', error: error.message })
      const { hostname, port } = new URL(this.origin)
      const target = { hostname, port, path, method, headers, agent: this.agent, timeout: timeoutMs }
      let request: ReturnType<typeof https.request>
      try {
        request = https.request(target)
      } catch (error) {
        // The client of Node rejects some texts itself, so such a request never reaches a server.
        done({ code: -1, text: '', error: (error as Error).message })
        return
      }
      request.on('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => done({ code: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        incoming.on('error', failed)
      })
      request.on('error', failed)
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
      request.end(body)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}
