import { beforeAll, describe, expect, it } from 'vitest'
import { releaseOf } from '../../src/api/releases/release-of.ts'
import { createCredentials } from '../../src/apiserver/certificates.ts'
import { must } from '../../src/base/result.ts'
import { type ServedAnswer, serving } from './serving.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const apiVersion = 'rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'
const maps = '/api/v1/namespaces/shop/configmaps'
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const rule = (verbs: string, resources: string, more: object = {}) => ({
  ...{ apiGroups: [''], resources: resources.split(','), verbs: verbs.split(',') },
  ...more,
})
const rbacRule = (verbs: string, resources: string, more: object = {}) =>
  rule(verbs, resources, { apiGroups: [apiGroup], ...more })

const credentials = createCredentials({ now: Date.UTC(2026, 0, 1), hosts: ['localhost'], adminToken: 'admin' })

/** A server with the users ann and bob, and the rights that the administrator grants to ann. */
function cluster(rules: readonly object[] = [], objects: readonly [string, object][] = [], version = '1.37') {
  const tokens = ['ann', 'bob'].map((name) => ({ token: name, caller: { name, groups: [] } }))
  const { ask, registry } = serving({
    authorizationModes: ['RBAC'],
    credentials,
    tokens,
    registryOptions: { release: must(releaseOf(version)) },
  })
  const as =
    (token: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ServedAnswer> =>
      ask(method, path, body, { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers })
  const admin = as('admin')
  const ready = async () => {
    await admin('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } })
    await admin('POST', `${rbac}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata: { name: 'ann' }, rules })
    await admin('POST', `${rbac}/clusterrolebindings`, {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'ann' } },
      ...{
        subjects: [{ kind: 'User', name: 'ann', apiGroup }],
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'ann' },
      },
    })
    for (const [path, object] of objects) expect((await admin('POST', path, object)).code).toBe(201)
  }
  return { ready, admin, ann: as('ann'), bob: as('bob'), ask, registry }
}

const clusterRole = (name: string, rules: readonly object[], more: object = {}) => ({
  ...{ apiVersion, kind: 'ClusterRole', metadata: { name }, rules },
  ...more,
})
const bindingTo = (role: string, name = 'grab') => ({
  ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name } },
  ...{ subjects: [{ kind: 'User', name: 'ann', apiGroup }], roleRef: { apiGroup, kind: 'ClusterRole', name: role } },
})

describe('a caller with permission to edit roles and bindings', () => {
  const rights = [
    rbacRule('get,create,update,patch', 'clusterroles,clusterrolebindings,roles,rolebindings'),
    rule('get', 'pods'),
  ]
  const { ready, ann, admin } = cluster(rights, [
    [`${rbac}/clusterroles`, clusterRole('pod-reader', [rule('get', 'pods')])],
    [`${rbac}/clusterroles`, clusterRole('pod-writer', [rule('get,create,delete', 'pods'), rule('get', 'pods/log')])],
    [
      `${rbac}/clusterroles`,
      clusterRole('collecting', [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }),
    ],
    [`${rbac}/clusterrolebindings`, bindingTo('pod-writer', 'writers')],
  ])
  beforeAll(async () => {
    await ready()
    // This role is only there to be changed, and grants nothing.
    await admin('PATCH', `${rbac}/clusterrolebindings/writers`, [{ op: 'replace', path: '/subjects', value: [] }], {
      'content-type': 'application/json-patch+json',
    })
  })
  const held =
    'user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:'

  it('rejects a binding to a role with rights that the caller does not have', async () => {
    const answer = await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('cluster-admin'))
    expect(answer.code).toBe(403)
    expect(answer.body).toMatchObject({
      reason: 'Forbidden',
      message:
        `clusterrolebindings.rbac.authorization.k8s.io "grab" is forbidden: ${held}\n` +
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
      details: { name: 'grab', group: apiGroup, kind: 'clusterrolebindings' },
    })
  })

  it('names the missing rights in compact form', async () => {
    const answer = await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('pod-writer'))
    expect(answer.body.message).toBe(
      `clusterrolebindings.rbac.authorization.k8s.io "grab" is forbidden: ${held}\n` +
        '{APIGroups:[""], Resources:["pods"], Verbs:["create" "delete"]}\n' +
        '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}',
    )
  })

  it('allows a binding to a role whose rights the caller has', async () => {
    expect((await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('pod-reader', 'fine'))).code).toBe(201)
  })

  it('rejects a binding to a role that does not exist', async () => {
    const answer = await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('nothing'))
    expect(answer.code).toBe(404)
    expect(answer.body.message).toBe('clusterrolebindings.rbac.authorization.k8s.io "nothing" not found')
  })

  const grabbing = { ...bindingTo('pod-writer', 'writers') }
  it.each([
    ['PUT', grabbing, 'application/json'],
    ['PATCH', { subjects: grabbing.subjects }, 'application/merge-patch+json'],
    ['PATCH', { subjects: grabbing.subjects }, 'application/strategic-merge-patch+json'],
    ['PATCH', [{ op: 'add', path: '/subjects', value: grabbing.subjects }], 'application/json-patch+json'],
  ])('rejects a new subject of a role by %s', async (method, body, type) => {
    const answer = await ann(method, `${rbac}/clusterrolebindings/writers`, body, { 'content-type': type })
    expect(answer.code).toBe(403)
    expect(answer.body.message).toContain('is attempting to grant RBAC permissions not currently held')
  })

  it('rejects a new subject of a role by server-side apply', async () => {
    const apply = { 'content-type': 'application/apply-patch+yaml' }
    const path = `${rbac}/clusterrolebindings`
    const [changed, created] = [
      await ann('PATCH', `${path}/writers?fieldManager=ann&force=true`, grabbing, apply),
      await ann('PATCH', `${path}/new?fieldManager=ann`, bindingTo('pod-writer', 'new'), apply),
    ]
    expect([changed.code, created.code]).toEqual([403, 403])
  })

  it('allows changes of owners and finalizers of a binding to any role', async () => {
    const patch = { metadata: { finalizers: ['example.com/wait'] } }
    const type = { 'content-type': 'application/merge-patch+json' }
    expect((await ann('PATCH', `${rbac}/clusterrolebindings/writers`, patch, type)).code).toBe(200)
  })

  it('rejects a role with more rights than the caller has', async () => {
    const wide = clusterRole('wide', [rule('*', 'secrets')])
    const created = await ann('POST', `${rbac}/clusterroles`, wide)
    const widened = await ann(
      'PATCH',
      `${rbac}/clusterroles/pod-reader`,
      { rules: wide.rules },
      {
        'content-type': 'application/merge-patch+json',
      },
    )
    expect([created.code, widened.code]).toEqual([403, 403])
    expect(created.body.message).toBe(
      `clusterroles.rbac.authorization.k8s.io "wide" is forbidden: ${held}\n` +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}',
    )
  })

  it('rejects a change of an aggregation rule by a caller without all rights', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { x: 'y' } }] }
    const created = await ann('POST', `${rbac}/clusterroles`, clusterRole('all', [], { aggregationRule }))
    const type = { 'content-type': 'application/merge-patch+json' }
    const changed = await ann('PATCH', `${rbac}/clusterroles/collecting`, { aggregationRule: null }, type)
    expect([created.code, changed.code]).toEqual([403, 403])
    expect(created.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
  })
})

describe('the verbs escalate and bind', () => {
  it('allows callers with the verbs escalate and bind to grant rights that they lack, on the named roles', async () => {
    const names = { resourceNames: ['wide', 'cluster-admin'] }
    const { ready, ann } = cluster(
      [
        ...[rbacRule('create,update', 'clusterroles,clusterrolebindings')],
        ...[rbacRule('bind', 'clusterroles', names), rbacRule('escalate', 'clusterroles', names)],
      ],
      [[`${rbac}/clusterroles`, clusterRole('wide', [])]],
    )
    await ready()
    const wide = clusterRole('wide', [rule('*', '*')])
    expect((await ann('PUT', `${rbac}/clusterroles/wide`, wide)).code).toBe(200)
    // A creation has no name in its path, so a right that is limited to names does not allow it.
    expect((await ann('POST', `${rbac}/clusterroles`, clusterRole('wider', wide.rules))).code).toBe(403)
    expect((await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('edit'))).code).toBe(403)
    expect((await ann('POST', `${rbac}/clusterrolebindings`, bindingTo('cluster-admin'))).code).toBe(201)
  })
})

describe('aggregated roles', () => {
  const labeled = (name: string, tier: string, resource: string) => ({
    ...clusterRole(name, [rule('get', resource)]),
    metadata: { name, labels: { tier } },
  })
  const { ready, ann } = cluster(
    [],
    [
      [`${rbac}/clusterroles`, labeled('a', 'front', 'pods')],
      [`${rbac}/clusterroles`, labeled('again', 'front', 'pods')],
      [`${rbac}/clusterroles`, labeled('b', 'back', 'secrets')],
      [
        `${rbac}/clusterroles`,
        clusterRole('both', [rule('get', 'nodes')], {
          aggregationRule: {
            clusterRoleSelectors: [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['front'] }] }],
          },
        }),
      ],
      [`${rbac}/clusterrolebindings`, bindingTo('both')],
    ],
  )
  beforeAll(ready)

  it('aggregates only the roles that matchExpressions select', async () => {
    expect((await ann('GET', '/api/v1/namespaces/shop/pods/x')).code).toBe(404)
    expect((await ann('GET', '/api/v1/namespaces/shop/secrets/x')).code).toBe(403)
  })

  it('lists a rule once that several aggregated roles have', async () => {
    const review = await ann('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      spec: { namespace: 'shop' },
    })
    const pods = review.body.status.resourceRules.filter((one: { resources: string[] }) => one.resources[0] === 'pods')
    expect(pods).toEqual([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }])
  })

  it('gives aggregated roles no other rules', async () => {
    expect((await ann('GET', '/api/v1/nodes/x')).code).toBe(403)
  })
})

describe('paths and methods', () => {
  const names = { resourceNames: ['mine'] }
  const { ready, ann, admin } = cluster([rule('create,update,patch,list,watch', 'configmaps', names)])
  beforeAll(ready)

  it('rejects a create under another name than in the path', async () => {
    expect((await ann('POST', `${maps}/mine`, configMap('other'))).code).toBe(405)
    expect((await admin('POST', `${maps}/mine`, configMap('other'))).code).toBe(405)
    expect((await admin('GET', `${maps}/other`)).code).toBe(404)
  })

  it('checks the right to a method before it answers that the method does not exist', async () => {
    const answer = await ann('PUT', maps, configMap('x'))
    expect(answer.body.message).toBe(
      'configmaps is forbidden: User "ann" cannot update resource "configmaps" in API group "" in the namespace "shop"',
    )
    expect((await admin('PUT', maps, configMap('x'))).code).toBe(405)
  })

  it('authorizes a list that selects one name as a request for that name', async () => {
    expect((await ann('GET', `${maps}?fieldSelector=metadata.name=mine`)).code).toBe(200)
    const refused = await ann('GET', `${maps}?fieldSelector=metadata.name=other`)
    expect(refused.body.message).toBe(
      'configmaps "other" is forbidden: User "ann" cannot list resource "configmaps" in API group "" in the namespace "shop"',
    )
  })

  it('names the binding that allows and the role that is missing', async () => {
    await admin('POST', `${rbac}/clusterrolebindings`, {
      ...bindingTo('gone', 'gone'),
    })
    const refused = await ann('GET', '/api/v1/nodes')
    expect(refused.body.message).toBe(
      'nodes is forbidden: User "ann" cannot list resource "nodes" in API group "" at the cluster scope: rbac: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    )
    const review = await ann('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      spec: { resourceAttributes: { verb: 'list', resource: 'configmaps', name: 'mine' } },
    })
    expect(review.body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "ann" of ClusterRole "ann" to User "ann"',
    })
  })

  it('escapes text that a browser could read as markup', async () => {
    const refused = await ann('GET', '/<script>&')
    expect(refused.body.message).toContain('forbidden: User "ann" cannot get path "/&lt;script&gt;&amp;"')
  })
})

describe('an update or patch that creates', () => {
  const cases = [rule('update,patch', 'configmaps,limitranges'), rbacRule('update,patch', 'roles')]
  const { ready, ann, admin } = cluster(cases)
  beforeAll(ready)
  const path = `${rbac}/namespaces/shop/roles`

  it('requires the right to create for an update or patch that creates', async () => {
    const role = { apiVersion, kind: 'Role', metadata: { name: 'new' }, rules: [] }
    const put = await ann('PUT', `${path}/new`, role)
    expect(put.code).toBe(403)
    expect(put.body.message).toBe(
      'roles.rbac.authorization.k8s.io "new" is forbidden: User "ann" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "shop"',
    )
    const apply = { 'content-type': 'application/apply-patch+yaml' }
    const applied = await ann('PATCH', `${maps}/new?fieldManager=ann`, configMap('new'), apply)
    expect(applied.body.message).toBe(
      'configmaps "new" is forbidden: User "ann" cannot create resource "configmaps" in API group "" in the namespace "shop"',
    )
    expect((await admin('PUT', `${path}/new`, role)).code).toBe(201)
    expect((await ann('PUT', `${path}/new`, role)).code).toBe(200)
  })
})

describe('authentication', () => {
  const { ready, ask } = cluster([rule('list', 'pods')])
  beforeAll(ready)
  const pods = '/api/v1/pods'
  const ann = { name: 'ann', groups: [] }
  it.each([
    ['a token', { authorization: 'Bearer ann' }, {}, 200],
    ['the scheme in lower case', { authorization: 'bearer ann' }, {}, 200],
    ['a token and more words', { authorization: 'Bearer ann and more' }, {}, 200],
    ['an unknown token', { authorization: 'Bearer nope' }, {}, 401],
    ['an empty token, which counts as absent', { authorization: 'Bearer ' }, {}, 403],
    ['a scheme that is not served, which counts as none', { authorization: 'Basic YTpi' }, {}, 403],
    ['nothing, which is anonymous', {}, {}, 403],
    ['a certificate', {}, { certificate: ann }, 200],
    ['a certificate and an unknown token', { authorization: 'Bearer nope' }, { certificate: ann }, 200],
    ['a certificate that is not valid', {}, { certificate: 'invalid' as const }, 401],
    [
      'a certificate that is not valid and a token',
      { authorization: 'Bearer ann' },
      { certificate: 'invalid' as const },
      200,
    ],
  ])('authenticates and answers %s', async (_, headers, more, code) => {
    expect((await ask('GET', pods, undefined, headers as Record<string, string>, more)).code).toBe(code)
  })
})

describe('reviews', () => {
  const { ready, ann, admin } = cluster([rule('list', 'pods')])
  beforeAll(ready)
  const group = '/apis/authorization.k8s.io/v1'

  it('rejects ambiguous access reviews', async () => {
    const both = { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { path: '/x', verb: 'get' } }
    const [none, twice, types] = await Promise.all([
      ann('POST', `${group}/selfsubjectaccessreviews`, { spec: {} }),
      ann('POST', `${group}/selfsubjectaccessreviews`, { spec: both }),
      admin('POST', `${group}/subjectaccessreviews`, { spec: { user: 5 } }),
    ])
    expect(none.body.message).toBe(
      '.authorization.k8s.io "" is invalid: spec: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    )
    expect(twice.code).toBe(422)
    expect(types.body.message).toBe(
      'SubjectAccessReview in version "v1" cannot be handled as a SubjectAccessReview: json: cannot unmarshal number into Go struct field SubjectAccessReviewSpec.spec.user of type string',
    )
  })

  it('requires that a LocalSubjectAccessReview is for its own namespace', async () => {
    const spec = { user: 'ann', resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'other' } }
    const answer = await admin('POST', `${group}/namespaces/shop/localsubjectaccessreviews`, { spec })
    expect(answer.code).toBe(422)
    expect(answer.body.message).toContain(
      'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace',
    )
  })

  it('lists the rules of a caller, and requires a namespace', async () => {
    const answer = await ann('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'shop' } })
    expect(answer.body.status.resourceRules).toContainEqual({ verbs: ['list'], apiGroups: [''], resources: ['pods'] })
    const refused = await ann('POST', `${group}/selfsubjectrulesreviews`, { spec: {} })
    expect(refused.body.message).toBe('no namespace on request')
  })
})

it('names the authorizer of a refusal and the union of an access review only since v1.37', async () => {
  const { ready, admin, ann } = cluster([], [], '1.36')
  await ready()
  const ref = { roleRef: { apiGroup, kind: 'ClusterRole', name: 'gone' } }
  const subjects = [{ kind: 'User', name: 'ann', apiGroup }]
  await admin('POST', `${rbac}/clusterrolebindings`, {
    ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'gone' }, subjects, ...ref },
  })
  expect((await ann('GET', '/api/v1/nodes')).body.message).toContain('at the cluster scope: RBAC: clusterrole')
  const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
  expect((await ann('POST', reviews, { spec: {} })).body.message).toContain(
    'is invalid: spec.resourceAttributes: Invalid',
  )
})

it.each([
  ['1.34', 500],
  ['1.35', 400],
])('v%s answers malformed DeleteOptions and impersonation without a user with %s', async (version, code) => {
  const { admin } = cluster([], [], version)
  const message = 'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64'
  const deletion = await admin('DELETE', `${maps}/x`, { gracePeriodSeconds: '5' })
  expect(deletion).toMatchObject({ code, body: { code, message } })
  expect(deletion.body.reason).toBe(code === 400 ? 'BadRequest' : undefined)
  const impersonation = await admin('GET', '/version', undefined, { 'impersonate-group': 'dev' })
  const requested = 'requested [{Group  dev    }] without impersonating a user'
  expect(impersonation.code).toBe(code)
  if (code === 400) expect(impersonation.body).toMatchObject({ message: requested })
  else expect(impersonation.text).toBe(`Internal Server Error: "/version": ${requested}\n`)
})
