import { expect, it } from 'vitest'
import { releaseOf } from '../api/releases/release-of.ts'
import { must } from '../base/result.ts'
import { defaultRoles } from './default-roles.ts'
import { authorize, type Role, type RoleBinding, type RoleSource } from './rbac.ts'

const objects = defaultRoles(must(releaseOf('1.36'))).map(({ object }) => object)
const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)

it.each([
  ['1.34', [68, 49, 7, 7]],
  ['1.35', [68, 49, 7, 7]],
  ['1.36', [69, 50, 7, 7]],
  ['1.37', [73, 54, 7, 7]],
])('has every role and binding that kube-apiserver v%s creates', (minor, expected) => {
  const created = defaultRoles(must(releaseOf(minor))).map(({ object }) => object.kind)
  const counts = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(
    (kind) => created.filter((one) => one === kind).length,
  )
  expect(counts).toEqual(expected)
})

it('parses verbs, groups, resources, names and paths of rules', () => {
  const rules = (name: string) => (ofKind('ClusterRole').find(({ metadata }) => metadata.name === name) as Role).rules
  expect(rules('cluster-admin')).toEqual([
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
    { nonResourceURLs: ['*'], verbs: ['*'] },
  ])
  expect(rules('system:certificates.k8s.io:kubelet-serving-approver')).toEqual([
    {
      apiGroups: ['certificates.k8s.io'],
      resourceNames: ['kubernetes.io/kubelet-serving'],
      resources: ['signers'],
      verbs: ['approve'],
    },
  ])
})

const source = (bindings: readonly RoleBinding[]): RoleSource => ({
  clusterRole: (name) => ofKind('ClusterRole').find(({ metadata }) => metadata.name === name) as Role | undefined,
  clusterRoles: () => ofKind('ClusterRole') as Role[],
  clusterRoleBindings: () => [...(ofKind('ClusterRoleBinding') as RoleBinding[]), ...bindings],
  role: (namespace, name) =>
    ofKind('Role').find(({ metadata }) => metadata.namespace === namespace && metadata.name === name) as
      | Role
      | undefined,
  roleBindings: (namespace) =>
    ofKind('RoleBinding').filter(({ metadata }) => metadata.namespace === namespace) as RoleBinding[],
})

const ann = { name: 'ann', groups: ['system:authenticated'] }
const bound = (role: string): RoleBinding =>
  ({
    metadata: { name: 'ann' },
    subjects: [{ kind: 'User', name: 'ann' }],
    roleRef: { kind: 'ClusterRole', name: role },
  }) as RoleBinding

it.each([
  ['view', 'get', '', 'pods', true],
  ['view', 'delete', '', 'pods', false],
  ['view', 'get', '', 'secrets', false],
  ['edit', 'delete', 'apps', 'deployments', true],
  ['edit', 'get', '', 'pods', true],
  ['edit', 'create', 'rbac.authorization.k8s.io', 'roles', false],
  ['admin', 'create', 'rbac.authorization.k8s.io', 'roles', true],
  ['admin', 'list', 'batch', 'jobs', true],
])('the aggregated role %s may %s %s %s: %s', (role, verb, group, plural, allowed) => {
  expect(authorize({ caller: ann, verb, group, plural, namespace: 'shop' }, source([bound(role)])).allowed).toBe(
    allowed,
  )
})

it.each([
  [
    'the service account of a controller',
    'system:serviceaccount:kube-system:node-controller',
    'delete',
    '',
    'pods',
    true,
  ],
  ['the user name of the scheduler', 'system:kube-scheduler', 'create', '', 'pods/binding', true],
  [
    'no service account of another namespace',
    'system:serviceaccount:shop:node-controller',
    'delete',
    '',
    'pods',
    false,
  ],
])('decides by the default role bindings of %s', (_, name, verb, group, resource, allowed) => {
  const [plural = '', subresource] = resource.split('/')
  const attributes = { caller: { name, groups: [] }, verb, group, plural, namespace: 'shop' }
  const whole = subresource === undefined ? attributes : { ...attributes, subresource }
  expect(authorize(whole, source([])).allowed).toBe(allowed)
})
