import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { MetricRegistry } from '../base/metrics.ts'
import type { WebhookAnswer, WebhookAsk } from '../registry/attempt.ts'
import type { Caller } from '../registry/contract.ts'
import type { Store } from '../store/contract.ts'
import { type AuditPorts, audited, identified } from './audit/audit.ts'
import { createAuthenticator, createTokenAuthenticator, type TokenEntry } from './authentication.ts'
import { bootstrap, publishEndpoints } from './bootstrap.ts'
import type { ServerCredentials } from './certificates.ts'
import { createDiscovery, createRootPaths } from './discovery.ts'
import { createGuard } from './escalation.ts'
import type { Admit, ApiRequest, ApiResponse, RequestAdmission, RequestHead } from './exchange.ts'
import { createHandler, type EndpointHandler, refuse, type ServedRegistry, shownBy } from './handler.ts'
import { createHealth, type HealthCheck, startChecks } from './health.ts'
import { createImpersonation } from './impersonation.ts'
import {
  type AccessDecision,
  type Attributes,
  authorize,
  type KnownRules,
  type Role,
  type RoleBinding,
  type RoleSource,
  rulesFor,
} from './rbac.ts'
import { logged } from './request-log.ts'
import { instrument } from './request-metrics.ts'
import { createReviews } from './reviews.ts'
import { type RunningServer, type ServerLimits, serve } from './server.ts'
import { createBootstrapTokens } from './tokens/bootstrap-tokens.ts'
import { createOpenIdMetadata } from './tokens/openid-metadata.ts'
import { createServiceAccountTokens, lastUsedLabel, type TokenPorts } from './tokens/service-account-tokens.ts'
import { createTokenRequests, type TokenRequestPorts } from './tokens/token-request.ts'

export type AuthorizationMode = 'AlwaysAllow' | 'RBAC'

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
  readonly authorizationMode?: AuthorizationMode
  readonly limits?: Partial<ServerLimits>
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
  /** Called first, for parts with their own sign-in: the console. */
  readonly front?: Front
  /** The address in the Endpoints of the service `kubernetes`. Absent: the service has none. */
  readonly advertiseAddress?: string
  /** Issues and accepts tokens of service accounts. Absent: TokenRequest is not served. */
  readonly serviceAccounts?: Pick<TokenRequestPorts, 'settings' | 'now' | 'newId'> & {
    readonly acceptsBootstrapTokens?: boolean
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
  const mode = options.authorizationMode ?? 'AlwaysAllow'
  const { serviceAccounts: accounts } = options
  const served = accounts === undefined ? {} : { servesFrom: accounts.now() }
  const clientCa = credentials?.clientAuthorities ?? credentials?.caCertificate
  const trusted = clientCa === undefined ? {} : { clientCa }
  bootstrap(registry, { rbac: mode === 'RBAC', isServed: true, ...served, ...trusted })
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
          ],
          audiences: accounts.settings.audiences,
        }),
  }
  const authenticate =
    credentials === undefined
      ? () => administrator
      : createAuthenticator({ ...authentication, anonymous: mode === 'RBAC' })
  const roles = roleSource(registry)
  const checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    ...startChecks,
    { name: 'informer-sync', check: () => undefined, readinessOnly: true },
    { name: 'etcd-readiness', check: () => registry.store.trouble, readinessOnly: true },
    { name: 'journal', check: () => registry.store.trouble, readinessOnly: true },
    ...(options.checks ?? []),
  ]
  const decide = (attributes: Attributes): AccessDecision =>
    mode === 'AlwaysAllow' ? allowed : authorize(attributes, roles)
  const handler = createHandler({
    registry,
    clock,
    ...(options.minRequestTimeoutMs === undefined ? {} : { minRequestTimeoutMs: options.minRequestTimeoutMs }),
    ...(options.sendToWebhook === undefined ? {} : { sendToWebhook: options.sendToWebhook }),
    authenticate,
    authorize: decide,
    impersonate: createImpersonation(decide),
    ...(mode === 'RBAC' ? { guard: createGuard({ authorize: decide, roles }) } : {}),
    endpoints: [
      ...(options.endpoints ?? []),
      ...(accounts === undefined ? [] : [createOpenIdMetadata(accounts.settings, address)]),
      createDiscovery(registry.kinds, address),
      createHealth(checks, () => options.metrics.expose(), options.registry.release),
      createRootPaths(
        registry.kinds,
        checks.filter(({ readinessOnly }) => readinessOnly !== true).map(({ name }) => name),
      ),
    ],
    review: createReviews({
      authorize: decide,
      rulesFor: (caller, namespace) => (mode === 'RBAC' ? rulesFor(caller, namespace, roles) : everything),
      tokenOwner: createTokenAuthenticator(authentication),
    }),
    ...(accounts === undefined ? {} : { issueToken: createTokenRequests({ ...accounts, store: registry.store }) }),
  })
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

/** The console has its own sign-in; its requests count as those of one user. */
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

/** Labels the secret of a legacy token with the date of its last use. */
const used =
  ({ call }: ServedRegistry): TokenPorts['markUsed'] =>
  ({ metadata }, date) => {
    const { name, namespace = '', uid } = metadata
    const patch = { metadata: { ...(uid === undefined ? {} : { uid }), labels: { [lastUsedLabel]: date } } }
    call({ verb: 'patch', resource: 'secrets', namespace, name, patch: { kind: 'merge', patch } })
  }

const allowed: AccessDecision = { allowed: true, reason: '' }

const everything: KnownRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ],
  missing: [],
}

function roleSource({ store }: ServedRegistry): RoleSource {
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
          },
        }),
  })
  address = `${server.host}:${server.port}`
  if (options.advertiseAddress !== undefined) publishEndpoints(options.registry, options.advertiseAddress, server.port)
  return server
}
