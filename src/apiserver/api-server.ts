import type { Cidr } from '../api/cidr.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import { nodeRestriction } from '../registry/admission/node-restriction.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import type { Caller, Guard } from '../registry/contract.ts'
import type { Store } from '../store/contract.ts'
import { type AuthorizationMode, createAuthorizer } from './access/authorizers.ts'
import { createRequestHeaderAuthenticator, type RequestHeaderSettings } from './access/request-header.ts'
import type { Aggregator } from './aggregation/aggregator.ts'
import { type AuditPorts, audited, identified } from './audit/audit.ts'
import {
  createAuthenticator,
  createTokenAuthenticator,
  type TokenAuthenticator,
  type TokenEntry,
} from './authentication.ts'
import { bootstrap, publishEndpoints } from './bootstrap.ts'
import type { ServerCredentials } from './certificates.ts'
import { createDiscovery, createRootPaths } from './discovery.ts'
import { createGuard } from './escalation.ts'
import type { Admit, ApiRequest, ApiResponse, RequestAdmission, RequestHead } from './exchange.ts'
import { createFlowClassifier, registerFlowMetrics } from './flow-schemas.ts'
import { createHandler, type EndpointHandler, refuse, type ServedRegistry, shownBy } from './handler.ts'
import { createHealth, type HealthCheck, startChecks } from './health.ts'
import { createImpersonation } from './impersonation.ts'
import type { Attributes, Role, RoleBinding, RoleSource } from './rbac.ts'
import { logged } from './request-log.ts'
import { instrument } from './request-metrics.ts'
import { createReviews } from './reviews.ts'
import { type RunningServer, type ServerLimits, serve } from './server.ts'
import { LargeRequests } from './serving/large-requests.ts'
import { defaultLimits } from './serving/limits.ts'
import { createBootstrapTokens } from './tokens/bootstrap-tokens.ts'
import { createOpenIdMetadata } from './tokens/openid-metadata.ts'
import { createServiceAccountTokens, lastUsedLabel, type TokenPorts } from './tokens/service-account-tokens.ts'
import { createTokenRequests, type TokenRequestPorts } from './tokens/token-request.ts'

export interface ApiServerOptions {
  readonly registry: ServedRegistry
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
  readonly host: string
  readonly port: number
  /** Absent: plain HTTP, and every caller is the administrator. For tests on loopback. */
  readonly credentials?: ServerCredentials
  readonly tokens?: readonly TokenEntry[]
  /** The authorizers, in order. Default: AlwaysAllow. */
  readonly authorizationModes?: readonly AuthorizationMode[]
  /** The admission plugin NodeRestriction, for tokens; for objects it is an option of the registry. */
  readonly restrictsNodes?: boolean
  /** --service-cluster-ip-range. Absent: the range in the store, or upstream's default. */
  readonly serviceRanges?: readonly Cidr[]
  readonly limits?: Partial<ServerLimits>
  /**
   * Resolves when everything that arrived in the meantime is handled. Absent: a large request is handled in one turn.
   */
  readonly nextTurn?: () => Promise<void>
  /** The duration of a watch without a timeout. */
  readonly minRequestTimeoutMs?: number
  /** Called before the server's own paths: OpenAPI, the console, /debug. */
  readonly endpoints?: readonly EndpointHandler[]
  readonly checks?: readonly HealthCheck[]
  /** Identifies requests to clients and in the log. Absent: requests are neither identified nor logged. */
  readonly newAuditId?: () => string
  /** Records requests. Absent: no audit log. */
  readonly audit?: Pick<AuditPorts, 'policy' | 'write'>
  /** Sends a request to a webhook. Absent: the registry answers for webhooks. */
  readonly sendToWebhook?: (ask: WebhookAsk) => Promise<WebhookAnswer>
  /** Proxies in front of this server. Absent: none are trusted. */
  readonly requestHeader?: RequestHeaderSettings
  /** Serves APIs of other servers, as APIServices describe them. Absent: they are not served. */
  readonly aggregator?: Aggregator
  /** Called first, for parts with their own sign-in: the console. */
  readonly front?: Front
  /** The address in the Endpoints of the service `kubernetes`. Absent: the service has none. */
  readonly advertiseAddress?: string
  /** Issues and accepts tokens of service accounts. Absent: TokenRequest is not served. */
  readonly serviceAccounts?: Pick<TokenRequestPorts, 'settings' | 'now' | 'newId'> & {
    readonly acceptsBootstrapTokens?: boolean
    /** Authenticators for tokens of other issuers; asked last. */
    readonly authenticators?: readonly TokenAuthenticator[]
  }
}

/** Authentication and authorization. */
export interface Gate {
  readonly authenticate: (request: RequestHead) => Caller | undefined
  readonly authorize: (attributes: Attributes) => boolean
}

export interface Front {
  readonly owns: (path: string) => boolean
  readonly answer: (request: ApiRequest, gate: Gate) => Promise<ApiResponse>
}

export const administrator: Caller = { name: 'kubernetes-admin', groups: ['system:masters'] }

/** The API server without sockets: from request to response. */
export function createApiHandler(options: ApiServerOptions, address: () => string): Admit {
  const { registry, clock, credentials } = options
  const modes = options.authorizationModes ?? alwaysAllow
  const isOpen = modes.includes('AlwaysAllow')
  const { serviceAccounts: accounts } = options
  const served = accounts === undefined ? {} : { servesFrom: accounts.now() }
  const clientCa = credentials?.clientAuthorities ?? credentials?.caCertificate
  const proxied =
    options.aggregator === undefined || credentials === undefined ? {} : { proxyCa: credentials.caCertificate }
  const trusted = clientCa === undefined ? {} : { clientCa, ...proxied }
  const { serviceRanges } = options
  const ranges = serviceRanges === undefined ? {} : { serviceRanges }
  bootstrap(registry, { rbac: modes.includes('RBAC'), isServed: true, ...served, ...trusted, ...ranges })
  const tokens = [
    ...(credentials === undefined ? [] : [{ token: credentials.adminToken, caller: administrator }]),
    ...(options.tokens ?? []),
  ]
  const authentication = {
    tokens,
    ...(accounts === undefined
      ? {}
      : {
          authenticators: [
            createServiceAccountTokens({ ...accounts, store: registry.store, markUsed: used(registry) }),
            ...(accounts.acceptsBootstrapTokens === true
              ? [createBootstrapTokens(registry.store, accounts.settings.audiences, accounts.now)]
              : []),
            ...(accounts.authenticators ?? []),
          ],
          audiences: accounts.settings.audiences,
        }),
  }
  const { requestHeader } = options
  const proxies = requestHeader === undefined ? {} : { requestHeader: createRequestHeaderAuthenticator(requestHeader) }
  const authenticate =
    credentials === undefined
      ? () => administrator
      : createAuthenticator({ ...authentication, ...proxies, anonymous: !isOpen })
  const roles = roleSource(registry)
  const checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    ...startChecks,
    { name: 'informer-sync', check: () => undefined, readinessOnly: true },
    { name: 'etcd-readiness', check: () => registry.store.trouble, readinessOnly: true },
    { name: 'journal', check: () => registry.store.trouble, readinessOnly: true },
    ...(options.checks ?? []),
  ]
  const { decide, rulesFor } = createAuthorizer({ modes, store: registry.store, release: registry.release, roles })
  const guard = isOpen ? undefined : createGuard({ authorize: decide, roles })
  const restriction = options.restrictsNodes === true ? { restrict: tokenRestriction(registry, guard) } : {}
  const { aggregator } = options
  const handler = createHandler({
    ...(aggregator === undefined ? {} : { aggregator }),
    registry,
    clock,
    ...(options.minRequestTimeoutMs === undefined ? {} : { minRequestTimeoutMs: options.minRequestTimeoutMs }),
    ...(options.nextTurn === undefined ? {} : { largeRequests: new LargeRequests(options.nextTurn) }),
    ...(options.sendToWebhook === undefined ? {} : { sendToWebhook: options.sendToWebhook }),
    authenticate,
    authorize: decide,
    impersonate: createImpersonation(decide, registry.release),
    classify: createFlowClassifier(registry.store),
    ...(guard === undefined ? {} : { guard }),
    endpoints: [
      ...(aggregator === undefined ? [] : [remoteDocuments(aggregator)]),
      ...(options.endpoints ?? []),
      ...(accounts === undefined ? [] : [createOpenIdMetadata(accounts.settings, address)]),
      createDiscovery(registry.kinds, address, aggregator?.discovered),
      createHealth(checks, () => options.metrics.expose(), options.registry.release),
      createRootPaths(
        registry.kinds,
        checks.filter(({ readinessOnly }) => readinessOnly !== true).map(({ name }) => name),
      ),
    ],
    review: restrictedReviews(
      createReviews({ authorize: decide, rulesFor, tokenOwner: createTokenAuthenticator(authentication) }),
      options.restrictsNodes === true ? registry : undefined,
    ),
    ...(accounts === undefined
      ? {}
      : { issueToken: createTokenRequests({ ...accounts, store: registry.store, ...restriction }) }),
  })
  registerFlowMetrics(options.metrics, registry.store, () => ({ ...defaultLimits, ...options.limits }))
  const { front } = options
  const gate: Gate = { authenticate, authorize: (attributes) => decide(attributes).allowed }
  const first: Admit =
    front === undefined
      ? handler
      : (head) => (front.owns(head.path) ? admitToFront(front, head, gate, registry.store) : handler(head))
  const { newAuditId, log, audit } = options
  const recorded = audit === undefined ? first : audited(first, { ...audit, clock })
  const counted = instrument(recorded, { metrics: options.metrics, clock })
  if (newAuditId === undefined) return counted
  const noted = logged(counted, { clock, log, newAuditId })
  return audit === undefined ? noted : identified(noted, newAuditId)
}

/** The console has its own sign-in; its requests count as requests of one user. */
function admitToFront(front: Front, head: RequestHead, gate: Gate, store: Store): RequestAdmission {
  const kind = head.method === 'GET' || head.method === 'HEAD' ? 'readOnly' : 'mutating'
  return {
    kind: 'admitted',
    flow: { user: 'console', kind, level: 'normal' },
    answer: async (body) => {
      const answer = await front.answer({ ...head, body }, gate)
      const refused = await shownBy(store)
      return refused === undefined ? answer : refuse(refused)
    },
  }
}

type Review = ReturnType<typeof createReviews>

/** Documents about an API of another server: its resources, and its schemas. */
const remoteDocuments =
  (aggregator: Aggregator): EndpointHandler =>
  (request, caller) => {
    if (!request.path.startsWith('/apis/') && !request.path.startsWith('/openapi/v3/apis/')) return undefined
    const [root, ...parts] = request.path.split('/').filter((part) => part !== '')
    const [apis, group = '', version = '', ...more] = root === 'openapi' ? parts.slice(1) : [root, ...parts]
    if (apis !== 'apis' || version === '' || more.length > 0) return undefined
    return aggregator.serve(request, { group, version }, caller, false)
  }

/** Reviews are not stored, but NodeRestriction refuses reviews of nodes without a name. */
function restrictedReviews(review: Review, registry: ServedRegistry | undefined): Review {
  if (registry === undefined) return review
  const { store, release } = registry
  return (kind, object, caller, namespace) => {
    const { name = '' } = object.metadata
    const place = { name, namespace: namespace ?? '', object, store, release, subresource: '' }
    return nodeRestriction({ caller, kind, operation: 'CREATE', ...place }) ?? review(kind, object, caller, namespace)
  }
}

/** The check of a TokenRequest by NodeRestriction. */
const tokenRestriction =
  ({ store, release }: ServedRegistry, guard: Guard | undefined): NonNullable<TokenRequestPorts['restrict']> =>
  (kind, { name = '', namespace = '' }, object, caller) =>
    nodeRestriction({
      ...{ caller, kind, subresource: 'token', operation: 'CREATE', name, namespace, object, store, release, guard },
    })

/** Labels the secret of a legacy token with the date of its last use. */
const used =
  ({ call }: ServedRegistry): TokenPorts['markUsed'] =>
  ({ metadata }, date) => {
    const { name, namespace = '', uid } = metadata
    const patch = { metadata: { ...(uid === undefined ? {} : { uid }), labels: { [lastUsedLabel]: date } } }
    call({ verb: 'patch', resource: 'secrets', namespace, name, patch: { kind: 'merge', patch } })
  }

const alwaysAllow: readonly AuthorizationMode[] = ['AlwaysAllow']

export function roleSource({ store }: Pick<ServedRegistry, 'store'>): RoleSource {
  const group = 'rbac.authorization.k8s.io'
  return {
    clusterRole: (name) => store.get(`clusterroles.${group}`, name) as Role | undefined,
    clusterRoles: () => store.list(`clusterroles.${group}`) as readonly Role[],
    clusterRoleBindings: () => store.list(`clusterrolebindings.${group}`) as readonly RoleBinding[],
    role: (namespace, name) => store.get(`roles.${group}`, `${namespace}/${name}`) as Role | undefined,
    roleBindings: (namespace) => store.list(`rolebindings.${group}`, { namespace }) as readonly RoleBinding[],
  }
}

export async function startApiServer(options: ApiServerOptions): Promise<RunningServer> {
  let address = ''
  let isStopping = false
  const shutdown: HealthCheck = {
    name: 'shutdown',
    check: () => (isStopping ? 'process is shutting down' : undefined),
    readinessOnly: true,
  }
  const admit = createApiHandler({ ...options, checks: [...(options.checks ?? []), shutdown] }, () => address)
  const { credentials } = options
  const server = await serve({
    admit,
    clock: options.clock,
    metrics: options.metrics,
    onStop: () => {
      isStopping = true
    },
    host: options.host,
    port: options.port,
    log: options.log,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(credentials === undefined
      ? {}
      : {
          tls: {
            certificate: credentials.serverCertificate,
            key: credentials.serverKey,
            ca: credentials.clientAuthorities ?? credentials.caCertificate,
            ...(options.requestHeader === undefined ? {} : { proxyCa: options.requestHeader.clientCa }),
          },
        }),
  })
  address = `${server.host}:${server.port}`
  if (options.advertiseAddress !== undefined) publishEndpoints(options.registry, options.advertiseAddress, server.port)
  return server
}
