import type { RunningServer } from '../apiserver/server.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../client/contract.ts'
import { createFencedClient } from '../client/fenced-client.ts'
import { createReadBackClient } from '../client/read-back-client.ts'
import { createLeaderElection, type LeaderElection } from '../runtime/leader-election.ts'
import { createRunDriver, type RunDriver } from '../runtime/run-driver.ts'
import type { View } from '../runtime/view.ts'
import { createShadow, type ShadowVerdict } from '../scheduler/shadow.ts'
import type { ConsoleOracles } from './console/console.ts'
import { RemoteConsole } from './console/remote.ts'
import { type ControllerContext, createControllers, profilesOf } from './controllers.ts'
import { type MetricsServerOptions, startMetricsServer } from './metrics-server.ts'
import { answerWithCloud } from './ports-cloud.ts'
import { answerOverHttp } from './ports-http-asks.ts'
import type { Settings } from './settings.ts'

export interface RemoteOptions {
  readonly client: Client
  /** Aborts the requests in flight of `client`, and drops waiting requests. */
  readonly abandon?: () => void
  /** A separate client that is never a dry-run client, because the election must not wait behind binds. */
  readonly electionClient: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly settings: Settings
  readonly controllers: readonly string[]
  readonly maxInFlight: number
  /** Absent: runs without an election, as a single instance. */
  readonly election?: ElectionSettings
  /** The address of /metrics, /healthz, /readyz and /debug, and their readers. */
  readonly metricsServer?: MetricsServerOptions
  readonly onLead?: () => void
  /** Serves the read-only console next to the metrics. The link opens it once. */
  readonly onConsole?: (link: string) => void
  /** Answers of the console that only modules above this one can compute. */
  readonly console?: (view: View) => ConsoleOracles
  /** Only observes another scheduler, and reports the decisions that berth would have made. Runs no controller. */
  readonly onVerdict?: (verdict: ShadowVerdict) => void
}

export interface ElectionSettings {
  readonly identity: string
  readonly namespace: string
  readonly name: string
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

/** Controllers on the API server of another cluster. */
export interface RemoteControlPlane {
  readonly metrics: MetricRegistry
  readonly metricsUrl: string | undefined
  /** Resolves when leadership is lost or a controller crashed. The process should then exit and be restarted. */
  readonly lost: Promise<string>
  stop(): Promise<void>
}

export async function startRemote(options: RemoteOptions): Promise<RemoteControlPlane> {
  const metrics = new MetricRegistry()
  let driver: RunDriver | undefined
  let onLost: (why: string) => void = () => {}
  const lost = new Promise<string>((resolve) => {
    onLost = resolve
  })
  const context: ControllerContext = { settings: options.settings, metrics, log: options.log, isRemote: true }
  let server: RunningServer | undefined
  const shown = new RemoteConsole({
    clock: options.clock,
    log: options.log,
    address: () => server?.url ?? '',
    kubernetes: `v${options.settings.release.minor}`,
    hostNames: options.metricsServer?.hostNames ?? [],
    ...(options.console === undefined ? {} : { oracles: options.console }),
  })
  let stopping = false
  const mayAct = () => !stopping && (election === undefined || election.isLeader())
  const lead = () => {
    driver = createRunDriver({
      client: clientWhile(options, mayAct),
      metrics,
      clock: options.clock,
      random: options.random,
      controllers:
        options.onVerdict === undefined
          ? createControllers(options.controllers, context)
          : [
              createShadow({
                profiles: profilesOf(context),
                release: options.settings.release,
                onVerdict: options.onVerdict,
              }),
            ],
      log: options.log,
      answer: answerWithCloud({ ...options, settings: options.settings.nodeIpam }, answerOverHttp),
      maxInFlight: options.maxInFlight,
      ...(options.election === undefined ? {} : { host: options.election.identity }),
      onCrash: (controller, error) => {
        options.log.error(
          { controller, error: error instanceof Error ? error.stack : String(error) },
          'controller stopped',
        )
        onLost(`${controller} stopped: ${error instanceof Error ? error.message : String(error)}`)
      },
    })
    driver.start()
    if (server !== undefined) void shown.show(driver, (link) => options.onConsole?.(link))
    options.onLead?.()
  }
  const election: LeaderElection | undefined =
    options.election === undefined
      ? undefined
      : createElection({ ...options, metrics }, options.election, lead, () => driver, onLost)
  server =
    options.metricsServer === undefined
      ? undefined
      : await startMetricsServer(options.metricsServer, {
          clock: options.clock,
          log: options.log,
          metrics,
          driver: () => driver,
          isElected: election !== undefined,
          console: shown,
        })
  if (election === undefined) lead()
  else election.start()
  return {
    metrics,
    metricsUrl: server?.url,
    lost,
    async stop() {
      const served = server?.close()
      shown.close()
      const answered = driver?.stop()
      stopping = true
      // The lease is still renewed, so requests in flight may finish. The time is limited for a server that does not
      // respond.
      const cancel = options.clock.at(options.clock.now() + patienceMs, () => options.abandon?.())
      await answered
      cancel()
      await election?.stop()
      await served
    },
  }
}

/** The time for which a stopped process waits for its requests in flight. */
const patienceMs = 8000

/** Writes only while it holds the lease, and reads back the results of writes without a response. */
function clientWhile({ client, clock, random }: RemoteOptions, mayAct: () => boolean): Client {
  const fenced = createFencedClient(client, mayAct)
  return createReadBackClient({ client: fenced, clock, random: random.stream('read back'), isNeeded: mayAct })
}

function createElection(
  options: RemoteOptions & { readonly metrics: MetricRegistry },
  settings: ElectionSettings,
  lead: () => void,
  driver: () => RunDriver | undefined,
  onLost: (why: string) => void,
): LeaderElection {
  const { identity, namespace, name, ...times } = settings
  return createLeaderElection({
    client: options.electionClient,
    clock: options.clock,
    random: options.random,
    log: options.log,
    metrics: options.metrics,
    identity,
    lease: { namespace, name },
    ...times,
    onStartedLeading: lead,
    onStoppedLeading: async () => {
      const stopped = driver()?.stop()
      // A request in flight could otherwise be executed after another instance started to lead.
      options.abandon?.()
      await stopped
      onLost('lost the lease')
    },
    onNewLeader: (leader) => options.log.info({ leader }, 'new leader elected'),
  })
}
