import { createPublicKey } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/log.ts'
import type { IssuerKey, JwtIssuer } from './jwt-issuer.ts'

/** Reads a JSON document over HTTPS. Rejects with the reason. */
export type ReadDocument = (url: string, certificateAuthority: string | undefined) => Promise<unknown>

export interface IssuerKeys {
  readonly keys: () => readonly IssuerKey[] | undefined
  readonly refresh: () => void
  readonly start: () => void
  readonly stop: () => void
}

const retryMs = 10_000
const refreshMs = 5 * 60_000
const maxKeys = 100

/**
 * The keys of an issuer. They are read in the background, so a request never waits for another server. A token with an
 * unknown key is refused, and the keys are read again; upstream waits for them.
 */
export function createIssuerKeys(
  issuer: JwtIssuer,
  { readDocument, clock, log }: { readonly readDocument: ReadDocument; readonly clock: Clock; readonly log: Logger },
): IssuerKeys {
  let keys: readonly IssuerKey[] | undefined
  let cancel = () => {}
  let isStopped = false
  let readAt = Number.NEGATIVE_INFINITY
  const read = async (): Promise<void> => {
    readAt = clock.now()
    cancel()
    let nextMs = refreshMs
    try {
      keys = await readKeys(issuer, readDocument)
    } catch (error) {
      nextMs = retryMs
      const why = error instanceof Error ? error.message : String(error)
      log.warn({ issuer: issuer.url, error: why }, 'oidc authenticator: initializing plugin')
    }
    if (!isStopped) cancel = clock.at(clock.now() + nextMs, () => void read())
  }
  return {
    keys: () => keys,
    refresh: () => {
      if (!isStopped && clock.now() - readAt >= retryMs) void read()
    },
    start: () => void read(),
    stop: () => {
      isStopped = true
      cancel()
    },
  }
}

async function readKeys(issuer: JwtIssuer, readDocument: ReadDocument): Promise<readonly IssuerKey[]> {
  const slashless = issuer.url.endsWith('/') ? issuer.url.slice(0, -1) : issuer.url
  const at = issuer.discoveryUrl ?? `${slashless}/.well-known/openid-configuration`
  const found = (await readDocument(at, issuer.certificateAuthority)) as {
    readonly issuer?: unknown
    readonly jwks_uri?: unknown
  }
  if (found.issuer !== issuer.url) {
    throw new Error(
      `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(issuer.url)} got ${JSON.stringify(found.issuer ?? '')}`,
    )
  }
  if (typeof found.jwks_uri !== 'string' || found.jwks_uri === '') throw new Error('provider did not return JWKS URL')
  const set = (await readDocument(found.jwks_uri, issuer.certificateAuthority)) as { readonly keys?: unknown }
  const listed = Array.isArray(set.keys) ? set.keys.slice(0, maxKeys) : []
  return listed.flatMap((jwk: Readonly<Record<string, unknown>>) => {
    try {
      const id = typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined
      return [{ id, key: createPublicKey({ key: jwk as never, format: 'jwk' }) }]
    } catch {
      return []
    }
  })
}
