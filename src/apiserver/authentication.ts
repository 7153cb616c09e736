import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../registry/contract.ts'
import type { RequestHead } from './exchange.ts'
import { aggregated } from './rbac.ts'

export interface TokenEntry {
  readonly token: string
  readonly caller: Caller
}

/** The owner of a token and the audiences for which it is valid, or why it is refused. */
export type TokenAnswer =
  | { readonly kind: 'caller'; readonly caller: Caller; readonly audiences: readonly string[] }
  | { readonly kind: 'refused'; readonly message: string }

/**
 * Undefined: a token of another kind. `audiences`: the token must be valid for one of them; absent: the audiences of
 * the server.
 */
export type TokenAuthenticator = (token: string, audiences: readonly string[] | undefined) => TokenAnswer | undefined

export interface AuthenticationOptions {
  readonly tokens: readonly TokenEntry[]
  /** Called in order for tokens that are not in `tokens`. */
  readonly authenticators?: readonly TokenAuthenticator[]
  /** The audiences of the server, for which all of `tokens` are valid. */
  readonly audiences?: readonly string[]
  /** The caller that a proxy names; asked first. */
  readonly requestHeader?: (request: RequestHead) => Caller | 'refused' | undefined
  /** Requests without credentials are `system:anonymous`; kube-apiserver's default. */
  readonly anonymous: boolean
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const anonymous: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/**
 * The caller, or undefined for 401. The certificate is checked first, then the token; the first one that names a caller
 * decides. Invalid credentials never make a caller anonymous (kubeapiserver/authenticator, request/union).
 */
export function createAuthenticator(options: AuthenticationOptions): (request: RequestHead) => Caller | undefined {
  const ownerOf = createTokenAuthenticator(options)
  const { requestHeader } = options
  return (request) => {
    const { certificate, headers } = request
    const named = requestHeader?.(request)
    if (named !== undefined && named !== 'refused') return authenticated(named)
    if (certificate !== undefined && certificate !== 'invalid') return authenticated(certificate)
    const token = bearerToken(headers['authorization'])
    if (token !== undefined) {
      const answer = ownerOf(token, undefined)
      return answer.kind === 'caller' ? answer.caller : undefined
    }
    return certificate === undefined && named !== 'refused' && options.anonymous ? anonymous : undefined
  }
}

const invalidToken = 'invalid bearer token'

/**
 * The owner of a bearer token. The message of a rejection has the errors of all authenticators, as in a TokenReview;
 * the first error is about the static tokens.
 */
export function createTokenAuthenticator(
  options: Pick<AuthenticationOptions, 'tokens' | 'authenticators' | 'audiences'>,
): (token: string, audiences: readonly string[] | undefined) => TokenAnswer {
  const { authenticators = [], audiences: own = [] } = options
  const known = options.tokens.map((entry) => ({ hash: digest(entry.token), caller: authenticated(entry.caller) }))
  return (token, audiences = own) => {
    const hash = digest(token)
    const entry = known.find((one) => timingSafeEqual(one.hash, hash))
    const common = own.filter((one) => audiences.includes(one))
    if (entry !== undefined && (common.length > 0 || audiences.length === 0)) {
      return { kind: 'caller', caller: entry.caller, audiences: common }
    }
    const problems = [invalidToken]
    for (const authenticator of authenticators) {
      const answer = authenticator(token, audiences.length === 0 ? undefined : audiences)
      if (answer?.kind === 'caller') return { ...answer, caller: authenticated(answer.caller) }
      if (answer !== undefined) problems.push(answer.message)
    }
    return { kind: 'refused', message: aggregated(problems) }
  }
}

/** Other schemes and empty tokens count as no credentials (apiserver, request/bearertoken). */
function bearerToken(header: string | undefined): string | undefined {
  const [scheme = '', token = ''] = header?.trim().split(' ') ?? []
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}

const everyone = ['system:authenticated', 'system:unauthenticated']

function authenticated(caller: Caller): Caller {
  const isSaid = caller.name === 'system:anonymous' || caller.groups.some((group) => everyone.includes(group))
  return isSaid ? caller : { ...caller, groups: [...caller.groups, 'system:authenticated'] }
}
