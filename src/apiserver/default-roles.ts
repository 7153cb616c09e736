import type { KubeObject } from '../api/objects/meta.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './default-role-rules.ts'
import type { PolicyRule } from './rbac.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`

/** The objects that kube-apiserver creates on its first start with RBAC. */
export function defaultRoles(): readonly { readonly resource: string; readonly object: KubeObject }[] {
  const clusterWide = blocks(clusterRoles).map((block) => roleOf('ClusterRole', block))
  const controllers = clusterWide
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('system:controller:'))
    .map((name) => `${name}: account kube-system/${name.slice('system:controller:'.length)}`)
  return [
    ...clusterWide,
    ...lines(clusterRoleBindings)
      .concat(controllers)
      .map((line) => bindingOf('ClusterRole', line)),
    ...blocks(roles).map((block) => roleOf('Role', block)),
    ...lines(roleBindings).map((line) => bindingOf('Role', line)),
  ].map((object) => ({ resource: `${object.kind!.toLowerCase()}s.${apiGroup}`, object }))
}

/** The rules of one of them. */
export function defaultClusterRoleRules(name: string): readonly PolicyRule[] {
  const block = blocks(clusterRoles).find(([head]) => head === name)
  return block === undefined ? [] : block.slice(1).map(ruleOf)
}

const lines = (text: string) => text.trim().split('\n')

/** A head and its indented lines; further indented lines continue the previous one. */
const blocks = (text: string) =>
  text
    .trim()
    .replace(/\n {6}/g, ' ')
    .split(/\n(?! )/)
    .map((block) => block.split(/\n {2}/) as [string, ...string[]])

function metadataOf(place: string, labels: Readonly<Record<string, string>> = {}) {
  const [first = '', second] = place.split(' ')
  return {
    ...(second === undefined ? { name: first } : { name: second, namespace: first }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  }
}

const aggregateTo = (role: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true' })

function roleOf(kind: 'ClusterRole' | 'Role', [head, ...rules]: readonly [string, ...string[]]): KubeObject {
  const place = head.replace(/ \(.*/, '')
  const partOf = /\bin (\w+)/.exec(head)?.[1]
  const madeOf = /\bof (\w+)/.exec(head)?.[1]
  return {
    apiVersion,
    kind,
    metadata: metadataOf(place, partOf === undefined ? {} : aggregateTo(partOf)),
    ...(madeOf === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(madeOf) }] } }),
    rules: rules.map(ruleOf),
  } as KubeObject
}

const verbSets = lookupTable<readonly string[]>({
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
})

function ruleOf(line: string): PolicyRule {
  const [, verbList = '', groups, rest = ''] = /^(\S+) (?:(\S+): )?(.*)$/.exec(line)!
  const verbs = verbSets[verbList] ?? verbList.split(',')
  if (groups === undefined) return { nonResourceURLs: rest.split(' '), verbs }
  const [resources = '', names] = rest.split(' = ')
  return {
    apiGroups: groups.split(',').map((group) => (group === 'core' ? '' : group)),
    ...(names === undefined ? {} : { resourceNames: names.split(' ') }),
    resources: resources.split(' '),
    verbs,
  }
}

function bindingOf(kind: 'ClusterRole' | 'Role', line: string): KubeObject {
  const [head = '', who = ''] = line.split(/:(?: |$)/)
  const words = head.split(' ')
  const place = kind === 'Role' ? words.slice(0, 2) : words
  return {
    apiVersion,
    kind: `${kind}Binding`,
    metadata: metadataOf(place.join(' ')),
    roleRef: { apiGroup, kind, name: words.at(-1) },
    ...(who === '' ? {} : { subjects: who.split(', ').map(subjectOf) }),
  } as KubeObject
}

function subjectOf(text: string) {
  const [kind, name = ''] = text.split(' ')
  if (kind !== 'account') return { apiGroup, kind: kind === 'user' ? 'User' : 'Group', name }
  const [namespace, account] = name.split('/')
  return { kind: 'ServiceAccount', name: account, namespace }
}
