import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { startApiServer } from '../../src/apiserver/api-server.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { type RunningServer, type ServerLimits, type ServerOptions, serve } from '../../src/apiserver/server.ts'
import type { Clock } from '../../src/base/clock.ts'
import { silentLogger } from '../../src/base/log.ts'
import { MetricRegistry } from '../../src/base/metrics.ts'
import { createRandom } from '../../src/base/random.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import type { Caller } from '../../src/registry/contract.ts'
import { createRegistry } from '../../src/registry/registry.ts'
import { createStore } from '../../src/store/memory-store.ts'

const clock = new RealClock()
const credentials = createCredentials({ hosts: ['127.0.0.1', 'localhost'], now: clock.now(), adminToken: 'root-token' })

/** Users of the API server below, by token. */
export const users: Readonly<Record<string, Caller>> = {
  'admin-token': { name: 'kubernetes-admin', groups: ['system:masters'] },
  'alice-token': { name: 'alice', groups: [] },
  'bob-token': { name: 'bob', groups: [] },
}

/** An API server with its sockets, which alice and bob may use for everything, and anonymous clients for nothing. */
export async function startServer(options: { readonly limits?: Partial<ServerLimits> } = {}) {
  const registry = createRegistry({ store: createStore(), clock, random: createRandom('sockets') })
  const metrics = new MetricRegistry()
  const server = await startApiServer({
    registry,
    clock,
    log: silentLogger,
    metrics,
    host: '127.0.0.1',
    port: 0,
    credentials,
    tokens: Object.entries(users).map(([token, caller]) => ({ token, caller })),
    authorizationModes: ['RBAC'],
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  })
  for (const name of ['alice', 'bob']) {
    registry.call({
      verb: 'create',
      resource: 'clusterrolebindings.rbac.authorization.k8s.io',
      object: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
      } as never,
    })
  }
  return { registry, server, metrics }
}

/** A plain server with the given answers, for tests that depend on the time of an answer. */
export const servePlainly = (admit: ServerOptions['admit'], limits: Partial<ServerLimits> = {}, by: Clock = clock) =>
  serve({ admit, clock: by, log: silentLogger, host: '127.0.0.1', port: 0, limits })

export const serveSecurely = (admit: ServerOptions['admit'], limits: Partial<ServerLimits> = {}, by: Clock = clock) =>
  serve({
    admit,
    clock: by,
    log: silentLogger,
    host: '127.0.0.1',
    port: 0,
    limits,
    tls: { certificate: credentials.serverCertificate, key: credentials.serverKey, ca: credentials.caCertificate },
  })

/** A client that reads only on request of the test, and stores the text. */
export interface RawClient {
  readonly socket: Socket
  readonly opened: Promise<void>
  readonly closed: Promise<void>
  send(text: string): void
  /** The text that was read. */
  text(): string
  /** Resolves when the received text contains the given text. */
  until(pattern: RegExp): Promise<string>
}

export function rawClient(server: RunningServer, options: { readonly tls?: boolean; readonly reads?: boolean } = {}) {
  const { tls = server.url.startsWith('https:'), reads = true } = options
  const at = { port: server.port, host: '127.0.0.1' }
  const socket: Socket = tls ? connectTls({ ...at, rejectUnauthorized: false }) : connectTcp(at)
  let said = ''
  let looking: (() => void)[] = []
  socket.on('error', () => {})
  if (reads)
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1')
      for (const look of looking) look()
    })
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const client: RawClient = {
    socket,
    opened: new Promise((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', () => resolve())
      socket.once('error', reject)
    }),
    closed,
    send: (text) => void socket.write(text),
    text: () => said,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(said)) return
          looking = looking.filter((each) => each !== look)
          resolve(said)
        }
        looking.push(look)
        socket.once('close', () =>
          pattern.test(said) ? resolve(said) : reject(new Error(`closed after ${JSON.stringify(said.slice(0, 500))}`)),
        )
        look()
      }),
  }
  client.opened.catch(() => {})
  return client
}

/** The text of a request. */
export function requestText(
  method: string,
  path: string,
  options: { readonly token?: string; readonly body?: string; readonly headers?: readonly string[] } = {},
): string {
  const { token, body, headers = [] } = options
  return [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
    ...headers,
    '',
    body ?? '',
  ].join('\r\n')
}

/** Resolves when the condition is true; checks after every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => setImmediate(next))
}

/** The code of the answer to one request on its own connection. */
export async function codeOf(server: RunningServer, text: string): Promise<number> {
  const client = rawClient(server)
  client.send(text)
  const [, code] = /^HTTP\/1\.1 (\d+)/.exec(await client.until(/\r\n\r\n/)) as RegExpExecArray
  client.socket.destroy()
  return Number(code)
}

export const configMaps = '/api/v1/namespaces/default/configmaps'
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
