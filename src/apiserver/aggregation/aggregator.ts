import { formatTime } from '../../api/time.ts'
import type { Clock } from '../../base/clock.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Caller, Registry } from '../../registry/contract.ts'
import type { ApiRequest, ApiResponse, StreamSink } from '../exchange.ts'
import { text } from '../exchange.ts'
import {
  type ApiService,
  apiServices,
  isAvailable,
  pathOf,
  type RemoteTarget,
  remoteApi,
  remoteApis,
  targetOfApi,
} from './api-services.ts'
import { type ApiAvailability, missingService, passed, withAvailability } from './availability.ts'
import type { RemoteGroupVersion, RemoteResource } from './remote-discovery.ts'

export interface ForwardedRequest {
  readonly target: RemoteTarget
  readonly method: string
  /** The path and the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Uint8Array
  readonly isStream: boolean
  readonly timeoutMs: number
}

type Headers = Readonly<Record<string, string | readonly string[]>>

export type ForwardedAnswer =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'full'; readonly code: number; readonly headers: Headers; readonly body: Uint8Array }
  | {
      readonly kind: 'stream'
      readonly code: number
      readonly headers: Headers
      readonly start: (sink: StreamSink) => () => void
    }

export interface AggregatorPorts {
  readonly registry: Registry
  readonly clock: Clock
  /** Sends a request to another server. */
  readonly forward: (request: ForwardedRequest) => Promise<ForwardedAnswer>
  /** The addresses of services outside of the cluster: `namespace/name` or `namespace/name:port` to `host:port`. */
  readonly addresses: ReadonlyMap<string, string>
}

export interface Aggregator {
  /** Forwards a request, if another server serves the API. */
  readonly serve: (
    request: ApiRequest,
    api: { readonly group: string; readonly version: string },
    caller: Caller,
    isStream: boolean,
  ) => Promise<ApiResponse> | undefined
  /** The APIs of other servers, for discovery. */
  readonly discovered: () => readonly RemoteGroupVersion[]
  /** Starts to check other servers. */
  readonly start: () => void
  readonly stop: () => void
}

const resyncMs = 30_000
const firstRetryMs = 5_000
const checkTimeoutMs = 5_000
const requestTimeoutMs = 60_000

/** Serves APIs of other servers under this one (v1.36, kube-aggregator). */
export function createAggregator(ports: AggregatorPorts): Aggregator {
  const { registry, clock } = ports
  const { store } = registry
  const services = { store, addresses: ports.addresses }
  const resources = new Map<string, readonly RemoteResource[]>()
  const checks = new Map<string, Check>()
  let watch: { readonly cancel: () => void } | 'compacted' | undefined

  const schedule = (name: string, afterMs: number): void => {
    const check = checks.get(name) ?? { failures: 0, isRunning: false, cancel: () => {} }
    checks.set(name, check)
    check.cancel()
    check.cancel = clock.at(clock.now() + afterMs, () => void run(name, check))
  }
  const run = async (name: string, check: Check): Promise<void> => {
    const service = store.get(apiServices, name) as ApiService | undefined
    if (watch === undefined || service?.spec.service === undefined) {
      checks.delete(name)
      resources.delete(name)
      return
    }
    if (check.isRunning) return
    check.isRunning = true
    const found = await availabilityOf(ports, service, services)
    check.isRunning = false
    if (watch === undefined) return
    if (found.resources !== undefined) resources.set(name, found.resources)
    report(registry, name, found.availability, clock.wall())
    const isUp = found.availability.status === 'True'
    check.failures = isUp ? 0 : check.failures + 1
    schedule(name, isUp ? resyncMs : Math.min(resyncMs, firstRetryMs * 2 ** Math.min(check.failures - 1, 4)))
  }
  const checkSoon = (): void => {
    for (const { metadata } of remoteApis(store)) schedule(metadata.name, 0)
  }
  return {
    serve: (request, { group, version }, caller, isStream) => {
      const service = remoteApi(store, group, version)
      return service === undefined ? undefined : forwarded(ports, service, services, { request, caller, isStream })
    },
    discovered: () =>
      remoteApis(store).map((service) => ({
        group: service.spec.group ?? '',
        version: service.spec.version ?? '',
        resources: resources.get(service.metadata.name) ?? [],
        isCurrent: isAvailable(service),
      })),
    start: () => {
      watch = store.watch((changes) => {
        for (const { resource, before, after } of changes) {
          if (!watched.has(resource)) continue
          if (resource !== apiServices) checkSoon()
          else if (before === undefined || after === undefined || specChanged(before, after)) {
            schedule((after ?? before)?.metadata.name ?? '', 0)
          }
        }
      })
      checkSoon()
    },
    stop: () => {
      if (watch !== undefined && watch !== 'compacted') watch.cancel()
      watch = undefined
      for (const { cancel } of checks.values()) cancel()
    },
  }
}

interface Check {
  failures: number
  isRunning: boolean
  cancel: () => void
}

const watched: ReadonlySet<string> = new Set([apiServices, 'services', 'endpointslices.discovery.k8s.io'])

const specChanged = (before: object, after: object): boolean =>
  (before as ApiService).spec !== (after as ApiService).spec

type Services = Parameters<typeof targetOfApi>[1]

async function availabilityOf(
  { forward }: AggregatorPorts,
  service: ApiService,
  services: Services,
): Promise<{ readonly availability: ApiAvailability; readonly resources?: readonly RemoteResource[] }> {
  const { namespace = '', name = '', port = 443 } = service.spec.service ?? {}
  const isMapped =
    services.addresses.has(`${namespace}/${name}:${port}`) || services.addresses.has(`${namespace}/${name}`)
  const missing = isMapped ? undefined : missingService(service, services.store)
  if (missing !== undefined) return { availability: missing }
  const target = targetOfApi(service, services)
  const failed = (message: string) => ({
    availability: { status: 'False', reason: 'FailedDiscoveryCheck', message },
  })
  if (typeof target === 'string') return failed(target)
  const path = pathOf(service)
  const url = `https://${target.host}:${target.port}${path}`
  const identity = identityHeaders({ name: 'system:kube-aggregator', groups: ['system:masters'] })
  const answer = await forward({
    ...{ target, method: 'GET', path, body: new Uint8Array(0), isStream: false, timeoutMs: checkTimeoutMs },
    headers: { accept: 'application/json', ...identity },
  })
  const why = `failing or missing response from ${url}`
  if (answer.kind === 'failed') return failed(`${why}: ${answer.message}`)
  if (answer.code < 200 || answer.code >= 300) return failed(`${why}: bad status from ${url}: ${answer.code}`)
  return { availability: passed, ...(answer.kind === 'full' ? { resources: resourcesIn(answer.body) } : {}) }
}

/** The resources of an APIResourceList. Empty for any other document. */
function resourcesIn(body: Uint8Array): readonly RemoteResource[] {
  try {
    const { resources } = JSON.parse(Buffer.from(body).toString('utf8')) as { readonly resources?: unknown }
    return Array.isArray(resources) ? (resources as readonly RemoteResource[]).slice(0, 10_000) : []
  } catch {
    return []
  }
}

function report(registry: Registry, name: string, availability: ApiAvailability, wall: number): void {
  const service = registry.store.get(apiServices, name) as ApiService | undefined
  const conditions = service === undefined ? undefined : withAvailability(service, availability, formatTime(wall))
  if (conditions === undefined) return
  const patch = { kind: 'merge', patch: { status: { conditions } } } as never
  registry.call({ verb: 'patch', resource: apiServices, name, subresource: 'status', patch })
}

const plain = (code: number, message: string): ApiResponse =>
  text(code, `${message}\n`, { 'x-content-type-options': 'nosniff' })

async function forwarded(
  { forward }: AggregatorPorts,
  service: ApiService,
  services: Services,
  { request, caller, isStream }: { readonly request: ApiRequest; readonly caller: Caller; readonly isStream: boolean },
): Promise<ApiResponse> {
  if (!isAvailable(service)) return plain(503, 'service unavailable')
  const target = targetOfApi(service, services)
  if (typeof target === 'string') return plain(503, 'service unavailable')
  const query = request.query.toString()
  const answer = await forward({
    ...{ target, method: request.method, body: request.body, isStream, timeoutMs: requestTimeoutMs },
    path: `${encodeURI(request.path)}${query === '' ? '' : `?${query}`}`,
    headers: { ...passedHeaders(request.headers), ...identityHeaders(caller) },
  })
  if (answer.kind === 'failed') return plain(503, `error trying to reach service: ${answer.message}`)
  return answer
}

/**
 * Headers that are not forwarded: headers of one connection, and headers that name the caller, which this server sets.
 */
const ownHeaders = lookupTable<true>({
  connection: true,
  'keep-alive': true,
  'proxy-authenticate': true,
  'proxy-authorization': true,
  te: true,
  trailer: true,
  'transfer-encoding': true,
  upgrade: true,
  host: true,
  'content-length': true,
  authorization: true,
})

function passedHeaders(headers: ApiRequest['headers']): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined &&
      ownHeaders[name] === undefined &&
      !name.startsWith('x-remote-') &&
      !name.startsWith('impersonate-'),
  )
  return Object.fromEntries(kept) as Readonly<Record<string, string>>
}

/** client-go, transport.SetAuthProxyHeaders. */
export function identityHeaders({ name, groups, uid, extra }: Caller): Headers {
  const more = Object.entries(extra ?? {}).map(
    ([key, values]) => [`X-Remote-Extra-${escapedKey(key)}`, values] as const,
  )
  return {
    'X-Remote-User': name,
    ...(uid === undefined || uid === '' ? {} : { 'X-Remote-Uid': uid }),
    ...(groups.length === 0 ? {} : { 'X-Remote-Group': groups }),
    ...Object.fromEntries(more),
  }
}

/** Characters that a header name cannot have are percent-encoded, as in URLs (headerKeyEscape). */
const escapedKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const char = String.fromCharCode(byte)
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
