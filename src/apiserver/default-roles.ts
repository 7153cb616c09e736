import type { KubeObject } from '../api/objects/meta.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { clusterRoleBindings, roleBindings, roles } from './default-role-bindings.ts'
import { clusterRoles } from './default-role-rules.ts'
import type { PolicyRule } from './rbac.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`

/** The objects that kube-apiserver creates on its first start with RBAC. */
export function defaultRoles(
  release: KubernetesRelease,
): readonly { readonly resource: string; readonly object: KubeObject }[] {
  const clusterWide = blocks(clusterRoles, release).map((block) => roleOf('ClusterRole', block))
  const controllers = clusterWide
    .map(({ metadata }) => metadata.name)
    .filter((name) => name.startsWith('system:controller:'))
    .map((name) => `${name}: account kube-system/${name.slice('system:controller:'.length)}`)
  return [
    ...clusterWide,
    ...lines(clusterRoleBindings)
      .flatMap((line) => lineIn(line, release) ?? [])
      .concat(controllers)
      .map((line) => bindingOf('ClusterRole', line)),
    ...blocks(roles, release).map((block) => roleOf('Role', block)),
    ...lines(roleBindings).map((line) => bindingOf('Role', line)),
  ].map((object) => ({ resource: `${object.kind!.toLowerCase()}s.${apiGroup}`, object }))
}

export function defaultClusterRoleRules(name: string, release: KubernetesRelease): readonly PolicyRule[] {
  const block = blocks(clusterRoles, release).find(([head]) => head === name)
  return block === undefined ? [] : block.slice(1).map(ruleOf)
}

const lines = (text: string) => text.trim().split('\n')

/** A head and its indented lines; further indented lines continue the previous one. */
const blocks = (text: string, release: KubernetesRelease): readonly [string, ...string[]][] =>
  text
    .trim()
    .replace(/\n {6}/g, ' ')
    .split(/\n(?! )/)
    .flatMap((block): [string, ...string[]][] => {
      const [first = '', ...rest] = block.split(/\n {2}/)
      const head = lineIn(first, release)
      const rules = rest.map((line) => lineIn(line, release)).filter((line) => line !== undefined)
      return head === undefined ? [] : [[head, ...rules]]
    })

/** A line without its conditions; undefined if the release does not meet one of them. */
function lineIn(line: string, release: KubernetesRelease): string | undefined {
  const [, condition, rest = ''] = /^@(\S+) (.*)$/.exec(line) ?? []
  if (condition === undefined) return line
  const [, minor, direction] = /^(1\.\d\d)([+-])$/.exec(condition) ?? []
  const holds =
    minor === undefined
      ? release.gates.has(condition)
      : direction === '+'
        ? release.minor >= minor
        : release.minor <= minor
  return holds ? lineIn(rest, release) : undefined
}

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
