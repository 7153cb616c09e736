import type { Caller } from '../../registry/contract.ts'

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

const auditLevels: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse']
const auditStages: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

export const includes = (level: AuditLevel, wanted: AuditLevel): boolean =>
  auditLevels.indexOf(level) >= auditLevels.indexOf(wanted)

interface GroupResources {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

interface AuditRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** A Policy of audit.k8s.io/v1. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** The attributes of a request that the rules match. */
export interface AuditedRequest {
  readonly caller: Caller
  readonly verb: string
  readonly resource?: {
    readonly group: string
    readonly plural: string
    readonly subresource?: string | undefined
    readonly namespace?: string | undefined
    readonly name?: string | undefined
  }
  readonly path: string
}

/** How a request is recorded. */
export interface AuditChoice {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<string>
  readonly omitManagedFields: boolean
}

const nothing: AuditChoice = { level: 'None', omitStages: new Set(), omitManagedFields: false }

/** The first rule that matches decides (v1.36, apiserver/pkg/audit/policy). */
export function auditChoice(policy: AuditPolicy, request: AuditedRequest): AuditChoice {
  const rule = policy.rules.find((one) => ruleMatches(one, request))
  if (rule === undefined) return nothing
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  }
}

const isEmpty = (list: readonly unknown[] | undefined): boolean => list === undefined || list.length === 0

function ruleMatches(rule: AuditRule, request: AuditedRequest): boolean {
  const { caller, verb } = request
  if (!isEmpty(rule.users) && rule.users?.includes(caller.name) !== true) return false
  if (!isEmpty(rule.userGroups) && !caller.groups.some((group) => rule.userGroups?.includes(group))) return false
  if (!isEmpty(rule.verbs) && rule.verbs?.includes(verb) !== true) return false
  if (!isEmpty(rule.namespaces) || !isEmpty(rule.resources)) return matchesResource(rule, request)
  if (!isEmpty(rule.nonResourceURLs)) return matchesPath(rule, request)
  return true
}

function matchesPath({ nonResourceURLs = [] }: AuditRule, { resource, path }: AuditedRequest): boolean {
  if (resource !== undefined) return false
  return nonResourceURLs.some(
    (url) => url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1))),
  )
}

function matchesResource(rule: AuditRule, { resource }: AuditedRequest): boolean {
  if (resource === undefined) return false
  if (!isEmpty(rule.namespaces) && rule.namespaces?.includes(resource.namespace ?? '') !== true) return false
  if (isEmpty(rule.resources)) return true
  const { group, plural, subresource = '', name = '' } = resource
  const combined = subresource === '' ? plural : `${plural}/${subresource}`
  return (rule.resources ?? []).some((wanted) => {
    if ((wanted.group ?? '') !== group) return false
    if (isEmpty(wanted.resources)) return true
    if (!isEmpty(wanted.resourceNames) && wanted.resourceNames?.includes(name) !== true) return false
    return (wanted.resources ?? []).some(
      (one) =>
        one === combined || one === '*' || (subresource !== '' && one === `*/${subresource}`) || one === `${plural}/*`,
    )
  })
}

/** Reads a policy; a string describes the error. */
export function readAuditPolicy(document: unknown): AuditPolicy | string {
  const policy = (document ?? {}) as AuditPolicy & { readonly kind?: unknown; readonly apiVersion?: unknown }
  if (policy.apiVersion !== 'audit.k8s.io/v1')
    return `unknown group version field ${String(policy.apiVersion)} in policy`
  if (policy.kind !== 'Policy')
    return `no kind ${JSON.stringify(policy.kind)} is registered for version "audit.k8s.io/v1"`
  if (!Array.isArray(policy.rules) || policy.rules.length === 0) return 'loaded illegal policy with 0 rules'
  const stages = [policy.omitStages, ...policy.rules.map(({ omitStages }) => omitStages)].flatMap((list) => list ?? [])
  const unknown = stages.find((stage) => !auditStages.includes(stage))
  if (unknown !== undefined) {
    return `omitStages: Invalid value: ${JSON.stringify(unknown)}: allowed stages are ${auditStages.join(',')}`
  }
  for (const [i, rule] of policy.rules.entries()) {
    if (!auditLevels.includes(rule.level)) {
      const supported = auditLevels
        .map((level) => JSON.stringify(level))
        .sort()
        .join(', ')
      return `rules[${i}].level: Unsupported value: ${JSON.stringify(rule.level)}: supported values: ${supported}`
    }
    const isBoth = !isEmpty(rule.nonResourceURLs) && (!isEmpty(rule.resources) || !isEmpty(rule.namespaces))
    if (isBoth) {
      return `rules[${i}].nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`
    }
  }
  return policy
}
