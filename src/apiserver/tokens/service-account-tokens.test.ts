import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { CreateCall, Outcome } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { createRandom } from '../../base/random.ts'
import { createRegistry } from '../../registry/registry.ts'
import { createStore } from '../../store/memory-store.ts'
import { createTokenAuthenticator } from '../authentication.ts'
import { decodeToken, signToken } from './json-web-token.ts'
import { createServiceAccountTokens, legacyToken } from './service-account-tokens.ts'
import {
  keyIdOf,
  newSigningKey,
  readKeys,
  readSigningKey,
  type TokenSettings,
  verificationKey,
} from './signing-keys.ts'
import { createTokenRequests } from './token-request.ts'

const start = Date.UTC(2026, 0, 1)
const issuer = 'https://kubernetes.default.svc.cluster.local'

function setUp(changes: Partial<TokenSettings> = {}, pem = newSigningKey()) {
  const signingKey = readSigningKey(pem)
  const settings: TokenSettings = {
    issuers: [issuer],
    audiences: [issuer],
    signingKey,
    verificationKeys: readKeys(pem).map(verificationKey),
    maxExpirationSeconds: 0,
    extendsExpiration: true,
    ...changes,
  }
  const store = createStore()
  let now = start
  const registry = createRegistry({ store, clock: { now: () => now }, random: createRandom('1') })
  const used: string[] = []
  const make = (resource: string, object: object): KubeObject => {
    const { namespace } = (object as KubeObject).metadata
    const where = namespace === undefined ? {} : { namespace }
    const outcome = registry.call({ verb: 'create', resource, ...where, object: object as KubeObject })
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    return outcome.object
  }
  make('namespaces', { metadata: { name: 'shop' } })
  const account = make('serviceaccounts', { metadata: { name: 'robot', namespace: 'shop' } })
  const issue = createTokenRequests({ settings, store, now: () => now, newId: () => 'an-id' })
  const authenticate = createTokenAuthenticator({
    tokens: [],
    audiences: settings.audiences,
    authenticators: [
      createServiceAccountTokens({ settings, store, now: () => now, markUsed: (_, date) => used.push(date) }),
    ],
  })
  const request = (spec: object, metadata: object = {}, name = 'robot'): Outcome =>
    issue(
      registry.kinds.find('serviceaccounts')!,
      {
        verb: 'create',
        resource: 'serviceaccounts',
        subresource: 'token',
        namespace: 'shop',
        name,
        object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec },
      } as unknown as CreateCall,
      { name: 'jane', groups: [] },
    )
  const tokenOf = (outcome: Outcome): string => {
    if (!outcome.ok || outcome.kind !== 'object') throw new Error(JSON.stringify(outcome))
    return (outcome.object as unknown as { status: { token: string } }).status.token
  }
  return {
    settings,
    registry,
    store,
    account,
    used,
    make,
    request,
    token: (spec: object = {}) => tokenOf(request(spec)),
    refusal: (spec: object, metadata: object = {}, name = 'robot') => {
      const outcome = request(spec, metadata, name)
      return outcome.ok ? 'accepted' : `${outcome.status.code} ${outcome.status.message}`
    },
    review: (token: string, audiences?: readonly string[]) => authenticate(token, audiences),
    advance: (seconds: number) => {
      now += seconds * 1000
    },
  }
}

const podFor = (account: string, nodeName?: string) => ({
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    serviceAccountName: account,
    containers: [{ name: 'c', image: 'i' }],
    ...(nodeName === undefined ? {} : { nodeName }),
  },
})

describe('a TokenRequest', () => {
  it('answers a TokenRequest with a token that has the claims of kube-apiserver', () => {
    const { token, account } = setUp()
    expect(decodeToken(token())?.claims).toEqual({
      aud: [issuer],
      exp: start / 1000 + 3600,
      iat: start / 1000,
      iss: issuer,
      jti: 'an-id',
      'kubernetes.io': { namespace: 'shop', serviceaccount: { name: 'robot', uid: account.metadata.uid } },
      nbf: start / 1000,
      sub: 'system:serviceaccount:shop:robot',
    })
  })

  it('writes the claims of a token in alphabetical order, as go-jose does', () => {
    const payload = Buffer.from(setUp().token().split('.')[1] ?? '', 'base64url').toString()
    const keys = [...payload.matchAll(/"(aud|exp|iat|iss|jti|kubernetes\.io|nbf|sub)":/g)].map(([, key]) => key)
    expect(keys).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'kubernetes.io', 'nbf', 'sub'])
  })

  it('binds a token to a pod, names its node, and extends mounted tokens', () => {
    const { make, token } = setUp()
    const node = make('nodes', { metadata: { name: 'node-1' } })
    const pod = make('pods', podFor('robot', 'node-1'))
    const bound = { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' }, expirationSeconds: 3607 }
    const claims = decodeToken(token(bound))?.claims
    expect(claims?.['kubernetes.io']).toMatchObject({
      pod: { name: 'web', uid: pod.metadata.uid },
      node: { name: 'node-1', uid: node.metadata.uid },
      warnafter: start / 1000 + 3607,
    })
    expect(claims?.['exp']).toBe(start / 1000 + 365 * 24 * 3600)
  })

  it('limits a token to the maximum lifetime, with a warning', () => {
    const { request } = setUp({ maxExpirationSeconds: 1800 })
    const outcome = request({ expirationSeconds: 7200 })
    expect(outcome).toMatchObject({
      ok: true,
      warnings: ['requested expiration of 7200 seconds shortened to 1800 seconds'],
      object: { spec: { expirationSeconds: 1800 }, status: { expirationTimestamp: '2026-01-01T00:30:00Z' } },
    })
  })

  it.each([
    [
      { expirationSeconds: 599 },
      {},
      'robot',
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      {},
      { name: 'other' },
      'robot',
      '422 TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      {},
      { namespace: 'other' },
      'robot',
      '422 TokenRequest.authentication.k8s.io "robot" is invalid: metadata.namespace: Invalid value: "other": must match the service account namespace if specified',
    ],
    [{}, {}, 'absent', '404 serviceaccounts "absent" not found'],
    [{ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'absent' } }, {}, 'robot', '404 pods "absent" not found'],
    [
      { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } },
      {},
      'robot',
      '400 cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [
      { boundObjectRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
      {},
      'robot',
      '400 cannot bind token to object of type apps/v1, Kind=Deployment',
    ],
  ])('refuses a TokenRequest: %j %j %s', (spec, metadata, name, message) => {
    const { make, refusal } = setUp()
    make('pods', podFor('other'))
    expect(refusal(spec, metadata, name)).toBe(message)
  })

  it('refuses a TokenRequest if the uid of the bound object differs', () => {
    const { make, refusal } = setUp()
    make('pods', podFor('robot'))
    expect(refusal({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'x' } })).toBe(
      '409 Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    )
  })
})

describe('the token of a service account', () => {
  it('authenticates the service account of a token, with the groups and extra fields of kube-apiserver', () => {
    const { make, token, review, account } = setUp()
    const pod = make('pods', podFor('robot'))
    const bound = token({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } })
    expect(review(bound)).toEqual({
      kind: 'caller',
      audiences: [issuer],
      caller: {
        name: 'system:serviceaccount:shop:robot',
        uid: account.metadata.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=an-id'],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
        },
      },
    })
  })

  const refused = (message: string) => ({ kind: 'refused', message: `[invalid bearer token, ${message}]` })

  it('refuses an expired token of a service account, with a minute of leeway', () => {
    const { token, review, advance } = setUp()
    const issued = token()
    advance(3600 + 59)
    expect(review(issued).kind).toBe('caller')
    advance(2)
    expect(review(issued)).toEqual(refused('service account token has expired'))
  })

  it('refuses the token of a deleted service account', () => {
    const { token, review, registry, make } = setUp()
    const issued = token()
    expect(review(issued).kind).toBe('caller')
    registry.call({ verb: 'delete', resource: 'serviceaccounts', namespace: 'shop', name: 'robot' })
    expect(review(issued)).toEqual(refused('serviceaccounts "robot" not found'))
    make('serviceaccounts', { metadata: { name: 'robot', namespace: 'shop' } })
    expect(review(issued)).toMatchObject({ message: expect.stringContaining('does not match claim') })
  })

  it('refuses a token whose bound pod, secret or node is deleted', () => {
    const { token, review, registry, make } = setUp()
    make('pods', podFor('robot'))
    make('nodes', { metadata: { name: 'node-1' } })
    make('secrets', { metadata: { name: 'held', namespace: 'shop' } })
    for (const [kind, name, resource] of [
      ['Pod', 'web', 'pods'],
      ['Secret', 'held', 'secrets'],
      ['Node', 'node-1', 'nodes'],
    ] as const) {
      const issued = token({ boundObjectRef: { apiVersion: 'v1', kind, name } })
      expect(review(issued).kind).toBe('caller')
      const where = kind === 'Node' ? {} : { namespace: 'shop' }
      registry.call({ verb: 'delete', resource, name, ...where, options: { gracePeriodSeconds: 0 } })
      expect(review(issued)).toEqual(refused('service account token has been invalidated'))
    }
  })

  it('accepts the token of a service account for its audiences only', () => {
    const { token, review } = setUp()
    const issued = token({ audiences: ['vault', 'other'] })
    expect(review(issued)).toEqual(
      refused(`token audiences ["vault" "other"] is invalid for the target audiences ["${issuer}"]`),
    )
    expect(review(issued, ['vault', 'x'])).toMatchObject({ kind: 'caller', audiences: ['vault'] })
  })

  it('refuses the token of a service account without a signature by a known key', () => {
    const { token, review, settings } = setUp()
    const [head, claims] = token().split('.')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const forged = signToken({ iss: issuer, sub: 'x' }, privateKey, keyIdOf(settings.signingKey))
    expect(review(forged)).toEqual(refused('go-jose/go-jose: error in cryptographic primitive'))
    expect(review(signToken({ iss: issuer }, privateKey, keyIdOf(privateKey)))).toEqual(
      refused('invalid signature, no keys found'),
    )
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    expect(review(`${none}.${claims}.`).kind).toBe('refused')
    expect(review(`${head}.${claims}.AAAA`).kind).toBe('refused')
  })

  it('ignores tokens of other issuers', () => {
    const { review, settings } = setUp()
    const foreign = signToken({ iss: 'https://other' }, settings.signingKey, keyIdOf(settings.signingKey))
    expect(review(foreign)).toEqual({ kind: 'refused', message: 'invalid bearer token' })
    expect(review('no-token')).toEqual({ kind: 'refused', message: 'invalid bearer token' })
  })

  it('signs and accepts tokens of service accounts with RSA', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    const { token, review } = setUp({}, pem)
    expect(decodeToken(token())?.header['alg']).toBe('RS256')
    expect(review(token()).kind).toBe('caller')
  })
})

describe('the token in a secret', () => {
  it('accepts a token in a secret as long as the secret exists, and records the day of its last use', () => {
    const { make, review, used, settings, account, registry } = setUp()
    const secret = { metadata: { name: 'robot-token', namespace: 'shop' } }
    const token = legacyToken(account, secret, settings.signingKey, keyIdOf(settings.signingKey))
    expect(review(token)).toMatchObject({ message: '[invalid bearer token, Token has been invalidated]' })
    make('secrets', { ...secret, data: { token: Buffer.from(token).toString('base64') } })
    expect(review(token)).toMatchObject({ caller: { name: 'system:serviceaccount:shop:robot' } })
    expect(used).toEqual(['2026-01-01'])
    const label = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' }
    const patch = { kind: 'merge', patch: { metadata: { labels: label } } } as const
    registry.call({ verb: 'patch', resource: 'secrets', namespace: 'shop', name: 'robot-token', patch })
    expect(review(token)).toMatchObject({ message: expect.stringContaining('has been marked invalid') })
  })
})
