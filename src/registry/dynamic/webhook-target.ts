import type { KubeObject } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import type { WebhookTarget } from '../attempt.ts'

export interface WebhookClientConfig {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly path?: string
    readonly port?: number
  }
  readonly caBundle?: string
}

/** The addresses of the services of webhooks. `addresses`: `namespace/name` or `namespace/name:port` to `host:port`. */
export interface WebhookServices {
  readonly store: Store
  readonly addresses: ReadonlyMap<string, string>
  /** In virtual time, a webhook is asked although its service has no address: its answer may be recorded. */
  readonly asksUnresolved?: boolean
}

interface WebhookService extends KubeObject {
  readonly spec?: {
    readonly type?: string
    readonly externalName?: string
    readonly clusterIP?: string
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }
}

interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly {
    readonly addresses?: readonly string[]
    readonly conditions?: { readonly ready?: boolean }
  }[]
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[]
}

interface WebhookEndpoints extends KubeObject {
  readonly subsets?: readonly {
    readonly addresses?: readonly { readonly ip: string }[]
    readonly ports?: readonly { readonly name?: string; readonly port: number }[]
  }[]
}

/** The target of a webhook, or the message of the call that fails. */
export function targetOf(config: WebhookClientConfig, services: WebhookServices): WebhookTarget | string {
  const bundle = config.caBundle === undefined || config.caBundle === '' ? {} : { caBundle: config.caBundle }
  const { service, url } = config
  if (service === undefined) {
    if (url === undefined || url === '') {
      return 'could not get REST client: webhook configuration must have either service or URL'
    }
    return { url, ...bundle }
  }
  const { namespace, name, path = '', port = 443 } = service
  const found = resolveService(services, namespace, name, port)
  const slash = path === '' || path.startsWith('/') ? '' : '/'
  const address = `https://${name}.${namespace}.svc:${port}${slash}${path}`
  if (typeof found === 'string') {
    if (services.asksUnresolved === true) return { url: address, ...bundle }
    return `failed to call webhook: Post "${address}": ${found}`
  }
  return { url: address, connectTo: found, ...bundle }
}

type WebhookAddress = NonNullable<WebhookTarget['connectTo']>

/**
 * The address of a service, or why there is none. kube-apiserver connects to the cluster IP (or, with
 * --enable-aggregator-routing, to an endpoint). A cluster without real pods has neither, so a mapping comes first.
 */
export function resolveService(
  { store, addresses }: WebhookServices,
  namespace: string,
  name: string,
  port: number,
): WebhookAddress | string {
  const mapped = addresses.get(`${namespace}/${name}:${port}`) ?? addresses.get(`${namespace}/${name}`)
  if (mapped !== undefined) {
    const colon = mapped.lastIndexOf(':')
    return { host: mapped.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(mapped.slice(colon + 1)) }
  }
  const service = store.get('services', `${namespace}/${name}`) as WebhookService | undefined
  if (service === undefined) return `service ${JSON.stringify(name)} not found`
  const { type, externalName, clusterIP, ports = [] } = service.spec ?? {}
  if (type === 'ExternalName') return { host: externalName ?? '', port }
  const served = ports.find((one) => one.port === port)
  if (served === undefined) return `no service port ${port} found for service ${JSON.stringify(name)}`
  const ready = readyEndpoint(store, namespace, name, served.name ?? '')
  if (ready !== undefined) return ready
  if (clusterIP === undefined || clusterIP === '' || clusterIP === 'None') {
    return `no endpoints available for service ${JSON.stringify(name)}`
  }
  return { host: clusterIP, port }
}

function readyEndpoint(store: Store, namespace: string, name: string, portName: string): WebhookAddress | undefined {
  const slices = store.list('endpointslices.discovery.k8s.io', { namespace }) as readonly EndpointSlice[]
  for (const { metadata, endpoints = [], ports = [] } of slices) {
    if (metadata.labels?.['kubernetes.io/service-name'] !== name) continue
    const port = ports.find((one) => (one.name ?? '') === portName)?.port
    const host = endpoints.find(({ conditions }) => conditions?.ready !== false)?.addresses?.[0]
    if (port !== undefined && host !== undefined) return { host, port }
  }
  const legacy = store.get('endpoints', `${namespace}/${name}`) as WebhookEndpoints | undefined
  for (const { addresses = [], ports = [] } of legacy?.subsets ?? []) {
    const port = ports.find((one) => (one.name ?? '') === portName)?.port
    const host = addresses[0]?.ip
    if (port !== undefined && host !== undefined) return { host, port }
  }
  return undefined
}
