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
  /** Cuts off whatever `client` has under way, and sends nothing of what waits. */
  readonly abandon?: () => void
  /** Elections must not wait behind binds; a client of their own, and never a dry one. */
  readonly electionClient: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly settings: Settings
  readonly controllers: readonly string[]
  readonly maxInFlight: number
  /** Absent: acts without asking anybody, for a single instance. */
  readonly election?: ElectionSettings
  /** Where /metrics, /healthz, /readyz and /debug are served, and to whom. */
  readonly metricsServer?: MetricsServerOptions
  readonly onLead?: () => void
  /** The read-only console is there, beside the metrics: the link opens it once. */
  readonly onConsole?: (link: string) => void
  /** What the console can answer besides, of what the controllers see. */
  readonly console?: (view: View) => ConsoleOracles
  /** Only watches another scheduler, and tells what berth would have done. Runs no controller. */
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

/** Controllers on somebody else's API server. */
export interface RemoteControlPlane {
  readonly metrics: MetricRegistry
  readonly metricsUrl: string | undefined
  /** Resolves when leadership is lost or a controller crashed: the process should end, and start anew. */
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
          : [createShadow({ profiles: profilesOf(context), onVerdict: options.onVerdict })],
      log: options.log,
      answer: answerWithCloud({ ...options, settings: options.settings.nodeIpam }, answerOverHttp),
      maxInFlight: options.maxInFlight,
      ...(options.election === undefined ? {} : { host: options.election.identity }),
      onCrash: (controller, error) => {
        options.log.error(
          { controller, error: error instanceof Error ? error.stack : String(error) },
          'a controller stopped',
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
      // The lease is renewed meanwhile, so what is under way may end; but nobody waits for a server that does not answer.
      const cancel = options.clock.at(options.clock.now() + patienceMs, () => options.abandon?.())
      await answered
      cancel()
      await election?.stop()
      await served
    },
  }
}

/** How long a process that is told to end waits for what it has under way. */
const patienceMs = 8000

/** Writes only while it may, and finds out what became of the writes whose answers were lost. */
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
      // A request that is under way could be carried out after another has begun to lead.
      options.abandon?.()
      await stopped
      onLost('the lease was lost')
    },
    onNewLeader: (leader) => options.log.info({ leader }, 'there is a new leader'),
  })
}
