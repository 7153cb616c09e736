import { subdomainProblems } from '../../api/name-problems.ts'
import type { CelType } from '../../cel/cel-type.ts'
import { compileAdmission, variableTypes } from '../dynamic/expressions.ts'
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../errors/field-error.ts'
import { checkQualifiedName, pathSegmentProblems, push } from './names.ts'
import { type Errors, list, type Obj, texts } from './reader.ts'
import { text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']
const scopes = ['*', 'Cluster', 'Namespaced']
export const failurePolicies = ['Fail', 'Ignore']
export const matchPolicies = ['Equivalent', 'Exact']
export const reinvocationPolicies = ['IfNeeded', 'Never']

/** A choice in a pointer field, which may be absent. */
export function checkChoice(
  errors: Errors,
  value: string | undefined,
  path: string,
  supported: readonly string[],
): void {
  if (value !== undefined && !supported.includes(value)) errors.push(notSupported(path, value, supported))
}

/** validateRuleWithOperations (v1.36, pkg/apis/admissionregistration/validation). */
export function checkRule(errors: Errors, rule: Obj, path: string): void {
  const wanted = texts(rule, 'operations')
  if (wanted.length === 0) errors.push(required(`${path}.operations`))
  if (wanted.length > 1 && wanted.includes('*')) {
    errors.push(invalid(`${path}.operations`, wanted, "if '*' is present, must not specify other operations"))
  }
  wanted.forEach((operation, i) => {
    if (!operations.includes(operation)) errors.push(notSupported(`${path}.operations[${i}]`, operation, operations))
  })
  const groups = texts(rule, 'apiGroups')
  if (groups.length === 0) errors.push(required(`${path}.apiGroups`))
  if (groups.length > 1 && groups.includes('*')) {
    errors.push(invalid(`${path}.apiGroups`, groups, "if '*' is present, must not specify other API groups"))
  }
  const versions = texts(rule, 'apiVersions')
  if (versions.length === 0) errors.push(required(`${path}.apiVersions`))
  if (versions.length > 1 && versions.includes('*')) {
    errors.push(invalid(`${path}.apiVersions`, versions, "if '*' is present, must not specify other API versions"))
  }
  versions.forEach((version, i) => {
    if (version === '') errors.push(required(`${path}.apiVersions[${i}]`))
  })
  checkResources(errors, texts(rule, 'resources'), `${path}.resources`)
  checkChoice(errors, textIfSet(rule, 'scope'), `${path}.scope`, scopes)
}

function checkResources(errors: Errors, resources: readonly string[], path: string): void {
  if (resources.length === 0) errors.push(required(path))
  const withAllSubresources = new Set<string>()
  const ofAllResources = new Set<string>()
  let hasPlain = false
  resources.forEach((resource, i) => {
    if (resource === '') {
      errors.push(required(`${path}[${i}]`))
      return
    }
    const slash = resource.indexOf('/')
    if (slash < 0) {
      hasPlain = resource !== '*'
      return
    }
    const [name, sub] = [resource.slice(0, slash), resource.slice(slash + 1)]
    if (withAllSubresources.has(name)) {
      errors.push(invalid(`${path}[${i}]`, resource, `if '${name}/*' is present, must not specify ${resource}`))
    }
    if (ofAllResources.has(sub)) {
      errors.push(invalid(`${path}[${i}]`, resource, `if '*/${sub}' is present, must not specify ${resource}`))
    }
    if (sub === '*') withAllSubresources.add(name)
    if (name === '*') ofAllResources.add(sub)
  })
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
  }
  if (resources.includes('*') && hasPlain) {
    const why = "if '*' is present, must not specify other resources without subresources"
    errors.push(invalid(path, resources, why))
  }
}

/** validateMatchResources. */
export function checkMatchResources(errors: Errors, resources: Obj | undefined, path: string): void {
  if (resources === undefined) return
  const policy = textIfSet(resources, 'matchPolicy')
  if (policy === undefined) errors.push(required(`${path}.matchPolicy`))
  else checkChoice(errors, policy, `${path}.matchPolicy`, matchPolicies)
  for (const name of ['namespaceSelector', 'objectSelector']) {
    const selector = resources[name] as Obj | undefined
    if (selector === undefined) errors.push(required(`${path}.${name}`))
    else checkLabelSelector(errors, selector, `${path}.${name}`)
  }
  for (const name of ['resourceRules', 'excludeResourceRules']) {
    list(resources, name).forEach((rule, i) => {
      checkNamedRule(errors, rule, `${path}.${name}[${i}]`)
    })
  }
}

function checkNamedRule(errors: Errors, rule: Obj, path: string): void {
  const seen = new Set<string>()
  texts(rule, 'resourceNames').forEach((name, i) => {
    push(errors, `${path}.resourceNames[${i}]`, name, pathSegmentProblems(name))
    if (seen.has(name)) errors.push(duplicate(`${path}.resourceNames[${i}]`, name))
    seen.add(name)
  })
  checkRule(errors, rule, path)
}

/** validateMatchConditions. */
export function checkMatchConditions(
  errors: Errors,
  conditions: readonly Obj[],
  path: string,
  hasParams: boolean,
): void {
  if (conditions.length > 64) errors.push(tooMany(path, conditions.length, 64))
  const types = variableTypes({ params: hasParams, authorizer: true })
  const seen = new Set<string>()
  conditions.forEach((condition, i) => {
    const expression = text(condition, 'expression').trim()
    const at = `${path}[${i}]`
    if (expression === '') errors.push(required(`${at}.expression`))
    else errors.push(...expressionErrors(expression, types, ['bool'], `${at}.expression`))
    const name = text(condition, 'name')
    if (name === '') errors.push(required(`${at}.name`))
    else {
      checkQualifiedName(errors, name, `${at}.name`)
      if (seen.has(name)) errors.push(duplicate(`${at}.name`, name))
      seen.add(name)
    }
  })
}

/** The problems of an expression, as one error. */
export function expressionErrors(
  source: string,
  types: ReadonlyMap<string, CelType>,
  wanted: readonly string[],
  path: string,
): readonly FieldError[] {
  const { error } = compileAdmission(source, types, wanted)
  return error === undefined ? [] : [invalid(path, source, error)]
}

/** IsFullyQualifiedName: at least three segments. */
export function checkFullyQualified(errors: Errors, name: string, path: string): void {
  if (name === '') {
    errors.push(required(path))
    return
  }
  const problems = subdomainProblems(name)
  if (problems.length > 0) errors.push(invalid(path, name, problems.join(',')))
  else if (name.split('.').length < 3) {
    errors.push(invalid(path, name, 'should be a domain with at least three segments separated by dots'))
  }
}
