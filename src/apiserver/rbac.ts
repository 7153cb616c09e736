import type { FieldRequirement } from '../api/field-selector.ts'
import { compileLabelSelector } from '../api/label-selector.ts'
import type { KubeObject, LabelSelector } from '../api/objects/meta.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { Caller } from '../registry/contract.ts'
import { quoteValue } from '../registry/errors/field-error.ts'

export interface PolicyRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[]
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] }
}

interface RbacSubject {
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  readonly apiGroup?: string
}

export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface RoleBinding extends KubeObject {
  readonly subjects?: readonly RbacSubject[]
  readonly roleRef: RoleRef
}

export interface Attributes {
  readonly caller: Caller
  readonly verb: string
  readonly group: string
  readonly plural: string
  readonly subresource?: string | undefined
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** Set instead of the resource fields for paths such as /metrics. */
  readonly path?: string
  /** The field selector of a list, as text or parsed. */
  readonly fieldSelector?: string | readonly FieldRequirement[]
}

/** `reason`: the binding that allows the request, or the roles that could not be found. */
export interface AccessDecision {
  readonly allowed: boolean
  readonly reason: string
}

/** The source of roles and bindings; in production, the store. */
export interface RoleSource {
  clusterRole(name: string): Role | undefined
  clusterRoles(): readonly Role[]
  clusterRoleBindings(): readonly RoleBinding[]
  role(namespace: string, name: string): Role | undefined
  roleBindings(namespace: string): readonly RoleBinding[]
}

const allowedWithoutReason: AccessDecision = { allowed: true, reason: '' }
const denied: AccessDecision = { allowed: false, reason: '' }

/** RBAC (plugin/pkg/auth/authorizer/rbac): the union of all bindings of the caller. */
export function authorize(attributes: Attributes, source: RoleSource): AccessDecision {
  if (attributes.caller.groups.includes('system:masters')) return allowedWithoutReason
  const missing: RoleRef[] = []
  for (const grant of grantsOf(attributes.caller, attributes.namespace, source)) {
    if (grant.rules === undefined) missing.push(grant.binding.roleRef)
    else if (grant.rules.some((rule) => ruleAllows(rule, attributes))) {
      return { allowed: true, reason: `RBAC: allowed by ${grantText(grant)}` }
    }
  }
  if (missing.length === 0) return denied
  return { allowed: false, reason: `RBAC: ${aggregated(missing.map(missingRole))}` }
}

/** The message of client-go's listers. */
const missingRole = ({ kind, name }: RoleRef): string =>
  `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`

/** Several errors as one (apimachinery util/errors, Aggregate). */
export function aggregated(errors: readonly string[]): string {
  const distinct = [...new Set(errors)]
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`
}

export interface KnownRules {
  readonly rules: readonly PolicyRule[]
  /** Roles that bindings of the caller reference but that do not exist. */
  readonly missing: readonly RoleRef[]
  /** Why the list of rules is incomplete: an authorizer cannot list its rules. */
  readonly unresolved?: string
}

/** Every rule for a caller in a namespace (absent: cluster-wide rules only). */
export function rulesFor(caller: Caller, namespace: string | undefined, source: RoleSource): KnownRules {
  const rules: PolicyRule[] = []
  const missing: RoleRef[] = []
  for (const grant of grantsOf(caller, namespace, source)) {
    if (grant.rules === undefined) missing.push(grant.binding.roleRef)
    else rules.push(...grant.rules)
  }
  return { rules, missing }
}

/** The roles that could not be found, as a review reports them. */
export function evaluationError({ missing, unresolved }: KnownRules): string {
  const problems = [...(unresolved === undefined ? [] : [unresolved]), ...missing.map(missingRole)]
  return problems.length === 0 ? '' : aggregated(problems)
}

interface Grant {
  readonly binding: RoleBinding
  readonly subject: RbacSubject
  /** Absent: the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined
}

function* grantsOf(caller: Caller, namespace: string | undefined, source: RoleSource): Generator<Grant> {
  for (const binding of source.clusterRoleBindings()) {
    const subject = subjectOf(binding, caller, '')
    if (subject !== undefined) yield { binding, subject, rules: rulesOf(source, binding.roleRef, '') }
  }
  if (namespace === undefined || namespace === '') return
  for (const binding of source.roleBindings(namespace)) {
    const subject = subjectOf(binding, caller, namespace)
    if (subject !== undefined) yield { binding, subject, rules: rulesOf(source, binding.roleRef, namespace) }
  }
}

/** The rules of the role that a binding in a namespace ('' for the cluster) references. */
export function rulesOf(
  source: RoleSource,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | undefined {
  if (kind === 'ClusterRole') return rulesOfClusterRole(source, name)
  if (kind !== 'Role') return undefined
  const role = source.role(namespace, name)
  return role === undefined ? undefined : (role.rules ?? [])
}

/**
 * Aggregated roles are computed when they are read, so no controller has to write them. As with that controller, they
 * have exactly the rules of the roles that they select.
 */
function rulesOfClusterRole(source: RoleSource, name: string): readonly PolicyRule[] | undefined {
  const role = source.clusterRole(name)
  if (role?.aggregationRule === undefined) return role === undefined ? undefined : (role.rules ?? [])
  const gathered = new Set<Role>()
  const gather = (from: Role): void => {
    if (gathered.has(from)) return
    gathered.add(from)
    for (const selector of from.aggregationRule?.clusterRoleSelectors ?? []) {
      const matcher = compileLabelSelector(selector)
      if (!matcher.ok) continue
      for (const other of source.clusterRoles()) if (matcher.value.matches(other.metadata.labels)) gather(other)
    }
  }
  gather(role)
  const distinct = new Map<string, PolicyRule>()
  for (const one of gathered) {
    if (one.aggregationRule !== undefined) continue
    for (const rule of one.rules ?? []) distinct.set(JSON.stringify(rule), rule)
  }
  return [...distinct.values()]
}

function subjectOf({ subjects = [] }: RoleBinding, caller: Caller, namespace: string): RbacSubject | undefined {
  return subjects.find((subject) => {
    if (subject.kind === 'User') return subject.name === caller.name
    if (subject.kind === 'Group') return caller.groups.includes(subject.name)
    if (subject.kind !== 'ServiceAccount') return false
    const home = subject.namespace || namespace
    return home !== '' && caller.name === `system:serviceaccount:${home}:${subject.name}`
  })
}

function grantText({ binding, subject }: Grant): string {
  const { metadata, roleRef } = binding
  const isLocal = metadata.namespace !== undefined
  const name = isLocal ? `${metadata.name}/${metadata.namespace}` : metadata.name
  const who =
    subject.kind === 'ServiceAccount'
      ? `${subject.name}/${subject.namespace || (metadata.namespace ?? '')}`
      : subject.name
  const kind = isLocal ? 'RoleBinding' : 'ClusterRoleBinding'
  return `${kind} ${quoteValue(name)} of ${roleRef.kind} ${quoteValue(roleRef.name)} to ${subject.kind} ${quoteValue(who)}`
}

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false
  if (attributes.path !== undefined)
    return (rule.nonResourceURLs ?? []).some((url) => pathMatches(url, attributes.path!))
  if (!has(rule.apiGroups, attributes.group)) return false
  const { plural, subresource = '' } = attributes
  const resource = subresource === '' ? plural : `${plural}/${subresource}`
  const named = (rule.resources ?? []).some(
    (pattern) => pattern === '*' || pattern === resource || (subresource !== '' && pattern === `*/${subresource}`),
  )
  if (!named) return false
  const names = rule.resourceNames ?? []
  return names.length === 0 || names.includes(attributes.name ?? '')
}

const has = (list: readonly string[] | undefined, value: string) =>
  list !== undefined && (list.includes('*') || list.includes(value))

export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === '*') end--
  return end < pattern.length && path.startsWith(pattern.slice(0, end))
}

const entities = lookupTable<string>({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })

/** The message that kubectl shows for a 403 (apiserver, responsewriters, ForbiddenStatusError). */
export function forbiddenMessage(attributes: Attributes, reason: string): string {
  const message = forbiddenText(attributes).replace(/[&<>]/g, (char) => entities[char]!)
  return reason === '' ? message : `${message}: ${reason}`
}

function forbiddenText(attributes: Attributes): string {
  const user = `User ${quoteValue(attributes.caller.name)} cannot ${attributes.verb}`
  if (attributes.path !== undefined) return `${user} path ${quoteValue(attributes.path)}`
  const { plural, subresource = '', namespace = '' } = attributes
  const resource = subresource === '' ? plural : `${plural}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoteValue(namespace)}`
  return `${user} resource ${quoteValue(resource)} in API group ${quoteValue(attributes.group)} ${where}`
}
