import { describe, expect, it } from 'vitest'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { newSigningKey } from '../../src/apiserver/tokens/signing-keys.ts'
import { must } from '../../src/base/result.ts'
import { tokenSettings } from '../../src/controlplane/identity.ts'
import { serving } from './serving.ts'

const now = Date.UTC(2026, 0, 1)
const credentials = createCredentials({ now, hosts: ['localhost'], adminToken: 'admin' })
const admin = { authorization: 'Bearer admin' }
const kubelet = { authorization: 'Bearer n1' }
const tokens = [{ token: 'n1', caller: { name: 'system:node:n1', groups: ['system:nodes'] } }]
const home = '/api/v1/namespaces/default'
const merge = { ...kubelet, 'content-type': 'application/merge-patch+json' }

async function cluster(version = '1.37') {
  const serviceAccounts = { settings: tokenSettings({}, newSigningKey()), now: () => now, newId: () => 'an-id' }
  const server = serving({
    ...{ authorizationModes: ['Node', 'RBAC'], credentials, tokens, restrictsNodes: true, serviceAccounts },
    registryOptions: { restrictsNodes: true, release: must(releaseOf(version)) },
  })
  const make = async (path: string, object: object) => {
    const made = await server.ask('POST', path, object, admin)
    expect(made.code, made.text).toBe(201)
    return made.body.metadata.uid as string
  }
  await make('/api/v1/nodes', { metadata: { name: 'n1' } })
  for (const name of ['used', 'other']) await make(`${home}/secrets`, { metadata: { name } })
  await make(`${home}/serviceaccounts`, { metadata: { name: 'robot' } })
  const containers = [{ name: 'c', image: 'x' }]
  const own = { nodeName: 'n1', containers, serviceAccountName: 'robot', imagePullSecrets: [{ name: 'used' }] }
  const uid = await make(`${home}/pods`, { metadata: { name: 'here' }, spec: own })
  await make(`${home}/pods`, { metadata: { name: 'there' }, spec: { nodeName: 'n2', containers } })
  return { ...server, uid }
}

describe('a kubelet with the Node authorizer', () => {
  it('reads only what pods on its node use', async () => {
    const { ask } = await cluster()
    expect((await ask('GET', `${home}/secrets/used`, undefined, kubelet)).code).toBe(200)
    expect((await ask('GET', `${home}/secrets/other`, undefined, kubelet)).body.message).toBe(
      'secrets "other" is forbidden: User "system:node:n1" cannot get resource "secrets" in API group "" in the namespace "default": ' +
        "node: no relationship found between node 'n1' and this object",
    )
    expect((await ask('GET', `${home}/pods/here`, undefined, kubelet)).code).toBe(200)
    expect((await ask('GET', `${home}/pods/there`, undefined, kubelet)).code).toBe(403)
    expect((await ask('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', undefined, kubelet)).code).toBe(200)
    expect((await ask('GET', '/api/v1/pods', undefined, kubelet)).code).toBe(403)
  })

  it('loses access when the pod is gone, and gains it with a new one', async () => {
    const { ask } = await cluster()
    expect((await ask('GET', `${home}/secrets/used`, undefined, kubelet)).code).toBe(200)
    await ask('DELETE', `${home}/pods/here?gracePeriodSeconds=0`, undefined, admin)
    expect((await ask('GET', `${home}/secrets/used`, undefined, kubelet)).code).toBe(403)
    const spec = {
      nodeName: 'n1',
      containers: [{ name: 'c', image: 'x', envFrom: [{ secretRef: { name: 'other' } }] }],
    }
    await ask('POST', `${home}/pods`, { metadata: { name: 'new' }, spec }, admin)
    expect((await ask('GET', `${home}/secrets/other`, undefined, kubelet)).code).toBe(200)
  })

  it('does not enumerate its rights', async () => {
    const { ask } = await cluster()
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
    const { status } = (await ask('POST', path, { spec: { namespace: 'default' } }, kubelet)).body
    expect(status).toMatchObject({
      incomplete: true,
      evaluationError: 'node authorizer does not support user rule resolution',
    })
  })
})

describe('a kubelet with NodeRestriction', () => {
  it('writes its own node, without labels that steer pods', async () => {
    const { ask } = await cluster()
    const labeled = (name: string) => ({ metadata: { labels: { [name]: 'x' } } })
    const patch = async (node: string, body: object) => (await ask('PATCH', `/api/v1/nodes/${node}`, body, merge)).body
    expect((await patch('n1', labeled('topology.kubernetes.io/zone'))).kind).toBe('Node')
    expect((await patch('n1', labeled('x.node-restriction.kubernetes.io/y'))).message).toBe(
      'nodes "n1" is forbidden: is not allowed to modify labels: x.node-restriction.kubernetes.io/y',
    )
    expect((await patch('n1', { spec: { taints: [] } })).message).toContain('is not allowed to modify taints')
    await ask('POST', '/api/v1/nodes', { metadata: { name: 'n2' } }, admin)
    expect((await patch('n2', labeled('a'))).message).toContain('node "n1" is not allowed to modify node "n2"')
  })

  it('changes, evicts and deletes only pods on its node', async () => {
    const { ask } = await cluster()
    const status = { status: { message: 'x' } }
    expect((await ask('PATCH', `${home}/pods/here/status`, status, merge)).code).toBe(200)
    expect((await ask('PATCH', `${home}/pods/there/status`, status, merge)).body.message).toContain(
      'can only update pod status for pods with spec.nodeName set to itself',
    )
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'there' } }
    expect((await ask('POST', `${home}/pods/there/eviction`, eviction, kubelet)).body.message).toContain(
      'node n1 can only evict pods with spec.nodeName set to itself',
    )
    expect((await ask('DELETE', `${home}/pods/there`, undefined, kubelet)).code).toBe(403)
    expect((await ask('DELETE', `${home}/pods/here`, undefined, kubelet)).code).toBe(200)
  })

  it.each([
    [
      '1.36',
      'audience "vault" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
    ],
    ['1.37', 'system:node:n1 is not authorized to request tokens for audience "vault"'],
  ])('requests tokens bound to its pods, for audiences that they mount, in v%s', async (version, refusal) => {
    const { ask, uid } = await cluster(version)
    const path = `${home}/serviceaccounts/robot/token`
    const bound = { kind: 'Pod', apiVersion: 'v1', name: 'here', uid }
    const unbound = await ask('POST', path, { spec: {} }, kubelet)
    expect(unbound.body.message).toBe('serviceaccounts "robot" is forbidden: node requested token not bound to a pod')
    const strange = await ask('POST', path, { spec: { audiences: ['vault'], boundObjectRef: bound } }, kubelet)
    expect(strange.body.message).toBe(`serviceaccounts "robot" is forbidden: ${refusal}`)
  })

  it('creates only mirror pods that use no other objects', async () => {
    const { ask } = await cluster()
    const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'x' }] }
    const plain = await ask('POST', `${home}/pods`, { metadata: { name: 'p' }, spec }, kubelet)
    expect(plain.body.message).toContain('node "n1" can only create mirror pods')
    const uid = (await ask('GET', '/api/v1/nodes/n1', undefined, kubelet)).body.metadata.uid
    const metadata = {
      name: 'p',
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true }],
    }
    const volumes = [{ name: 'v', configMap: { name: 'x' } }]
    const reading = await ask('POST', `${home}/pods`, { metadata, spec: { ...spec, volumes } }, kubelet)
    expect(reading.body.message).toContain('node "n1" can not create pods that reference configmaps')
    expect((await ask('POST', `${home}/pods`, { metadata, spec }, kubelet)).code).toBe(201)
  })
})
