import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { atLeast } from '../../src/api/releases/at-least.ts'
import type { KubernetesRelease } from '../../src/api/releases/kubernetes-release.ts'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { kubeconfigOf } from '../../src/apiserver/kubeconfig.ts'
import { must } from '../../src/base/result.ts'

/** The release of the real components: `npm run test:cluster -- --release 1.34`. */
export const clusterRelease: KubernetesRelease = must(releaseOf(process.env['BERTH_CLUSTER_RELEASE'] ?? '1.36'))
const version = `v${clusterRelease.version}`
const parts = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const
type Part = (typeof parts)[number]

/** The reason why the real components are unavailable here, or undefined. */
export function missing(wanted: readonly Part[] = parts): string | undefined {
  if (spawnSync('etcd', ['--version']).status !== 0) return 'etcd is not installed (Debian: etcd-server)'
  if (wanted.every((part) => existsSync(join(cache(), part)))) return undefined
  return spawnSync('go', ['version']).status === 0 ? undefined : `Go is not installed, and ${cache()} has no binaries`
}

const cache = () => join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth-cluster', version)

/** The executable of a component. */
export const partFile = (part: Part): string => join(cache(), part)

/**
 * The kubectl of the release, if it was built beside the components (`go build -o FOLDER k8s.io/kubernetes/cmd/kubectl` in
 * its folder `module`), else the one of the machine.
 */
export function kubectlFile(): string {
  const own = join(cache(), 'kubectl')
  return existsSync(own) ? own : 'kubectl'
}

/** Builds missing components from the Go modules in go.mod; the first time takes minutes. */
export function buildParts(wanted: readonly Part[] = parts): void {
  mkdirSync(cache(), { recursive: true })
  for (const part of wanted) {
    if (existsSync(join(cache(), part))) continue
    process.stderr.write(`building ${part} ${version} into ${cache()}\n`)
    execFileSync('go', ['build', '-ldflags', versionFlags(), '-o', cache(), `k8s.io/kubernetes/cmd/${part}`], {
      ...moduleOfRelease(),
      stdio: 'inherit',
    })
  }
}

/** Clients read the version of the server, and some end if it is not one. */
function versionFlags(): string {
  const [major, minor] = clusterRelease.minor.split('.')
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ')
}

/** Whether the executable in the cache has its version: one that was built without flags has none. */
export function knowsVersion(part: Part): boolean {
  const { stdout } = spawnSync(partFile(part), ['--version'], { encoding: 'utf8' })
  return stdout.trim() === `Kubernetes ${version}`
}

/** The module to build in: that of the repository, or for another release a copy of it with the modules of that release. */
function moduleOfRelease(): { readonly cwd: string; readonly env?: NodeJS.ProcessEnv } {
  const own = resolve('test/cluster')
  if (clusterRelease.minor === '1.36') return { cwd: own }
  const cwd = join(cache(), 'module')
  mkdirSync(cwd, { recursive: true })
  const staging = version.replace('v1.', 'v0.')
  const replaced = readFileSync(join(own, 'go.mod'), 'utf8').match(/k8s\.io\/[a-z-]+ => k8s\.io\/[a-z-]+(?= )/g) ?? []
  const replace = replaced.map((one) => `\t${one} ${staging}\n`).join('')
  const text = `module berth.dev/test/cluster\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes ${version}\n\nreplace (\n${replace})\n`
  writeFileSync(join(cwd, 'go.mod'), text)
  writeFileSync(join(cwd, 'tools.go'), 'package tools\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver/app"\n')
  // The checksums that the repository has for the release; Go adds the others. A mirror of the checksum database need not
  // have every patch release.
  const sums = join(own, 'vectors', `v${clusterRelease.minor}.sum`)
  if (!existsSync(join(cwd, 'go.sum'))) copyFileSync(sums, join(cwd, 'go.sum'))
  return { cwd, env: { ...process.env, GOFLAGS: '-mod=mod' } }
}

export interface RealCluster {
  readonly url: string
  readonly kubeconfig: string
  readonly folder: string
  /** Compacts all versions except the current one: watches from older versions get 410. */
  compactEtcd(): Promise<void>
  /** The write requests to the API server in the order of their arrival, if `audit` is set. */
  auditLog(): readonly AuditEvent[]
  /** kube-scheduler or kube-controller-manager beside the API server. */
  start(part: Exclude<Part, 'kube-apiserver'>, args?: readonly string[]): Promise<ChildProcess>
  restartApiServer(): Promise<void>
  stopApiServer(): Promise<void>
  startApiServer(): Promise<void>
  /** SIGSTOP and SIGCONT: etcd hangs without exiting. */
  pauseEtcd(): void
  resumeEtcd(): void
  kubectl(...args: readonly string[]): string
  /** Ends with the cluster, if not before. */
  adopt(child: ChildProcess): void
  close(): Promise<void>
}

export interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly userAgent: string
  readonly objectRef?: {
    readonly resource: string
    readonly apiGroup?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly requestObject?: unknown
  readonly responseStatus?: { readonly code?: number; readonly message?: string }
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

export interface RealClusterOptions {
  /** `--controllers` of kube-controller-manager. */
  readonly controllers?: string
  /** Whether the audit log contains every write, including rejected ones. */
  readonly audit?: boolean
  /** Additional or changed flags of kube-apiserver. */
  readonly apiServer?: Readonly<Record<string, string>>
}

/** A free port may be taken a moment later; then the process is restarted on other ports. */
export async function startRealCluster(options: RealClusterOptions = {}): Promise<RealCluster> {
  for (let tries = 1; ; tries++) {
    const { cluster, close } = await tryCluster(options)
    if (!(cluster instanceof Error)) return cluster
    await close()
    if (tries === 3) throw cluster
  }
}

/** The process that ended before the condition was true, if any. */
async function tryCluster(options: RealClusterOptions): Promise<{
  readonly cluster: RealCluster | Error
  readonly close: () => Promise<void>
}> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-real-'))
  const [etcdPort, peerPort, apiPort] = [await freePort(), await freePort(), await freePort()]
  const url = `https://127.0.0.1:${apiPort}`
  const kubeconfig = writeCredentials(folder, url)
  const children = new Set<ChildProcess>()
  const adopt = (child: ChildProcess) => {
    children.add(child)
    child.on('exit', () => children.delete(child))
  }
  const close = async () => {
    for (const child of children) child.kill('SIGCONT')
    await Promise.all([...children].map(stop))
    rmSync(folder, { recursive: true, force: true })
  }
  const launch = (file: string, args: readonly string[], log: string) => {
    const out = openSync(join(folder, log), 'a')
    const child = spawn(file, args, { stdio: ['ignore', out, out], cwd: folder })
    closeSync(out)
    adopt(child)
    return child
  }
  const client = `http://127.0.0.1:${etcdPort}`
  const etcd = launch('etcd', etcdArgs(folder, client, `http://127.0.0.1:${peerPort}`), 'etcd.log')
  let api: ChildProcess | undefined
  const kubectl = (...args: readonly string[]) =>
    execFileSync(kubectlFile(), ['--kubeconfig', kubeconfig, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const ready = async () => {
    const until = Date.now() + 120_000
    while (Date.now() < until) {
      const asked = spawnSync('kubectl', ['--kubeconfig', kubeconfig, 'get', '--raw', '/readyz'], { timeout: 5000 })
      if (asked.status === 0) return
      for (const [part, child] of Object.entries({ etcd, api }))
        if (child !== undefined && hasEnded(child)) throw new Error(`${part} ended:\n${lastOf(`${part}.log`)}`)
      await new Promise((next) => setTimeout(next, 250))
    }
    throw new Error(`kube-apiserver did not get ready:\n${lastOf('api.log')}`)
  }
  const lastOf = (log: string) => readFileSync(join(folder, log), 'utf8').slice(-2000)
  const startApiServer = async () => {
    const flags = { ...(options.audit === true ? auditFlags(folder) : {}), ...options.apiServer }
    api = launch(join(cache(), 'kube-apiserver'), apiServerArgs(client, apiPort, flags), 'api.log')
    await ready()
  }
  const stopApiServer = async () => {
    if (api !== undefined) await stop(api)
    api = undefined
  }
  try {
    await startApiServer()
  } catch (error) {
    return { cluster: error as Error, close }
  }
  const startPart = async (part: Exclude<Part, 'kube-apiserver'>, args: readonly string[]) => {
    buildParts([part])
    const port = await freePort()
    const own =
      part === 'kube-controller-manager'
        ? [
            '--controllers',
            options.controllers ?? '*',
            '--service-account-private-key-file',
            'sa.key',
            '--use-service-account-credentials=false',
          ]
        : []
    return launch(
      join(cache(), part),
      [
        '--kubeconfig',
        kubeconfig,
        '--authentication-kubeconfig',
        kubeconfig,
        '--authorization-kubeconfig',
        kubeconfig,
        '--bind-address',
        '127.0.0.1',
        '--secure-port',
        String(port),
        '--leader-elect=false',
        ...own,
        ...args,
      ],
      `${part}.log`,
    )
  }
  const cluster: RealCluster = {
    url,
    kubeconfig,
    folder,
    compactEtcd: () => compact(client),
    auditLog: () => readAudit(folder),
    start: async (part, args = []) => {
      // A free port may be taken a moment later; a process that exits at once is restarted with another port.
      for (let tries = 1; ; tries++) {
        const child = await startPart(part, args)
        const ended = await Promise.race([
          new Promise<true>((done) => child.once('exit', () => done(true))),
          new Promise<false>((done) => setTimeout(() => done(false), 1500)),
        ])
        if (!ended || tries === 3) return child
      }
    },
    startApiServer,
    stopApiServer,
    restartApiServer: async () => {
      await stopApiServer()
      await startApiServer()
    },
    pauseEtcd: () => etcd.kill('SIGSTOP'),
    resumeEtcd: () => etcd.kill('SIGCONT'),
    kubectl,
    adopt,
    close,
  }
  return { cluster, close }
}

function etcdArgs(folder: string, client: string, peer: string): readonly string[] {
  return [
    ...['--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ]
}

/** Through etcd's gateway to JSON: its own client is not needed. */
async function compact(etcd: string): Promise<void> {
  const ask = async (path: string, body: object) => {
    const response = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`etcd ${path}: ${await response.text()}`)
    return (await response.json()) as { readonly header?: { readonly revision?: string } }
  }
  const { header } = await ask('range', { key: 'AA==' })
  await ask('compaction', { revision: header?.revision, physical: true })
}

function auditFlags(folder: string): Readonly<Record<string, string>> {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [
      { level: 'Request', verbs: ['create', 'update', 'patch', 'delete'] },
      { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
      { level: 'None' },
    ],
  }
  writeFileSync(join(folder, 'audit-policy.json'), JSON.stringify(policy))
  return { 'audit-policy-file': 'audit-policy.json', 'audit-log-path': 'audit.log' }
}

function readAudit(folder: string): readonly AuditEvent[] {
  const text = readFileSync(join(folder, 'audit.log'), 'utf8')
  const events = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
  return events.sort((a, b) => (a.requestReceivedTimestamp < b.requestReceivedTimestamp ? -1 : 1))
}

function apiServerArgs(etcd: string, port: number, more: Readonly<Record<string, string>>): readonly string[] {
  const flags: Readonly<Record<string, string>> = {
    'etcd-servers': etcd,
    'secure-port': String(port),
    'bind-address': '127.0.0.1',
    // Since v1.37, an address of the machine itself is rejected. No client connects to this address.
    'advertise-address': atLeast(clusterRelease, '1.37') ? '192.0.2.1' : '127.0.0.1',
    'tls-cert-file': 'server.crt',
    'tls-private-key-file': 'server.key',
    'client-ca-file': 'ca.crt',
    'service-account-key-file': 'sa.key',
    'service-account-signing-key-file': 'sa.key',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-cluster-ip-range': '10.96.0.0/16',
    'authorization-mode': 'RBAC',
    // No controller creates the default service accounts that this plugin waits for.
    'disable-admission-plugins': 'ServiceAccount',
    'max-requests-inflight': '2000',
    'max-mutating-requests-inflight': '1000',
    'cert-dir': 'certs',
    ...more,
  }
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
}

function writeCredentials(folder: string, url: string): string {
  const credentials = createCredentials({ now: Date.now(), hosts: ['localhost', '127.0.0.1'], adminToken: '' })
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  write('ca.crt', credentials.caCertificate)
  write('ca.key', credentials.caKey)
  write('server.crt', credentials.serverCertificate)
  write('server.key', credentials.serverKey)
  execFileSync('openssl', ['genrsa', '-out', join(folder, 'sa.key'), '2048'], { stdio: 'ignore' })
  const { caCertificate, adminCertificate: clientCertificate, adminKey: clientKey } = credentials
  return write(
    'kubeconfig',
    JSON.stringify(kubeconfigOf({ server: url, name: 'real', caCertificate, clientCertificate, clientKey })),
  )
}

// Below the ports that the kernel gives to connections that go out, so that none of those takes one while its owner is
// restarted; each process begins to look elsewhere.
const firstPort = 20_000
const portCount = 12_000
let nextPort = (process.pid * 97) % portCount

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portCount; tries++) {
    const port = firstPort + (nextPort++ % portCount)
    if (await isFree(port)) return port
  }
  throw new Error('there is no free port')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.on('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

export function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return Promise.resolve()
  return new Promise((done) => {
    const hurry = setTimeout(() => child.kill('SIGKILL'), 10_000)
    child.on('exit', () => {
      clearTimeout(hurry)
      done()
    })
    child.kill('SIGTERM')
  })
}

export interface BerthChoice {
  /** Instead of the administrator's; `none`: berth looks for one itself. */
  readonly kubeconfig?: string
  readonly env?: Readonly<Record<string, string>>
}

/** `berth run` as a separate process, as users run it. What it prints goes to NAME.log in the cluster's folder. */
export function startBerth(
  cluster: RealCluster,
  name: string,
  args: readonly string[],
  choice: BerthChoice = {},
): ChildProcess {
  const out = openSync(logOf(cluster, name), 'a')
  const kubeconfig = choice.kubeconfig ?? cluster.kubeconfig
  const common = [
    ...(kubeconfig === 'none' ? [] : ['--kubeconfig', kubeconfig]),
    ...['--metrics-bind-address', '0', '--kube-api-qps', '0'],
  ]
  const child = spawn(process.execPath, [resolve('bin/berth'), 'run', ...common, ...args], {
    stdio: ['ignore', out, out],
    env: { ...process.env, ...choice.env },
  })
  closeSync(out)
  cluster.adopt(child)
  return child
}

const logOf = (cluster: RealCluster, name: string) => join(cluster.folder, `${name}.log`)

/** The log of `berth run` up to now. */
export function logged(cluster: RealCluster, name: string): string {
  return readFileSync(logOf(cluster, name), 'utf8')
}

/** The exit code of a process that ends without a signal. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  if (hasEnded(child)) return Promise.resolve(child.exitCode)
  return new Promise((done) => child.on('exit', done))
}

/** Polls until the condition is true; the error contains the last answer. */
export async function eventually<Value>(
  what: string,
  read: () => Value | Promise<Value>,
  holds: (value: Value) => boolean,
  seconds = 120,
): Promise<Value> {
  let last: Value | undefined
  const until = Date.now() + seconds * 1000
  for (let waitMs = 20; Date.now() < until; waitMs = Math.min(waitMs * 2, 250)) {
    last = await read()
    if (holds(last)) return last
    await new Promise((next) => setTimeout(next, waitMs))
  }
  throw new Error(`${what}: not within ${seconds} s; last seen: ${JSON.stringify(last)?.slice(0, 2000)}`)
}
