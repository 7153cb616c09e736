import { deepEqual } from '../../api/equality.ts'
import { compareQuantities, milliValue, quantity } from '../../api/quantity.ts'
import { priorityClasses } from '../../api/well-known.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkImmutable, checkKubeFinalizer, checkMeta, checkMetaUpdate, metaOf, negative } from './meta.ts'
import { checkQualifiedName, configKeyProblems, push } from './names.ts'
import { checkChoice } from './pod-spec.ts'
import { checkContainerResourceName, checkResourceName, isLessThan, isOvercommitAllowed } from './quantities.ts'
import { type Errors, entryOf, list, type Obj, part, strings, texts } from './reader.ts'
import { flag, number, numberIfSet, text, textIfSet } from './scalars.ts'

export function checkNamespace(errors: Errors, namespace: Obj): void {
  checkMeta(errors, metaOf(namespace), { namespaced: false, name: 'label' })
  for (const finalizer of texts(part(namespace, 'spec'), 'finalizers')) {
    checkQualifiedName(errors, finalizer, 'spec.finalizers')
    checkKubeFinalizer(errors, finalizer, 'spec.finalizers')
  }
}

export function checkNamespaceStatus(errors: Errors, namespace: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(namespace), metaOf(old))
  const phase = text(part(namespace, 'status'), 'phase')
  const going = metaOf(namespace)['deletionTimestamp'] !== undefined
  if (!going && phase !== 'Active') {
    errors.push(invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"))
  } else if (going && phase !== 'Terminating') {
    errors.push(invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"))
  }
}

export function checkNamespaceFinalize(errors: Errors, namespace: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(namespace), metaOf(old))
  texts(part(namespace, 'spec'), 'finalizers').forEach((finalizer, i) => {
    checkQualifiedName(errors, finalizer, `spec.finalizers[${i}]`)
    checkKubeFinalizer(errors, finalizer, `spec.finalizers[${i}]`)
  })
}

const maxUserPriority = 1_000_000_000

export function checkPriorityClass(errors: Errors, priorityClass: Obj): void {
  checkMeta(errors, metaOf(priorityClass), { namespaced: false, name: 'subdomain' })
  const name = text(metaOf(priorityClass), 'name')
  const value = number(priorityClass, 'value')
  if (name.startsWith('system-')) {
    const problem = systemClassProblem(name, value, flag(priorityClass, 'globalDefault'))
    if (problem !== undefined) {
      const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`
      errors.push(forbidden('metadata.name', why))
    }
  } else if (value > maxUserPriority) {
    errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${maxUserPriority}`))
  }
  const policy = textIfSet(priorityClass, 'preemptionPolicy')
  if (policy !== undefined) checkChoice(errors, policy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy')
}

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = Object.values(priorityClasses).find((one) => one.name === name)
  if (known === undefined) return `${name} is not a known system priority class`
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export function checkPriorityClassUpdate(errors: Errors, priorityClass: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(priorityClass), metaOf(old))
  if (number(priorityClass, 'value') !== number(old, 'value')) {
    errors.push(forbidden('value', 'may not be changed in an update.'))
  }
  const { preemptionPolicy } = priorityClass
  checkImmutable(errors, preemptionPolicy, old['preemptionPolicy'], 'preemptionPolicy')
}

function checkLeaseSpec(errors: Errors, spec: Obj): void {
  const duration = numberIfSet(spec, 'leaseDurationSeconds')
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'))
  }
  const transitions = numberIfSet(spec, 'leaseTransitions')
  if (transitions !== undefined && transitions < 0) errors.push(invalid('spec.leaseTransitions', transitions, negative))
  const strategy = textIfSet(spec, 'strategy')
  if (strategy !== undefined) {
    if (strategy.includes('/')) checkQualifiedName(errors, strategy, 'spec.strategy.strategy')
    else if (strategy !== 'OldestEmulationVersion') {
      errors.push(notSupported('spec.strategy.strategy', strategy, ['OldestEmulationVersion']))
    }
  }
  if (text(spec, 'preferredHolder') !== '' && (strategy ?? '') === '') {
    errors.push(forbidden('spec.preferredHolder', 'may only be specified if `strategy` is defined'))
  }
}

export function checkLease(errors: Errors, lease: Obj): void {
  checkMeta(errors, metaOf(lease), { namespaced: true, name: 'subdomain', kubeFinalizers: false })
  checkLeaseSpec(errors, part(lease, 'spec'))
}

export function checkLeaseUpdate(errors: Errors, lease: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(lease), metaOf(old), 'metadata', false)
  checkLeaseSpec(errors, part(lease, 'spec'))
}

const maxDataBytes = 1024 * 1024

export function checkConfigMap(errors: Errors, map: Obj): void {
  checkMeta(errors, metaOf(map), { namespaced: true, name: 'subdomain' })
  const data = strings(map, 'data')
  const binary = strings(map, 'binaryData')
  let size = 0
  for (const key in data) {
    push(errors, `data[${key}]`, key, configKeyProblems(key))
    if (entryOf(binary, key) !== undefined)
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    size += Buffer.byteLength(data[key] as string)
  }
  for (const key in binary) {
    push(errors, `binaryData[${key}]`, key, configKeyProblems(key))
    size += Buffer.byteLength(text(binary, key), 'base64')
  }
  if (size > maxDataBytes) errors.push(tooLong('', maxDataBytes))
}

const whileImmutable = 'field is immutable when `immutable` is set'

function checkKept(errors: Errors, object: Obj, old: Obj, fields: readonly string[]): void {
  if (!flag(old, 'immutable')) return
  if (!flag(object, 'immutable')) errors.push(forbidden('immutable', whileImmutable))
  for (const field of fields) {
    if (!deepEqual(object[field] ?? {}, old[field] ?? {})) errors.push(forbidden(field, whileImmutable))
  }
}

export function checkConfigMapUpdate(errors: Errors, map: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(map), metaOf(old))
  checkKept(errors, map, old, ['data', 'binaryData'])
  checkConfigMap(errors, map)
}

/** Required keys of secrets by type. */
const secretKeys = lookupTable<readonly string[]>({
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
})

export function checkSecret(errors: Errors, secret: Obj): void {
  checkMeta(errors, metaOf(secret), { namespaced: true, name: 'subdomain' })
  const data = strings(secret, 'data')
  let size = 0
  for (const key in data) {
    push(errors, `data[${key}]`, key, configKeyProblems(key))
    size += Buffer.byteLength(text(data, key), 'base64')
  }
  if (size > maxDataBytes) errors.push(tooLong('data', maxDataBytes))
  const type = text(secret, 'type')
  if (type === 'kubernetes.io/service-account-token') {
    const key = 'kubernetes.io/service-account.name'
    if ((entryOf(strings(metaOf(secret), 'annotations'), key) ?? '') === '') {
      errors.push(required(`metadata.annotations[${key}]`))
    }
  } else if (type === 'kubernetes.io/basic-auth') {
    if (entryOf(data, 'username') === undefined && entryOf(data, 'password') === undefined) {
      errors.push(required('data[username]'), required('data[password]'))
    }
  } else {
    for (const key of secretKeys[type] ?? []) {
      const value = entryOf(data, key)
      if (value === undefined) errors.push(required(`data[${key}]`))
      else if (key.startsWith('.docker') && !isJson(value)) {
        errors.push(invalid(`data[${key}]`, '<secret contents redacted>', 'invalid character in secret contents'))
      }
    }
  }
}

function isJson(base64: string): boolean {
  try {
    JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))
    return true
  } catch {
    return false
  }
}

export function checkSecretUpdate(errors: Errors, secret: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(secret), metaOf(old))
  checkImmutable(errors, text(secret, 'type'), text(old, 'type'), 'type')
  checkKept(errors, secret, old, ['data'])
  checkSecret(errors, secret)
}

const limitTypes = ['Container', 'PersistentVolumeClaim', 'Pod']

/** ValidateLimitRange: the values of one type must be consistent. */
export function checkLimitRange(errors: Errors, range: Obj): void {
  checkMeta(errors, metaOf(range), { namespaced: true, name: 'subdomain' })
  const seen = new Set<string>()
  list(part(range, 'spec'), 'limits').forEach((item, i) => {
    const at = `spec.limits[${i}]`
    const type = text(item, 'type')
    const before = errors.length
    checkQualifiedName(errors, type, `${at}.type`)
    if (errors.length === before && !type.includes('/') && !limitTypes.includes(type)) {
      errors.push(invalid(`${at}.type`, type, 'must be a standard limit type or fully qualified'))
    }
    if (seen.has(type)) {
      errors.push(duplicate(`${at}.type`, type))
    }
    seen.add(type)
    checkLimitItem(errors, item, type, at)
  })
}

function checkLimitItem(errors: Errors, item: Obj, type: string, path: string): void {
  const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
  const names = new Set<string>()
  for (const field of lists) {
    const forbiddenHere = type === 'Pod' && (field === 'default' || field === 'defaultRequest')
    if (forbiddenHere && Object.keys(strings(item, field)).length > 0) {
      errors.push(forbidden(`${path}.${field}`, "may not be specified when `type` is 'Pod'"))
      continue
    }
    for (const name in strings(item, field)) {
      const at = `${path}.${field}[${name}]`
      if (type === 'Pod' || type === 'Container') checkContainerResourceName(errors, name, at)
      else checkResourceName(errors, name, at)
      names.add(name)
    }
  }
  if (type === 'PersistentVolumeClaim') {
    const bounds = [entryOf(strings(item, 'min'), 'storage'), entryOf(strings(item, 'max'), 'storage')]
    if (bounds.every((bound) => bound === undefined)) {
      errors.push(
        required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided'),
      )
    }
  }
  for (const name of names) checkLimitOrder(errors, item, name, path)
}

function checkLimitOrder(errors: Errors, item: Obj, name: string, path: string): void {
  const of = (field: string): string | undefined => entryOf(strings(item, field), name)
  const [min, max, fallback, request] = [of('min'), of('max'), of('default'), of('defaultRequest')]
  type Bound = readonly [words: string, value: string | undefined]
  const order = (field: string, shown: string | undefined, low: Bound, high: Bound): void => {
    if (low[1] === undefined || high[1] === undefined || !isLessThan(high[1], low[1])) return
    const why = `${low[0]} value ${low[1]} is greater than ${high[0]} value ${high[1]}`
    errors.push(invalid(`${path}.${field}[${name}]`, shown, why))
  }
  order('min', min, ['min', min], ['max', max])
  order('defaultRequest', request, ['min', min], ['default request', request])
  order('defaultRequest', request, ['default request', request], ['max', max])
  order('defaultRequest', request, ['default request', request], ['default limit', fallback])
  order('default', min, ['min', min], ['default', fallback])
  order('default', max, ['default', fallback], ['max', max])
  const ratio = of('maxLimitRequestRatio')
  if (ratio !== undefined && isLessThan(ratio, '1')) {
    errors.push(invalid(`${path}.maxLimitRequestRatio[${name}]`, ratio, `ratio ${ratio} is less than 1`))
  }
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const limit = milliValue(max) / milliValue(min)
    if (milliValue(ratio) / 1000 > limit) {
      const why = `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`
      errors.push(invalid(`${path}.maxLimitRequestRatio[${name}]`, ratio, why))
    }
  }
  if (!isOvercommitAllowed(name) && fallback !== undefined && request !== undefined) {
    if (compareQuantities(quantity(fallback), quantity(request)) !== 0) {
      const why = `default value ${fallback} must equal to defaultRequest value ${request} in ${name}`
      errors.push(invalid(`${path}.defaultRequest[${name}]`, request, why))
    }
  }
}
