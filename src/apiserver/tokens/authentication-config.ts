import { done, failed, type Result } from '../../base/result.ts'
import { type ClaimExpression, compileClaims } from '../../registry/dynamic/claim-expressions.ts'
import type { ClaimMapping, JwtIssuer, ValidationRule } from './jwt-issuer.ts'

interface Mapping {
  readonly claim?: string
  readonly prefix?: string
  readonly expression?: string
}

interface Rule {
  readonly claim?: string
  readonly requiredValue?: string
  readonly expression?: string
  readonly message?: string
}

interface JwtEntry {
  readonly issuer?: {
    readonly url?: string
    readonly discoveryURL?: string
    readonly certificateAuthority?: string
    readonly audiences?: readonly string[]
    readonly audienceMatchPolicy?: string
  }
  readonly claimMappings?: {
    readonly username?: Mapping
    readonly groups?: Mapping
    readonly uid?: Mapping
    readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[]
  }
  readonly claimValidationRules?: readonly Rule[]
  readonly userValidationRules?: readonly Rule[]
}

const group = 'apiserver.config.k8s.io'
const versions = ['v1', 'v1beta1', 'v1alpha1']
const maxIssuers = 64

/** Reads an AuthenticationConfiguration (v1.36, apiserver, apis/apiserver/validation). Messages name the field. */
export function readAuthenticationConfig(document: unknown): Result<readonly JwtIssuer[]> {
  const {
    apiVersion,
    kind,
    jwt = [],
    anonymous,
  } = (document ?? {}) as {
    readonly apiVersion?: unknown
    readonly kind?: unknown
    readonly jwt?: unknown
    readonly anonymous?: unknown
  }
  if (kind !== 'AuthenticationConfiguration' || !versions.some((version) => apiVersion === `${group}/${version}`)) {
    return failed(`expected kind AuthenticationConfiguration of ${group}/v1`)
  }
  if (anonymous !== undefined)
    return failed('anonymous: Unsupported: the authorization mode of this server determines anonymous access')
  if (!Array.isArray(jwt)) return failed('jwt: Invalid value: must be a list')
  if (jwt.length > maxIssuers) return failed(`jwt: Too many: ${jwt.length}: must have at most ${maxIssuers} items`)
  const issuers: JwtIssuer[] = []
  for (const [i, entry] of (jwt as readonly JwtEntry[]).entries()) {
    const read = readIssuer(entry, `jwt[${i}]`)
    if (!read.ok) return read
    if (issuers.some(({ url }) => url === read.value.url)) {
      return failed(`jwt[${i}].issuer.url: Duplicate value: ${JSON.stringify(read.value.url)}`)
    }
    issuers.push(read.value)
  }
  return done(issuers)
}

/** Collects the first problem of several readings. */
class Problems {
  first: string | undefined
  note(path: string, why: string): undefined {
    this.first ??= `${path}: ${why}`
    return undefined
  }
  expression(source: string, variable: 'claims' | 'user', path: string): ClaimExpression {
    const compiled = compileClaims(source, variable)
    if (compiled.ok) return compiled.value
    this.note(path, `Invalid value: ${JSON.stringify(source)}: ${compiled.message}`)
    return () => failed(compiled.message)
  }
}

function readIssuer(entry: JwtEntry, path: string): Result<JwtIssuer> {
  const problems = new Problems()
  const { issuer = {}, claimMappings = {}, claimValidationRules = [], userValidationRules = [] } = entry
  const { url = '', discoveryURL, certificateAuthority, audiences = [], audienceMatchPolicy } = issuer
  if (url === '') problems.note(`${path}.issuer.url`, 'Required value: URL is required')
  else checkUrl(problems, url, `${path}.issuer.url`)
  if (discoveryURL !== undefined) {
    checkUrl(problems, discoveryURL, `${path}.issuer.discoveryURL`)
    if (discoveryURL.replace(/\/$/, '') === url.replace(/\/$/, '')) {
      problems.note(
        `${path}.issuer.discoveryURL`,
        `Invalid value: ${JSON.stringify(discoveryURL)}: discoveryURL must be different from URL`,
      )
    }
  }
  if (audiences.length === 0)
    problems.note(`${path}.issuer.audiences`, 'Required value: at least one issuer.audiences is required')
  const policy = `${path}.issuer.audienceMatchPolicy`
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny') {
    problems.note(
      policy,
      `Invalid value: ${JSON.stringify(audienceMatchPolicy ?? '')}: audienceMatchPolicy must be MatchAny for multiple audiences`,
    )
  }
  if (audiences.length === 1 && (audienceMatchPolicy ?? 'MatchAny') !== 'MatchAny' && audienceMatchPolicy !== '') {
    problems.note(
      policy,
      `Invalid value: ${JSON.stringify(audienceMatchPolicy)}: audienceMatchPolicy must be empty or MatchAny for single audience`,
    )
  }
  const at = `${path}.claimMappings`
  const username = readMapping(problems, claimMappings.username, `${at}.username`)
  if (username === undefined) problems.note(`${at}.username`, 'Required value: claim or expression is required')
  const rules = claimValidationRules.filter(({ expression = '' }) => expression !== '')
  const required = claimValidationRules.filter(({ expression = '' }) => expression === '')
  const [groups, uid] = [
    readMapping(problems, claimMappings.groups, `${at}.groups`),
    readMapping(problems, claimMappings.uid, `${at}.uid`),
  ]
  const read: JwtIssuer = {
    url,
    ...(discoveryURL === undefined ? {} : { discoveryUrl: discoveryURL }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
    audiences,
    username: username ?? { kind: 'claim', claim: '', prefix: '' },
    ...(groups === undefined ? {} : { groups }),
    ...(uid === undefined ? {} : { uid }),
    extra: (claimMappings.extra ?? []).map(({ key = '', valueExpression = '' }, i) => {
      if (key === '') problems.note(`${at}.extra[${i}].key`, 'Required value')
      const where = `${at}.extra[${i}].valueExpression`
      return { key, expression: valueExpression, evaluate: problems.expression(valueExpression, 'claims', where) }
    }),
    requiredClaims: new Map(required.map(({ claim = '', requiredValue = '' }) => [claim, requiredValue])),
    claimRules: rules.map((rule, i) => readRule(problems, rule, 'claims', `${path}.claimValidationRules[${i}]`)),
    userRules: userValidationRules.map((rule, i) =>
      readRule(problems, rule, 'user', `${path}.userValidationRules[${i}]`),
    ),
  }
  if (required.some(({ claim = '' }) => claim === '')) {
    problems.note(`${path}.claimValidationRules`, 'Required value: claim or expression is required')
  }
  return problems.first === undefined ? done(read) : failed(problems.first)
}

function checkUrl(problems: Problems, text: string, path: string): void {
  const note = (why: string) => problems.note(path, `Invalid value: ${JSON.stringify(text)}: ${why}`)
  let url: URL
  try {
    url = new URL(text)
  } catch {
    note('URL is not valid')
    return
  }
  if (url.protocol !== 'https:') note('URL scheme must be https')
  if (url.username !== '' || url.password !== '') note('URL must not contain a username or password')
  if (url.search !== '') note('URL must not contain a query')
  if (url.hash !== '') note('URL must not contain a fragment')
}

function readMapping(problems: Problems, mapping: Mapping | undefined, path: string): ClaimMapping | undefined {
  const { claim = '', prefix, expression = '' } = mapping ?? {}
  if (claim !== '' && expression !== '') {
    return problems.note(path, 'Invalid value: "": claim and expression can\'t both be set')
  }
  if (expression !== '') {
    if (prefix !== undefined) return problems.note(path, "Invalid value: prefix can't be set when expression is set")
    return { kind: 'expression', evaluate: problems.expression(expression, 'claims', `${path}.expression`) }
  }
  return claim === '' ? undefined : { kind: 'claim', claim, prefix: prefix ?? '' }
}

const readRule = (problems: Problems, rule: Rule, variable: 'claims' | 'user', path: string): ValidationRule => {
  const { expression = '', message = '' } = rule
  return { expression, message, evaluate: problems.expression(expression, variable, `${path}.expression`) }
}

/** The flags `--oidc-*`. */
export interface OidcFlags {
  readonly issuerUrl: string
  readonly clientId: string
  readonly certificateAuthority?: string
  readonly usernameClaim: string
  /** Absent: the issuer, unless the claim is `email`. `-`: none. */
  readonly usernamePrefix?: string
  readonly groupsClaim?: string
  readonly groupsPrefix?: string
  readonly requiredClaims: readonly string[]
  readonly signingAlgorithms: readonly string[]
}

export function oidcIssuer(flags: OidcFlags): Result<JwtIssuer> {
  const { issuerUrl: url, clientId, usernameClaim } = flags
  if (clientId === '') return failed('--oidc-client-id is required with --oidc-issuer-url')
  const problems = new Problems()
  checkUrl(problems, url, '--oidc-issuer-url')
  if (problems.first !== undefined) return failed(problems.first)
  const fallback = usernameClaim === 'email' ? '' : `${url}#`
  const prefix = flags.usernamePrefix === '-' ? '' : (flags.usernamePrefix ?? fallback)
  const required = flags.requiredClaims.map((one) => {
    const equals = one.indexOf('=')
    return [one.slice(0, Math.max(0, equals)), one.slice(equals + 1)] as const
  })
  if (required.some(([claim]) => claim === '')) return failed('--oidc-required-claim must have the form key=value')
  return done({
    ...{ url, audiences: [clientId], algorithms: flags.signingAlgorithms },
    ...(flags.certificateAuthority === undefined ? {} : { certificateAuthority: flags.certificateAuthority }),
    username: { kind: 'claim', claim: usernameClaim, prefix },
    ...(flags.groupsClaim === undefined
      ? {}
      : { groups: { kind: 'claim', claim: flags.groupsClaim, prefix: flags.groupsPrefix ?? '' } as const }),
    ...{ extra: [], requiredClaims: new Map(required), claimRules: [], userRules: [] },
  })
}
