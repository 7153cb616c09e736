import { X509Certificate } from 'node:crypto'
import type { Caller } from '../../registry/contract.ts'
import type { RequestHead } from '../exchange.ts'
import { unescaped, valuesOf } from '../impersonation-headers.ts'

/** `--requestheader-*`: a proxy in front of this server names the caller. */
export interface RequestHeaderSettings {
  /** The certificate authority of proxies, in PEM. */
  readonly clientCa: string
  /** Common names of proxies. Empty: any. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeadersPrefix: readonly string[]
}

/**
 * The caller that a proxy names. `refused`: the proxy is not allowed. Undefined: there is no proxy, or it names no
 * caller.
 */
export function createRequestHeaderAuthenticator(
  settings: RequestHeaderSettings,
): (request: RequestHead) => Caller | 'refused' | undefined {
  const { allowedNames } = settings
  const lower = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase())
  const [userHeaders, uidHeaders, groupHeaders, prefixes] = [
    lower(settings.usernameHeaders),
    lower(settings.uidHeaders),
    lower(settings.groupHeaders),
    lower(settings.extraHeadersPrefix),
  ]
  return (request) => {
    const { frontProxy, headers } = request
    if (frontProxy === undefined) return undefined
    if (allowedNames.length > 0 && !allowedNames.includes(frontProxy)) return 'refused'
    const first = (names: readonly string[]) =>
      names.map((name) => valuesOf(request, name)[0] ?? '').find((value) => value !== '')
    const name = first(userHeaders)
    if (name === undefined) return undefined
    const extra = new Map<string, readonly string[]>()
    for (const prefix of prefixes) {
      for (const header in headers) {
        if (!header.startsWith(prefix)) continue
        const key = unescaped(header.slice(prefix.length))
        extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(request, header)])
      }
    }
    const uid = first(uidHeaders)
    return {
      name,
      groups: groupHeaders.flatMap((header) => valuesOf(request, header)).filter((group) => group !== ''),
      ...(uid === undefined ? {} : { uid }),
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    }
  }
}

/** Checks whether one of these authorities directly issued a certificate. */
export function createIssuerCheck(authorities: string): (certificate: X509Certificate) => boolean {
  const blocks = authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const issuers = blocks.map((block) => new X509Certificate(block))
  return (certificate) =>
    issuers.some((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
}
