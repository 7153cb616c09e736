import type { KeyObject } from 'node:crypto'
import { failed, type Result } from '../../base/result.ts'
import type { Caller } from '../../registry/contract.ts'
import type { ClaimExpression } from '../../registry/dynamic/claim-expressions.ts'
import type { TokenAnswer, TokenAuthenticator } from '../authentication.ts'
import { type Claims, decodeToken, verifyToken } from './json-web-token.ts'

/** The source of a value of the caller: a claim with a prefix, or an expression. */
export type ClaimMapping =
  | { readonly kind: 'claim'; readonly claim: string; readonly prefix: string }
  | { readonly kind: 'expression'; readonly evaluate: ClaimExpression }

export interface ValidationRule {
  readonly expression: string
  readonly message: string
  readonly evaluate: ClaimExpression
}

/** An issuer of tokens, from an AuthenticationConfiguration or from the flags `--oidc-*`. */
export interface JwtIssuer {
  readonly url: string
  readonly discoveryUrl?: string
  /** PEM. Absent: the authorities of the system. */
  readonly certificateAuthority?: string
  readonly audiences: readonly string[]
  /** Absent: all algorithms. */
  readonly algorithms?: readonly string[]
  readonly username: ClaimMapping
  readonly groups?: ClaimMapping
  readonly uid?: ClaimMapping
  readonly extra: readonly { readonly key: string; readonly expression: string; readonly evaluate: ClaimExpression }[]
  readonly requiredClaims: ReadonlyMap<string, string>
  readonly claimRules: readonly ValidationRule[]
  readonly userRules: readonly ValidationRule[]
}

export interface IssuerKey {
  readonly id: string | undefined
  readonly key: KeyObject
}

export interface IssuerPorts {
  /** The keys of the issuer; undefined before they are known. */
  readonly keys: () => readonly IssuerKey[] | undefined
  /** Called for a token whose key is not known. */
  readonly refresh: () => void
  /** Wall time. */
  readonly now: () => number
  /** The audiences of this server, for which every accepted token is valid. */
  readonly apiAudiences: readonly string[]
}

/** Accepts tokens of an issuer (v1.36, apiserver, plugin/pkg/authenticator/token/oidc). */
export function createJwtAuthenticator(issuer: JwtIssuer, ports: IssuerPorts): TokenAuthenticator {
  return (text, asked) => {
    const token = decodeToken(text)
    if (token === undefined || token.claims['iss'] !== issuer.url) return undefined
    const keys = ports.keys()
    if (keys === undefined) return refused('oidc: authenticator not initialized')
    const { claims } = token
    const problem = timeProblem(claims, ports.now())
    if (problem !== undefined) return refused(`oidc: verify token: ${problem}`)
    const { kid, alg } = token.header
    const isAllowed = issuer.algorithms === undefined || issuer.algorithms.includes(String(alg))
    const fitting = keys.filter(({ id }) => kid === undefined || id === undefined || id === kid)
    if (!isAllowed || !fitting.some(({ key }) => verifyToken(token, key))) {
      if (isAllowed && fitting.length === 0) ports.refresh()
      return refused('oidc: verify token: failed to verify signature: failed to verify id token signature')
    }
    const audiences = [claims['aud'] ?? []].flat().map(String)
    if (!audiences.some((one) => issuer.audiences.includes(one))) {
      const list = (values: readonly string[]) => `[${values.map((one) => JSON.stringify(one)).join(' ')}]`
      const wanted = list([...issuer.audiences].sort())
      return refused(`oidc: verify token: oidc: expected audience in ${wanted} got ${list(audiences)}`)
    }
    const caller = callerOf(issuer, claims)
    if (!caller.ok) return refused(`oidc: ${caller.message}`)
    const valid = asked === undefined ? ports.apiAudiences : ports.apiAudiences.filter((one) => asked.includes(one))
    return { kind: 'caller', caller: caller.value, audiences: valid }
  }
}

const refused = (message: string): TokenAnswer => ({ kind: 'refused', message })

const goTime = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' +0000 UTC')

/** github.com/coreos/go-oidc, Verify: tokens are accepted up to five minutes before they become valid. */
function timeProblem(claims: Claims, now: number): string | undefined {
  const expiry = Number(claims['exp'] ?? 0) * 1000
  if (!(expiry > now)) return `oidc: token is expired (Token Expiry: ${goTime(Number.isFinite(expiry) ? expiry : 0)})`
  const from = Number(claims['nbf'] ?? 0) * 1000
  if (from > now + 300_000) {
    return `oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(from)}`
  }
  return undefined
}

function callerOf(issuer: JwtIssuer, claims: Claims): Result<Caller> {
  const name = usernameOf(issuer.username, claims)
  if (!name.ok) return name
  const groups = groupsOf(issuer.groups, claims)
  if (!groups.ok) return groups
  const uid = uidOf(issuer.uid, claims)
  if (!uid.ok) return uid
  const extra = extraOf(issuer, claims)
  if (!extra.ok) return extra
  for (const [claim, wanted] of issuer.requiredClaims) {
    const given = claims[claim]
    if (given === undefined) return failed(`required claim ${claim} not present in ID token`)
    if (given !== wanted) {
      return failed(`required claim ${claim} value does not match. Got = ${String(given)}, want = ${wanted}`)
    }
  }
  const claimProblem = ruleProblem(issuer.claimRules, claims)
  if (claimProblem !== undefined) return failed(`error evaluating claim validation expression: ${claimProblem}`)
  const user = { username: name.value, uid: uid.value, groups: groups.value, extra: extra.value }
  const userProblem = ruleProblem(issuer.userRules, user)
  if (userProblem !== undefined) return failed(`error evaluating user info validation rule: ${userProblem}`)
  const caller: Caller = {
    name: name.value,
    groups: groups.value,
    ...(uid.value === '' ? {} : { uid: uid.value }),
    ...(Object.keys(extra.value).length === 0 ? {} : { extra: extra.value }),
  }
  return { ok: true, value: caller }
}

function usernameOf(mapping: ClaimMapping, claims: Claims): Result<string> {
  if (mapping.kind === 'expression') {
    const value = mapping.evaluate(claims)
    const what = 'error evaluating username claim expression'
    if (!value.ok) return failed(`${what}: ${value.message}`)
    if (typeof value.value !== 'string') return failed(`${what}: username claim expression must return a string`)
    return value.value === ''
      ? failed('empty username via CEL expression is not allowed')
      : { ok: true, value: value.value }
  }
  const name = textClaim(claims, mapping.claim)
  if (!name.ok) return failed(`parse username claims ${JSON.stringify(mapping.claim)}: ${name.message}`)
  if (mapping.claim === 'email' && claims['email_verified'] !== undefined && claims['email_verified'] !== true) {
    return failed('email not verified')
  }
  return { ok: true, value: mapping.prefix + name.value }
}

function textClaim(claims: Claims, claim: string): Result<string> {
  const value = claims[claim]
  if (value === undefined) return failed('claim not present')
  if (typeof value === 'string') return { ok: true, value }
  return failed(`json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go value of type string`)
}

function groupsOf(mapping: ClaimMapping | undefined, claims: Claims): Result<readonly string[]> {
  if (mapping === undefined) return { ok: true, value: [] }
  if (mapping.kind === 'claim') {
    const given = claims[mapping.claim]
    if (given === undefined) return { ok: true, value: [] }
    const list = [given].flat()
    if (!list.every((one) => typeof one === 'string')) {
      return failed(
        `parse groups claim ${JSON.stringify(mapping.claim)}: json: cannot unmarshal into Go value of type []string`,
      )
    }
    return { ok: true, value: list.map((one) => `${mapping.prefix}${one}`) }
  }
  const value = mapping.evaluate(claims)
  const texts = value.ok ? textsOf(value.value) : value
  return texts.ok ? texts : failed(`error evaluating group claim expression: ${texts.message}`)
}

function textsOf(value: string | readonly string[] | boolean | undefined): Result<readonly string[]> {
  if (value === undefined || value === '') return { ok: true, value: [] }
  if (typeof value === 'boolean') return failed('expression must return a string or a list of strings')
  return { ok: true, value: typeof value === 'string' ? [value] : value }
}

function uidOf(mapping: ClaimMapping | undefined, claims: Claims): Result<string> {
  if (mapping === undefined) return { ok: true, value: '' }
  if (mapping.kind === 'claim') {
    const uid = textClaim(claims, mapping.claim)
    return uid.ok ? uid : failed(`parse uid claim ${JSON.stringify(mapping.claim)}: ${uid.message}`)
  }
  const value = mapping.evaluate(claims)
  const what = 'error evaluating uid claim expression'
  if (!value.ok) return failed(`${what}: ${value.message}`)
  return typeof value.value === 'string'
    ? { ok: true, value: value.value }
    : failed(`${what}: uid claim expression must return a string`)
}

function extraOf({ extra }: JwtIssuer, claims: Claims): Result<Readonly<Record<string, readonly string[]>>> {
  const found: [string, readonly string[]][] = []
  const { jti } = claims
  if (typeof jti === 'string' && jti !== '') found.push(['authentication.kubernetes.io/credential-id', [`JTI=${jti}`]])
  for (const { key, expression, evaluate } of extra) {
    const value = evaluate(claims)
    const texts = value.ok ? textsOf(value.value) : value
    if (!texts.ok) return failed(`error evaluating extra claim expression: ${expression}: ${texts.message}`)
    if (texts.value.length > 0) found.push([key, texts.value])
  }
  return { ok: true, value: Object.fromEntries(found) }
}

function ruleProblem(rules: readonly ValidationRule[], json: unknown): string | undefined {
  for (const { expression, message, evaluate } of rules) {
    const value = evaluate(json)
    if (!value.ok) return value.message
    if (typeof value.value !== 'boolean') return 'validation expression must return a boolean'
    if (!value.value) return `validation expression '${expression}' failed: ${message}`
  }
  return undefined
}
