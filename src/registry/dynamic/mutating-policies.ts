import type { Failure } from '../../api/call.ts'
import { semanticEqual } from '../../api/equality.ts'
import type { Json, KubeObject } from '../../api/objects/meta.ts'
import { failure, notFound } from '../../api/status.ts'
import { type CelType, dyn, simple } from '../../cel/cel-type.ts'
import type { StructTypes } from '../../cel/checker.ts'
import { isFailure } from '../errors/is-failure.ts'
import { patchedDocument } from '../patch/patch-problem.ts'
import { type AdmissionRequest, type Match, shownAs } from './admission-request.ts'
import { mergedByApply } from './apply-configuration.ts'
import { type CompiledExpression, compileAdmission, variableValues, withinBudget } from './expressions.ts'
import { conditionsMatch } from './match-conditions.ts'
import { decodePatched, type Reinvocation } from './mutating-webhooks.ts'
import { patchOperations } from './patch-values.ts'
import { namespaceOf, type Policy, type PolicyError, type PolicyInvocation, policiesFor } from './policies.ts'
import { type CompiledVariables, compileVariables, PolicyEvaluation } from './policy-variables.ts'
import { shownName } from './validating-policies.ts'
import type { WebhookSurroundings } from './webhooks.ts'

const mutatingPolicies = 'mutatingadmissionpolicies.admissionregistration.k8s.io'
export const mutatingBindings = 'mutatingadmissionpolicybindings.admissionregistration.k8s.io'

interface Mutation {
  readonly patchType: string
  readonly jsonPatch?: { readonly expression?: string }
  readonly applyConfiguration?: { readonly expression?: string }
}

type MutatingPolicy = Policy<{ readonly mutations?: readonly Mutation[]; readonly reinvocationPolicy?: string }>

/** Fields of `Object` types have any name and type. */
class AnyFields extends Map<string, CelType> {
  override get(): CelType {
    return dyn
  }
}

const text = simple('string')
const patchFields = new Map([
  ['op', text],
  ['path', text],
  ['from', text],
  ['value', dyn],
])

/** `Object`, `Object.spec.template` and `JSONPatch`, which mutations can make (cel/mutation, DynamicTypeResolver). */
export const mutationTypes: StructTypes = (name) => {
  if (name === 'JSONPatch') return { kind: 'object', name, fields: patchFields }
  if (name === 'Object' || name.startsWith('Object.')) return { kind: 'object', name, fields: new AnyFields() }
  return undefined
}

interface CompiledMutatingPolicy {
  readonly variables: CompiledVariables
  readonly mutations: readonly { readonly isPatch: boolean; readonly expression: CompiledExpression }[]
}

const programs = new WeakMap<KubeObject, CompiledMutatingPolicy>()

function compiledPolicy(policy: MutatingPolicy): CompiledMutatingPolicy {
  let found = programs.get(policy)
  if (found === undefined) {
    const { variables: named, mutations = [], paramKind } = policy.spec
    const variables = compileVariables(named, { params: paramKind !== undefined })
    const types = variables.types(true)
    found = {
      variables,
      mutations: mutations.map(({ patchType, jsonPatch, applyConfiguration }) => {
        const isPatch = patchType === 'JSONPatch'
        const source = (isPatch ? jsonPatch?.expression : applyConfiguration?.expression) ?? ''
        const wanted = [isPatch ? 'list(JSONPatch)' : 'Object']
        return { isPatch, expression: compileAdmission(source, types, wanted, mutationTypes) }
      }),
    }
    programs.set(policy, found)
  }
  return found
}

type Invocation = PolicyInvocation<MutatingPolicy>
type MutationError = PolicyError<MutatingPolicy>

/** MutatingAdmissionPolicy: the object as the policies leave it (policy/mutating). */
export function mutateByPolicies(
  request: AdmissionRequest,
  surroundings: WebhookSurroundings,
  reinvocation: Reinvocation,
): KubeObject | undefined | Failure {
  const errors: MutationError[] = []
  const invocations = invocationsFor(request, surroundings, errors)
  let current = request
  if (invocations.length > 0) {
    if (request.namespace !== '' && !isNamespace(request) && namespaceOf(request, surroundings.store) === undefined) {
      return notFound('namespaces', request.namespace)
    }
    reinvocation.begin(request.object)
    for (const invocation of invocations) {
      const object = mutatedBy(invocation, current, surroundings, reinvocation, errors)
      if (object !== undefined && isFailure(object)) return object
      if (object !== undefined && !semanticEqual(object, current.object)) {
        current = { ...current, object }
        reinvocation.changed()
        reinvocation.isNeeded = true
      }
      if (invocation.policy.spec.reinvocationPolicy === 'IfNeeded') reinvocation.mayRepeat(keyOf(invocation))
    }
    reinvocation.end(current.object)
  }
  return refusal(request, errors) ?? current.object
}

const isNamespace = ({ kind }: AdmissionRequest): boolean => kind.group === '' && kind.kind === 'Namespace'

const keyOf = ({ policy, binding, param }: Invocation): string =>
  `${policy.metadata.name}/${binding.metadata.name}/${param?.metadata.namespace ?? ''}/${param?.metadata.name ?? ''}`

function invocationsFor(
  request: AdmissionRequest,
  surroundings: WebhookSurroundings,
  errors: MutationError[],
): readonly Invocation[] {
  const resources = { policies: mutatingPolicies, bindings: mutatingBindings }
  const found = policiesFor<MutatingPolicy>(resources, request, surroundings, (error) => errors.push(error))
  return [...found].flatMap(({ invocations }) => [...invocations])
}

/** The object after the mutations of one policy, or undefined if the policy does not apply. */
function mutatedBy(
  invocation: Invocation,
  request: AdmissionRequest,
  surroundings: WebhookSurroundings,
  reinvocation: Reinvocation,
  errors: MutationError[],
): KubeObject | undefined | Failure {
  const { policy, binding, match, param } = invocation
  const { matchConditions, failurePolicy, paramKind } = policy.spec
  const failed = (message: string) => errors.push({ policy, binding, message, reason: 'Invalid' })
  const authorizer = surroundings.authorizer(request)
  const params = paramKind === undefined ? undefined : param
  const conditions = conditionsMatch(matchConditions, failurePolicy, { request, match, authorizer }, params)
  if (conditions === 'no match') return undefined
  if (conditions !== 'match') {
    failed(conditions.failed)
    return undefined
  }
  if (reinvocation.skips(keyOf(invocation)) || request.object === undefined) return undefined
  const { variables, mutations } = compiledPolicy(policy)
  let current = request
  for (const { isPatch, expression } of mutations) {
    const subject = { request: current, match, authorizer }
    const values = variableValues(subject, namespaceOf(request, surroundings.store), params)
    const evaluation = new PolicyEvaluation(values, variables)
    const object = mutated(expression, isPatch, evaluation, current, match)
    if (typeof object === 'string') failed(object)
    else if (isFailure(object)) return object
    else current = { ...current, object }
  }
  return current.object
}

/** The object after one mutation; a string says why it cannot be applied. */
function mutated(
  expression: CompiledExpression,
  isPatch: boolean,
  evaluation: PolicyEvaluation,
  request: AdmissionRequest,
  match: Match,
): KubeObject | Failure | string {
  if (expression.error !== undefined) return expression.error
  const shown = shownAs(request, match, request.object) as KubeObject
  return withinBudget(() => {
    const result = evaluation.run(expression)
    if (!result.ok) return result.message
    if (!isPatch) {
      const merged = mergedByApply(match.as, request.kind, shown, result.value)
      return typeof merged === 'string' ? merged : decodePatched(request, match, merged)
    }
    const operations = patchOperations(result.value)
    if (typeof operations === 'string') return operations
    const patched = patchedDocument(shown as unknown as Json, operations)
    if ('value' in patched) return decodePatched(request, match, patched.value as unknown as KubeObject)
    // A failed test operation makes the whole patch void.
    return patched.isTest ? (request.object as KubeObject) : `JSON Patch: ${patched.failed}`
  })
}

function refusal(request: AdmissionRequest, errors: readonly MutationError[]): Failure | undefined {
  const counted = errors.filter(({ policy }) => policy.spec.failurePolicy !== 'Ignore')
  const [first] = counted
  if (first === undefined) return undefined
  const { resource, group } = request.resource
  const { status } = failure('Forbidden', textOf(first), {
    name: shownName(request),
    ...(group === '' ? {} : { group }),
    kind: resource,
    causes: counted.map((error) => ({ message: textOf(error) })),
  })
  return { ok: false, status: { ...status, reason: first.reason ?? 'Forbidden' } }
}

function textOf({ policy, binding, message }: MutationError): string {
  const { name } = policy.metadata
  if (binding === undefined) return `policy ${JSON.stringify(name)} denied request: ${message}`
  return `policy '${name}' with binding '${binding.metadata.name}' denied request: ${message}`
}
