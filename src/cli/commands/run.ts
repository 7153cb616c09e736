import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { clusterVersion } from '../../api/releases/cluster-version.ts'
import { encodeJson } from '../../base/exact-json.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { createRandom } from '../../base/random.ts'
import { RealClock } from '../../base/real-clock.ts'
import { createDryClient } from '../../client/dry-client.ts'
import { createHttpClient } from '../../client/http-client.ts'
import { CredentialsError } from '../../client/kubeconfig/credentials-error.ts'
import { loadAccess } from '../../client/kubeconfig/load-access.ts'
import { createPolledUsage } from '../../controlplane/console/polled-usage.ts'
import { controllerFactories } from '../../controlplane/controllers.ts'
import { defaultAlwaysAllowPaths } from '../../controlplane/delegated-access.ts'
import { unpredictableSeed, writePrivately } from '../../controlplane/ports-data-dir.ts'
import { startRemote } from '../../controlplane/remote.ts'
import type { ShadowVerdict } from '../../scheduler/shadow.ts'
import { consoleHostOption } from '../api-endpoint.ts'
import { gitVersionOf, troubleReaching } from '../cluster-trouble.ts'
import {
  choice,
  defineCommand,
  type ExitCode,
  exitCodes,
  type Files,
  flag,
  grouped,
  integer,
  parsed,
  text,
  unreachable,
  wrongQuestion,
} from '../command.ts'
import { remoteOracles } from '../console/oracles.ts'
import { controlPlaneOptions, settingsOf } from '../control-plane-options.ts'
import { dryRunLine } from '../dry-run-report.ts'
import { duration } from '../durations.ts'
import { logLevels, openLog } from '../log-file.ts'
import type { TextSink } from '../output.ts'
import { untilAborted } from '../until-aborted.ts'

const drop = ['scheduler', 'taint-eviction', 'node-lifecycle', 'node-ipam']

function controllerList(given: string): readonly string[] {
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  for (const name of names)
    if (!Object.hasOwn(controllerFactories, name))
      throw new Error(
        `unknown controller ${JSON.stringify(name)}; expected one of ${Object.keys(controllerFactories).join(', ')}`,
      )
  if (names.length === 0) throw new Error(`at least one is required: ${Object.keys(controllerFactories).join(', ')}`)
  return names
}

type BindAddress = { readonly host: string; readonly port: number } | 'nowhere'

function address(given: string): BindAddress {
  if (given === '0') return 'nowhere'
  const match = /^(.*):(\d+)$/.exec(given)
  if (match === null) throw new Error('must be ADDRESS:PORT, or 0 to disable')
  return { host: match[1] === '' ? '0.0.0.0' : match[1]!.replace(/^\[|\]$/g, ''), port: Number(match[2]) }
}

export const command = defineCommand({
  name: 'run',
  summary: "Run berth's scheduler and controllers on a real cluster",
  description:
    'Connects to a Kubernetes API server, by kubeconfig or from inside the cluster, and runs the selected controllers instead ' +
    'of kube-scheduler and kube-controller-manager. If several instances run, only the holder of the Lease acts.',
  args: [],
  options: {
    kubeconfig: text({
      summary: 'Kubeconfig (default: $KUBECONFIG, ~/.kube/config, or in-cluster credentials)',
      value: 'FILE',
    }),
    context: text({ summary: 'Context in the kubeconfig', value: 'NAME' }),
    controllers: parsed({
      summary: 'Controllers to run, separated by commas',
      value: 'NAMES',
      parse: controllerList,
      default: drop.filter((name) => Object.hasOwn(controllerFactories, name)),
    }),
    dryRun: flag({ summary: 'Report decisions without writing to the cluster' }),
    shadow: flag({
      summary: 'Watch the scheduler of the cluster and report where berth would decide differently; writes nothing',
    }),
    logLevel: choice({ summary: 'Log level of standard error', choices: logLevels, default: 'info' }),
    seed: text({ summary: 'Random seed for ties', value: 'TEXT' }),
    ...grouped('Leader election options', {
      leaderElect: flag({ summary: 'Act only while holding the Lease', default: true }),
      leaderElectResourceName: text({ summary: 'Name of the Lease', value: 'NAME', default: 'berth' }),
      leaderElectResourceNamespace: text({
        summary: 'Namespace of the Lease',
        value: 'NAMESPACE',
        default: 'kube-system',
      }),
      leaderElectLeaseDuration: duration('Time without renewal after which another instance may take over', 15_000),
      leaderElectRenewDeadline: duration('Time without renewal after which the leader stops acting', 10_000),
      leaderElectRetryPeriod: duration('Interval between attempts to acquire or renew the Lease', 2000),
    }),
    ...grouped('Client options', {
      kubeApiQps: integer({ summary: 'Maximum requests per second; 0 disables the limit', default: 50, min: 0 }),
      kubeApiBurst: integer({ summary: 'Burst of requests allowed above --kube-api-qps', default: 100, min: 1 }),
      requestTimeout: duration('Timeout of a request', 30_000),
      maxInFlight: integer({ summary: 'Maximum number of requests in flight', default: 64, min: 1, max: 4096 }),
    }),
    ...grouped('Metrics and console options', {
      metricsBindAddress: parsed({
        summary: 'Address that serves /metrics, /healthz, /readyz and /debug; 0 disables it',
        value: 'ADDRESS:PORT',
        parse: address,
        shown: '127.0.0.1:10259',
        default: { host: '127.0.0.1', port: 10259 } as BindAddress,
      }),
      tlsCertFile: text({
        summary: 'File with the serving certificate of --metrics-bind-address, in PEM',
        value: 'FILE',
      }),
      tlsPrivateKeyFile: text({ summary: 'File with the private key of --tls-cert-file, in PEM', value: 'FILE' }),
      authorizationAlwaysAllowPaths: parsed({
        summary: 'Paths of --metrics-bind-address that need no authorization, separated by commas',
        value: 'PATHS',
        parse: (given: string): readonly string[] => given.split(',').filter((path) => path !== ''),
        shown: defaultAlwaysAllowPaths.join(','),
        default: defaultAlwaysAllowPaths,
      }),
      allowedHost: consoleHostOption,
      consoleLinkFile: text({
        summary: 'File to write the one-time link of the console to, readable by its owner only',
        value: 'FILE',
      }),
    }),
    ...grouped('Release, scheduler and controller options', controlPlaneOptions),
  },
  examples: [
    { command: 'berth run --controllers scheduler', summary: 'Run only the scheduler' },
    {
      command: 'berth run --controllers taint-eviction --behavior improved',
      summary: 'Replace the taint-eviction-controller of kube-controller-manager',
    },
    { command: 'berth run --shadow', summary: 'Compare with kube-scheduler without writing anything' },
    { command: 'berth run --dry-run', summary: 'Print the requests that it would send' },
  ],
  run: async ({ options, stdout, stderr, cwd, files, now, interruption }) => {
    checkElection(options)
    const certificate = await certificateOf(options, files, cwd)
    const { kubeconfig } = options
    if (kubeconfig !== undefined && (await files.kindOf(resolve(cwd, kubeconfig))) !== 'file')
      throw wrongQuestion(`no cluster: ${kubeconfig}: no such kubeconfig`)
    const log = await openLog(options.logLevel, undefined)
    const choiceOfCluster = {
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(options.context === undefined ? {} : { context: options.context }),
    }
    const access = await loadAccess(choiceOfCluster, now).catch((error: Error) => {
      const [first = ''] = error.message.split('\n')
      if (error instanceof CredentialsError) throw unreachable(`no credentials: ${first}`)
      const file = kubeconfig === undefined || first.includes('kubeconfig') ? '' : `${kubeconfig}: `
      throw wrongQuestion(`no cluster: ${file}${first}`)
    })
    const clock = new RealClock()
    const cluster = clusterVersion((await gitVersionOf(access, clock)) ?? '')
    const settings = await settingsOf(options, files, cwd, cluster === undefined ? {} : { version: cluster.version })
    const random = createRandom(options.seed ?? unpredictableSeed())
    const http = createHttpClient({
      access,
      clock,
      random: random.stream('watch'),
      userAgent: 'berth-run',
      qps: options.kubeApiQps,
      burst: options.kubeApiBurst,
      timeoutMs: options.requestTimeout,
      maxSockets: options.maxInFlight,
    })
    const election = createHttpClient({
      access,
      clock,
      random: random.stream('election'),
      userAgent: 'berth-run',
      timeoutMs: options.leaderElectRetryPeriod * 2,
      maxSockets: 2,
    })
    const reviews = createHttpClient({
      access,
      clock,
      random: random.stream('reviews'),
      userAgent: 'berth-run',
      timeoutMs: 10_000,
      maxSockets: 4,
    })
    const trouble = await troubleReaching(access, clock)
    if (trouble !== undefined) throw unreachable(trouble)
    const client = options.dryRun
      ? createDryClient(http, (call) => stdout.write(`${encodeJson(dryRunLine(call, now()))}\n`))
      : http
    const tally = shadowTally(stdout)
    const plane = await startRemote({
      client,
      abandon: () => http.close(),
      electionClient: election,
      clock,
      random,
      log,
      settings,
      controllers: options.controllers,
      maxInFlight: options.maxInFlight,
      ...(options.metricsBindAddress === 'nowhere'
        ? {}
        : {
            metricsServer: {
              ...options.metricsBindAddress,
              ...certificate,
              accessClient: reviews,
              alwaysAllowPaths: options.authorizationAlwaysAllowPaths,
              hostNames: options.allowedHost,
            },
          }),
      ...(options.leaderElect && !options.dryRun && !options.shadow
        ? {
            election: {
              identity: `${hostname()}_${random.stream('identity').uuid()}`,
              namespace: options.leaderElectResourceNamespace,
              name: options.leaderElectResourceName,
              leaseDurationMs: options.leaderElectLeaseDuration,
              renewDeadlineMs: options.leaderElectRenewDeadline,
              retryPeriodMs: options.leaderElectRetryPeriod,
            },
          }
        : {}),
      ...(options.shadow ? { onVerdict: tally.add } : {}),
      onLead: () => {
        const controllers = options.shadow ? ['shadow'] : options.controllers
        const how = options.shadow
          ? 'watching'
          : options.dryRun
            ? 'dry run: decisions are logged, and nothing is written'
            : 'acting'
        log.info({ controllers, server: access.server }, how)
      },
      // Explanations need the scheduler and the objects that it watches.
      console: (view) => ({
        ...(options.controllers.includes('scheduler') && !options.shadow
          ? remoteOracles({
              view,
              settings,
              pluginFiles: options.plugin.map((file) => resolve(cwd, file)),
              now: () => clock.wall(),
            })
          : {}),
        figures: { usage: createPolledUsage(reviews, () => clock.now()) },
      }),
      onConsole: (link) => {
        const { consoleLinkFile } = options
        // The link signs in the first client that opens it. Logs often store standard error, so the link is printed to terminals only.
        if (stderr.isTTY) stderr.write(`berth: read-only console; this link works once: ${link}\n`)
        if (consoleLinkFile === undefined) return
        writePrivately(resolve(cwd, consoleLinkFile), `${link}\n`).catch((error: Error) =>
          log.error({ file: consoleLinkFile, error: error.message }, 'cannot write the link of the console'),
        )
      },
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.syscall === 'listen' ? cannotServe(error, options.metricsBindAddress) : error
    })
    const ended = await Promise.race([plane.lost, untilAborted(interruption()).then(() => undefined)])
    await plane.stop()
    http.close()
    election.close()
    reviews.close()
    if (ended !== undefined) throw unreachable(ended)
    return options.shadow ? tally.close() : exitCodes.done
  },
})

function cannotServe({ code = '' }: NodeJS.ErrnoException, at: BindAddress): Error {
  const where = at === 'nowhere' ? '' : `${at.host}:${at.port}`
  const why = Object.hasOwn(unservable, code) ? unservable[code] : code
  return wrongQuestion(`cannot listen on ${where}: ${why}; pass another --metrics-bind-address, or 0 to disable it`)
}

const unservable = lookupTable<string>({
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'not an address of this machine',
  ENOTFOUND: 'no such host',
})

async function certificateOf(
  {
    tlsCertFile,
    tlsPrivateKeyFile,
  }: { readonly tlsCertFile: string | undefined; readonly tlsPrivateKeyFile: string | undefined },
  files: Files,
  cwd: string,
) {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined) return {}
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined)
    throw wrongQuestion('--tls-cert-file and --tls-private-key-file must be given together')
  const [certificate, key] = await Promise.all(
    [tlsCertFile, tlsPrivateKeyFile].map((file) => files.readText(resolve(cwd, file))),
  )
  return { certificate: { certificate: certificate as string, key: key as string } }
}

/** The rules of client-go (tools/leaderelection): the leader must stop before another instance may start. */
function checkElection(options: {
  readonly leaderElectLeaseDuration: number
  readonly leaderElectRenewDeadline: number
  readonly leaderElectRetryPeriod: number
}): void {
  const { leaderElectLeaseDuration: lease, leaderElectRenewDeadline: deadline, leaderElectRetryPeriod: retry } = options
  if (lease <= deadline)
    throw wrongQuestion('--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline')
  if (deadline <= retry * 1.2)
    throw wrongQuestion('--leader-elect-renew-deadline must be longer than 1.2 times --leader-elect-retry-period')
  if (lease < 1000) throw wrongQuestion('--leader-elect-lease-duration must be at least 1s')
}

/** Prints one JSON line per placement and the counts at the end. The exit code is 1 if a difference is unexplained. */
function shadowTally(stdout: TextSink) {
  const counts: Record<ShadowVerdict['verdict'], number> = { same: 0, sampled: 0, differs: 0, refused: 0 }
  return {
    add: (verdict: ShadowVerdict) => {
      counts[verdict.verdict]++
      stdout.write(`${encodeJson(verdict)}\n`)
    },
    close: (): ExitCode => {
      stdout.write(`${JSON.stringify({ summary: counts })}\n`)
      return counts.differs + counts.refused === 0 ? exitCodes.done : exitCodes.answerIsNo
    },
  }
}
