import type { RandomStream } from '../../src/base/random.ts'
import { namespaces, users } from './access-servers.ts'

export const rbacPath = '/apis/rbac.authorization.k8s.io/v1'
export const rbacGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${rbacGroup}/v1`
const suite = { suite: 'access' }

export interface Planted {
  readonly path: string
  readonly object: { readonly metadata: Readonly<Record<string, unknown>> } & Readonly<Record<string, unknown>>
}

const verbs = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'bind', 'escalate'],
  ...['impersonate', 'impersonate:user-info', 'impersonate:serviceaccount', 'impersonate-on:user-info:get'],
  ...['impersonate-on:user-info:list', 'impersonate-on:serviceaccount:get', '*'],
]
const groups = ['', '', '', 'apps', rbacGroup, rbacGroup, 'authorization.k8s.io', 'authentication.k8s.io', '*']
const resources = [
  ...['configmaps', 'configmaps', 'secrets', 'pods', 'pods/log', 'pods/status', '*/status', 'namespaces', 'nodes'],
  ...['deployments', 'deployments/scale', 'deployments/*', '*/scale', 'roles', 'rolebindings', 'clusterroles'],
  ...['clusterrolebindings', 'users', 'groups', 'serviceaccounts', 'uids', 'userextras/acme.com/team', 'userextras/*'],
  ...['subjectaccessreviews', 'selfsubjectaccessreviews', 'localsubjectaccessreviews', '*'],
]
export const names = ['x', 'y', 'cr0', 'cr1', 'r0', 'view', 'cluster-admin', 'ann', 'dev', 'a1', 'robot']
const urls = ['/healthz', '/healthz/*', '/version', '/api', '/api/*', '/apis/*', '/metrics', '/nothing', '*', '/**']

export const some = <Item>(random: RandomStream, items: readonly Item[], most: number): Item[] =>
  Array.from({ length: 1 + random.int(most) }, () => random.pick(items))

export function randomRule(random: RandomStream, isNamespaced: boolean): object {
  if (!isNamespaced && random.int(6) === 0) {
    return { nonResourceURLs: some(random, urls, 2), verbs: some(random, ['get', 'post', 'head', '*'], 2) }
  }
  return {
    apiGroups: some(random, groups, 2),
    resources: some(random, resources, 3),
    verbs: some(random, verbs, 4),
    ...(random.int(4) === 0 ? { resourceNames: some(random, names, 2) } : {}),
  }
}

const rules = (random: RandomStream, isNamespaced: boolean): object[] =>
  Array.from({ length: random.int(4) }, () => randomRule(random, isNamespaced))

export function randomSubject(random: RandomStream): object {
  const account = { kind: 'ServiceAccount', name: 'robot' }
  return random.pick([
    ...users.slice(0, 4).map(({ caller }) => ({ kind: 'User', apiGroup: rbacGroup, name: caller.name })),
    { kind: 'User', apiGroup: rbacGroup, name: 'system:anonymous' },
    { kind: 'User', apiGroup: rbacGroup, name: 'system:serviceaccount:a1:robot' },
    ...['dev', 'ops', 'system:serviceaccounts:a2', 'system:authenticated'].map((name) => ({
      ...{ kind: 'Group', apiGroup: rbacGroup, name },
    })),
    ...namespaces.map((namespace) => ({ ...account, namespace })),
  ])
}

const tiers = ['front', 'back', 'none']

export function randomSelector(random: RandomStream): object {
  return random.pick([
    { matchLabels: { tier: random.pick(tiers) } },
    { matchExpressions: [{ key: 'tier', operator: 'In', values: some(random, tiers, 2) }] },
    {
      matchExpressions: [
        { key: 'tier', operator: 'NotIn', values: ['front', 'gathered', 'top'] },
        { key: 'suite', operator: 'Exists' },
      ],
    },
    { matchLabels: { suite: 'access' }, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
  ])
}

export const clusterRoleNames = ['cr0', 'cr1', 'cr2', 'cr3', 'cr4', 'cr5', 'agg0', 'agg1']
const roleNames = ['r0', 'r1', 'r2']

const roleRef = (random: RandomStream, isNamespaced: boolean): object => {
  const isLocal = isNamespaced && random.int(2) === 0
  const name = random.pick([...(isLocal ? roleNames : [...clusterRoleNames, 'view']), 'missing'])
  return { apiGroup: rbacGroup, kind: isLocal ? 'Role' : 'ClusterRole', name }
}

/** Random roles and bindings that cover every feature of RBAC. */
export function randomRoles(random: RandomStream): readonly Planted[] {
  const planted: Planted[] = []
  for (const name of clusterRoleNames) {
    const isAggregated = name.startsWith('agg')
    // Only agg1 aggregates agg0, because in a cycle, upstream keeps rules that no role has any longer.
    const tier = name === 'agg0' ? 'gathered' : name === 'agg1' ? 'top' : random.pick([...tiers, undefined])
    const labels = { ...suite, ...(tier === undefined ? {} : { tier }) }
    const clusterRoleSelectors = some(random, [0, 1, 2], 2).map(() => randomSelector(random))
    if (name === 'agg1' && random.int(2) === 0) clusterRoleSelectors.push({ matchLabels: { tier: 'gathered' } })
    planted.push({
      path: `${rbacPath}/clusterroles`,
      object: {
        ...{ apiVersion, kind: 'ClusterRole', metadata: { name, labels } },
        ...(isAggregated ? { aggregationRule: { clusterRoleSelectors } } : { rules: rules(random, false) }),
      },
    })
  }
  for (let i = 0; i < 6; i++) planted.push(binding(random, `crb${i}`, undefined))
  for (const namespace of namespaces) {
    for (const name of roleNames) {
      const metadata = { name, namespace, labels: suite }
      planted.push({
        path: `${rbacPath}/namespaces/${namespace}/roles`,
        object: { apiVersion, kind: 'Role', metadata, rules: rules(random, true) },
      })
    }
    for (let i = 0; i < 4; i++) planted.push(binding(random, `rb${i}`, namespace))
  }
  return [...planted, ...editors]
}

function binding(random: RandomStream, name: string, namespace: string | undefined): Planted {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels: suite }
  const subjects = some(random, [0, 1], 2).map(() => randomSubject(random))
  const kind = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding'
  return {
    path:
      namespace === undefined ? `${rbacPath}/clusterrolebindings` : `${rbacPath}/namespaces/${namespace}/rolebindings`,
    object: { apiVersion, kind, metadata, subjects, roleRef: roleRef(random, namespace !== undefined) },
  }
}

/** ann may always edit roles and bindings, and bob may impersonate others. The requests test the limits of these rights. */
const editors: readonly Planted[] = [
  {
    path: `${rbacPath}/clusterroles`,
    object: {
      ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'editor', labels: suite } },
      rules: [
        {
          apiGroups: [rbacGroup],
          resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
          verbs: ['get', 'create', 'update', 'patch'],
        },
        { apiGroups: ['authorization.k8s.io'], resources: ['*'], verbs: ['create'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'update', 'patch'] },
      ],
    },
  },
  {
    path: `${rbacPath}/clusterrolebindings`,
    object: {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'editor', labels: suite } },
      subjects: [
        { kind: 'User', apiGroup: rbacGroup, name: 'ann' },
        { kind: 'User', apiGroup: rbacGroup, name: 'bob' },
        { kind: 'ServiceAccount', namespace: 'a1', name: 'robot' },
      ],
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'editor' },
    },
  },
]

/** Shows that a server has seen all earlier objects: one right for each kind of informer. */
export const markers = (round: string): readonly Planted[] => [
  {
    path: `${rbacPath}/clusterroles`,
    object: {
      ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'marker', labels: { ...suite, marker: round } } },
      rules: [{ apiGroups: ['marker'], resources: [round], verbs: ['get'] }],
    },
  },
  {
    path: `${rbacPath}/clusterroles`,
    object: {
      ...{ apiVersion, kind: 'ClusterRole', metadata: { name: 'markers', labels: { ...suite, tier: 'top' } } },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { marker: round } }] },
    },
  },
  {
    path: `${rbacPath}/clusterrolebindings`,
    object: {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'marker', labels: suite } },
      subjects: [{ kind: 'User', apiGroup: rbacGroup, name: `marker-${round}` }],
      roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: 'markers' },
    },
  },
  {
    path: `${rbacPath}/namespaces/a1/roles`,
    object: {
      ...{ apiVersion, kind: 'Role', metadata: { name: 'marker', namespace: 'a1', labels: suite } },
      rules: [{ apiGroups: ['marker'], resources: [`${round}-local`], verbs: ['get'] }],
    },
  },
  {
    path: `${rbacPath}/namespaces/a1/rolebindings`,
    object: {
      ...{ apiVersion, kind: 'RoleBinding', metadata: { name: 'marker', namespace: 'a1', labels: suite } },
      subjects: [{ kind: 'User', apiGroup: rbacGroup, name: `marker-${round}` }],
      roleRef: { apiGroup: rbacGroup, kind: 'Role', name: 'marker' },
    },
  },
]
