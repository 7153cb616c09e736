import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../base/log.ts'
import { must } from '../../base/result.ts'
import { VirtualClock } from '../../base/virtual-clock.ts'
import { oidcIssuer, readAuthenticationConfig } from './authentication-config.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { createJwtAuthenticator, type JwtIssuer } from './jwt-issuer.ts'

const url = 'https://issuer.example'
const now = Date.UTC(2026, 0, 1)
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

const config = (jwt: object) => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt: [jwt],
})
const issuerOf = (more: object, issuer: object = {}) =>
  must(readAuthenticationConfig(config({ issuer: { url, audiences: ['berth'], ...issuer }, ...more })))[0] as JwtIssuer

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(claims: object, header: object = { alg: 'ES256', kid: 'ec' }): string {
  const text = `${encoded(header)}.${encoded({ iss: url, aud: 'berth', exp: now / 1000 + 60, sub: 'jane', ...claims })}`
  const isRsa = (header as { alg: string }).alg.startsWith('RS')
  const key = isRsa ? rsa.privateKey : ec.privateKey
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

function authenticator(issuer: JwtIssuer, refresh = () => {}) {
  const keys = () => [
    { id: 'ec', key: ec.publicKey },
    { id: 'rsa', key: rsa.publicKey },
  ]
  return createJwtAuthenticator(issuer, { keys, refresh, now: () => now, apiAudiences: ['api'] })
}

const mapped = { claimMappings: { username: { claim: 'sub', prefix: 'x:' }, groups: { claim: 'roles', prefix: 'r:' } } }

describe('tokens of an issuer', () => {
  it('maps tokens of an issuer to users by claims', () => {
    const ask = authenticator(issuerOf(mapped))
    const wanted = {
      name: 'x:jane',
      groups: ['r:dev'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=1'] },
    }
    expect(ask(token({ roles: 'dev', jti: '1' }), undefined)).toEqual({
      kind: 'caller',
      caller: wanted,
      audiences: ['api'],
    })
    expect(ask(token({}, { alg: 'RS256', kid: 'rsa' }), undefined)).toMatchObject({ kind: 'caller' })
    expect(ask(token({ iss: 'https://other.example' }), undefined)).toBeUndefined()
    expect(ask('not a token', undefined)).toBeUndefined()
  })

  it.each([
    [
      'expired',
      { exp: now / 1000 - 1 },
      'oidc: verify token: oidc: token is expired (Token Expiry: 2025-12-31 23:59:59 +0000 UTC)',
    ],
    ['not valid yet', { nbf: now / 1000 + 3600 }, 'before the nbf (not before) time'],
    [
      'for other audiences',
      { aud: ['a', 'b'] },
      'oidc: verify token: oidc: expected audience in ["berth"] got ["a" "b"]',
    ],
    ['without the username claim', { sub: undefined }, 'oidc: parse username claims "sub": claim not present'],
  ])('refuses tokens of an issuer that are %s', (_, claims, message) => {
    const answer = authenticator(issuerOf(mapped))(token(claims), undefined)
    expect(answer).toMatchObject({ kind: 'refused', message: expect.stringContaining(message) })
  })

  it('refuses tokens that no key of the issuer signed, and looks up unknown keys', () => {
    let refreshes = 0
    const ask = authenticator(issuerOf(mapped), () => refreshes++)
    const forged = `${token({}).slice(0, -6)}AAAAAA`
    expect(ask(forged, undefined)).toMatchObject({
      message: expect.stringContaining('failed to verify id token signature'),
    })
    expect(refreshes).toBe(0)
    expect(ask(token({}, { alg: 'ES256', kid: 'new' }), undefined)).toMatchObject({ kind: 'refused' })
    expect(refreshes).toBe(1)
  })

  it('maps and validates tokens of an issuer by expressions', () => {
    const ask = authenticator(
      issuerOf({
        claimMappings: {
          username: { expression: "claims.sub + '@' + claims.org" },
          groups: { expression: "claims.roles.split(',')" },
          uid: { expression: 'claims.id' },
          extra: [{ key: 'example.com/org', valueExpression: 'claims.org' }],
        },
        claimValidationRules: [
          { claim: 'hd', requiredValue: 'example.com' },
          { expression: 'claims.exp - claims.iat <= 3600', message: 'lives too long' },
        ],
        userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
      }),
    )
    const good = { org: 'acme', roles: 'a,b', id: 'u1', hd: 'example.com', iat: now / 1000 }
    expect(ask(token(good), undefined)).toMatchObject({
      caller: { name: 'jane@acme', groups: ['a', 'b'], uid: 'u1', extra: { 'example.com/org': ['acme'] } },
    })
    const messageOf = (claims: object) => (ask(token(claims), undefined) as { readonly message?: string }).message
    expect(messageOf({ ...good, iat: 0 })).toBe(
      "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 3600' failed: lives too long",
    )
    expect(messageOf({ ...good, sub: 'system:x' })).toContain('failed: reserved')
    expect(messageOf({ ...good, hd: 'other' })).toBe(
      'oidc: required claim hd value does not match. Got = other, want = example.com',
    )
  })
})

describe('an AuthenticationConfiguration', () => {
  it.each([
    [{ issuer: { url: 'http://x', audiences: ['a'] }, ...mapped }, 'URL scheme must be https'],
    [{ issuer: { url }, ...mapped }, 'jwt[0].issuer.audiences: Required value'],
    [
      { issuer: { url, audiences: ['a', 'b'] }, ...mapped },
      'audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
    [{ issuer: { url, audiences: ['a'] } }, 'jwt[0].claimMappings.username: Required value'],
    [
      { issuer: { url, audiences: ['a'] }, claimMappings: { username: { expression: 'claims.' } } },
      'jwt[0].claimMappings.username.expression: Invalid value',
    ],
  ])('refuses the AuthenticationConfiguration %j', (jwt, message) => {
    expect(readAuthenticationConfig(config(jwt))).toMatchObject({
      ok: false,
      message: expect.stringContaining(message),
    })
  })

  it('derives an AuthenticationConfiguration from the flags --oidc-*', () => {
    const flags = {
      issuerUrl: url,
      clientId: 'berth',
      usernameClaim: 'sub',
      requiredClaims: ['hd=x'],
      signingAlgorithms: ['RS256'],
    }
    const ask = authenticator(must(oidcIssuer(flags)))
    expect(ask(token({ hd: 'x' }, { alg: 'RS256', kid: 'rsa' }), undefined)).toMatchObject({
      caller: { name: `${url}#jane` },
    })
    expect(ask(token({ hd: 'x' }), undefined)).toMatchObject({ kind: 'refused' })
    expect(oidcIssuer({ ...flags, clientId: '' })).toMatchObject({ ok: false })
  })
})

describe('the keys of an issuer', () => {
  it('reads the keys of an issuer from its documents, retries after a failure, and reads at most once in ten seconds', async () => {
    const clock = new VirtualClock(now)
    const asked: string[] = []
    let isUp = false
    const documents: Readonly<Record<string, object>> = {
      [`${url}/.well-known/openid-configuration`]: { issuer: url, jwks_uri: `${url}/keys` },
      [`${url}/keys`]: { keys: [{ ...ec.publicKey.export({ format: 'jwk' }), kid: 'ec' }, { kty: 'odd' }] },
    }
    const readDocument = async (at: string) => {
      asked.push(at)
      if (!isUp) throw new Error('down')
      return documents[at]
    }
    const turn = () => new Promise<void>((done) => setImmediate(done))
    const keys = createIssuerKeys(issuerOf(mapped), { readDocument, clock, log: silentLogger })
    keys.start()
    await turn()
    expect(keys.keys()).toBeUndefined()
    isUp = true
    keys.refresh()
    expect(asked.length).toBe(1)
    clock.advanceTo(now + 10_000)
    await turn()
    expect(keys.keys()?.map(({ id }) => id)).toEqual(['ec'])
    keys.stop()
  })
})
