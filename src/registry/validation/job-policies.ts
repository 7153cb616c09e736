import { duplicate, invalid, invalidUnshown, notSupported, required, tooLong, tooMany } from '../errors/field-error.ts'
import { countIndexes } from './job-indexes.ts'
import { checkNonnegative } from './meta.ts'
import { checkQualifiedName } from './names.ts'
import { child, type Errors, list, numbers, type Obj, part } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'

const maxRules = 20
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore']
const operators = ['In', 'NotIn']
const statuses = ['False', 'True', 'Unknown']

const oneOf = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`

function checkNamed(errors: Errors, value: string, values: readonly string[], path: string): void {
  if (value === '') errors.push(required(path, oneOf(values)))
  else if (!values.includes(value)) errors.push(notSupported(path, value, values))
}

export function checkFailurePolicy(errors: Errors, spec: Obj, policy: Obj, path: string): void {
  const rules = list(policy, 'rules')
  if (rules.length > maxRules) errors.push(tooMany(`${path}.rules`, rules.length, maxRules))
  const pod = part(part(spec, 'template'), 'spec')
  const names = [...list(pod, 'containers'), ...list(pod, 'initContainers')].map((one) => text(one, 'name'))
  rules.forEach((rule, i) => {
    checkRule(errors, spec, rule, names, `${path}.rules[${i}]`)
  })
}

function checkRule(errors: Errors, spec: Obj, rule: Obj, names: readonly string[], path: string): void {
  const action = text(rule, 'action')
  if (action === 'FailIndex') {
    if (numberIfSet(spec, 'backoffLimitPerIndex') === undefined) {
      errors.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'))
    }
  } else checkNamed(errors, action, actions, `${path}.action`)
  const codes = child(rule, 'onExitCodes')
  const conditions = list(rule, 'onPodConditions')
  if (codes !== undefined) checkExitCodes(errors, codes, names, `${path}.onExitCodes`)
  checkPatterns(errors, conditions, `${path}.onPodConditions`)
  if (codes !== undefined && conditions.length > 0) {
    errors.push(invalidUnshown(path, 'specifying both OnExitCodes and OnPodConditions is not supported'))
  }
  if (codes === undefined && conditions.length === 0) {
    errors.push(invalidUnshown(path, 'specifying one of OnExitCodes and OnPodConditions is required'))
  }
}

function checkPatterns(errors: Errors, patterns: readonly Obj[], path: string): void {
  if (patterns.length > maxRules) errors.push(tooMany(path, patterns.length, maxRules))
  patterns.forEach((pattern, i) => {
    checkQualifiedName(errors, text(pattern, 'type'), `${path}[${i}].type`)
    checkNamed(errors, text(pattern, 'status'), statuses, `${path}[${i}].status`)
  })
}

function checkExitCodes(errors: Errors, codes: Obj, names: readonly string[], path: string): void {
  const operator = text(codes, 'operator')
  checkNamed(errors, operator, operators, `${path}.operator`)
  const container = textIfSet(codes, 'containerName')
  if (container !== undefined && !names.includes(container)) {
    const why = 'must be one of the container or initContainer names in the pod template'
    errors.push(invalid(`${path}.containerName`, container, why))
  }
  const at = `${path}.values`
  const values = numbers(codes, 'values')
  if (values.length === 0) errors.push(invalid(at, null, 'at least one value is required'))
  else if (values.length > 255) errors.push(tooMany(at, values.length, 255))
  const seen = new Set<number>()
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0)
      errors.push(invalid(`${at}[${i}]`, value, 'must not be 0 for the In operator'))
    if (seen.has(value)) errors.push(duplicate(`${at}[${i}]`, value))
    seen.add(value)
  })
  if (values.some((value, i) => i > 0 && (values[i - 1] as number) > value)) {
    errors.push(invalid(at, values, 'must be ordered'))
  }
}

const maxIndexText = 64 * 1024

/** The success policy of an indexed Job. */
export function checkSuccessPolicy(errors: Errors, spec: Obj, policy: Obj, path: string): void {
  const rules = list(policy, 'rules')
  const at = `${path}.rules`
  if (rules.length === 0) {
    errors.push(required(at, 'at least one rules must be specified when the successPolicy is specified'))
  }
  if (rules.length > maxRules) errors.push(tooMany(at, rules.length, maxRules))
  rules.forEach((rule, i) => {
    checkSuccessRule(errors, number(spec, 'completions'), rule, `${at}[${i}]`)
  })
}

function checkSuccessRule(errors: Errors, completions: number, rule: Obj, path: string): void {
  const count = numberIfSet(rule, 'succeededCount')
  const indexes = textIfSet(rule, 'succeededIndexes')
  if (count === undefined && indexes === undefined) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'))
  }
  let total = 0
  if (indexes !== undefined) {
    const at = `${path}.succeededIndexes`
    if (indexes.length > maxIndexText) errors.push(tooLong(at, maxIndexText))
    const counted = countIndexes(indexes, completions)
    if (typeof counted === 'number') total = counted
    else errors.push(invalid(at, indexes, `error parsing succeededIndexes: ${counted.problem}`))
  }
  if (count === undefined) return
  const at = `${path}.succeededCount`
  checkNonnegative(errors, count, at)
  const limits: readonly (readonly [number, string])[] = [
    [completions, 'the number of specified completions'],
    ...(indexes === undefined
      ? []
      : ([[total, 'the number of indexes in the specified succeededIndexes field']] as const)),
  ]
  for (const [limit, what] of limits) {
    if (count > limit) errors.push(invalid(at, count, `must be less than or equal to ${limit} (${what})`))
  }
}

/** The two policies as messages print upstream's internal types. */
export function shownFailurePolicy(policy: Obj | undefined): unknown {
  if (policy === undefined) return null
  const rules = list(policy, 'rules').map((rule) => {
    const codes = child(rule, 'onExitCodes')
    const patterns = list(rule, 'onPodConditions')
    return {
      Action: text(rule, 'action'),
      OnExitCodes:
        codes === undefined
          ? null
          : {
              ContainerName: textIfSet(codes, 'containerName') ?? null,
              Operator: text(codes, 'operator'),
              Values: codes['values'] ?? null,
            },
      OnPodConditions:
        patterns.length === 0
          ? null
          : patterns.map((pattern) => ({ Type: text(pattern, 'type'), Status: text(pattern, 'status') })),
    }
  })
  return { Rules: rules.length === 0 ? null : rules }
}

export function shownSuccessPolicy(policy: Obj | undefined): unknown {
  if (policy === undefined) return null
  const rules = list(policy, 'rules').map((rule) => ({
    SucceededIndexes: textIfSet(rule, 'succeededIndexes') ?? null,
    SucceededCount: numberIfSet(rule, 'succeededCount') ?? null,
  }))
  return { Rules: rules.length === 0 ? null : rules }
}
