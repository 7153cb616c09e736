import { join } from 'node:path'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { readAuthorizationModes } from '../../apiserver/access/authorizers.ts'
import { RealClock } from '../../base/real-clock.ts'
import { must } from '../../base/result.ts'
import type { ServingCertificates } from '../../controlplane/api-process.ts'
import { apiServerControllers } from '../../controlplane/api-server-controllers.ts'
import { type EmbeddedOptions, startEmbedded } from '../../controlplane/embedded.ts'
import { readRelease } from '../../controlplane/release-flags.ts'
import { explained } from '../api-endpoint.ts'
import { type ExitCode, exitCodes, type Ports, wrongQuestion } from '../command.ts'
import { openLog } from '../log-file.ts'
import { parseServiceRanges, serviceRangesOf } from '../service-range-options.ts'
import { untilAborted } from '../until-aborted.ts'
import { apiServerFlags, apiServerSwitches } from './known-flags.ts'
import { flagHelp, type GivenFlags, readFlags } from './read-flags.ts'

/** The controllers that delete the contents of namespaces and the dependents of objects. envtest has no other controllers. */
const defaultControllers = 'namespace,garbagecollector'

const about =
  'The API server of berth with the flags of kube-apiserver, for envtest and other test harnesses. All data is stored ' +
  'in memory. Flags of kube-apiserver without an effect in berth are accepted. BERTH_CONTROLLERS names the controllers of ' +
  `kube-controller-manager that run, separated by commas (default: ${defaultControllers}; "" for none). BERTH_KUBERNETES_VERSION is the release (default: the newest).`

/** `kube-apiserver` for envtest. */
export async function runApiServer(args: readonly string[], ports: Ports): Promise<ExitCode> {
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    ports.stdout.write(flagHelp('kube-apiserver', about, [...apiServerFlags, ...apiServerSwitches]))
    return exitCodes.done
  }
  const flags = readFlags('kube-apiserver', args, { valued: apiServerFlags, switches: apiServerSwitches })
  const host = flags.last('bind-address') ?? '127.0.0.1'
  const port = portOf(flags.last('secure-port') ?? '6443')
  const modes = readAuthorizationModes(flags.all('authorization-mode').join(',') || 'AlwaysAllow')
  if (!modes.ok) throw wrongQuestion(`kube-apiserver: ${modes.message}`)
  const release = servedRelease(flags, ports.env)
  const names = (ports.env['BERTH_CONTROLLERS'] ?? defaultControllers).split(',').filter((name) => name !== '')
  const { api, close } = await startEmbedded({
    host,
    port,
    authorizationModes: modes.value,
    admission: {
      disabled: flags.all('disable-admission-plugins'),
      restrictsNodes: flags.all('enable-admission-plugins').includes('NodeRestriction'),
    },
    clock: new RealClock(),
    log: await openLog('warn', undefined),
    release,
    ...serviceRangesOf(rangesOf(flags)),
    controllers: await controllersOf(names, flagsOf(flags, ports.env)),
    hasServiceAccounts: names.includes('serviceaccount'),
    certificates: await certificatesOf(flags, ports),
    identity: await identityOf(flags, ports),
  }).catch((error: NodeJS.ErrnoException) => {
    throw explained(error, host, port)
  })
  ports.stderr.write(`kube-apiserver: serving on ${api.server.url}\n`)
  await untilAborted(ports.interruption())
  await close()
  return exitCodes.done
}

/** The release of BERTH_KUBERNETES_VERSION with the gates of --feature-gates, in the format of `berth apiserver`. */
export function servedRelease(flags: GivenFlags, env: Ports['env']): KubernetesRelease {
  const release = readRelease(flagsOf(flags, env))
  if (!release.ok) throw wrongQuestion(`kube-apiserver: ${release.message}`)
  return release.value
}

function flagsOf(flags: GivenFlags, env: Ports['env']): Readonly<Record<string, string>> {
  const version = env['BERTH_KUBERNETES_VERSION'] ?? ''
  const gates = flags.all('feature-gates').join(',')
  return {
    ...(version === '' ? {} : { 'kubernetes-version': version }),
    ...(gates === '' ? {} : { 'feature-gates': gates }),
  }
}

/** Loads the control plane only if one of its controllers is requested. */
async function controllersOf(
  names: readonly string[],
  flags: Readonly<Record<string, string>>,
): Promise<EmbeddedOptions['controllers']> {
  if (names.every((name) => Object.hasOwn(apiServerControllers, name))) {
    return (context) => names.flatMap((name) => apiServerControllers[name]?.(context) ?? [])
  }
  const [{ createControllers }, { readSettings }] = await Promise.all([
    import('../../controlplane/controllers.ts'),
    import('../../controlplane/settings.ts'),
  ])
  const settings = must(readSettings(flags))
  return (context) => createControllers(names, { ...context, settings })
}

function rangesOf(flags: GivenFlags) {
  const given = flags.last('service-cluster-ip-range') ?? ''
  return given === '' ? undefined : parseServiceRanges(given)
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65535) return port
  throw wrongQuestion(`kube-apiserver: invalid argument ${JSON.stringify(text)} for "--secure-port" flag`)
}

async function readPem({ files }: Ports, file: string): Promise<string> {
  if ((await files.kindOf(file)) !== 'file')
    throw wrongQuestion(`kube-apiserver: open ${file}: no such file or directory`)
  return files.readText(file)
}

/** As in upstream: the given pair, or `apiserver.crt` and `apiserver.key` of the folder, or a new pair. */
async function certificatesOf(flags: GivenFlags, ports: Ports): Promise<ServingCertificates> {
  const folder = flags.last('cert-dir')
  let certificate = flags.last('tls-cert-file')
  let key = flags.last('tls-private-key-file')
  if (certificate === undefined && folder !== undefined) {
    const found = join(folder, 'apiserver.crt')
    if ((await ports.files.kindOf(found)) === 'file') {
      certificate = found
      key = join(folder, 'apiserver.key')
    }
  }
  const clientCa = flags.last('client-ca-file')
  return {
    ...(certificate === undefined || key === undefined
      ? {}
      : { certificate: await readPem(ports, certificate), key: await readPem(ports, key) }),
    ...(clientCa === undefined ? {} : { clientCa: await readPem(ports, clientCa) }),
  }
}

async function identityOf(flags: GivenFlags, ports: Ports) {
  const signing = flags.last('service-account-signing-key-file')
  return {
    serviceAccountIssuers: flags.all('service-account-issuer'),
    apiAudiences: flags.all('api-audiences'),
    ...(signing === undefined ? {} : { signingKey: await readPem(ports, signing) }),
    verificationKeys: await Promise.all(flags.all('service-account-key-file').map((file) => readPem(ports, file))),
  }
}
