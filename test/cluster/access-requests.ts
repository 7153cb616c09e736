import type { RandomStream } from '../../src/base/random.ts'
import {
  clusterRoleNames,
  names,
  randomRule,
  randomSelector,
  randomSubject,
  rbacGroup,
  rbacPath,
  some,
} from './access-roles.ts'
import { type AccessQuestion, administratorToken, namespaces, users } from './access-servers.ts'

const json = { 'content-type': 'application/json' }
const methods = ['GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'BREW']

function credentials(random: RandomStream): Readonly<Record<string, string>> {
  const draw = random.int(20)
  if (draw === 0) return {}
  if (draw === 1) return { authorization: random.pick(['Bearer nope', 'Basic YTpi', 'Bearer ', 'bearer', 'Digest x']) }
  if (draw === 2) return { authorization: `bearer ${random.pick(users).token}` }
  return { authorization: `Bearer ${draw < 5 ? administratorToken : random.pick(users).token}` }
}

const token = (random: RandomStream): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${random.pick(users).token}`,
})

interface Place {
  readonly root: string
  readonly plural: string
  readonly subresources: readonly string[]
  readonly isNamespaced: boolean
}

const places: readonly Place[] = [
  { root: '/api/v1', plural: 'configmaps', subresources: ['status'], isNamespaced: true },
  { root: '/api/v1', plural: 'secrets', subresources: [], isNamespaced: true },
  { root: '/api/v1', plural: 'pods', subresources: ['status', 'eviction', 'binding', 'nothing'], isNamespaced: true },
  { root: '/api/v1', plural: 'namespaces', subresources: ['status', 'finalize'], isNamespaced: false },
  { root: '/api/v1', plural: 'nodes', subresources: ['status'], isNamespaced: false },
  { root: '/apis/apps/v1', plural: 'deployments', subresources: ['scale', 'status'], isNamespaced: true },
  { root: rbacPath, plural: 'roles', subresources: [], isNamespaced: true },
  { root: rbacPath, plural: 'clusterroles', subresources: ['status'], isNamespaced: false },
  { root: '/apis/authorization.k8s.io/v1', plural: 'subjectaccessreviews', subresources: [], isNamespaced: false },
  { root: '/apis/authorization.k8s.io/v1', plural: 'localsubjectaccessreviews', subresources: [], isNamespaced: true },
  { root: '/api/v1', plural: 'nothings', subresources: ['status'], isNamespaced: true },
  { root: '/apis/nothing.example.com/v1', plural: 'things', subresources: [], isNamespaced: true },
]

/** A path of the grammar, sometimes with a mistake. */
function resourcePath(random: RandomStream): string {
  const { root, plural, subresources, isNamespaced } = random.pick(places)
  const isInside = random.int(8) === 0 ? !isNamespaced : isNamespaced
  const parts = [root]
  if (random.int(15) === 0) parts.push('watch')
  if (isInside) parts.push('namespaces', random.pick([...namespaces, 'nowhere']))
  parts.push(plural)
  if (random.int(3) > 0) {
    parts.push(random.pick(names))
    if (random.int(3) === 0) parts.push(random.pick([...subresources, 'scale', 'log']))
    if (random.int(40) === 0) parts.push('more')
  }
  const path = parts.join('/')
  const draw = random.int(60)
  if (draw === 0) return `${path}/`
  if (draw === 1) return `/${path}`
  if (draw === 2) return path.replace('/v1/', '/v1//')
  return path
}

const listQueries = [
  '',
  '',
  'fieldSelector=metadata.name%3Dx',
  'fieldSelector=metadata.name%3Dx,metadata.namespace%3Da1',
  'fieldSelector=metadata.name!%3Dx',
  'fieldSelector=metadata.name%3Dx&limit=bad',
  'watch=1',
  'watch=false',
  'watch=true&fieldSelector=metadata.name%3Dy',
  'watch',
]

/** Any verb on any path by any user. Requests that would change an object are dry runs. */
export function resourceRequest(random: RandomStream): AccessQuestion {
  const method = random.pick(methods)
  const path = resourcePath(random)
  const query = ['GET', 'HEAD'].includes(method) ? random.pick(listQueries) : 'dryRun=All'
  const type = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : json
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(method)
  return {
    ...{ method, path: query === '' ? path : `${path}?${query}` },
    headers: { ...credentials(random), ...(hasBody ? type : {}) },
    ...(hasBody ? { body: '{}' } : {}),
  }
}

const rawPaths = [
  ...[
    '/',
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/nothing',
    '/apis/nothing/v1',
  ],
  ...['/healthz', '/healthz/ping', '/livez', '/readyz', '/version', '/nothing', '/nothing/at/all', '/openapi/v2x'],
  ...['/api/v1/watch', '/api/v1/proxy', '/api/v1/proxy/nodes/x', '/apis/apps/v1/watch/', '/%3Cscript%3E', '/a%22b'],
]

export function rawRequest(random: RandomStream): AccessQuestion {
  const method = random.pick(['GET', 'GET', 'POST', 'HEAD', 'DELETE'])
  return { method, path: random.pick(rawPaths), headers: credentials(random) }
}

function resourceAttributes(random: RandomStream): object {
  const rule = randomRule(random, true) as { verbs: string[]; apiGroups: string[]; resources: string[] }
  const [resource = '', ...subresource] = random.pick(rule.resources).split('/')
  return {
    verb: random.pick(rule.verbs),
    group: random.pick(rule.apiGroups),
    resource,
    ...(subresource.length === 0 ? {} : { subresource: subresource.join('/') }),
    ...(random.int(3) === 0 ? {} : { namespace: random.pick(namespaces) }),
    ...(random.int(2) === 0 ? {} : { name: random.pick(names) }),
    ...(random.int(12) === 0 ? { fieldSelector: random.pick([{}, { rawSelector: 'a=b' }, { rawSelector: 'a' }]) } : {}),
    ...(random.int(12) === 0
      ? { labelSelector: random.pick([{}, { rawSelector: 'a=b' }, { rawSelector: '==' }]) }
      : {}),
  }
}

function accessSpec(random: RandomStream): Record<string, unknown> {
  const draw = random.int(12)
  const other = { path: random.pick(rawPaths), verb: random.pick(['get', 'post', 'head']) }
  return {
    ...(draw < 9 || draw === 11 ? { resourceAttributes: resourceAttributes(random) } : {}),
    ...(draw === 9 || draw === 11 ? { nonResourceAttributes: other } : {}),
  }
}

const reviews = [
  'selfsubjectaccessreviews',
  'subjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectrulesreviews',
]

export function reviewRequest(random: RandomStream): AccessQuestion {
  const plural = random.pick(reviews)
  const isLocal = plural === 'localsubjectaccessreviews'
  const { caller } = random.pick(users)
  const subject = random.pick([
    { user: caller.name, groups: caller.groups },
    { user: caller.name },
    { groups: ['dev'] },
    { user: 'root', groups: ['system:masters'] },
    {},
    { user: 5 },
  ])
  const spec =
    plural === 'selfsubjectrulesreviews'
      ? random.pick([{ namespace: 'a1' }, { namespace: 'a2' }, {}, { namespace: 'nowhere' }])
      : { ...accessSpec(random), ...(plural === 'selfsubjectaccessreviews' ? {} : subject) }
  const isAdmin = plural !== 'selfsubjectrulesreviews' && random.int(3) === 0
  return {
    method: 'POST',
    path: `/apis/authorization.k8s.io/v1${isLocal ? `/namespaces/${random.pick(namespaces)}` : ''}/${plural}`,
    headers: { ...json, ...(isAdmin ? { authorization: `Bearer ${administratorToken}` } : token(random)) },
    body: JSON.stringify({ spec }),
  }
}

const patchTypes = [
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]

/** Roles and bindings that grant rights that their author may not have. */
export function escalationRequest(random: RandomStream): AccessQuestion {
  const namespace = random.int(2) === 0 ? random.pick(namespaces) : undefined
  const isRole = random.int(2) === 0
  const scope = namespace === undefined ? 'Cluster' : ''
  const kind = namespace === undefined ? `Cluster${isRole ? 'Role' : 'RoleBinding'}` : isRole ? 'Role' : 'RoleBinding'
  const plural = `${scope.toLowerCase()}${isRole ? 'roles' : 'rolebindings'}`
  const known = isRole
    ? scope === ''
      ? ['r0', 'r1']
      : ['cr0', 'cr1', 'agg0']
    : scope === ''
      ? ['rb0', 'rb1']
      : ['crb0', 'crb1']
  const name = random.pick([...known, 'new'])
  const content = isRole ? roleContent(random, namespace) : bindingContent(random, namespace)
  const collection = `${rbacPath}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
  const draw = random.int(8)
  const object = { apiVersion: `${rbacGroup}/v1`, kind, metadata: { name }, ...content }
  const headers = { ...token(random) }
  if (draw < 2) {
    return {
      method: 'POST',
      path: `${collection}?dryRun=All`,
      headers: { ...headers, ...json },
      body: JSON.stringify(object),
    }
  }
  if (draw < 4) {
    const body = JSON.stringify(object)
    return { method: 'PUT', path: `${collection}/${name}?dryRun=All`, headers: { ...headers, ...json }, body }
  }
  const type = random.pick(patchTypes)
  const isApply = type.includes('apply')
  const partial = random.pick<object>([
    content,
    { metadata: { finalizers: ['example.com/wait'] } },
    { metadata: { labels: { a: 'b' } } },
    ...(isRole ? [{ aggregationRule: null }, { rules: [] }] : [{ subjects: [] }]),
  ])
  return {
    method: 'PATCH',
    path: `${collection}/${name}?dryRun=All${isApply ? '&fieldManager=suite&force=true' : ''}`,
    headers: { ...headers, 'content-type': type },
    body: JSON.stringify(isApply ? object : partial),
  }
}

function roleContent(random: RandomStream, namespace: string | undefined): object {
  const rules = some(random, [0, 1], 2).map(() => randomRule(random, namespace !== undefined))
  if (namespace !== undefined || random.int(4) > 0) return { rules }
  return {
    rules: random.int(2) === 0 ? rules : [],
    aggregationRule: { clusterRoleSelectors: [randomSelector(random)] },
  }
}

function bindingContent(random: RandomStream, namespace: string | undefined): object {
  const isLocal = namespace !== undefined && random.int(2) === 0
  const name = random.pick(
    isLocal ? ['r0', 'r1', 'r2', 'missing'] : [...clusterRoleNames, 'view', 'cluster-admin', 'missing'],
  )
  const kind = random.int(30) === 0 ? 'Thing' : isLocal ? 'Role' : 'ClusterRole'
  return { subjects: [randomSubject(random)], roleRef: { apiGroup: rbacGroup, kind, name } }
}

/** Requests that impersonate another user. */
export function impersonatedRequest(random: RandomStream): AccessQuestion {
  const wanted = random.pick([
    'ann',
    'eve',
    'system:serviceaccount:a1:robot',
    'system:node:n1',
    'system:anonymous',
    'x',
  ])
  const groups = some(random, ['dev', 'ops', 'system:masters', 'system:authenticated', ''], 3)
  return {
    method: 'GET',
    path: `${random.pick(['/api/v1/namespaces/a1/configmaps/x', '/api/v1/namespaces/a1/configmaps', '/api/v1/nodes', '/version'])}`,
    headers: {
      ...token(random),
      ...(random.int(12) === 0 ? {} : { 'Impersonate-User': wanted }),
      ...(random.int(3) === 0 ? { 'Impersonate-Group': groups } : {}),
      ...(random.int(6) === 0 ? { 'Impersonate-Uid': random.pick(['7', 'x']) } : {}),
      ...(random.int(6) === 0 ? { 'Impersonate-Extra-Acme.com%2fteam': some(random, ['x', 'y'], 2) } : {}),
    },
  }
}
