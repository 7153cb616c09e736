import { labelNameProblems } from '../../api/name-problems.ts'
import { parseQuantity, quantityMilli } from '../../api/quantity.ts'
import { forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { pathSegmentProblems, push } from './names.ts'
import { checkContainerResourceName, checkNonnegativeQuantity } from './quantities.ts'
import { child, type Errors, list, type Obj, part } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'

const maxPeriodSeconds = 1800
const maxWindowSeconds = 3600
const selectPolicies = ['Disabled', 'Max', 'Min']
const policyTypes = ['Percent', 'Pods']
const metricTypes = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

/** Which apiVersions a reference may have. */
type ApiVersionRule = 'any' | 'valid' | 'with-group'

interface Rules {
  readonly leastReplicas: number
  readonly target: ApiVersionRule
  readonly described: ApiVersionRule
}

/** ValidateHorizontalPodAutoscaler (v1.36, pkg/apis/autoscaling/validation), on the form of autoscaling/v2. */
export function checkAutoscaler(errors: Errors, autoscaler: Obj): void {
  checkMeta(errors, metaOf(autoscaler), { namespaced: true, name: 'subdomain' })
  checkSpec(errors, part(autoscaler, 'spec'), rulesFor(part(autoscaler, 'spec')))
}

export function checkAutoscalerUpdate(errors: Errors, autoscaler: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(autoscaler), metaOf(old))
  checkSpec(errors, part(autoscaler, 'spec'), rulesFor(part(autoscaler, 'spec'), part(old, 'spec')))
}

export function checkAutoscalerStatus(errors: Errors, autoscaler: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(autoscaler), metaOf(old))
  const status = part(autoscaler, 'status')
  list(status, 'conditions').forEach((condition, i) => {
    const generation = number(condition, 'observedGeneration')
    if (generation >= 0) return
    const at = `status.conditions[${i}].observedGeneration`
    errors.push(invalid(at, generation, 'must be greater than or equal to 0'))
  })
  for (const field of ['currentReplicas', 'desiredReplicas']) {
    const value = number(status, field)
    if (value < 0) errors.push(invalid(`status.${field}`, value, 'must be greater than or equal to 0'))
  }
}

function rulesFor(spec: Obj, old?: Obj): Rules {
  const target = part(spec, 'scaleTargetRef')
  const before = part(old, 'scaleTargetRef')
  const isSame = (field: string) => text(target, field) === text(before, field)
  const keepsTarget = old !== undefined && isSame('apiVersion') && isSame('kind')
  const wasInvalid = list(old, 'metrics').some(
    (metric) =>
      text(metric, 'type') === 'Object' &&
      child(metric, 'object') !== undefined &&
      apiVersionProblem(text(part(part(metric, 'object'), 'describedObject'), 'apiVersion'), 'valid') !== undefined,
  )
  return {
    leastReplicas: old !== undefined && numberIfSet(old, 'minReplicas') === 0 ? 0 : 1,
    // ReplicationController is the only scalable kind of the core group.
    target: keepsTarget ? 'any' : text(target, 'kind') === 'ReplicationController' ? 'valid' : 'with-group',
    described: wasInvalid ? 'any' : 'valid',
  }
}

function checkSpec(errors: Errors, spec: Obj, rules: Rules): void {
  const least = numberIfSet(spec, 'minReplicas')
  const most = number(spec, 'maxReplicas')
  if (least !== undefined && least < rules.leastReplicas) {
    errors.push(invalid('spec.minReplicas', least, `must be greater than or equal to ${rules.leastReplicas}`))
  }
  if (most === 0) errors.push(required('spec.maxReplicas', 'must be set and greater than 0'))
  else if (most < 0) errors.push(invalid('spec.maxReplicas', most, 'must be greater than or equal to 1'))
  if (least !== undefined && most < least) {
    errors.push(invalid('spec.maxReplicas', most, 'must be greater than or equal to `minReplicas`'))
  }
  checkReference(errors, part(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', rules.target)
  const metrics = list(spec, 'metrics')
  metrics.forEach((metric, i) => {
    checkMetric(errors, metric, `spec.metrics[${i}]`, rules)
  })
  const isOutside = ({ type }: Obj): boolean => type === 'Object' || type === 'External'
  if (least === 0 && !metrics.some(isOutside)) {
    const why = 'must specify at least one Object or External metric to support scaling to zero replicas'
    errors.push(forbidden('spec.metrics', why))
  }
  for (const direction of ['scaleUp', 'scaleDown']) {
    const given = child(part(spec, 'behavior'), direction)
    if (given !== undefined) checkRules(errors, given, `spec.behavior.${direction}`)
  }
}

function apiVersionProblem(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === 'any') return undefined
  const slashes = apiVersion.split('/').length - 1
  if (slashes > 1) return `unexpected GroupVersion string: ${apiVersion}`
  const group = slashes === 0 ? '' : apiVersion.slice(0, apiVersion.indexOf('/'))
  return rule === 'with-group' && group === '' ? 'apiVersion must specify API group' : undefined
}

function checkReference(errors: Errors, reference: Obj, path: string, rule: ApiVersionRule): void {
  for (const field of ['kind', 'name']) {
    const value = text(reference, field)
    if (value === '') errors.push(required(`${path}.${field}`))
    else push(errors, `${path}.${field}`, value, pathSegmentProblems(value))
  }
  const problem = apiVersionProblem(text(reference, 'apiVersion'), rule)
  if (problem !== undefined) errors.push(invalid(`${path}.apiVersion`, text(reference, 'apiVersion'), problem))
}

function checkRules(errors: Errors, rules: Obj, path: string): void {
  const window = numberIfSet(rules, 'stabilizationWindowSeconds')
  const windowPath = `${path}.stabilizationWindowSeconds`
  if (window !== undefined && window < 0) {
    errors.push(invalid(windowPath, window, 'must be greater than or equal to zero'))
  }
  if (window !== undefined && window > maxWindowSeconds) {
    errors.push(invalid(windowPath, window, `must be less than or equal to ${maxWindowSeconds}`))
  }
  const select = textIfSet(rules, 'selectPolicy')
  if (select !== undefined && !selectPolicies.includes(select)) {
    errors.push(notSupported(`${path}.selectPolicy`, select, selectPolicies))
  }
  const policies = list(rules, 'policies')
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'))
  policies.forEach((policy, i) => {
    checkPolicy(errors, policy, `${path}.policies[${i}]`)
  })
  const tolerance = textIfSet(rules, 'tolerance')
  if (tolerance !== undefined) checkNonnegativeQuantity(errors, tolerance, `${path}.tolerance`)
}

function checkPolicy(errors: Errors, policy: Obj, path: string): void {
  const type = text(policy, 'type')
  if (!policyTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, policyTypes))
  for (const field of ['value', 'periodSeconds']) {
    const value = number(policy, field)
    if (value <= 0) errors.push(invalid(`${path}.${field}`, value, 'must be greater than zero'))
  }
  const period = number(policy, 'periodSeconds')
  if (period > maxPeriodSeconds) {
    errors.push(invalid(`${path}.periodSeconds`, period, `must be less than or equal to ${maxPeriodSeconds}`))
  }
}

/** In upstream's order: only the first source that is set is checked. */
const sources = ['object', 'external', 'pods', 'resource', 'containerResource'] as const

function checkMetric(errors: Errors, metric: Obj, path: string, rules: Rules): void {
  const type = text(metric, 'type')
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric source type'))
  const isKnown = metricTypes.includes(type)
  if (!isKnown) errors.push(notSupported(`${path}.type`, type, metricTypes))
  const present = sources.filter((source) => child(metric, source) !== undefined)
  const [first] = present
  if (first !== undefined) checkSource(errors, first, part(metric, first), `${path}.${first}`, rules)
  const expected = `${type.charAt(0).toLowerCase()}${type.slice(1)}`
  if (!isKnown) errors.push(notSupported(`${path}.type`, type, metricTypes))
  else if (child(metric, expected) === undefined) {
    errors.push(required(`${path}.${expected}`, 'must populate information for the given metric source'))
  }
  if (present.length === 1) return
  for (const source of present) {
    if (source !== expected) errors.push(forbidden(`${path}.${source}`, 'must populate the given metric source only'))
  }
}

function checkSource(errors: Errors, kind: (typeof sources)[number], source: Obj, path: string, rules: Rules): void {
  const target = part(source, 'target')
  const has = (field: string) => target[field] !== undefined && target[field] !== null
  if (kind === 'resource' || kind === 'containerResource') {
    checkResourceSource(errors, kind, source, path)
    checkTarget(errors, target, `${path}.target`)
    if (!has('averageUtilization') && !has('averageValue')) {
      const why = 'must set either a target raw value or a target utilization'
      errors.push(required(`${path}.target.averageUtilization`, why))
    }
    if (has('averageUtilization') && has('averageValue')) {
      const why = 'may not set both a target raw value and a target utilization'
      errors.push(forbidden(`${path}.target.averageValue`, why))
    }
    return
  }
  if (kind === 'object') {
    checkReference(errors, part(source, 'describedObject'), `${path}.describedObject`, rules.described)
  }
  checkIdentifier(errors, part(source, 'metric'), `${path}.metric`)
  checkTarget(errors, target, `${path}.target`)
  const missing = kind === 'pods' ? !has('averageValue') : !has('value') && !has('averageValue')
  if (missing) errors.push(required(`${path}.target.averageValue`, missingTarget[kind]))
  if (kind === 'external' && has('value') && has('averageValue')) {
    const why = 'may not set both a target value for metric and a per-pod target'
    errors.push(forbidden(`${path}.target.value`, why))
  }
}

const missingTarget = {
  object: 'must set either a target value or averageValue',
  external: 'must set either a target value for metric or a per-pod target',
  pods: 'must specify a positive target averageValue',
} as const

function checkResourceSource(errors: Errors, kind: string, source: Obj, path: string): void {
  const name = text(source, 'name')
  if (name === '') errors.push(required(`${path}.name`, 'must specify a resource name'))
  else if (kind === 'containerResource') checkContainerResourceName(errors, name, `${path}.name`)
  if (kind !== 'containerResource') return
  const container = text(source, 'container')
  if (container === '') errors.push(required(`${path}.container`, 'must specify a container'))
  else push(errors, `${path}.container`, container, labelNameProblems(container))
}

function checkTarget(errors: Errors, target: Obj, path: string): void {
  const type = text(target, 'type')
  if (type === '') errors.push(required(`${path}.type`, 'must specify a metric target type'))
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    errors.push(invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue'))
  }
  for (const field of ['value', 'averageValue']) {
    const amount = textIfSet(target, field)
    if (amount === undefined) continue
    const parsed = parseQuantity(amount)
    if (parsed.ok && quantityMilli(parsed.value) <= 0) {
      errors.push(invalid(`${path}.${field}`, amount, 'must be positive'))
    }
  }
  const utilization = numberIfSet(target, 'averageUtilization')
  if (utilization !== undefined && utilization < 1) {
    errors.push(invalid(`${path}.averageUtilization`, utilization, 'must be greater than 0'))
  }
}

function checkIdentifier(errors: Errors, identifier: Obj, path: string): void {
  const name = text(identifier, 'name')
  if (name === '') errors.push(required(`${path}.name`, 'must specify a metric name'))
  else push(errors, `${path}.name`, name, pathSegmentProblems(name))
}
