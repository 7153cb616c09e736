import type { ApiRequest, FullResponse } from '../exchange.ts'
import { algorithmOf } from './json-web-token.ts'
import type { TokenSettings } from './signing-keys.ts'

const configurationPath = '/.well-known/openid-configuration'
const keysPath = '/openid/v1/jwks'

/** The discovery documents of the issuer of service account tokens (v1.36, pkg/serviceaccount, openidmetadata.go). */
export function createOpenIdMetadata(settings: TokenSettings, address: () => string) {
  const issuer = settings.issuers[0] ?? ''
  const keys = JSON.stringify({ keys: settings.verificationKeys.map(({ id, key }) => webKey(id, key)) })
  const algorithms = [...new Set(settings.verificationKeys.map(({ key }) => algorithmOf(key)))].sort()
  return ({ method, path }: ApiRequest): FullResponse | undefined => {
    if (method !== 'GET' || !isDiscoverable(issuer)) return undefined
    if (path === keysPath) return document(keys, 'application/jwk-set+json')
    if (path !== configurationPath) return undefined
    const configuration = {
      issuer,
      jwks_uri: settings.jwksUri ?? `https://${address()}${keysPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms,
    }
    return document(JSON.stringify(configuration), 'application/json')
  }
}

const document = (body: string, type: string): FullResponse => ({
  kind: 'full',
  code: 200,
  headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' },
  body,
})

/** Issuers that are not https URLs have no discovery documents. */
function isDiscoverable(issuer: string): boolean {
  return URL.canParse(issuer) && issuer.startsWith('https://') && !/[?#]/.test(issuer)
}

/** A key with its members in the order in which go-jose writes them. */
function webKey(id: string, key: TokenSettings['signingKey']): object {
  const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' })
  return { use: 'sig', kty, kid: id, crv, alg: algorithmOf(key), x, y, n, e }
}
