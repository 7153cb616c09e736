import { deepEqual } from '../../api/equality.ts'
import { label1035Problems, subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { compileAdmission } from '../dynamic/expressions.ts'
import { mutationTypes } from '../dynamic/mutating-policies.ts'
import type { Variable } from '../dynamic/policies.ts'
import { type CompiledVariables, compileVariables } from '../dynamic/policy-variables.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import {
  checkChoice,
  checkMatchConditions,
  checkMatchResources,
  expressionErrors,
  failurePolicies,
  reinvocationPolicies,
} from './admission-rules.ts'
import { checkConditions, checkMeta, metaOf } from './meta.ts'
import { checkQualifiedName, pathSegmentProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const mutatingOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE']
const patchTypes = ['ApplyConfiguration', 'JSONPatch']
const maxAnnotations = 20
const maxAnnotationBytes = 5 * 1024

/** ValidateValidatingAdmissionPolicy (v1.36, pkg/apis/admissionregistration/validation). */
export function checkValidatingPolicy(errors: Errors, policy: Obj, old?: Obj): void {
  checkMeta(errors, metaOf(policy), { namespaced: false, name: 'subdomain' })
  const spec = part(policy, 'spec')
  checkCommon(errors, spec, old)
  const variables = checkVariables(errors, spec, list(spec, 'variables').length > 0)
  const validations = list(spec, 'validations')
  const annotations = list(spec, 'auditAnnotations')
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    errors.push(required('spec.validations', why), required('spec.auditAnnotations', why))
    return
  }
  validations.forEach((validation, i) => {
    checkValidation(errors, validation, variables, `spec.validations[${i}]`)
  })
  if (annotations.length > maxAnnotations) {
    const why = `must not have more than ${maxAnnotations} auditAnnotations`
    errors.push(invalid('spec.auditAnnotations', annotations, why))
  }
  const seen = new Set<string>()
  annotations.forEach((annotation, i) => {
    const path = `spec.auditAnnotations[${i}]`
    checkAuditAnnotation(errors, annotation, text(metaOf(policy), 'name'), variables, path)
    const key = text(annotation, 'key')
    if (seen.has(key)) errors.push(duplicate(`${path}.key`, key))
    seen.add(key)
  })
}

/** The fields that both kinds of policies have. */
function checkCommon(errors: Errors, spec: Obj, old: Obj | undefined): void {
  const policy = textIfSet(spec, 'failurePolicy')
  if (policy === undefined) errors.push(required('spec.failurePolicy'))
  else checkChoice(errors, policy, 'spec.failurePolicy', failurePolicies)
  const paramKind = child(spec, 'paramKind')
  if (paramKind !== undefined) checkParamKind(errors, paramKind)
  const constraints = child(spec, 'matchConstraints')
  if (constraints === undefined) errors.push(required('spec.matchConstraints'))
  else {
    checkMatchResources(errors, constraints, 'spec.matchConstraints')
    if (list(constraints, 'resourceRules').length === 0) errors.push(required('spec.matchConstraints.resourceRules'))
  }
  const before = old === undefined ? undefined : part(old, 'spec')
  const isUnchanged =
    before !== undefined &&
    deepEqual(paramKind, child(before, 'paramKind')) &&
    deepEqual(list(spec, 'matchConditions'), list(before, 'matchConditions'))
  if (!isUnchanged) {
    checkMatchConditions(errors, list(spec, 'matchConditions'), 'spec.matchConditions', paramKind !== undefined)
  }
}

function checkParamKind(errors: Errors, paramKind: Obj): void {
  const path = 'spec.paramKind'
  const apiVersion = text(paramKind, 'apiVersion')
  const parts = apiVersion.split('/')
  if (apiVersion === '') errors.push(required(`${path}.apiVersion`))
  else if (parts.length > 2) {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`))
  } else {
    const [group = '', version = ''] = parts.length === 1 ? ['', apiVersion] : parts
    const wrongGroup = group === '' ? [] : subdomainProblems(group)
    if (wrongGroup.length > 0) errors.push(invalid(`${path}.apiVersion`, group, wrongGroup.join(',')))
    const wrongVersion = label1035Problems(version)
    if (version === '') errors.push(invalid(`${path}.apiVersion`, apiVersion, 'version must be specified'))
    else if (wrongVersion.length > 0) errors.push(invalid(`${path}.apiVersion`, version, wrongVersion.join(',')))
  }
  const kind = text(paramKind, 'kind')
  const wrongKind = label1035Problems(kind.toLowerCase())
  if (kind === '') errors.push(required(`${path}.kind`))
  else if (wrongKind.length > 0) {
    const why = `may have mixed case, but should otherwise match: ${wrongKind.join(',')}`
    errors.push(invalid(`${path}.kind`, kind, why))
  }
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** Checks the variables, and compiles them for the expressions that use them. */
function checkVariables(errors: Errors, spec: Obj, isComposed: boolean): CompiledVariables {
  const variables = list(spec, 'variables') as unknown as readonly Variable[]
  const choice = { params: child(spec, 'paramKind') !== undefined }
  return compileVariables(variables, choice, isComposed, ({ name = '', expression = '' }, i, compiled) => {
    const path = `spec.variables[${i}]`
    if (name.trim() === '') errors.push(required(`${path}.name`, 'name is not specified'))
    else if (!identifier.test(name) || reserved.has(name)) {
      errors.push(invalid(`${path}.name`, name, 'must be a valid CEL identifier'))
    }
    if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
    else if (compiled?.error !== undefined) errors.push(invalid(`${path}.expression`, expression, compiled.error))
  })
}

function checkValidation(errors: Errors, validation: Obj, variables: CompiledVariables, path: string): void {
  const expression = text(validation, 'expression')
  if (expression.trim() === '') errors.push(required(`${path}.expression`, 'expression is not specified'))
  else errors.push(...expressionErrors(expression, variables.types(true), ['bool'], `${path}.expression`))
  const said = text(validation, 'messageExpression')
  if (said !== '' && said.trim() === '') {
    errors.push(invalid(`${path}.messageExpression`, said, 'must be non-empty if specified'))
  } else if (said !== '') {
    errors.push(...expressionErrors(said, variables.types(false), ['string'], `${path}.messageExpression`))
  }
  const message = text(validation, 'message')
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'must be non-empty if specified'))
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'must not contain line breaks'))
  }
  checkChoice(errors, textIfSet(validation, 'reason'), `${path}.reason`, reasons)
}

function checkAuditAnnotation(
  errors: Errors,
  annotation: Obj,
  policyName: string,
  variables: CompiledVariables,
  path: string,
): void {
  const key = text(annotation, 'key')
  if (policyName === '') errors.push(invalid(`${path}.key`, key, 'requires metadata.name be non-empty'))
  else checkQualifiedName(errors, `${policyName}/${key}`, `${path}.key`)
  const given = text(annotation, 'valueExpression')
  const expression = given.trim()
  const at = `${path}.valueExpression`
  if (expression === '') errors.push(required(at, 'valueExpression is not specified'))
  else if (Buffer.byteLength(expression) > maxAnnotationBytes) {
    errors.push(required(at, `must not exceed ${maxAnnotationBytes} bytes in length`))
  } else {
    const { error } = compileAdmission(expression, variables.types(true), ['string', 'null'])
    if (error !== undefined) errors.push(invalid(at, given, error))
  }
}

/** ValidateMutatingAdmissionPolicy. */
export function checkMutatingPolicy(errors: Errors, policy: Obj, old?: Obj): void {
  checkMeta(errors, metaOf(policy), { namespaced: false, name: 'subdomain' })
  const spec = part(policy, 'spec')
  const before = errors.length
  checkCommon(errors, spec, old)
  const conditionsAt = errors.findIndex(({ field }, i) => i >= before && field.startsWith('spec.matchConditions'))
  const operations = list(child(spec, 'matchConstraints'), 'resourceRules').flatMap((rule) => texts(rule, 'operations'))
  const wrong = operations
    .filter((operation) => !mutatingOperations.includes(operation))
    .map((one) => notSupported('spec.matchConstraints.resourceRules.operations', one, mutatingOperations))
  errors.splice(conditionsAt < 0 ? errors.length : conditionsAt, 0, ...wrong)
  const variables = checkVariables(errors, spec, true)
  const mutations = list(spec, 'mutations')
  if (mutations.length === 0) errors.push(required('spec.mutations', 'mutations must contain at least one item'))
  mutations.forEach((mutation, i) => {
    checkMutation(errors, mutation, variables, `spec.mutations[${i}]`)
  })
  const reinvocation = text(spec, 'reinvocationPolicy')
  if (reinvocation === '') errors.push(required('spec.reinvocationPolicy'))
  else checkChoice(errors, reinvocation, 'spec.reinvocationPolicy', reinvocationPolicies)
}

function checkMutation(errors: Errors, mutation: Obj, variables: CompiledVariables, path: string): void {
  const patchType = text(mutation, 'patchType')
  if (patchType === '') errors.push(required(`${path}.patchType`))
  else if (!patchTypes.includes(patchType)) errors.push(notSupported(`${path}.patchType`, patchType, patchTypes))
  else {
    const isPatch = patchType === 'JSONPatch'
    const [own, other] = isPatch ? ['jsonPatch', 'applyConfiguration'] : ['applyConfiguration', 'jsonPatch']
    const given = child(mutation, own)
    const at = `${path}.${own}`
    const expression = text(given, 'expression').trim()
    if (given === undefined) errors.push(required(at, `must be specified when patchType is ${patchType}`))
    else if (expression === '') errors.push(required(`${at}.expression`))
    else {
      const wanted = [isPatch ? 'list(JSONPatch)' : 'Object']
      const { error } = compileAdmission(expression, variables.types(true), wanted, mutationTypes)
      if (error !== undefined) errors.push(invalid(`${at}.expression`, expression, error))
    }
    if (child(mutation, other) !== undefined) {
      const why = `must not be specified when patchType is ${patchType}`
      errors.push(invalid(`${path}.${other}`, `{${other}}`, why))
    }
  }
}

const actions = ['Audit', 'Deny', 'Warn']

/** ValidateValidatingAdmissionPolicyBinding. */
export function checkValidatingBinding(errors: Errors, binding: Obj): void {
  checkBinding(errors, binding)
  const wanted = texts(part(binding, 'spec'), 'validationActions')
  const path = 'spec.validationActions'
  const seen = new Set<string>()
  wanted.forEach((action, i) => {
    checkChoice(errors, action, `${path}[${i}]`, actions)
    if (seen.has(action)) errors.push(duplicate(`${path}[${i}]`, action))
    seen.add(action)
  })
  if (seen.has('Deny') && seen.has('Warn')) {
    const why =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
    errors.push(invalid(path, wanted, why))
  }
  if (seen.size === 0) {
    const why = 'at least one validation action is required'
    errors.push(atLeast(errors.release, '1.37') ? required(path) : required(path, why))
  }
}

/** ValidateMutatingAdmissionPolicyBinding. */
export function checkMutatingBinding(errors: Errors, binding: Obj): void {
  checkBinding(errors, binding)
  const resources = child(part(binding, 'spec'), 'matchResources')
  const operations = list(resources, 'resourceRules').flatMap((rule) => texts(rule, 'operations'))
  for (const operation of operations) {
    const path = 'spec.matchResources.resourceRules.operations'
    checkChoice(errors, operation, path, mutatingOperations)
  }
}

function checkBinding(errors: Errors, binding: Obj): void {
  checkMeta(errors, metaOf(binding), { namespaced: false, name: 'subdomain' })
  const spec = part(binding, 'spec')
  const policyName = text(spec, 'policyName')
  if (policyName === '') errors.push(required('spec.policyName'))
  else push(errors, 'spec.policyName', policyName, subdomainProblems(policyName))
  checkParamRef(errors, child(spec, 'paramRef'), 'spec.paramRef')
  checkMatchResources(errors, child(spec, 'matchResources'), 'spec.matchResources')
}

const exclusive = 'name and selector are mutually exclusive'

function checkParamRef(errors: Errors, reference: Obj | undefined, path: string): void {
  if (reference === undefined) return
  const name = text(reference, 'name')
  const selector = child(reference, 'selector')
  if (name !== '') {
    push(errors, `${path}.name`, name, pathSegmentProblems(name))
    if (selector !== undefined) errors.push(forbidden(`${path}.name`, exclusive))
  }
  if (selector !== undefined) {
    checkLabelSelector(errors, selector, `${path}.selector`)
    if (name !== '') errors.push(forbidden(`${path}.selector`, exclusive))
  }
  if (name === '' && selector === undefined) {
    errors.push(required(path, 'one of name or selector must be specified'))
  }
  const action = text(reference, 'parameterNotFoundAction')
  if (action === '') errors.push(required(`${path}.parameterNotFoundAction`))
  else checkChoice(errors, action, `${path}.parameterNotFoundAction`, ['Deny', 'Allow'])
}

/** ValidateValidatingAdmissionPolicyStatusUpdate. */
export function checkValidatingPolicyStatus(errors: Errors, policy: Obj): void {
  const status = part(policy, 'status')
  list(child(status, 'typeChecking'), 'expressionWarnings').forEach((warning, i) => {
    const path = `status.typeChecking.expressionWarnings[${i}]`
    if (text(warning, 'warning') === '') errors.push(required(`${path}.warning`))
    if (text(warning, 'fieldRef').trim() === '') errors.push(required(`${path}.fieldRef`))
  })
  checkConditions(errors, list(status, 'conditions'), 'status.conditions')
}
