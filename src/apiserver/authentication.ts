import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '../registry/contract.ts'
import type { RequestHead } from './exchange.ts'

export interface TokenEntry {
  readonly token: string
  readonly caller: Caller
}

export interface AuthenticationOptions {
  readonly tokens: readonly TokenEntry[]
  /** Requests without credentials are `system:anonymous`; kube-apiserver's default. */
  readonly anonymous: boolean
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const anonymous: Caller = { name: 'system:anonymous', groups: ['system:unauthenticated'] }

/**
 * Who is asking, or undefined for 401. A certificate is looked at first, then the token; the first that names a caller
 * decides. Credentials that are wrong never make a caller anonymous (kubeapiserver/authenticator, request/union).
 */
export function createAuthenticator(options: AuthenticationOptions): (request: RequestHead) => Caller | undefined {
  const known = options.tokens.map((entry) => ({ hash: digest(entry.token), caller: authenticated(entry.caller) }))
  return ({ certificate, headers }) => {
    if (certificate !== undefined && certificate !== 'invalid') return authenticated(certificate)
    const token = bearerToken(headers['authorization'])
    if (token !== undefined) {
      const hash = digest(token)
      return known.find((entry) => timingSafeEqual(entry.hash, hash))?.caller
    }
    return certificate === undefined && options.anonymous ? anonymous : undefined
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
