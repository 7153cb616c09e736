import type { Failure } from '../api/call.ts'
import { semanticEqual } from '../api/equality.ts'
import type { KubeObject } from '../api/objects/meta.ts'
import { failure, notFound, plainError } from '../api/status.ts'
import type { Caller, Guard, GuardedWrite } from '../registry/contract.ts'
import { quoteValue } from '../registry/errors/field-error.ts'
import { refusalOf } from './forbidden.ts'
import {
  type AccessDecision,
  type Attributes,
  aggregated,
  type PolicyRule,
  pathMatches,
  type Role,
  type RoleBinding,
  type RoleSource,
  rulesFor,
  rulesOf,
} from './rbac.ts'

const rbacGroup = 'rbac.authorization.k8s.io'

export interface GuardPorts {
  readonly authorize: (attributes: Attributes) => AccessDecision
  readonly roles: RoleSource
}

/**
 * The checks of RBAC during a write: a caller cannot grant rights that it does not have (registry/rbac/…/policybased).
 */
export function createGuard(ports: GuardPorts): Guard {
  return {
    escalation: (write) => {
      if (write.kind.group !== rbacGroup || write.caller.groups.includes('system:masters')) return undefined
      switch (write.kind.plural) {
        case 'roles':
        case 'clusterroles':
          return roleEscalation(ports, write)
        case 'rolebindings':
        case 'clusterrolebindings':
          return bindingEscalation(ports, write)
        default:
          return undefined
      }
    },
    creation: ({ kind, caller, namespace, name }) => {
      const attributes = attributesOf(caller, 'create', kind.group, kind.plural, namespace, name)
      const decision = ports.authorize(attributes)
      return decision.allowed ? undefined : refusalOf(attributes, decision.reason)
    },
    permission: (caller, { group, plural, verb, namespace, name, subresource }) => {
      const attributes = { ...attributesOf(caller, verb, group, plural, namespace, name), subresource }
      const decision = ports.authorize(attributes)
      return decision.allowed ? undefined : refusalOf(attributes, decision.reason).status.message
    },
    access: (caller, { verb, path, group = '', resource = '', subresource, namespace, name }) => {
      if (path !== undefined) return ports.authorize({ caller, verb, group: '', plural: '', path })
      const attributes = attributesOf(caller, verb, group, resource, namespace, name)
      return ports.authorize(subresource === undefined ? attributes : { ...attributes, subresource })
    },
  }
}

function attributesOf(
  caller: Caller,
  verb: string,
  group: string,
  plural: string,
  namespace: string | undefined,
  name: string | undefined,
): Attributes {
  return {
    ...{ caller, verb, group, plural },
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  }
}

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function roleEscalation(ports: GuardPorts, write: GuardedWrite): Failure | undefined {
  const { caller, kind, namespace, name } = write
  if (ports.authorize(attributesOf(caller, 'escalate', kind.group, kind.plural, namespace, name)).allowed) {
    return undefined
  }
  if (changesOnlyWhatCollectionNeeds(write)) return undefined
  const role = write.object as Role
  const excess = excessOf(ports, write, givenRules(ports, role, write.old as Role | undefined))
  if (excess !== undefined) return excess
  // An aggregated role may collect any rule, so only callers with all rights may change its aggregation rule.
  if (!isAggregated(role) && !isAggregated(write.old as Role | undefined)) return undefined
  if (excessOf(ports, write, everything) === undefined) return undefined
  return forbiddenWrite(write, 'must have cluster-admin privileges to use the aggregationRule')
}

/** The rules of an aggregated role are not stored, so they are unchanged unless the write contains different rules. */
function givenRules({ roles }: GuardPorts, role: Role, old: Role | undefined): readonly PolicyRule[] {
  const given = role.rules ?? []
  if (old?.aggregationRule === undefined || !semanticEqual(given, old.rules ?? [])) return given
  return rulesOf(roles, { kind: 'ClusterRole', name: old.metadata.name }, '') ?? given
}

const isAggregated = (role: Role | undefined): boolean => (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0

function bindingEscalation(ports: GuardPorts, write: GuardedWrite): Failure | undefined {
  if (changesOnlyWhatCollectionNeeds(write)) return undefined
  const { caller, namespace } = write
  const roleRef = (write.object as RoleBinding).roleRef ?? { kind: '', name: '' }
  const { kind = '', name = '', apiGroup = '' } = roleRef
  const plural = kind === 'ClusterRole' ? 'clusterroles' : kind === 'Role' ? 'roles' : undefined
  if (plural === undefined) return plainError(`unsupported role reference kind: ${quoteValue(kind)}`)
  if (ports.authorize(attributesOf(caller, 'bind', apiGroup, plural, namespace, name)).allowed) return undefined
  const rules = rulesOf(ports.roles, roleRef, namespace ?? '')
  return rules === undefined ? notFound(write.kind.resource, name) : excessOf(ports, write, rules)
}

/** The garbage collector changes owners and finalizers of objects whose rights it cannot grant. */
function changesOnlyWhatCollectionNeeds({ object, old }: GuardedWrite): boolean {
  return old !== undefined && semanticEqual(withoutCollected(object), withoutCollected(old))
}

function withoutCollected(object: KubeObject): unknown {
  const { apiVersion: _, kind: __, metadata, ...rest } = object
  const { ownerReferences, finalizers, managedFields, selfLink, ...kept } = metadata as typeof metadata & {
    readonly selfLink?: string
  }
  return { ...rest, metadata: kept }
}

/** The rejection with the rules that the caller lacks (registry/rbac/validation, ConfirmNoEscalation). */
function excessOf(ports: GuardPorts, write: GuardedWrite, rules: readonly PolicyRule[]): Failure | undefined {
  const { caller } = write
  const own = rulesFor(caller, write.namespace, ports.roles)
  const excess = rules.flatMap(atoms).filter((atom) => !own.rules.some((rule) => covers(rule, atom)))
  if (excess.length === 0) return undefined
  const lines = [...new Set(compacted(excess).map(ruleText))].sort()
  const groups = quotedList(caller.groups)
  // If upstream cannot find the role, it uses the role in the request.
  const missing = own.missing.map(({ name }) => `${write.kind.resource} "${name}" not found`)
  const why =
    `user ${quoteValue(caller.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n` +
    `${lines.join('\n')}${missing.length === 0 ? '' : `; resolution errors: [${aggregated(missing)}]`}`
  return forbiddenWrite(write, why)
}

function forbiddenWrite({ kind, object }: GuardedWrite, why: string): Failure {
  const name = object.metadata?.name ?? ''
  const subject = name === '' ? kind.resource : `${kind.resource} ${quoteValue(name)}`
  return failure('Forbidden', `${subject} is forbidden: ${why}`, {
    ...(name === '' ? {} : { name }),
    ...{ group: kind.group, kind: kind.plural },
  })
}

/** A rule divided into rules of one verb on one resource, each of which a single rule can cover. */
function atoms(rule: PolicyRule): readonly PolicyRule[] {
  const { apiGroups = [], resources = [], verbs = [], resourceNames = [], nonResourceURLs = [] } = rule
  const out: PolicyRule[] = []
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const atom = { apiGroups: [group], resources: [resource], verbs: [verb] }
        if (resourceNames.length === 0) out.push(atom)
        else for (const name of resourceNames) out.push({ ...atom, resourceNames: [name] })
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs) out.push({ nonResourceURLs: [url], verbs: [verb] })
  return out
}

/** Whether a rule covers another one (component-helpers auth/rbac/validation, ruleCovers). */
function covers(owned: PolicyRule, atom: PolicyRule): boolean {
  const { apiGroups = [], resources = [], verbs = [], resourceNames = [], nonResourceURLs = [] } = owned
  const hasAll = (list: readonly string[], wanted: readonly string[] = []) =>
    list.includes('*') || wanted.every((one) => list.includes(one))
  const names = atom.resourceNames ?? []
  return (
    hasAll(verbs, atom.verbs) &&
    hasAll(apiGroups, atom.apiGroups) &&
    (resources.includes('*') || (atom.resources ?? []).every((one) => coversResource(resources, one))) &&
    (resourceNames.length === 0 || (names.length > 0 && names.every((one) => resourceNames.includes(one)))) &&
    (atom.nonResourceURLs ?? []).every((url) => nonResourceURLs.some((pattern) => pathMatches(pattern, url)))
  )
}

function coversResource(resources: readonly string[], wanted: string): boolean {
  if (resources.includes(wanted)) return true
  const slash = wanted.indexOf('/')
  return slash >= 0 && resources.includes(`*/${wanted.slice(slash + 1)}`)
}

/** Rules on the same resource, merged into one with all their verbs. */
function compacted(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byThing = new Map<string, PolicyRule>()
  const others: PolicyRule[] = []
  for (const rule of rules) {
    if (rule.nonResourceURLs !== undefined) {
      others.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const known = byThing.get(key)
    byThing.set(key, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] })
  }
  return [...others, ...byThing.values()]
}

const quotedList = (list: readonly string[]): string => `[${list.map(quoteValue).join(' ')}]`

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    ...{ APIGroups: apiGroups, Resources: resources, NonResourceURLs: nonResourceURLs },
    ...{ ResourceNames: resourceNames, Verbs: verbs },
  })
  const shown = parts.flatMap(([name, list = []]) => (list.length === 0 ? [] : [`${name}:${quotedList(list)}`]))
  return `{${shown.join(', ')}}`
}
