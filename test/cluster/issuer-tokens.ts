import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCredentials } from '../../src/apiserver/certificates.ts'

/** An issuer of OpenID Connect tokens on this machine. */
export interface Issuer {
  readonly url: string
  readonly authority: string
  readonly token: (claims: object, header?: object) => string
  close(): void
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function startIssuer(): Promise<Issuer> {
  const { caCertificate, serverCertificate, serverKey } = createCredentials({
    now: Date.now(),
    hosts: ['localhost'],
    adminToken: 'unused',
  })
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const shown = (key: KeyObject, kid: string) => ({
    ...createPublicKey(key).export({ format: 'jwk' }),
    kid,
    use: 'sig',
  })
  const keys = [
    { ...shown(rsa.privateKey, 'rsa'), alg: 'RS256' },
    { ...shown(ec.privateKey, 'ec'), alg: 'ES256' },
  ]
  let url = ''
  const server: Server = createServer({ cert: serverCertificate, key: serverKey }, (request, response) => {
    const isKeys = request.url === '/keys'
    response.setHeader('content-type', 'application/json')
    const found = { issuer: url, jwks_uri: `${url}/keys`, id_token_signing_alg_values_supported: ['RS256', 'ES256'] }
    response.end(JSON.stringify(isKeys ? { keys } : found))
  })
  await new Promise<void>((done) => server.listen(0, 'localhost', done))
  url = `https://localhost:${(server.address() as AddressInfo).port}`
  const signers: Readonly<Record<string, KeyObject>> = {
    rsa: rsa.privateKey,
    ec: ec.privateKey,
    other: stranger.privateKey,
  }
  return {
    url,
    authority: caCertificate,
    token: (claims, header = {}) => {
      const head = { alg: 'RS256', kid: 'rsa', ...header } as { alg: string; kid: string; signer?: string }
      const { signer = head.kid, ...public_ } = head
      const exp = Math.floor(Date.now() / 1000) + 3600
      const text = `${encoded(public_)}.${encoded({ iss: url, aud: 'berth', exp, sub: 'jane', ...claims })}`
      const key = signers[signer] ?? rsa.privateKey
      return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const past = Math.floor(Date.now() / 1000) - 7200
const future = past + 20_000

/** Claims and headers of tokens, by what they show. */
export const tokenCases: readonly (readonly [string, object, object?])[] = [
  ['plain', {}],
  ['signed with ECDSA', {}, { alg: 'ES256', kid: 'ec' }],
  ['with groups', { groups: ['dev', 'ops'] }],
  ['with one group as text', { groups: 'dev' }],
  ['with groups that are numbers', { groups: [1, 2] }],
  ['with groups that are an object', { groups: { a: 'b' } }],
  ['with no groups', { groups: [] }],
  ['with an email', { email: 'jane@example.com', email_verified: true }],
  ['with an email that is not verified', { email: 'jane@example.com', email_verified: false }],
  ['with roles', { roles: 'a,b' }],
  ['with nested claims', { org: { team: 'blue', level: 3 } }],
  ['with an id', { jti: 'token-1' }],
  ['with a tenant', { tenant: 't1' }],
  ['with another tenant', { tenant: 't2' }],
  ['of an empty subject', { sub: '' }],
  ['of a subject that is a number', { sub: 7 }],
  ['without a subject', { sub: undefined }],
  ['of a system user', { sub: 'system:admin' }],
  ['for a list of audiences', { aud: ['berth', 'other'] }],
  ['for another audience', { aud: 'other' }],
  ['without an audience', { aud: undefined }],
  ['expired', { exp: past }],
  ['without an expiry', { exp: undefined }],
  ['not valid yet', { nbf: future }],
  ['of another issuer', { iss: 'https://other.example' }],
  ['signed by a stranger', {}, { signer: 'other' }],
  ['with an unknown key', {}, { kid: 'unknown', signer: 'other' }],
  ['with an algorithm that the key does not have', {}, { alg: 'RS512' }],
  ['without an algorithm', {}, { alg: 'none' }],
]
