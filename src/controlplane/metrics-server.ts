import { createCredentials } from '../apiserver/certificates.ts'
import { type ApiRequest, type ApiResponse, json, text } from '../apiserver/exchange.ts'
import { createHealth, isProbe } from '../apiserver/health.ts'
import { namesThisServer } from '../apiserver/host-names.ts'
import { type RunningServer, serve } from '../apiserver/server.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { Client } from '../client/contract.ts'
import type { RunDriver } from '../runtime/run-driver.ts'
import { isLoopback } from './api-process.ts'
import { isConsolePath } from './console/console.ts'
import type { RemoteConsole } from './console/remote.ts'
import { createDelegatedAccess, readClientAuthority } from './delegated-access.ts'
import { debugAnswer } from './inspection.ts'

export interface MetricsServerOptions {
  readonly host: string
  readonly port: number
  /**
   * The certificate and key in PEM. Absent: plain HTTP on a loopback address, a self-signed certificate on other
   * addresses.
   */
  readonly certificate?: { readonly certificate: string; readonly key: string }
  /** Creates the TokenReviews and SubjectAccessReviews that authorize readers. */
  readonly accessClient: Client
  readonly alwaysAllowPaths?: readonly string[]
  /** Host names of this server, besides addresses and localhost. */
  readonly hostNames?: readonly string[]
}

interface ServedMetrics {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
  readonly driver: () => RunDriver | undefined
  readonly isElected: boolean
  readonly console: RemoteConsole
}

/** Serves the metrics, health and state of controllers on another cluster, to callers that the cluster authorizes. */
export async function startMetricsServer(options: MetricsServerOptions, served: ServedMetrics): Promise<RunningServer> {
  const { clock, log, metrics } = served
  const answer = answersOf(served)
  const refusal = createDelegatedAccess({
    client: options.accessClient,
    clock,
    log,
    ...(options.alwaysAllowPaths === undefined ? {} : { alwaysAllowPaths: options.alwaysAllowPaths }),
  })
  const tls = await tlsOf(options, clock)
  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    // Over HTTPS, the certificate protects against pages under a foreign host name.
    if (tls === undefined && !namesThisServer(request, options.hostNames))
      return json(403, {
        message: 'the host name is not one of this server; use an address, localhost, or --allowed-host',
      })
    if (isConsolePath(request.path)) return served.console.handle(request)
    const refused = await refusal(request)
    if (refused !== undefined) return refused
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return json(405, { message: 'only GET and HEAD are supported here' })
    return answer(request)
  }
  return serve({
    admit: (head) => ({
      kind: 'admitted',
      flow: {
        user: 'console',
        kind: head.method === 'GET' || head.method === 'HEAD' ? 'readOnly' : 'mutating',
        level: isProbe(head.path) ? 'probe' : 'normal',
      },
      answer: (body) => handle({ ...head, body }),
    }),
    host: options.host,
    port: options.port,
    ...(tls === undefined ? {} : { tls }),
    clock,
    metrics,
    log,
  })
}

async function tlsOf({ host, certificate, hostNames = [], accessClient }: MetricsServerOptions, clock: Clock) {
  if (certificate === undefined && isLoopback(host)) return undefined
  const hosts = ['localhost', '127.0.0.1', '::1', ...hostNames]
  const made = createCredentials({ now: clock.now(), hosts, adminToken: '' })
  // Without a CA, Node.js would trust those of the system. The generated CA has not signed any client certificate.
  const ca = (await readClientAuthority(accessClient)) ?? made.caCertificate
  return { ...(certificate ?? { certificate: made.serverCertificate, key: made.serverKey }), ca }
}

function answersOf({
  clock,
  metrics,
  driver,
  isElected,
}: ServedMetrics): (request: ApiRequest) => Promise<ApiResponse> {
  const synced = () => {
    const health = driver()?.health()
    // A standby is ready: it waits for the Lease.
    if (health === undefined) return isElected ? undefined : 'not started'
    return health.state === 'running' ? undefined : `waiting for ${health.unsynced.join(', ')}`
  }
  const alive = () => {
    const crashed = driver()?.health().crashed ?? []
    return crashed.length === 0 ? undefined : `crashed: ${crashed.join(', ')}`
  }
  const health = createHealth(
    [
      { name: 'ping', check: () => undefined },
      { name: 'controllers', check: alive },
      { name: 'sync', check: synced },
    ],
    () => metrics.expose(),
  )
  return async (request) => {
    const answer = health(request, { name: 'anyone', groups: [] }) ?? debugAnswer(driver(), request.path, clock)
    if (answer !== undefined) return answer
    if (driver() === undefined && request.path.startsWith('/debug/'))
      return json(503, { message: 'standby: another instance is the leader, or this one has just started' })
    return text(404, '404 page not found\n')
  }
}
