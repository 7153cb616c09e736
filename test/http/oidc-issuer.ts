import { createSign, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCredentials } from '../../src/apiserver/certificates.ts'

/** A small identity provider on loopback: discovery, keys, and a token endpoint that supports only refresh. */
export interface OidcIssuer {
  readonly url: string
  readonly caCertificate: string
  /** A login: an id-token that is valid until then, and its refresh-token. */
  login(expiresAt: number): { readonly 'id-token': string; readonly 'refresh-token': string }
  /** The requests to the token endpoint: the form, and the Authorization header if present. */
  readonly asked: readonly Readonly<Record<string, string>>[]
  /** From now on every refresh-token is refused. */
  refuse(): void
  close(): void
}

export interface OidcIssuerOptions {
  readonly clientId: string
  readonly user: string
  /** The validity of its tokens. */
  readonly lastsMs?: number
  /** Whether each refresh-token is valid once, and the answer contains a new one. */
  readonly rotates?: boolean
  readonly now?: () => number
}

// Key generation takes a second, so all issuers share a key.
let found: ReturnType<typeof findKeys> | undefined

function keys(): ReturnType<typeof findKeys> {
  found ??= findKeys()
  return found
}

const findKeys = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
  tls: createCredentials({ now: Date.now(), hosts: ['127.0.0.1'], adminToken: '' }),
})

export async function startOidcIssuer(options: OidcIssuerOptions): Promise<OidcIssuer> {
  const { clientId, user, lastsMs = 3600_000, rotates = false, now = Date.now } = options
  const { privateKey, publicKey, tls } = keys()
  const good = new Set<string>()
  const asked: Record<string, string>[] = []
  let url = ''
  let issued = 0
  let refuses = false
  const idToken = (expiresAt: number) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const issuedAt = Math.floor(now() / 1000)
    const claims = { iss: url, aud: clientId, sub: user, iat: issuedAt, exp: Math.floor(expiresAt / 1000), n: issued++ }
    const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: 'one' })}.${part(claims)}`
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`
  }
  const refreshToken = () => {
    const token = `refresh-${issued++}`
    good.add(token)
    return token
  }
  const answer = async (incoming: IncomingMessage): Promise<readonly [code: number, body: object]> => {
    if (incoming.url === '/.well-known/openid-configuration')
      return [
        200,
        {
          issuer: url,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        },
      ]
    if (incoming.url === '/keys')
      return [200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] }]
    if (incoming.url !== '/token' || incoming.method !== 'POST') return [404, {}]
    let text = ''
    for await (const chunk of incoming as AsyncIterable<Buffer>) text += chunk.toString()
    const form = Object.fromEntries(new URLSearchParams(text))
    const { authorization } = incoming.headers
    asked.push({ ...form, ...(authorization === undefined ? {} : { authorization }) })
    const given = form['refresh_token'] ?? ''
    if (refuses || !good.has(given)) return [400, { error: 'invalid_grant', error_description: 'the session is over' }]
    if (rotates) good.delete(given)
    return [200, { id_token: idToken(now() + lastsMs), ...(rotates ? { refresh_token: refreshToken() } : {}) }]
  }
  const server = createServer({ cert: tls.serverCertificate, key: tls.serverKey }, (incoming, outgoing) => {
    void answer(incoming).then(([code, body]) => {
      outgoing.writeHead(code, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    caCertificate: tls.caCertificate,
    asked,
    login: (expiresAt) => ({ 'id-token': idToken(expiresAt), 'refresh-token': refreshToken() }),
    refuse: () => {
      refuses = true
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
