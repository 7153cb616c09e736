import type { Failure } from '../../api/call.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import { failure } from '../../api/status.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { WriteAttempt } from '../attempt.ts'
import type { AdmissionRequest, Match } from './admission-request.ts'
import {
  type CompiledExpression,
  type CostBudget,
  compileAdmission,
  type Subject,
  variableValues,
  withinBudget,
} from './expressions.ts'
import { conditionsMatch } from './match-conditions.ts'
import { namespaceOf, type Policy, type PolicyBinding, type PolicyError, policiesFor } from './policies.ts'
import { type CompiledVariables, compileVariables, PolicyEvaluation } from './policy-variables.ts'
import type { WebhookSurroundings } from './webhooks.ts'

export const validatingPolicies = 'validatingadmissionpolicies.admissionregistration.k8s.io'
export const validatingBindings = 'validatingadmissionpolicybindings.admissionregistration.k8s.io'

interface Validation {
  readonly expression: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
}

interface AuditAnnotation {
  readonly key: string
  readonly valueExpression: string
}

type ValidatingPolicy = Policy<{
  readonly validations?: readonly Validation[]
  readonly auditAnnotations?: readonly AuditAnnotation[]
}>

interface CompiledValidatingPolicy {
  readonly variables: CompiledVariables
  readonly validations: readonly CompiledExpression[]
  readonly messages: readonly (CompiledExpression | undefined)[]
  readonly annotations: readonly CompiledExpression[]
}

const programs = new WeakMap<KubeObject, CompiledValidatingPolicy>()

function compiledPolicy(policy: ValidatingPolicy): CompiledValidatingPolicy {
  let found = programs.get(policy)
  if (found === undefined) {
    const { variables: named, validations = [], auditAnnotations = [], paramKind } = policy.spec
    const variables = compileVariables(named, { params: paramKind !== undefined })
    const withAuthorizer = variables.types(true)
    const without = variables.types(false)
    found = {
      variables,
      validations: validations.map(({ expression }) => compileAdmission(expression, withAuthorizer, ['bool'])),
      messages: validations.map(({ messageExpression = '' }) =>
        messageExpression === '' ? undefined : compileAdmission(messageExpression, without, ['string']),
      ),
      annotations: auditAnnotations.map(({ valueExpression }) =>
        compileAdmission(valueExpression, withAuthorizer, ['string', 'null']),
      ),
    }
    programs.set(policy, found)
  }
  return found
}

type Denial = PolicyError<ValidatingPolicy>

/** An expression of a policy that is false or has no value. */
interface Decision {
  readonly index: number
  readonly message: string
  readonly reason?: string
}

interface PolicyVerdict {
  readonly denied: readonly Decision[]
  readonly annotations: readonly { readonly key: string; readonly value: string }[]
  readonly annotationErrors: readonly string[]
}

const nothing: PolicyVerdict = { denied: [], annotations: [], annotationErrors: [] }

/**
 * ValidatingAdmissionPolicy: rejects the request, returns warnings, or adds audit annotations (policy/validating,
 * Dispatch).
 */
export function validateByPolicies(
  request: AdmissionRequest,
  attempt: WriteAttempt,
  surroundings: WebhookSurroundings,
): Failure | undefined {
  const denials: Denial[] = []
  const resources = { policies: validatingPolicies, bindings: validatingBindings }
  const report = (error: Denial) => {
    if (error.policy.spec.failurePolicy !== 'Ignore') denials.push(error)
  }
  for (const { policy, invocations } of policiesFor<ValidatingPolicy>(resources, request, surroundings, report)) {
    const annotations = new Map<string, Set<string>>()
    for (const { binding, match, param } of invocations) {
      const verdict = judge(policy, request, match, param, surroundings)
      apply(policy, binding, verdict, attempt, denials)
      for (const { key, value } of verdict.annotations) {
        annotations.set(key, (annotations.get(key) ?? new Set()).add(value.slice(0, 10 * 1024)))
      }
    }
    for (const [key, values] of annotations) attempt.note(`${policy.metadata.name}/${key}`, [...values].join(', '))
  }
  const [first] = denials
  return first === undefined ? undefined : refusal(request, first)
}

function apply(
  policy: ValidatingPolicy,
  binding: PolicyBinding,
  { denied, annotationErrors }: PolicyVerdict,
  attempt: WriteAttempt,
  denials: Denial[],
): void {
  const { validationActions = [], policyName } = binding.spec
  for (const { index, message, reason } of denied) {
    for (const action of validationActions) {
      if (action === 'Deny') denials.push({ policy, binding, message, reason })
      else if (action === 'Warn') {
        const names = `'${policy.metadata.name}' with binding '${binding.metadata.name}'`
        attempt.warn(`Validation failed for ValidatingAdmissionPolicy ${names}: ${message}`)
      } else if (action === 'Audit') {
        const failed = { message, policy: policyName, binding: binding.metadata.name, expressionIndex: index }
        const key = 'validation.policy.admission.k8s.io/validation_failure'
        attempt.note(key, encodeJson([{ ...failed, validationActions }]))
      }
    }
  }
  for (const message of annotationErrors) denials.push({ policy, binding, message })
}

/** The outcome of all expressions of a policy for one parameter (policy/validating, validator.Validate). */
function judge(
  policy: ValidatingPolicy,
  request: AdmissionRequest,
  match: Match,
  param: KubeObject | null,
  surroundings: WebhookSurroundings,
): PolicyVerdict {
  const { failurePolicy, matchConditions, paramKind } = policy.spec
  const isIgnored = failurePolicy === 'Ignore'
  const failed = (message: string): PolicyVerdict =>
    isIgnored ? nothing : { ...nothing, denied: [{ index: 0, message }] }
  const subject: Subject = { request, match, authorizer: surroundings.authorizer(request) }
  const params = paramKind === undefined ? undefined : param
  const conditions = conditionsMatch(matchConditions, failurePolicy, subject, params)
  if (conditions === 'no match') return nothing
  if (conditions !== 'match') return failed(conditions.failed)
  const compiled = compiledPolicy(policy)
  const values = variableValues(subject, namespaceOf(request, surroundings.store), params)
  const verdict = withinBudget(() => {
    const denied = deniedBy(policy, compiled, values, isIgnored)
    return { denied, ...annotationsBy(policy, compiled, values, isIgnored) }
  })
  return typeof verdict === 'string' ? failed(verdict) : verdict
}

type Values = ReturnType<typeof variableValues>

function deniedBy(
  policy: ValidatingPolicy,
  compiled: CompiledValidatingPolicy,
  values: Values,
  isIgnored: boolean,
): Decision[] {
  const { validations = [] } = policy.spec
  const evaluation = new PolicyEvaluation(values, compiled.variables)
  const results = compiled.validations.map((expression) => evaluation.run(expression))
  const messages = messagesBy(compiled, values, evaluation.budget)
  const denied: Decision[] = []
  results.forEach((result, index) => {
    const validation = validations[index] as Validation
    if (!result.ok) {
      if (!isIgnored) denied.push({ index, message: result.message })
    } else if (typeof messages === 'string') {
      if (!isIgnored) denied.push({ index, message: `failed messageExpression: ${messages}` })
    } else if (result.value !== true) {
      const custom = (validation.message ?? '').trim()
      const fallback = custom === '' ? `failed expression: ${validation.expression.trim()}` : custom
      denied.push({ index, message: messages[index] || fallback, reason: validation.reason ?? 'Invalid' })
    }
  })
  return denied
}

const maxMessageBytes = 5 * 1024

/** The messages of messageExpressions; a string if the expressions are too expensive. */
function messagesBy(
  compiled: CompiledValidatingPolicy,
  values: Values,
  budget: CostBudget,
): readonly string[] | string {
  const evaluation = new PolicyEvaluation(values, compiled.variables, budget)
  return withinBudget(() =>
    compiled.messages.map((expression) => {
      const result = expression === undefined ? undefined : evaluation.run(expression)
      if (result?.ok !== true || typeof result.value !== 'string') return ''
      const message = result.value.trim()
      return Buffer.byteLength(message) > maxMessageBytes || message.includes('\n') ? '' : message
    }),
  )
}

function annotationsBy(
  policy: ValidatingPolicy,
  compiled: CompiledValidatingPolicy,
  values: Values,
  isIgnored: boolean,
) {
  const { auditAnnotations = [] } = policy.spec
  const annotations: { key: string; value: string }[] = []
  const annotationErrors: string[] = []
  const evaluation = new PolicyEvaluation(values, compiled.variables)
  compiled.annotations.forEach((expression, i) => {
    const result = evaluation.run(expression)
    if (!result.ok) {
      if (!isIgnored) annotationErrors.push(result.message)
    } else if (typeof result.value === 'string' && result.value.trim() !== '') {
      annotations.push({ key: auditAnnotations[i]?.key ?? '', value: result.value.trim() })
    }
  })
  return { annotations, annotationErrors }
}

const codes = new Map([
  ['Forbidden', 403],
  ['Unauthorized', 401],
  ['RequestEntityTooLarge', 413],
])

function refusal(request: AdmissionRequest, { policy, binding, message, reason }: Denial): Failure {
  const bound = binding === undefined ? '' : ` with binding '${binding.metadata.name}'`
  const said = `ValidatingAdmissionPolicy '${policy.metadata.name}'${bound} denied request: ${message}`
  return forbidden(request, said, reason ?? 'Invalid')
}

/** admission.NewForbidden with another reason. */
function forbidden(request: AdmissionRequest, message: string, reason: string): Failure {
  const { resource, group } = request.resource
  const name = shownName(request)
  const shown = group === '' ? resource : `${resource}.${group}`
  const { status } = failure('Forbidden', `${shown} ${JSON.stringify(name)} is forbidden: ${message}`, {
    name,
    ...(group === '' ? {} : { group }),
    kind: resource,
    causes: [{ message }],
  })
  return { ok: false, status: { ...status, reason, code: codes.get(reason) ?? 422 } }
}

export function shownName({ name, object }: AdmissionRequest): string {
  if (name !== '') return name
  return object?.metadata?.name || object?.metadata?.generateName || 'Unknown'
}
