import type { Cidr } from '../api/cidr.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { AuthorizationMode } from '../apiserver/access/authorizers.ts'
import { createAggregator, type ForwardedAnswer, type ForwardedRequest } from '../apiserver/aggregation/aggregator.ts'
import { frontProxyIdentity } from '../apiserver/aggregation/front-proxy.ts'
import { type ApiServerOptions, type Front, startApiServer } from '../apiserver/api-server.ts'
import type { AuditPolicy } from '../apiserver/audit/policy.ts'
import type { ServerCredentials } from '../apiserver/certificates.ts'
import type { EndpointHandler } from '../apiserver/handler.ts'
import { adminKubeconfig } from '../apiserver/kubeconfig.ts'
import { createOpenApi } from '../apiserver/openapi.ts'
import type { RunningServer } from '../apiserver/server.ts'
import { createIssuerKeys } from '../apiserver/tokens/issuer-keys.ts'
import { createJwtAuthenticator } from '../apiserver/tokens/jwt-issuer.ts'
import type { TokenSettings } from '../apiserver/tokens/signing-keys.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import { MetricRegistry } from '../base/metrics.ts'
import { createRandom } from '../base/random.ts'
import type { PodSecuritySettings } from '../registry/admission/pod-security/settings.ts'
import type { Registry } from '../registry/contract.ts'
import type { Kind, ServiceAccountMode } from '../registry/kinds/kind.ts'
import { createRegistry } from '../registry/registry.ts'
import type { Store } from '../store/contract.ts'
import { narrowDataDirectory } from '../store/journal/folder.ts'
import { type DurableStore, openStore } from '../store/journal/open-store.ts'
import { createStore } from '../store/memory-store.ts'
import { type IdentityOptions, tokenSettings } from './identity.ts'
import { createForwarder } from './ports-aggregation.ts'
import { type AuditLogOptions, createAuditLog } from './ports-audit-log.ts'
import { loadCredentials, loadSigningKey, newAuditId, newSerial, unpredictableSeed } from './ports-data-dir.ts'
import { loadDescriptions } from './ports-descriptions.ts'
import { nextTurn } from './ports-event-loop.ts'
import { readIssuerDocument } from './ports-issuer-documents.ts'
import { machineAddress } from './ports-machine.ts'
import { defaultQuotaBytes } from './ports-memory.ts'
import { createWebhookSender, type WebhookSender } from './ports-webhooks.ts'

export interface ApiProcessOptions {
  /** Absent: the store is in memory only. */
  readonly dataDir?: string
  readonly host: string
  readonly port: number
  readonly authorizationModes?: readonly AuthorizationMode[]
  readonly clock: Clock
  readonly log: Logger
  /** The release whose API is served. Default: the default release. */
  readonly release?: KubernetesRelease
  /**
   * The limit of the estimated memory for objects. Writes above it are refused as etcd refuses them. Absent or 0:
   * `defaultQuotaBytes`.
   */
  readonly quotaBytes?: number
  readonly endpoints?: readonly EndpointHandler[]
  readonly limits?: ApiServerOptions['limits']
  readonly minRequestTimeoutMs?: number
  readonly front?: Front
  /** The addresses of the services of webhooks: `namespace/name` or `namespace/name:port` to `host:port`. */
  readonly webhookServices?: ReadonlyMap<string, string>
  readonly identity?: IdentityOptions
  /** Replaces the certificates of the data directory. */
  readonly certificates?: ServingCertificates
  /** The address in the Endpoints of the service `kubernetes`. */
  readonly advertiseAddress?: string
  /** --service-cluster-ip-range: one range, or one of each family. Default: 10.0.0.0/24. */
  readonly serviceRanges?: readonly Cidr[]
  /** Enables the admission plugin ServiceAccount. */
  readonly serviceAccounts?: ServiceAccountMode
  readonly admission?: AdmissionSettings
  /** Servers of additional APIs in this process, by the `namespace/name` of the Service in their APIService. */
  readonly ownServers?: (registry: Registry) => ReadonlyMap<string, OwnServer>
  /** Records requests in a file. Absent: no audit log. */
  readonly audit?: { readonly policy: AuditPolicy; readonly log: AuditLogOptions }
}

export type OwnServer = (request: ForwardedRequest) => ForwardedAnswer

export interface AdmissionSettings {
  /** Names of disabled admission plugins. */
  readonly disabled: readonly string[]
  /** The settings of the plugin PodSecurity. Absent: it is disabled. */
  readonly podSecurity?: PodSecuritySettings
  /** Enables the plugin NodeRestriction. Default: false. */
  readonly restrictsNodes?: boolean
}

/** Certificates and keys in PEM. */
export interface ServingCertificates {
  /** The certificate of the server, and its key. */
  readonly certificate?: string
  readonly key?: string
  /** Additional authorities whose client certificates are accepted. */
  readonly clientCa?: string
}

/** An API server with its store, and the data that a client needs to connect. */
export interface ApiProcess {
  readonly registry: ReturnType<typeof createRegistry>
  readonly metrics: MetricRegistry
  readonly server: RunningServer
  readonly credentials: ServerCredentials
  readonly sendToWebhook: WebhookSender
  readonly tokens: TokenSettings
  /** The kubeconfig as text: JSON, which is also YAML. */
  readonly kubeconfig: string
  close(): Promise<void>
}

/** Memory limit for replaced and deleted objects. Watches that start before the oldest of them get 410. */
const historyBytes = 64 * 1024 * 1024

export async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const { clock, dataDir, log } = options
  for (const correction of dataDir === undefined ? [] : narrowDataDirectory(dataDir)) log.warn({}, correction)
  const quotaBytes = options.quotaBytes || defaultQuotaBytes()
  const bounds = { limits: { maxBytes: quotaBytes }, historyBytes }
  const durableStore = dataDir === undefined ? undefined : await openStore({ dir: dataDir, log, clock, ...bounds })
  const store: Store = durableStore ?? createStore(bounds)
  const metrics = new MetricRegistry()
  exposeUsage(metrics, store, quotaBytes)
  if (durableStore !== undefined) exposeJournal(metrics, durableStore)
  const registry = createRegistry({
    store,
    // The registry uses the time only for timestamps in objects.
    clock: { now: () => clock.wall() },
    random: createRandom(unpredictableSeed()),
    options: {
      ...(options.release === undefined ? {} : { release: options.release }),
      goOrder: true,
      ...(options.webhookServices === undefined ? {} : { webhookServices: options.webhookServices }),
      ...admissionOptions(options.admission),
      ...rangesOf(options),
      ...(options.serviceAccounts === undefined ? {} : { serviceAccounts: options.serviceAccounts }),
    },
  })
  const sendToWebhook = createWebhookSender(clock)
  const hosts = [
    ...new Set([
      'localhost',
      '127.0.0.1',
      '::1',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      ...(isWildcard(options.host) ? [] : [options.host]),
    ]),
  ]
  const credentials = withCertificates(await loadCredentials(dataDir, hosts, clock.wall()), options.certificates)
  const ownServers = options.ownServers?.(registry) ?? new Map()
  const aggregator = createAggregator({
    registry,
    clock,
    forward: withOwnServers(
      createForwarder(clock, () => frontProxyIdentity(credentials, { nowMs: clock.wall(), serial: newSerial() })),
      ownServers,
    ),
    addresses: withOwnAddresses(ownServers, options.webhookServices ?? new Map()),
  })
  const { identity = {} } = options
  const tokens = tokenSettings(identity, identity.signingKey ?? (await loadSigningKey(dataDir)))
  const issuers = (identity.jwtIssuers ?? []).map((issuer) => ({
    issuer,
    keys: createIssuerKeys(issuer, { readDocument: readIssuerDocument, clock, log }),
  }))
  const server = await startApiServer({
    registry,
    clock,
    log: options.log,
    metrics,
    host: options.host,
    port: options.port,
    credentials,
    ...(options.authorizationModes === undefined ? {} : { authorizationModes: options.authorizationModes }),
    restrictsNodes: options.admission?.restrictsNodes === true,
    newAuditId,
    nextTurn,
    sendToWebhook,
    aggregator,
    ...(identity.requestHeader === undefined ? {} : { requestHeader: identity.requestHeader }),
    ...advertised(options),
    ...rangesOf(options),
    ...(options.audit === undefined
      ? {}
      : { audit: { policy: options.audit.policy, write: createAuditLog(options.audit.log) } }),
    serviceAccounts: {
      settings: tokens,
      now: () => clock.wall(),
      newId: newAuditId,
      ...(identity.acceptsBootstrapTokens === true ? { acceptsBootstrapTokens: true } : {}),
      authenticators: issuers.map(({ issuer, keys }) =>
        createJwtAuthenticator(issuer, { ...keys, now: () => clock.wall(), apiAudiences: tokens.audiences }),
      ),
    },
    endpoints: [
      ...(options.endpoints ?? []),
      createOpenApi({
        release: registry.release,
        kinds: registry.kinds,
        descriptions: loadDescriptions,
        customSchema: (kind) => customSchema(store, kind),
      }),
    ],
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.minRequestTimeoutMs === undefined ? {} : { minRequestTimeoutMs: options.minRequestTimeoutMs }),
    ...(options.front === undefined ? {} : { front: options.front }),
  })
  aggregator.start()
  for (const { keys } of issuers) keys.start()
  // Objects that are created at the start are visible to everything that starts afterwards.
  await store.durable()
  return {
    registry,
    metrics,
    server,
    credentials,
    sendToWebhook,
    tokens,
    kubeconfig: adminKubeconfig(server.url, credentials),
    async close() {
      aggregator.stop()
      for (const { keys } of issuers) keys.stop()
      await server.close()
      await durableStore?.close()
    },
  }
}

type Forward = (request: ForwardedRequest) => Promise<ForwardedAnswer>

/** Answers requests to servers in this process, and forwards the others. */
function withOwnServers(forward: Forward, servers: ReadonlyMap<string, OwnServer>): Forward {
  const byName = new Map<string, OwnServer>()
  for (const [service, server] of servers) byName.set(`${service.split('/').reverse().join('.')}.svc`, server)
  return async (request) => byName.get(request.target.serverName)?.(request) ?? forward(request)
}

function withCertificates(own: ServerCredentials, given: ServingCertificates = {}): ServerCredentials {
  const { certificate, key, clientCa } = given
  return {
    ...own,
    ...(certificate === undefined || key === undefined ? {} : { serverCertificate: certificate, serverKey: key }),
    ...(clientCa === undefined ? {} : { clientAuthorities: `${own.caCertificate}${clientCa}` }),
  }
}

function admissionOptions(settings: AdmissionSettings | undefined) {
  if (settings === undefined) return {}
  const { disabled, podSecurity, restrictsNodes = false } = settings
  return { disabledAdmission: disabled, restrictsNodes, ...(podSecurity === undefined ? {} : { podSecurity }) }
}

function exposeUsage(metrics: MetricRegistry, store: Store, quotaBytes: number): void {
  const used = 'Estimated memory of all stored objects.'
  metrics.gaugeFrom({ name: 'berth_store_used_bytes', help: used }, () => [
    { labelValues: [], value: store.usedBytes ?? 0 },
  ])
  const quota =
    'Limit of the estimated memory of all stored objects. Writes that add to it above the limit are refused.'
  metrics.gaugeFrom({ name: 'berth_store_quota_bytes', help: quota }, () => [{ labelValues: [], value: quotaBytes }])
}

function exposeJournal(metrics: MetricRegistry, store: DurableStore): void {
  const readOnly = '1 if writes are refused because the disk failed, else 0.'
  metrics.gaugeFrom({ name: 'berth_journal_read_only', help: readOnly }, () => [
    { labelValues: [], value: store.trouble === undefined ? 0 : 1 },
  ])
  const failures = 'Number of times the journal could not be written since the start.'
  metrics.gaugeFrom({ name: 'berth_journal_failures', help: failures }, () => [
    { labelValues: [], value: store.diskFailures() },
  ])
}

interface SchemaDefinition {
  readonly spec: {
    readonly versions: readonly {
      readonly name: string
      readonly schema?: { readonly openAPIV3Schema?: Readonly<Record<string, unknown>> }
    }[]
  }
}

/** The schema of one version in a CustomResourceDefinition. */
/** The schema of a custom resource, from its definition. */
export function customSchema(store: Store, kind: Kind): Readonly<Record<string, unknown>> | undefined {
  const found = store.get('customresourcedefinitions.apiextensions.k8s.io', kind.resource) as unknown as
    | SchemaDefinition
    | undefined
  return found?.spec.versions.find(({ name }) => name === kind.version)?.schema?.openAPIV3Schema
}

/** As kube-apiserver: `--advertise-address`, the address to listen on, or an address of the machine. */
function rangesOf({ serviceRanges }: ApiProcessOptions): Pick<ApiProcessOptions, 'serviceRanges'> {
  return serviceRanges === undefined ? {} : { serviceRanges }
}

function advertised({ advertiseAddress, host }: ApiProcessOptions): Pick<ApiServerOptions, 'advertiseAddress'> {
  const own = isWildcard(host) || isLoopback(host) ? machineAddress() : host
  const address = advertiseAddress ?? own
  return address === undefined ? {} : { advertiseAddress: address }
}

export const isWildcard = (host: string) => host === '0.0.0.0' || host === '::'

export const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Addresses of services, with those that this process answers itself. */
function withOwnAddresses(
  own: ReadonlyMap<string, unknown>,
  addresses: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (own.size === 0) return addresses
  return new Map([...[...own.keys()].map((service) => [service, 'localhost:443'] as const), ...addresses])
}
