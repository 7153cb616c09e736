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

/** Who is asking, or undefined for 401. A wrong token is refused even where anonymous requests are not. */
export function createAuthenticator(options: AuthenticationOptions): (request: RequestHead) => Caller | undefined {
  const known = options.tokens.map((entry) => ({ hash: digest(entry.token), caller: authenticated(entry.caller) }))
  return (request) => {
    const header = request.headers['authorization']
    const bearer = header?.startsWith('Bearer ') ? header.slice('Bearer '.length).trim() : undefined
    if (bearer !== undefined && bearer !== '') {
      const hash = digest(bearer)
      return known.find((entry) => timingSafeEqual(entry.hash, hash))?.caller
    }
    if (request.certificate !== undefined) return authenticated(request.certificate)
    if (header !== undefined) return undefined
    return options.anonymous ? { name: 'system:anonymous', groups: ['system:unauthenticated'] } : undefined
  }
}

function authenticated(caller: Caller): Caller {
  return { ...caller, groups: [...caller.groups, 'system:authenticated'] }
}
