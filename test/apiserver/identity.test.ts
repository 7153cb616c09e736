import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/api/objects/meta.ts'
import { publishEndpoints } from '../../src/apiserver/bootstrap.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { decodeToken, verifyToken } from '../../src/apiserver/tokens/json-web-token.ts'
import { newSigningKey } from '../../src/apiserver/tokens/signing-keys.ts'
import { tokenSettings } from '../../src/controlplane/identity.ts'
import type { WebhookAnswer, WebhookAsk } from '../../src/registry/attempt.ts'
import { serving } from './serving.ts'

const now = Date.UTC(2026, 0, 1)
const credentials = createCredentials({ now, hosts: ['localhost'], adminToken: 'admin' })
const administrator = { authorization: 'Bearer admin' }

function identified(options: Parameters<typeof tokenSettings>[0] = {}, acceptsBootstrapTokens = false) {
  const settings = tokenSettings(options, newSigningKey())
  const serviceAccounts = { settings, now: () => now, newId: () => 'an-id', acceptsBootstrapTokens }
  return serving({ authorizationModes: ['RBAC'], credentials, serviceAccounts })
}

const accounts = '/api/v1/namespaces/default/serviceaccounts'

async function tokenOf({ ask }: ReturnType<typeof identified>, spec: object = {}): Promise<string> {
  await ask('POST', accounts, { metadata: { name: 'robot' } }, administrator)
  const issued = await ask('POST', `${accounts}/robot/token`, { spec }, administrator)
  expect(issued.code).toBe(201)
  return issued.body.status.token
}

test('authenticates a service account by a requested token, with the rights of its groups', async () => {
  const server = identified()
  const authorization = `Bearer ${await tokenOf(server)}`
  const review = await server.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { authorization })
  expect(review.body.status.userInfo.username).toBe('system:serviceaccount:default:robot')
  expect((await server.ask('GET', '/.well-known/openid-configuration', undefined, { authorization })).code).toBe(200)
  expect((await server.ask('GET', '/api/v1/nodes', undefined, { authorization })).code).toBe(403)
})

test('webhooks see requests for tokens, and may refuse them', async () => {
  const asked: unknown[] = []
  const answerWebhook = ({ review }: WebhookAsk): WebhookAnswer => {
    const { uid, kind, resource, subResource, name } = review['request'] as JsonObject
    asked.push({ kind, resource, subResource, name })
    const response = { uid, allowed: false, status: { message: 'no tokens' } }
    return { kind: 'ok', body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response } }
  }
  const serviceAccounts = { settings: tokenSettings({}, newSigningKey()), now: () => now, newId: () => 'an-id' }
  const server = serving({ credentials, serviceAccounts, registryOptions: { answerWebhook } })
  await server.ask('POST', accounts, { metadata: { name: 'robot' } }, administrator)
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['serviceaccounts/token'] }]
  const hook = { clientConfig: { url: 'https://hook.example/' }, sideEffects: 'None', admissionReviewVersions: ['v1'] }
  const configured = await server.ask(
    'POST',
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    { metadata: { name: 'tokens' }, webhooks: [{ name: 'tokens.example.com', rules, ...hook }] },
    administrator,
  )
  expect(configured.code).toBe(201)
  const refused = await server.ask('POST', `${accounts}/robot/token`, { spec: {} }, administrator)
  expect(refused.body.message).toBe('admission webhook "tokens.example.com" denied the request: no tokens')
  expect(asked).toEqual([
    {
      kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
      resource: { group: '', version: 'v1', resource: 'serviceaccounts' },
      subResource: 'token',
      name: 'robot',
    },
  ])
})

test('returns the owner of a token, its audiences and its errors in a TokenReview', async () => {
  const server = identified()
  const review = async (token: string, audiences?: readonly string[]) =>
    (
      await server.ask(
        'POST',
        '/apis/authentication.k8s.io/v1/tokenreviews',
        { spec: { token, audiences } },
        administrator,
      )
    ).body.status
  const token = await tokenOf(server, { audiences: ['vault'] })
  expect(await review(token, ['vault', 'other'])).toMatchObject({
    authenticated: true,
    audiences: ['vault'],
    user: { username: 'system:serviceaccount:default:robot' },
  })
  expect(await review(token)).toMatchObject({ error: expect.stringContaining('is invalid for the target audiences') })
  expect(await review('x')).toMatchObject({ error: 'invalid bearer token' })
})

test('publishes keys that verify the tokens', async () => {
  const server = identified({ serviceAccountIssuers: ['https://issuer.example'], jwksUri: 'https://keys.example/jwks' })
  const token = decodeToken(await tokenOf(server))
  expect(token?.claims['iss']).toBe('https://issuer.example')
  const configuration = await server.ask('GET', '/.well-known/openid-configuration', undefined, administrator)
  expect(configuration.body).toEqual({
    issuer: 'https://issuer.example',
    jwks_uri: 'https://keys.example/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
  const { body } = await server.ask('GET', '/openid/v1/jwks', undefined, administrator)
  expect(body.keys[0].kid).toBe(token?.header['kid'])
  const key = createPublicKey({ key: body.keys[0], format: 'jwk' })
  expect(token !== undefined && verifyToken(token, key)).toBe(true)
})

test('accepts tokens of other keys if their keys are configured', async () => {
  const old = newSigningKey()
  const before = identified({ signingKey: old })
  const token = await tokenOf(before)
  const after = identified({ signingKey: newSigningKey(), verificationKeys: [old] })
  const status = await after.ask(
    'POST',
    '/apis/authentication.k8s.io/v1/tokenreviews',
    { spec: { token } },
    administrator,
  )
  expect(status.body.status.error).toContain('serviceaccounts "robot" not found')
})

test('publishes the service range and the address of the server', async () => {
  const server = identified()
  const cidr = await server.ask('GET', '/apis/networking.k8s.io/v1/servicecidrs/kubernetes', undefined, administrator)
  expect(cidr.body).toMatchObject({
    spec: { cidrs: ['10.0.0.0/24'] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
  publishEndpoints(server.registry, '192.0.2.7', 6443)
  publishEndpoints(server.registry, '192.0.2.8', 6443)
  const path = '/api/v1/namespaces/default/endpoints/kubernetes'
  const subsets = [{ addresses: [{ ip: '192.0.2.8' }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] }]
  expect((await server.ask('GET', path, undefined, administrator)).body.subsets).toEqual(subsets)
})

test('a bootstrap token authenticates until it expires, if the server accepts such tokens', async () => {
  const secret = (expiration: string) => ({
    metadata: { name: 'bootstrap-token-abcdef' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': 'abcdef',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:workers',
      expiration,
    },
  })
  const whoAmI = async (accepts: boolean, expiration: string) => {
    const server = identified({}, accepts)
    await server.ask('POST', '/api/v1/namespaces/kube-system/secrets', secret(expiration), administrator)
    const authorization = 'Bearer abcdef.0123456789abcdef'
    const review = await server.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { authorization })
    return review.code === 201 ? review.body.status.userInfo : review.code
  }
  expect(await whoAmI(true, '2026-02-01T00:00:00Z')).toEqual({
    username: 'system:bootstrap:abcdef',
    groups: ['system:bootstrappers', 'system:bootstrappers:workers', 'system:authenticated'],
  })
  expect(await whoAmI(true, '2025-12-31T00:00:00Z')).toBe(401)
  expect(await whoAmI(false, '2026-02-01T00:00:00Z')).toBe(401)
})
