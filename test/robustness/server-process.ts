import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { join, resolve as resolvePath } from 'node:path'

/** Tests and npm jobs run in the root of the project. */
const berth = resolvePath(process.env['BERTH_BIN'] ?? 'bin/berth')

export interface ServerAnswer {
  readonly code: number
  /** The server reports that it did not execute the request, and the time to retry. */
  readonly isRetryable: boolean
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any kind
  readonly body: any
}

/** The real server on a data directory, which is killed, paused and given a failing disk. */
export class ServerProcess {
  readonly dir: string
  private readonly faults: string
  private readonly onSelfMadeEnd: (why: string) => void
  private child: ChildProcess | undefined
  private agent = new https.Agent()
  private port = 0
  private isEnding = false

  constructor(dir: string, faults: string, onSelfMadeEnd: (why: string) => void) {
    this.dir = dir
    this.faults = faults
    this.onSelfMadeEnd = onSelfMadeEnd
  }

  async start(): Promise<void> {
    this.setFault(undefined)
    this.isEnding = false
    const args = [berth, 'apiserver', '--data-dir', this.dir, '--port', String(this.port)]
    const env = { ...process.env, BERTH_TEST_JOURNAL_FAULTS: this.faults }
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
    this.child = child
    let said = ''
    child.stderr.on('data', (data) => {
      said += data
    })
    const ended = once(child, 'close').then(([code, signal]) => {
      if (!this.isEnding) this.onSelfMadeEnd(`the server ended by itself with ${code ?? signal}: ${said}`)
    })
    let line = ''
    child.stdout.on('data', (data) => {
      line += data
    })
    while (!line.includes('\n')) {
      await Promise.race([once(child.stdout, 'data'), ended])
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server did not start: ${said}`)
    }
    this.port = Number(/:(\d+)/.exec(line.replace('https:', ''))?.[1])
    this.readCredentials()
  }

  private readCredentials(): void {
    const config = JSON.parse(readFileSync(join(this.dir, 'kubeconfig'), 'utf8'))
    const decode = (text: string) => Buffer.from(text, 'base64').toString()
    this.agent.destroy()
    this.agent = new https.Agent({
      keepAlive: true,
      ca: decode(config.clusters[0].cluster['certificate-authority-data']),
      cert: decode(config.users[0].user['client-certificate-data']),
      key: decode(config.users[0].user['client-key-data']),
    })
  }

  async kill(): Promise<void> {
    const child = this.child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    this.isEnding = true
    const ended = once(child, 'close')
    child.kill('SIGKILL')
    await ended
  }

  /** Starts it and kills it before it is ready. */
  async startAndKill(afterMs: number): Promise<void> {
    const starting = this.start().catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, afterMs))
    await this.kill()
    await starting
  }

  /** The server kills itself around its next transaction. */
  async killAt(point: 'before' | 'after'): Promise<void> {
    const child = this.child as ChildProcess
    if (child.exitCode !== null || child.signalCode !== null) return
    this.isEnding = true
    const ended = once(child, 'close')
    this.setFault(`${point} kill`)
    const late = setTimeout(() => child.kill('SIGKILL'), 2000)
    await ended
    clearTimeout(late)
  }

  get pid(): number {
    return this.child?.pid ?? 0
  }

  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal)
  }

  setFault(fault: string | undefined): void {
    if (fault === undefined) rmSync(this.faults, { force: true })
    else writeFileSync(this.faults, fault)
  }

  /** The journal may grow by this size, or without limit; false if that cannot be set. */
  limitFile(roomBytes: number | undefined): boolean {
    const size = statSync(join(this.dir, 'journal.mdb')).size
    const limit = roomBytes === undefined ? 'unlimited' : String(size + roomBytes)
    try {
      execFileSync('prlimit', ['--pid', String(this.child?.pid), `--fsize=${limit}:unlimited`], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }

  request(method: string, path: string, body?: unknown): Promise<ServerAnswer> {
    return new Promise((resolve, reject) => {
      const request = this.open(method, path, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          if (!response.complete) return reject(new Error('cut off'))
          const text = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.includes('json') === true
          const isRetryable = response.headers['retry-after'] !== undefined
          resolve({ code: response.statusCode ?? 0, isRetryable, body: isJson ? JSON.parse(text) : text })
        })
      })
      request.on('error', reject)
      request.setTimeout(15_000, () => request.destroy(new Error('timed out')))
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  /** Lines of a watch until it ends or `stop` is aborted. */
  watch(path: string, onLine: (line: string) => void, stop: AbortSignal): Promise<number> {
    return new Promise((resolve) => {
      const request = this.open('GET', path, (response) => {
        let rest = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n')
          rest = lines.pop() ?? ''
          if (response.statusCode !== 200) return
          for (const line of lines) if (line !== '') onLine(line)
        })
        response.on('close', () => resolve(response.statusCode ?? 0))
        response.on('error', () => {})
      })
      request.on('error', () => resolve(0))
      const end = () => request.destroy()
      stop.addEventListener('abort', end)
      request.on('close', () => stop.removeEventListener('abort', end))
      request.end()
    })
  }

  private open(method: string, path: string, onResponse: Parameters<typeof https.request>[2]) {
    const headers = method === 'GET' || method === 'DELETE' ? {} : { 'content-type': 'application/json' }
    const at = { host: '127.0.0.1', port: this.port, agent: this.agent }
    return https.request({ ...at, method, path, headers }, onResponse)
  }
}
