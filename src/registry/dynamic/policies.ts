import type { Failure } from '../../api/call.ts'
import { selects } from '../../api/label-selector.ts'
import type { KubeObject, LabelSelector } from '../../api/objects/meta.ts'
import type { Store } from '../../store/contract.ts'
import { servedForm } from '../backend.ts'
import type { Kind, KindTable } from '../kinds/kind.ts'
import type { AdmissionRequest, Match } from './admission-request.ts'
import type { MatchCondition } from './match-conditions.ts'
import { matchOf, namespaceSelected, objectSelected, type Rule } from './rules.ts'

/** spec.matchConstraints of a policy, spec.matchResources of a binding. */
interface MatchResources {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly resourceRules?: readonly Rule[]
  readonly excludeResourceRules?: readonly Rule[]
  readonly matchPolicy?: string
}

export interface Variable {
  readonly name: string
  readonly expression: string
}

export interface ParamKind {
  readonly apiVersion: string
  readonly kind: string
}

/** The fields that validating and mutating policies share. */
export interface Policy<S = unknown> extends KubeObject {
  readonly spec: S & {
    readonly paramKind?: ParamKind
    readonly matchConstraints?: MatchResources
    readonly matchConditions?: readonly MatchCondition[]
    readonly variables?: readonly Variable[]
    readonly failurePolicy?: string
  }
}

export interface PolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName: string
    readonly paramRef?: {
      readonly name?: string
      readonly namespace?: string
      readonly selector?: LabelSelector
      readonly parameterNotFoundAction?: string
    }
    readonly matchResources?: MatchResources
    readonly validationActions?: readonly string[]
  }
}

/** The inputs that determine the policies of a request. */
export interface PolicySurroundings {
  readonly store: Store
  readonly kinds: KindTable
}

/** The resources of one kind of policy and of its bindings. */
export interface PolicyResources {
  readonly policies: string
  readonly bindings: string
}

/** A policy with one of its bindings and one of its parameters. */
export interface PolicyInvocation<P extends Policy> {
  readonly policy: P
  readonly binding: PolicyBinding
  readonly match: Match
  readonly param: KubeObject | null
}

/** Why a policy, or one of its bindings, cannot be used or rejects a request. */
export interface PolicyError<P extends Policy> {
  readonly policy: P
  readonly binding?: PolicyBinding | undefined
  readonly message: string
  readonly reason?: string | undefined
}

/** The policies that apply to a request. Policies and bindings that cannot be used are reported in their order. */
export function* policiesFor<P extends Policy>(
  resources: PolicyResources,
  request: AdmissionRequest,
  surroundings: PolicySurroundings,
  report: (error: PolicyError<P>) => void,
): Generator<{ readonly policy: P; readonly invocations: Iterable<PolicyInvocation<P>> }> {
  for (const { policy, bindings } of boundPolicies<P>(surroundings.store, resources)) {
    const match = matchResources(policy.spec.matchConstraints, request, surroundings)
    if (match === undefined) continue
    const broken = 'failed' in match ? match.failed : unknownParamKind(policy, surroundings.kinds)
    if ('failed' in match || broken !== undefined) {
      report({ policy, message: `failed to configure policy: ${broken}` })
      continue
    }
    const invocations = invocationsOf(policy, bindings, match, request, surroundings, report)
    yield { policy, invocations }
  }
}

function* invocationsOf<P extends Policy>(
  policy: P,
  bindings: readonly PolicyBinding[],
  match: Match,
  request: AdmissionRequest,
  surroundings: PolicySurroundings,
  report: (error: PolicyError<P>) => void,
): Generator<PolicyInvocation<P>> {
  for (const binding of bindings) {
    const included = matchResources(binding.spec.matchResources, request, surroundings)
    if (included === undefined) continue
    const params = 'failed' in included ? included : paramsOf(policy, binding, request.namespace, surroundings)
    if ('failed' in params) report({ policy, binding, message: `failed to configure binding: ${params.failed}` })
    else for (const param of params) yield { policy, binding, match, param }
  }
}

/** Policies with their bindings, both ordered by name. A policy without a binding has no effect. */
function boundPolicies<P extends Policy>(
  store: Store,
  { policies, bindings }: PolicyResources,
): readonly { readonly policy: P; readonly bindings: readonly PolicyBinding[] }[] {
  if (store.count(bindings) === 0 || store.count(policies) === 0) return []
  const byPolicy = new Map<string, PolicyBinding[]>()
  for (const binding of store.list(bindings) as readonly PolicyBinding[]) {
    const { policyName } = binding.spec
    const known = byPolicy.get(policyName)
    if (known === undefined) byPolicy.set(policyName, [binding])
    else known.push(binding)
  }
  return (store.list(policies) as readonly P[]).flatMap((policy) => {
    const own = byPolicy.get(policy.metadata.name)
    return own === undefined ? [] : [{ policy, bindings: own }]
  })
}

/**
 * Whether a policy or binding matches a request, and as which resource. `failed`: why the match is unknown
 * (policy/matching).
 */
function matchResources(
  resources: MatchResources | undefined,
  request: AdmissionRequest,
  { store, kinds }: PolicySurroundings,
): Match | { readonly failed: string } | undefined {
  const own: Match = { resource: request.resource, kind: request.kind, as: request.target }
  if (resources === undefined) return own
  const inNamespace = namespaceSelected(resources.namespaceSelector, request, store)
  if (inNamespace === false || !objectSelected(resources.objectSelector, request)) return undefined
  const isEquivalent = resources.matchPolicy !== undefined && resources.matchPolicy !== 'Exact'
  const isNamed = ({ resourceNames = [] }: Rule): boolean =>
    resourceNames.length === 0 || resourceNames.includes(request.name)
  const excluded = resources.excludeResourceRules ?? []
  if (matchOf(excluded, request, kinds, isEquivalent, isNamed) !== undefined) return undefined
  const rules = resources.resourceRules ?? []
  const match = rules.length === 0 ? own : matchOf(rules, request, kinds, isEquivalent, isNamed)
  if (match === undefined || inNamespace === true) return match
  return { failed: (inNamespace as Failure).status.message ?? '' }
}

/**
 * The parameters that a binding gives to its policy. `[null]`: the policy has no parameters (policy/generic,
 * CollectParams).
 */
function paramsOf(
  policy: Policy,
  { spec: { paramRef } }: PolicyBinding,
  namespace: string,
  { store, kinds }: PolicySurroundings,
): readonly (KubeObject | null)[] | { readonly failed: string } {
  const { paramKind } = policy.spec
  if (paramKind === undefined || paramRef === undefined) return [null]
  const kind = paramKindOf(kinds, paramKind)
  if (kind === undefined) return { failed: unknownParamKind(policy, kinds) ?? '' }
  const wanted = paramRef.namespace ?? ''
  const home = wanted === '' ? namespace : wanted
  if (kind.namespaced && home === '') {
    return { failed: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' }
  }
  if (!kind.namespaced && wanted !== '') {
    return { failed: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' }
  }
  const { name = '', selector, parameterNotFoundAction } = paramRef
  const found =
    name === ''
      ? store
          .list(kind.storage, kind.namespaced ? { namespace: home } : {})
          .filter(({ metadata }) => selects(selector, metadata.labels ?? {}))
      : [store.get(kind.storage, kind.namespaced ? `${home}/${name}` : name)].filter((one) => one !== undefined)
  if (found.length === 0 && parameterNotFoundAction === 'Deny') {
    return { failed: 'no params found for policy binding with `Deny` parameterNotFoundAction' }
  }
  return found.map((one) => ({ ...servedForm(kind, one), apiVersion: kind.apiVersion, kind: kind.kind }))
}

/** Why a policy cannot be used at all. */
function unknownParamKind({ spec: { paramKind } }: Policy, kinds: KindTable): string | undefined {
  if (paramKind === undefined || paramKindOf(kinds, paramKind) !== undefined) return undefined
  const { apiVersion, kind } = paramKind
  return `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`
}

function paramKindOf(kinds: KindTable, { apiVersion, kind }: ParamKind): Kind | undefined {
  return kinds.all().find((one) => one.apiVersion === apiVersion && one.kind === kind)
}

/** The namespace for expressions. Requests for Namespace objects have none. */
export function namespaceOf({ kind, namespace }: AdmissionRequest, store: Store): KubeObject | undefined {
  const isNamespace = kind.group === '' && kind.version === 'v1' && kind.kind === 'Namespace'
  return isNamespace || namespace === '' ? undefined : store.get('namespaces', namespace)
}
