import type { KubeObject } from '../api/objects/meta.ts'
import type { Caller } from '../registry/contract.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: {
    readonly clusterRoleSelectors?: readonly { readonly matchLabels?: Readonly<Record<string, string>> }[]
  }
}

export interface RoleBinding extends KubeObject {
  readonly subjects?: readonly {
    readonly kind: string
    readonly name: string
    readonly namespace?: string
    readonly apiGroup?: string
  }[]
  readonly roleRef: { readonly apiGroup?: string; readonly kind: string; readonly name: string }
}

export interface Attributes {
  readonly caller: Caller
  readonly verb: string
  readonly group: string
  readonly plural: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
  /** Set instead of the resource fields for paths such as /metrics. */
  readonly path?: string
}

/** Where roles and bindings are read from; the store answers in production. */
export interface RoleSource {
  clusterRole(name: string): Role | undefined
  clusterRoles(): readonly Role[]
  clusterRoleBindings(): readonly RoleBinding[]
  role(namespace: string, name: string): Role | undefined
  roleBindings(namespace: string): readonly RoleBinding[]
}

/** RBAC (plugin/pkg/auth/authorizer/rbac): the union of what every binding of the caller allows. */
export function authorize(attributes: Attributes, source: RoleSource): boolean {
  if (attributes.caller.groups.includes('system:masters')) return true
  return rulesFor(attributes.caller, attributes.namespace, source).some((rule) => ruleAllows(rule, attributes))
}

/** Every rule that applies to a caller in a namespace (absent: cluster-wide rules alone). */
export function rulesFor(caller: Caller, namespace: string | undefined, source: RoleSource): readonly PolicyRule[] {
  if (caller.groups.includes('system:masters')) {
    return [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ]
  }
  const rules: PolicyRule[] = []
  for (const binding of source.clusterRoleBindings()) {
    if (bindsTo(binding, caller, undefined)) rules.push(...rulesOfClusterRole(source, binding.roleRef.name))
  }
  if (namespace === undefined) return rules
  for (const binding of source.roleBindings(namespace)) {
    if (!bindsTo(binding, caller, namespace)) continue
    const { kind, name } = binding.roleRef
    rules.push(
      ...(kind === 'ClusterRole' ? rulesOfClusterRole(source, name) : (source.role(namespace, name)?.rules ?? [])),
    )
  }
  return rules
}

/** Aggregated roles are computed on reading: there is no controller that has to write them out first. */
function rulesOfClusterRole(source: RoleSource, name: string): readonly PolicyRule[] {
  const gathered = new Set<Role>()
  const gather = (role: Role | undefined): void => {
    if (role === undefined || gathered.has(role)) return
    gathered.add(role)
    for (const { matchLabels = {} } of role.aggregationRule?.clusterRoleSelectors ?? []) {
      const wanted = Object.entries(matchLabels)
      for (const other of source.clusterRoles()) {
        if (wanted.every(([key, value]) => other.metadata.labels?.[key] === value)) gather(other)
      }
    }
  }
  gather(source.clusterRole(name))
  return [...gathered].flatMap((role) => role.rules ?? [])
}

function bindsTo(binding: RoleBinding, caller: Caller, namespace: string | undefined): boolean {
  return (binding.subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === caller.name
    if (subject.kind === 'Group') return caller.groups.includes(subject.name)
    const home = subject.namespace ?? namespace
    return subject.kind === 'ServiceAccount' && caller.name === `system:serviceaccount:${home}:${subject.name}`
  })
}

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false
  if (attributes.path !== undefined)
    return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, attributes.path!))
  if (!has(rule.apiGroups, attributes.group)) return false
  const { plural, subresource } = attributes
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`
  const named = (rule.resources ?? []).some(
    (pattern) =>
      pattern === '*' || pattern === resource || (subresource !== undefined && pattern === `*/${subresource}`),
  )
  if (!named) return false
  const names = rule.resourceNames ?? []
  return names.length === 0 || (attributes.name !== undefined && names.includes(attributes.name))
}

const has = (list: readonly string[] | undefined, value: string) =>
  list !== undefined && (list.includes('*') || list.includes(value))

const pathMatches = (pattern: string, path: string) =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))

/** The sentence kubectl shows for a 403. */
export function forbiddenMessage(attributes: Attributes): string {
  const user = `User ${JSON.stringify(attributes.caller.name)} cannot ${attributes.verb}`
  if (attributes.path !== undefined) return `${user} path ${JSON.stringify(attributes.path)}`
  const resource =
    attributes.subresource === undefined ? attributes.plural : `${attributes.plural}/${attributes.subresource}`
  const where =
    attributes.namespace === undefined
      ? 'at the cluster scope'
      : `in the namespace ${JSON.stringify(attributes.namespace)}`
  return `${user} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(attributes.group)} ${where}`
}
