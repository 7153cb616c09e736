import type { RequestOptions } from 'node:https'
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
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  if (choice.kubeconfig === undefined) config.loadFromDefault()
  else config.loadFromFile(choice.kubeconfig)
  if (choice.context !== undefined) {
    const names = config.getContexts().map(({ name }) => name)
    if (!names.includes(choice.context))
      throw new Error(
        `no context ${JSON.stringify(choice.context)} in the kubeconfig; there are ${names.join(', ') || 'none'}`,
      )
    config.setCurrentContext(choice.context)
  }
  const cluster = config.getCurrentCluster()
  // What client-node makes up where it finds nothing.
  if (choice.kubeconfig === undefined && cluster?.server === 'http://localhost:8080' && cluster.name === 'cluster')
    throw new Error('there is no kubeconfig')
  if (cluster === null) throw new Error('the kubeconfig has no current context: choose one with --context')
  // The library refuses plain HTTP (as of `kubectl proxy`) unless told that there is nothing to verify.
  if (cluster.server.startsWith('http:'))
    config.clusters = config.clusters.map((each) => (each === cluster ? { ...each, skipTLSVerify: true } : each))
  const read = async () => {
    const options: RequestOptions = { headers: {} }
    await config.applyToHTTPSOptions(options)
    return options
  }
  const first = await read()
  let headers = headersOf(first)
  let readAt = now()
  const { ca, cert, key, servername, rejectUnauthorized } = first
  return {
    server: cluster.server,
    tls: {
      ...(ca === undefined ? {} : { ca: ca as Buffer }),
      ...(cert === undefined ? {} : { cert: cert as Buffer }),
      ...(key === undefined ? {} : { key: key as Buffer }),
      ...(servername === undefined ? {} : { servername }),
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    },
    authorize: async (refresh) => {
      if (refresh || now() - readAt > headersLastMs) {
        headers = headersOf(await read())
        readAt = now()
      }
      return headers
    },
  }
}

function headersOf(options: RequestOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (typeof value === 'string') headers[name] = value
  return headers
}
