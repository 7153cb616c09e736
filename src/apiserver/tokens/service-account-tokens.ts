import { createHash, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { KubeObject } from '../../api/objects/meta.ts'
import { parseTime } from '../../api/time.ts'
import type { Caller } from '../../registry/contract.ts'
import type { Store } from '../../store/contract.ts'
import type { TokenAnswer, TokenAuthenticator } from '../authentication.ts'
import { aggregated } from '../rbac.ts'
import { type Claims, type DecodedToken, decodeToken, signToken, verifyToken } from './json-web-token.ts'
import type { TokenSettings } from './signing-keys.ts'

export interface TokenPorts {
  readonly settings: TokenSettings
  readonly store: Store
  /** Wall time. */
  readonly now: () => number
  /** Marks the secret of a legacy token as used today. */
  readonly markUsed: (secret: KubeObject, date: string) => void
}

interface Reference {
  readonly name?: string
  readonly uid?: string
}

interface BoundClaims {
  readonly namespace?: string
  readonly serviceaccount?: Reference
  readonly pod?: Reference
  readonly secret?: Reference
  readonly node?: Reference
}

export const legacyIssuer = 'kubernetes/serviceaccount'
export const lastUsedLabel = 'kubernetes.io/legacy-token-last-used'
const invalidSinceLabel = 'kubernetes.io/legacy-token-invalid-since'
const leewayMs = 60_000
const maxVerified = 4096

/**
 * Authenticates the tokens of service accounts, both bound tokens and tokens in secrets (v1.36, pkg/serviceaccount). It
 * verifies a signature once, and checks on every request that the account and the bound object still exist.
 */
export function createServiceAccountTokens(ports: TokenPorts): TokenAuthenticator {
  const { settings } = ports
  const verified = new Map<string, DecodedToken>()
  return (token, requested) => {
    const key = createHash('sha256').update(token).digest('base64')
    const known = verified.get(key)
    const decoded = known ?? decodeToken(token)
    const issuer = decoded?.claims['iss']
    if (decoded === undefined || typeof issuer !== 'string') return undefined
    if (issuer !== legacyIssuer && !settings.issuers.includes(issuer)) return undefined
    if (known === undefined) {
      const problem = signatureProblem(decoded, settings)
      if (problem !== undefined) return { kind: 'refused', message: problem }
      if (verified.size >= maxVerified) verified.clear()
      verified.set(key, decoded)
    }
    const audiences = commonAudiences(decoded.claims, requested ?? settings.audiences, settings.audiences)
    if (typeof audiences === 'string') return { kind: 'refused', message: audiences }
    const caller =
      issuer === legacyIssuer ? legacyOwner(decoded.claims, token, ports) : boundOwner(decoded.claims, ports)
    return typeof caller === 'string'
      ? { kind: 'refused', message: caller }
      : ({ kind: 'caller', caller, audiences } satisfies TokenAnswer)
  }
}

function signatureProblem(token: DecodedToken, { verificationKeys }: TokenSettings): string | undefined {
  const kid = typeof token.header['kid'] === 'string' ? token.header['kid'] : ''
  const candidates = kid === '' ? verificationKeys : verificationKeys.filter(({ id }) => id === kid)
  if (candidates.length === 0) return 'invalid signature, no keys found'
  if (candidates.some(({ key }) => verifyToken(token, key))) return undefined
  return aggregated(candidates.map(() => 'go-jose/go-jose: error in cryptographic primitive'))
}

const texts = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const quotedList = (values: readonly string[]) => `[${values.map((one) => JSON.stringify(one)).join(' ')}]`

function commonAudiences(claims: Claims, requested: readonly string[], implicit: readonly string[]) {
  const own = texts(claims['aud'])
  const audiences = own.length === 0 ? implicit : own
  const common = audiences.filter((one) => requested.includes(one))
  if (common.length > 0 || implicit.length === 0) return common
  return `token audiences ${quotedList(audiences)} is invalid for the target audiences ${quotedList(requested)}`
}

/** The owner of a bound token, or why it is not valid. */
function boundOwner(claims: Claims, { store, now }: TokenPorts): Caller | string {
  const nowMs = now()
  const problem = timeProblem(claims, nowMs)
  if (problem !== undefined) return problem
  const bound = (claims['kubernetes.io'] ?? {}) as BoundClaims
  const namespace = bound.namespace ?? ''
  const { name = '', uid = '' } = bound.serviceaccount ?? {}
  const account = store.get('serviceaccounts', `${namespace}/${name}`)
  if (account === undefined) return `serviceaccounts "${name}" not found`
  if (account.metadata.uid !== uid) {
    return `service account UID (${account.metadata.uid}) does not match claim (${uid})`
  }
  if (isGone(account, nowMs)) return `service account ${namespace}/${name} has been deleted`
  const { pod, secret, node } = bound
  const unbound =
    boundProblem(secret, store.get('secrets', `${namespace}/${secret?.name}`), 'secret', nowMs) ??
    boundProblem(pod, store.get('pods', `${namespace}/${pod?.name}`), 'pod', nowMs) ??
    (pod === undefined ? boundProblem(node, store.get('nodes', node?.name ?? ''), 'node', nowMs) : undefined)
  if (unbound !== undefined) return unbound
  return { ...accountCaller(namespace, name, uid), extra: extraOf(claims, bound) }
}

function extraOf(claims: Claims, { pod, node }: BoundClaims): Readonly<Record<string, readonly string[]>> {
  const extra: Record<string, readonly string[]> = {}
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '') extra[`authentication.kubernetes.io/${name}`] = [value]
  }
  if (typeof claims['jti'] === 'string' && claims['jti'] !== '') add('credential-id', `JTI=${claims['jti']}`)
  if (node?.name) {
    add('node-name', node.name)
    add('node-uid', node.uid)
  }
  if (pod?.name && pod.uid) {
    add('pod-name', pod.name)
    add('pod-uid', pod.uid)
  }
  return extra
}

/** Objects whose deletion began more than the leeway ago count as deleted. */
function isGone({ metadata }: KubeObject, nowMs: number): boolean {
  const at = parseTime(metadata.deletionTimestamp)
  return at !== undefined && at < nowMs - leewayMs
}

function boundProblem(
  reference: Reference | undefined,
  object: KubeObject | undefined,
  kind: 'pod' | 'secret' | 'node',
  nowMs: number,
): string | undefined {
  if (reference === undefined) return undefined
  if (object === undefined) return 'service account token has been invalidated'
  const { uid } = object.metadata
  if (uid !== reference.uid) {
    return `${kind} UID (${uid}) does not match service account ${kind} ref claim (${reference.uid ?? ''})`
  }
  return isGone(object, nowMs) ? 'service account token has been invalidated' : undefined
}

/** With a minute of leeway for clocks that differ (go-jose, jwt.DefaultLeeway). */
function timeProblem(claims: Claims, nowMs: number): string | undefined {
  const at = (name: string) => (typeof claims[name] === 'number' ? (claims[name] as number) * 1000 : undefined)
  const { nbf, exp, iat } = { nbf: at('nbf'), exp: at('exp'), iat: at('iat') }
  if (nbf !== undefined && nowMs + leewayMs < nbf) return 'service account token is not valid yet'
  if (exp !== undefined && nowMs - leewayMs > exp) return 'service account token has expired'
  if (iat !== undefined && nowMs + leewayMs < iat) return 'service account token is issued in the future'
  return undefined
}

export function accountCaller(namespace: string, name: string, uid: string): Caller {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  }
}

const legacyClaim = (claims: Claims, name: string): string => {
  const value = claims[`kubernetes.io/serviceaccount/${name}`]
  return typeof value === 'string' ? value : ''
}

/** The owner of a token that a secret holds, or why it is not valid. */
function legacyOwner(claims: Claims, token: string, { store, now, markUsed }: TokenPorts): Caller | string {
  const subject = typeof claims['sub'] === 'string' ? claims['sub'] : ''
  const namespace = legacyClaim(claims, 'namespace')
  const secretName = legacyClaim(claims, 'secret.name')
  const name = legacyClaim(claims, 'service-account.name')
  const uid = legacyClaim(claims, 'service-account.uid')
  if (subject === '') return 'sub claim is missing'
  if (namespace === '') return 'namespace claim is missing'
  if (secretName === '') return 'secretName claim is missing'
  if (name === '') return 'serviceAccountName claim is missing'
  if (uid === '') return 'serviceAccountUID claim is missing'
  const caller = accountCaller(namespace, name, uid)
  if (subject !== caller.name) return 'sub claim is invalid'
  const secret = store.get('secrets', `${namespace}/${secretName}`) as SecretObject | undefined
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return 'Token has been invalidated'
  if (!isSame(Buffer.from(secret.data?.['token'] ?? '', 'base64'), token)) return "Token does not match server's copy"
  const account = store.get('serviceaccounts', `${namespace}/${name}`)
  if (account === undefined) return `serviceaccounts "${name}" not found`
  if (account.metadata.deletionTimestamp !== undefined) return `ServiceAccount ${namespace}/${name} has been deleted`
  if (account.metadata.uid !== uid) return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`
  markIfNeeded(secret, now(), markUsed)
  if ((secret.metadata.labels?.[invalidSinceLabel] ?? '') === '') return caller
  const where = `${namespace}/${secretName} for service account ${namespace}/${name}`
  const advice = `Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceLabel}' label from the secret to temporarily allow use of this token`
  return `the token in secret ${where} has been marked invalid. ${advice}`
}

/** A token without expiry, valid as long as the secret that holds it exists (LegacyClaims). */
export function legacyToken(account: KubeObject, secret: KubeObject, key: KeyObject, keyId: string): string {
  const { namespace = '', name, uid = '' } = account.metadata
  const claims = {
    iss: legacyIssuer,
    sub: `system:serviceaccount:${namespace}:${name}`,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name,
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
  }
  return signToken(claims, key, keyId)
}

interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

function isSame(stored: Buffer, token: string): boolean {
  const sent = Buffer.from(token)
  return stored.length === sent.length && timingSafeEqual(stored, sent)
}

const dayMs = 24 * 3600 * 1000

function markIfNeeded(secret: KubeObject, nowMs: number, markUsed: TokenPorts['markUsed']): void {
  const date = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const last = secret.metadata.labels?.[lastUsedLabel]
  if (last !== date(nowMs) && last !== date(nowMs + dayMs)) markUsed(secret, date(nowMs))
}
