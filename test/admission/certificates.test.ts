import { expect, test } from 'vitest'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { serving } from '../apiserver/serving.ts'

const credentials = createCredentials({ now: Date.UTC(2026, 0, 1), hosts: ['localhost'], adminToken: 'admin' })
const admin = { authorization: 'Bearer admin' }
const ann = { authorization: 'Bearer ann' }
const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

/** Made by OpenSSL: O=system:nodes, CN=system:node:n1. */
const ofNode = `-----BEGIN CERTIFICATE REQUEST-----
MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz
dGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR/Dq+Sel9+VVuH
1RoWbYGCQSJ85eNiqjhl2aj2XbTZfu9K6VVOa1yVHCbRXk7oXRCxfko1/n+Po1Yi
o1mXTWt5oAAwCgYIKoZIzj0EAwIDSQAwRgIhAK9WASSGovkuzmQNwCFfwDezkQQG
hdEHZL/6Sh727smBAiEA+hanh5boObwBLxZUDRkRIt68OL0hkVtLEUEdZkqB1bw=
-----END CERTIFICATE REQUEST-----
`
const base64 = (text: string) => Buffer.from(text).toString('base64')
const request = (signer: string, pem = ofNode) => ({
  metadata: { name: 'r' },
  spec: { request: base64(pem), signerName: `kubernetes.io/${signer}`, usages: ['client auth', 'digital signature'] },
})

async function server(rules: readonly object[]) {
  const { ask } = serving({
    ...{ authorizationModes: ['RBAC'], credentials, tokens: [{ token: 'ann', caller: { name: 'ann', groups: [] } }] },
  })
  const group = 'rbac.authorization.k8s.io'
  const all = [{ apiGroups: ['certificates.k8s.io'], resources: ['*'], verbs: ['create', 'get', 'update'] }, ...rules]
  await ask('POST', `/apis/${group}/v1/clusterroles`, { metadata: { name: 'x' }, rules: all }, admin)
  const binding = { metadata: { name: 'x' }, roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'x' } }
  const subjects = [{ apiGroup: group, kind: 'User', name: 'ann' }]
  await ask('POST', `/apis/${group}/v1/clusterrolebindings`, { ...binding, subjects }, admin)
  return ask
}

const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'x' }] }

test('approval requires the right to approve requests of the signer', async () => {
  const ask = await server([])
  const { body } = await ask('POST', path, request('kube-apiserver-client'), ann)
  const refused = await ask('PUT', `${path}/r/approval`, { ...body, status: approved }, ann)
  expect([refused.code, refused.body.message]).toEqual([
    403,
    'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"',
  ])
  const wide = await server([
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['kubernetes.io/*'],
      verbs: ['approve'],
    },
  ])
  const made = await wide('POST', path, request('kube-apiserver-client'), ann)
  expect((await wide('PUT', `${path}/r/approval`, { ...made.body, status: approved }, ann)).code).toBe(200)
})

test('signing requires the right to sign requests of the signer, and does not change a decision', async () => {
  const ask = await server([])
  const { body } = await ask('POST', path, request('kube-apiserver-client'), ann)
  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'x' }] }
  expect((await ask('PUT', `${path}/r/status`, { ...body, status: failed }, ann)).body.message).toContain(
    'user not permitted to sign requests with signerName',
  )
  const adding = await ask('PUT', `${path}/r/status`, { ...body, status: approved }, admin)
  expect([adding.code, adding.body.message]).toEqual([
    422,
    expect.stringContaining('updates may not add a condition of type "Approved"'),
  ])
})

test('a request must be signed with its own key, and its usages and signer must be known', async () => {
  const ask = await server([])
  const broken = ofNode.replace('0MIHsMIG', 'x').replace('ZkqB1bw=', 'ZkqB1bs=')
  const send = async (object: object) => (await ask('POST', path, object, admin)).body
  expect((await send(request('kube-apiserver-client', broken))).message).toContain('x509: ECDSA verification failure')
  expect((await send(request('kube-apiserver-client', 'x'))).message).toContain(
    'PEM block type must be CERTIFICATE REQUEST',
  )
  const odd = request('kube-apiserver-client')
  const { details } = await send({ ...odd, spec: { ...odd.spec, signerName: 'x', usages: ['fly', 'any', 'any'] } })
  expect(details.causes.map(({ field }: { field: string }) => field)).toEqual([
    'spec.usages[0]',
    'spec.usages[2]',
    'spec.signerName',
  ])
})

test('the name of a request is checked after everything else', async () => {
  const ask = await server([])
  const { spec } = request('kube-apiserver-client')
  const messageOf = async (usages: readonly string[]) =>
    (await ask('POST', path, { metadata: { name: 'a/b' }, spec: { ...spec, usages } }, admin)).body.message
  const start = 'CertificateSigningRequest.certificates.k8s.io "a/b" is invalid: '
  expect(await messageOf(['client auth', 'client auth'])).toBe(`${start}spec.usages[1]: Duplicate value: "client auth"`)
  expect(await messageOf(['client auth'])).toBe(`${start}metadata.name: Invalid value: "a/b": may not contain '/'`)
})
