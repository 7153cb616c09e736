import { createHash } from 'node:crypto'
import type { Outcome } from '../api/call.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import { type FullResponse, json, type RequestHead, text } from '../apiserver/exchange.ts'
import { refusalOf } from '../apiserver/forbidden.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { Client } from '../client/contract.ts'
import type { Caller } from '../registry/contract.ts'

export interface DelegatedAccessOptions {
  /** Creates TokenReviews and SubjectAccessReviews. */
  readonly client: Client
  readonly clock: Clock
  readonly log: Logger
  /** Paths that require no authorization. A trailing `*` matches any suffix. */
  readonly alwaysAllowPaths?: readonly string[]
}

/** The default of --authorization-always-allow-paths (v1.36, apiserver, server/options). */
export const defaultAlwaysAllowPaths: readonly string[] = ['/healthz', '/readyz', '/livez']

/** --authentication-token-webhook-cache-ttl and both --authorization-webhook-cache-*-ttl. */
const verdictsLastMs = 10_000
const maxVerdicts = 1024

const anonymous: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

interface TokenStatus {
  readonly authenticated?: boolean
  readonly user?: {
    readonly username?: string
    readonly uid?: string
    readonly groups?: readonly string[]
    readonly extra?: Readonly<Record<string, readonly string[]>>
  }
}

interface AccessStatus {
  readonly allowed?: boolean
  readonly denied?: boolean
  readonly reason?: string
}

/**
 * Delegates authentication and authorization to the API server of the cluster, as kube-scheduler does (v1.36,
 * apiserver, server/options, DelegatingAuthenticationOptions and DelegatingAuthorizationOptions). Returns the error
 * response for a request, or undefined if it is allowed.
 */
export function createDelegatedAccess(
  options: DelegatedAccessOptions,
): (head: RequestHead) => Promise<FullResponse | undefined> {
  const { client, clock, log, alwaysAllowPaths = defaultAlwaysAllowPaths } = options
  const tokens = new AccessVerdicts<Caller | undefined>(clock)
  const rights = new AccessVerdicts<AccessStatus>(clock)

  const ownerOf = (token: string) =>
    tokens.of(createHash('sha256').update(token).digest('base64'), async () => {
      const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
      const status = await statusOf<TokenStatus>(client, 'tokenreviews.authentication.k8s.io', review)
      if (status.authenticated !== true) return undefined
      const { username = '', uid, groups = [], extra } = status.user ?? {}
      return {
        name: username,
        groups: [...groups.filter((group) => group !== 'system:authenticated'), 'system:authenticated'],
        ...(uid === undefined ? {} : { uid }),
        ...(extra === undefined ? {} : { extra }),
      }
    })

  const decide = ({ name, groups, uid, extra }: Caller, verb: string, path: string) => {
    const spec = {
      user: name,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
      nonResourceAttributes: { path, verb },
    }
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
    return rights.of(JSON.stringify(spec), () =>
      statusOf<AccessStatus>(client, 'subjectaccessreviews.authorization.k8s.io', review),
    )
  }

  return async (head) => {
    let caller: Caller | undefined
    try {
      caller = await callerOf(head, ownerOf)
    } catch (error) {
      log.error({ error: (error as Error).message }, 'cannot authenticate the request')
    }
    if (caller === undefined) return json(401, failure('Unauthorized', 'Unauthorized').status)
    const verb = head.method.toLowerCase()
    if (caller.groups.includes('system:masters') || isAlwaysAllowed(head.path, alwaysAllowPaths)) return undefined
    let status: AccessStatus
    try {
      status = await decide(caller, verb, head.path)
    } catch (error) {
      log.error({ error: (error as Error).message, user: caller.name, path: head.path }, 'cannot authorize the request')
      return text(500, `Internal Server Error: ${JSON.stringify(head.path)}\n`)
    }
    if (status.allowed === true && status.denied !== true) return undefined
    const attributes = { caller, verb, group: '', plural: '', path: head.path }
    return json(403, refusalOf(attributes, status.reason ?? '').status)
  }
}

async function callerOf(
  { headers, certificate }: RequestHead,
  ownerOf: (token: string) => Promise<Caller | undefined>,
): Promise<Caller | undefined> {
  if (certificate !== undefined && certificate !== 'invalid')
    return { ...certificate, groups: [...certificate.groups, 'system:authenticated'] }
  // As in upstream, only the Bearer scheme is a credential here (apiserver, authentication/request/bearertoken).
  const [scheme = '', token = ''] = (headers['authorization'] ?? '').trim().split(' ')
  if (scheme.toLowerCase() === 'bearer' && token !== '') return ownerOf(token)
  return certificate === 'invalid' ? undefined : anonymous
}

const isAlwaysAllowed = (path: string, allowed: readonly string[]) =>
  allowed.some((one) => (one.endsWith('*') ? path.startsWith(one.slice(0, -1)) : path === one))

async function statusOf<Status>(client: Client, resource: string, review: object): Promise<Status> {
  const outcome: Outcome = await client.call({ verb: 'create', resource, object: review as KubeObject })
  if (!outcome.ok) throw new Error(`${resource}: ${outcome.status.message}`)
  if (outcome.kind !== 'object') throw new Error(`${resource}: not an object`)
  return ((outcome.object as { readonly status?: Status }).status ?? {}) as Status
}

/** Cached answers. Concurrent requests for the same key share one call. A failure is not cached. */
class AccessVerdicts<Verdict> {
  private readonly clock: Clock
  private readonly known = new Map<string, { readonly verdict: Promise<Verdict>; readonly until: number }>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  of(key: string, ask: () => Promise<Verdict>): Promise<Verdict> {
    const now = this.clock.now()
    const kept = this.known.get(key)
    if (kept !== undefined && kept.until > now) return kept.verdict
    this.known.delete(key)
    for (const [old, { until }] of this.known)
      if (until <= now || this.known.size >= maxVerdicts) this.known.delete(old)
    const verdict = ask()
    this.known.set(key, { verdict, until: now + verdictsLastMs })
    verdict.catch(() => {
      if (this.known.get(key)?.verdict === verdict) this.known.delete(key)
    })
    return verdict
  }
}

/** The client CA of the cluster, if this process is allowed to read it; otherwise undefined. */
export async function readClientAuthority(client: Client): Promise<string | undefined> {
  const outcome = await client.call({
    verb: 'get',
    resource: 'configmaps',
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication',
  })
  if (!outcome.ok || outcome.kind !== 'object') return undefined
  return (outcome.object as { readonly data?: Readonly<Record<string, string>> }).data?.['client-ca-file']
}
