import { X509Certificate } from 'node:crypto'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ServerAccess } from '../http-connection.ts'
import { ExecPlugins } from './exec-plugin.ts'
import { findKubeconfig, kubeconfigReader, writeTokens } from './kubeconfig-files.ts'
import { expiryOf, OidcLogins } from './oidc.ts'
import { proxyOf } from './proxy-settings.ts'

export interface KubeconfigChoice {
  /** A file. Absent: $KUBECONFIG, ~/.kube/config, or the service account of the pod in which this process runs. */
  readonly kubeconfig?: string
  readonly context?: string
  /** The root of the file system of the pod, if it is not `/`. */
  readonly podRoot?: string
}

// Headers are kept for this time, because reading plugins, providers and files for every request would be slow.
// Credentials are rotated long before they expire.
const headersLastMs = 30_000

/**
 * Access from a kubeconfig or from inside a cluster. @kubernetes/client-node reads it. The library is loaded only here,
 * because loading it is slow. A CredentialsError means that the cluster is known, but not the credentials.
 */
export async function loadAccess(choice: KubeconfigChoice, now: () => number): Promise<ServerAccess> {
  const place = findKubeconfig(choice.kubeconfig, choice.podRoot ?? '')
  const read = await kubeconfigReader(choice.podRoot ?? '')
  let config = chosen(read(place), choice.context)
  const { server, name, proxyUrl } = clusterOf(config)
  const proxy = proxyOf(server, proxyUrl, name)
  // Keeps the initial context: a new current context is for other commands, and may belong to another cluster.
  const context = config.getCurrentContext()
  const plugins = new ExecPlugins(now, () => clusterForPlugins(config))
  const logins = new OidcLogins(now, (user, before, tokens) => void writeTokens(place, user, before, tokens))
  const authenticate = (from: KubeConfig) => {
    for (const authenticator of [plugins, logins]) from.addAuthenticator(authenticator as never)
    return from
  }
  authenticate(config)
  let held = await credentialsOf(config)
  let readAt = now()
  let reading: Promise<void> | undefined
  const renew = async (refused: boolean): Promise<void> => {
    if (refused) for (const authenticator of [plugins, logins]) authenticator.forget()
    const again = readAgain(() => chosen(read(place), context), server)
    if (again !== undefined) config = authenticate(again)
    const fresh = await credentialsOf(config)
    // A new TLS identity requires new connections; an unchanged one does not.
    held = sameTls(fresh.tls, held.tls) ? { ...fresh, tls: held.tls } : fresh
    readAt = now()
  }
  return {
    server,
    ...(proxy === undefined ? {} : { proxy }),
    get tls() {
      return held.tls
    },
    authorize: async (refused) => {
      // If many requests were rejected with the same credentials, or find them outdated, only one renews them.
      if (refused === held.headers || Math.abs(now() - readAt) > headersLastMs) {
        reading ??= renew(refused === held.headers).finally(() => {
          reading = undefined
        })
        await reading
      }
      return held.headers
    },
    explainRefusal: () => whyRefused(config, held, now()),
  }
}

/** Reads the kubeconfig again. Ignores it if it is being written or has another server now. */
function readAgain(read: () => KubeConfig, server: string): KubeConfig | undefined {
  try {
    const config = read()
    return clusterOf(config).server === server ? config : undefined
  } catch {
    return undefined
  }
}

function clusterOf(config: KubeConfig) {
  const name = config.getCurrentContext()
  const context = config.getContextObject(name)
  if (!name || context === null)
    throw new Error(
      name
        ? `the current context ${JSON.stringify(name)} is not in the kubeconfig; ${contextsOf(config)}`
        : `the kubeconfig has no current context: choose one with --context; ${contextsOf(config)}`,
    )
  const cluster = config.getCluster(context.cluster)
  if (cluster === null)
    throw new Error(
      `the context ${JSON.stringify(name)} refers to the cluster ${JSON.stringify(context.cluster)}, which is not in the kubeconfig`,
    )
  if (context.user && config.getUser(context.user) === null)
    throw new Error(
      `the context ${JSON.stringify(name)} refers to the user ${JSON.stringify(context.user)}, which is not in the kubeconfig`,
    )
  if (!/^https?:\/\/[^/]/.test(cluster.server ?? ''))
    throw new Error(
      `the server of the cluster ${JSON.stringify(cluster.name)} is ${JSON.stringify(cluster.server)}; it must be a URL such as https://10.0.0.1:6443`,
    )
  return cluster
}

function contextsOf(config: KubeConfig): string {
  return `contexts: ${
    config
      .getContexts()
      .map(({ name }) => name)
      .join(', ') || 'none'
  }`
}

function chosen(config: KubeConfig, context: string | undefined): KubeConfig {
  if (context !== undefined) {
    if (config.getContextObject(context) === null)
      throw new Error(`no context ${JSON.stringify(context)} in the kubeconfig; ${contextsOf(config)}`)
    config.setCurrentContext(context)
  }
  const cluster = clusterOf(config)
  // The library refuses plain HTTP, which `kubectl proxy` serves, unless TLS verification is off.
  if (cluster.server.startsWith('http:'))
    config.clusters = config.clusters.map((each) => (each === cluster ? { ...each, skipTLSVerify: true } : each))
  return config
}

function clusterForPlugins(config: KubeConfig) {
  const { server, caData } = clusterOf(config)
  return { server, ...(caData === undefined ? {} : { 'certificate-authority-data': caData }) }
}

interface ClientCredentials {
  readonly headers: Readonly<Record<string, string>>
  readonly tls: NonNullable<ServerAccess['tls']>
}

async function credentialsOf(config: KubeConfig): Promise<ClientCredentials> {
  const options: RequestOptions = { headers: {} }
  await config.applyToHTTPSOptions(options)
  const { ca, cert, key, servername, rejectUnauthorized } = options
  return {
    headers: headersOf(options),
    tls: {
      ...(ca === undefined ? {} : { ca: ca as Buffer }),
      ...(cert === undefined ? {} : { cert: cert as Buffer }),
      ...(key === undefined ? {} : { key: key as Buffer }),
      ...(servername === undefined ? {} : { servername }),
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    },
  }
}

function headersOf(options: RequestOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  if (typeof options.auth === 'string')
    headers['Authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`
  // Token files end with a line break, which headers must not contain.
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (typeof value === 'string') headers[name] = value.trim()
  return headers
}

function sameTls(a: ClientCredentials['tls'], b: ClientCredentials['tls']): boolean {
  const text = (part: string | Buffer | undefined) => part?.toString() ?? ''
  return (['ca', 'cert', 'key'] as const).every((name) => text(a[name]) === text(b[name]))
}

/** A possible reason why a server does not accept these credentials. */
function whyRefused(config: KubeConfig, { headers, tls }: ClientCredentials, now: number): string | undefined {
  const user = config.getCurrentUser()
  if (user === null) return 'the context has no user'
  const whose = `of user ${JSON.stringify(user.name)}`
  const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
  if (tls.cert !== undefined) {
    const validTo = expiryOfCertificate(tls.cert.toString())
    const where = user.certFile ? ` in ${user.certFile}` : ''
    if (validTo !== undefined && validTo <= now)
      return `the client certificate ${whose}${where} expired at ${time(validTo)}; renew it`
  }
  const token = headers['Authorization']?.replace(/^Bearer /, '')
  const expiry = token === undefined ? undefined : expiryOf(token)
  const file = (user.authProvider as { readonly config?: { readonly tokenFile?: string } } | undefined)?.config
    ?.tokenFile
  const where = file === undefined ? '' : ` in ${file}`
  if (expiry !== undefined && expiry <= now) return `the token ${whose}${where} expired at ${time(expiry)}; renew it`
  if (token === undefined && tls.cert === undefined) return `the kubeconfig has no credentials ${whose}`
  return undefined
}

function expiryOfCertificate(text: string): number | undefined {
  try {
    const at = Date.parse(new X509Certificate(text).validTo)
    return Number.isNaN(at) ? undefined : at
  } catch {
    return undefined
  }
}
