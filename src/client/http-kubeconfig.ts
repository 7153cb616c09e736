import type { RequestOptions } from 'node:https'
import { isAbsolute, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import type { ServerAccess } from './http-connection.ts'

export interface KubeconfigChoice {
  /** A file; absent: $KUBECONFIG, ~/.kube/config, or the service account of the pod this runs in. */
  readonly kubeconfig?: string
  readonly context?: string
}

// Exec plugins and OIDC providers keep their tokens themselves; asking them for every request would still be slow.
const headersLastMs = 30_000

/**
 * Access from a kubeconfig or from inside a cluster. Reading it is left to @kubernetes/client-node, which knows every
 * way to authenticate; it is loaded only here, because it is slow to load.
 */
export async function loadAccess(choice: KubeconfigChoice, now: () => number): Promise<ServerAccess> {
  const load = await kubeconfigLoader(choice)
  let config = load()
  const { server } = clusterOf(config)
  let read = await credentialsOf(config)
  let readAt = now()
  let reading: Promise<void> | undefined
  const renew = async (refused: boolean): Promise<void> => {
    // Credentials that were refused may be kept in memory as good; reading everything anew forgets them.
    if (refused) config = load()
    const fresh = await credentialsOf(config)
    // Another identity of the connection itself means other connections; the same one does not.
    read = sameTls(fresh.tls, read.tls) ? { ...fresh, tls: read.tls } : fresh
    readAt = now()
  }
  return {
    server,
    get tls() {
      return read.tls
    },
    authorize: async (refused) => {
      if (refused || now() - readAt > headersLastMs) {
        // Of many requests at once that find the credentials too old, one renews them.
        reading ??= renew(refused).finally(() => {
          reading = undefined
        })
        await reading
      }
      return read.headers
    },
  }
}

function clusterOf(config: KubeConfig) {
  const cluster = config.getCurrentCluster()
  if (cluster === null) throw new Error('the kubeconfig has no current context: choose one with --context')
  // What the library makes up where it finds nothing.
  if (cluster.name === 'cluster' && cluster.server === 'http://localhost:8080')
    throw new Error('there is no kubeconfig, and this is no pod: name a file with --kubeconfig or in $KUBECONFIG')
  return cluster
}

/** Reads the kubeconfig, as often as it is called. */
async function kubeconfigLoader(choice: KubeconfigChoice): Promise<() => KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node')
  const yaml = await import('js-yaml')
  /** With `tokenFile`, which client-go knows and the library calls something else. */
  class Config extends KubeConfig {
    override loadFromString(text: string, options?: Parameters<KubeConfig['loadFromString']>[1]): void {
      const parsed = yaml.load(text) as {
        readonly users?: readonly { readonly user?: Record<string, unknown> }[]
      } | null
      if (typeof parsed !== 'object' || parsed === null) throw new Error('the kubeconfig is empty')
      const users = (parsed.users ?? []).map((each) => ({ ...each, user: withTokenFile(each.user ?? {}) }))
      super.loadFromString(JSON.stringify({ ...parsed, users }), options)
    }

    override makePathsAbsolute(root: string): void {
      super.makePathsAbsolute(root)
      for (const { authProvider } of this.users) {
        const config = authProvider?.config as { tokenFile?: string } | undefined
        if (config?.tokenFile !== undefined && !isAbsolute(config.tokenFile))
          config.tokenFile = join(root, config.tokenFile)
      }
    }
  }
  return () => {
    const config = new Config()
    if (choice.kubeconfig === undefined) config.loadFromDefault()
    else config.loadFromFile(choice.kubeconfig)
    if (choice.context !== undefined) chooseContext(config, choice.context)
    const cluster = clusterOf(config)
    // The library refuses plain HTTP (as of `kubectl proxy`) unless told that there is nothing to verify.
    if (cluster.server.startsWith('http:'))
      config.clusters = config.clusters.map((each) => (each === cluster ? { ...each, skipTLSVerify: true } : each))
    tellPlugin(config, cluster.server)
    return config
  }
}

function withTokenFile(user: Record<string, unknown>): Record<string, unknown> {
  const { tokenFile, ...rest } = user
  if (typeof tokenFile !== 'string' || tokenFile === '') return user
  return { ...rest, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } }
}

function chooseContext(config: KubeConfig, context: string): void {
  const names = config.getContexts().map(({ name }) => name)
  if (!names.includes(context))
    throw new Error(`no context ${JSON.stringify(context)} in the kubeconfig; there are ${names.join(', ') || 'none'}`)
  config.setCurrentContext(context)
}

interface ExecPlugin {
  readonly apiVersion?: string
  readonly provideClusterInfo?: boolean
  env?: readonly { readonly name: string; readonly value: string }[]
}

/** Exec plugins are told in which version to answer, and that there is nobody to ask (client-go, plugin/pkg/client/auth/exec). */
function tellPlugin(config: KubeConfig, server: string): void {
  const exec = config.getCurrentUser()?.exec as ExecPlugin | undefined
  if (exec === undefined || exec === null) return
  const { caData } = config.getCurrentCluster() ?? {}
  const cluster = { server, ...(caData === undefined ? {} : { 'certificate-authority-data': caData }) }
  const told = {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    spec: { interactive: false, ...(exec.provideClusterInfo === true ? { cluster } : {}) },
  }
  exec.env = [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(told) }]
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>
  readonly tls: NonNullable<ServerAccess['tls']>
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
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
  // Files with a token end with a line break, headers must not.
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (typeof value === 'string') headers[name] = value.trim()
  return headers
}

function sameTls(a: Credentials['tls'], b: Credentials['tls']): boolean {
  const text = (part: string | Buffer | undefined) => part?.toString() ?? ''
  return (['ca', 'cert', 'key'] as const).every((name) => text(a[name]) === text(b[name]))
}
