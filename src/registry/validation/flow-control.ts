import { semanticEqual } from '../../api/equality.ts'
import { labelNameProblems, subdomainProblems } from '../../api/name-problems.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../errors/field-error.ts'
import { checkMeta, metaOf } from './meta.ts'
import { push } from './names.ts'
import { child, type Errors, list, type Obj, part, strings, texts } from './reader.ts'
import { flag, number, numberIfSet, text } from './scalars.ts'

// v1.36, pkg/apis/flowcontrol/validation.

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const everyRule = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}
const groupNamed = (name: string) => ({ kind: 'Group', group: { name } })

/** Specs that must not change (apis/flowcontrol/bootstrap). */
const fixedSchemas = lookupTable<object>({
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [groupNamed('system:masters')], ...everyRule }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [groupNamed('system:unauthenticated'), groupNamed('system:authenticated')], ...everyRule }],
  },
})

const fixedLevels = lookupTable<object>({
  exempt: { type: 'Exempt' },
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  },
})

export function checkFlowSchema(errors: Errors, schema: Obj): void {
  const meta = metaOf(schema)
  const name = text(meta, 'name')
  const spec = part(schema, 'spec')
  checkMeta(errors, meta, { namespaced: false, name: 'subdomain' })
  checkSchemaSpec(errors, name, spec)
  const fixed = fixedSchemas[name]
  if (fixed !== undefined && !semanticEqual(spec, fixed)) {
    errors.push(invalid('spec', spec, `spec of '${name}' must equal the fixed value`))
  }
  checkFlowStatus(errors, schema)
}

function checkSchemaSpec(errors: Errors, name: string, spec: Obj): void {
  const precedence = number(spec, 'matchingPrecedence')
  const path = 'spec.matchingPrecedence'
  if (precedence <= 0) errors.push(invalid(path, precedence, 'must be a positive value'))
  if (precedence > 10_000) errors.push(invalid(path, precedence, 'must not be greater than 10000'))
  if (precedence === 1 && name !== 'exempt') {
    errors.push(invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
  }
  const method = child(spec, 'distinguisherMethod')
  const methods = ['ByNamespace', 'ByUser']
  if (method !== undefined && !methods.includes(text(method, 'type'))) {
    errors.push(notSupported('spec.distinguisherMethod.type', { Type: text(method, 'type') }, methods))
  }
  const level = text(part(spec, 'priorityLevelConfiguration'), 'name')
  const levelPath = 'spec.priorityLevelConfiguration.name'
  if (level === '') errors.push(required(levelPath, 'must reference a priority level'))
  else push(errors, levelPath, level, subdomainProblems(level))
  for (const [i, rule] of list(spec, 'rules').entries()) checkSchemaRule(errors, rule, `spec.rules[${i}]`)
}

function checkSchemaRule(errors: Errors, rule: Obj, path: string): void {
  const subjects = list(rule, 'subjects')
  if (subjects.length === 0) errors.push(required(`${path}.subjects`, 'subjects must contain at least one value'))
  for (const [i, subject] of subjects.entries()) checkSubject(errors, subject, `${path}.subjects[${i}]`)
  const resourceRules = list(rule, 'resourceRules')
  const urlRules = list(rule, 'nonResourceRules')
  if (resourceRules.length === 0 && urlRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  for (const [i, one] of resourceRules.entries()) checkResourceRule(errors, one, `${path}.resourceRules[${i}]`)
  for (const [i, one] of urlRules.entries()) checkUrlRule(errors, one, `${path}.nonResourceRules[${i}]`)
}

/** By kind: the required field, and the other fields in the order in which errors forbid them. */
const subjectFields = lookupTable<readonly [string, ...string[]]>({
  ServiceAccount: ['serviceAccount', 'user', 'group'],
  User: ['user', 'serviceAccount', 'group'],
  Group: ['group', 'serviceAccount', 'user'],
})
const kindOfField = lookupTable<string>({ serviceAccount: 'ServiceAccount', user: 'User', group: 'Group' })

function checkSubject(errors: Errors, subject: Obj, path: string): void {
  const kind = text(subject, 'kind')
  const fields = subjectFields[kind]
  if (fields === undefined) {
    errors.push(notSupported(`${path}.kind`, kind, ['Group', 'ServiceAccount', 'User']))
    return
  }
  const [own, ...others] = fields
  const given = child(subject, own)
  if (given === undefined) errors.push(required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`))
  else checkNamedSubject(errors, given, own, `${path}.${own}`)
  for (const other of others) {
    if (child(subject, other) === undefined) continue
    const why = `${other} is forbidden when subject kind is not '${kindOfField[other] ?? ''}'`
    errors.push(forbidden(`${path}.${other}`, why))
  }
}

function checkNamedSubject(errors: Errors, subject: Obj, field: string, path: string): void {
  const name = text(subject, 'name')
  if (name === '') errors.push(required(`${path}.name`))
  if (field !== 'serviceAccount') return
  if (name !== '' && name !== '*') push(errors, `${path}.name`, name, subdomainProblems(name))
  const namespace = text(subject, 'namespace')
  if (namespace !== '') push(errors, `${path}.namespace`, namespace, labelNameProblems(namespace))
  else errors.push(required(`${path}.namespace`, 'must specify namespace for service account'))
}

function checkVerbs(errors: Errors, given: readonly string[], path: string): void {
  if (given.length === 0) errors.push(required(path, 'verbs must contain at least one value'))
  else if (given.includes('*')) {
    if (given.length > 1) errors.push(invalid(path, given, "if '*' is present, must not specify other verbs"))
  } else if (!given.every((verb) => verbs.includes(verb))) errors.push(notSupported(path, given, verbs))
}

function checkUrlRule(errors: Errors, rule: Obj, path: string): void {
  checkVerbs(errors, texts(rule, 'verbs'), `${path}.verbs`)
  const urls = texts(rule, 'nonResourceURLs')
  const at = `${path}.nonResourceURLs`
  if (urls.length === 0) errors.push(required(at, 'nonResourceURLs must contain at least one value'))
  else if (urls.includes('*')) {
    if (urls.length > 1) errors.push(invalid(at, urls, "if '*' is present, must not specify other non-resource URLs"))
  } else {
    urls.forEach((url, i) => {
      const problem = urlProblem(url)
      if (problem !== undefined) errors.push(invalid(`${at}[${i}]`, url, problem))
    })
  }
}

function urlProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const stars = path.split('*').length - 1
  return stars > 1 || (stars === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined
}

function checkResourceRule(errors: Errors, rule: Obj, path: string): void {
  checkVerbs(errors, texts(rule, 'verbs'), `${path}.verbs`)
  for (const [field, what] of [
    ['apiGroups', 'api group'],
    ['resources', 'resource'],
  ] as const) {
    const given = texts(rule, field)
    if (given.length === 0) {
      errors.push(required(`${path}.${field}`, `resource rules must supply at least one ${what}`))
    } else if (given.length > 1 && given.includes('*')) {
      errors.push(invalid(`${path}.${field}`, given, `if '*' is present, must not specify other ${what}s`))
    }
  }
  const namespaces = texts(rule, 'namespaces')
  const at = `${path}.namespaces`
  if (namespaces.length === 0 && !flag(rule, 'clusterScope')) {
    errors.push(required(at, 'resource rules that are not cluster scoped must supply at least one namespace'))
  } else if (namespaces.includes('*')) {
    if (namespaces.length > 1) {
      errors.push(invalid(at, namespaces, "if '*' is present, must not specify other namespaces"))
    }
  } else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    namespaces.forEach((namespace, i) => {
      for (const why of labelNameProblems(namespace)) errors.push(invalid(`${at}[${i}]`, namespace, intro + why))
    })
  }
}

/** The status of schemas and levels. */
export function checkFlowStatus(errors: Errors, object: Obj): void {
  const seen = new Set<string>()
  list(part(object, 'status'), 'conditions').forEach((condition, i) => {
    const path = `status.conditions[${i}].type`
    const type = text(condition, 'type')
    if (seen.has(type)) errors.push(duplicate(path, type))
    seen.add(type)
    if (type === '') errors.push(required(path))
  })
}

const zeroSharesKey = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

export function checkPriorityLevel(errors: Errors, level: Obj): void {
  const meta = metaOf(level)
  const name = text(meta, 'name')
  const spec = part(level, 'spec')
  checkMeta(errors, meta, { namespaced: false, name: 'subdomain' })
  if (Object.hasOwn(strings(meta, 'annotations'), zeroSharesKey)) {
    errors.push(forbidden('metadata.annotations', `annotation '${zeroSharesKey}' is forbidden`))
  }
  checkLevelSpec(errors, name, spec)
  const fixed = fixedLevels[name]
  if (fixed !== undefined) {
    const { exempt: _, ...rest } = spec
    const isExempt = name === 'exempt'
    if (!semanticEqual(isExempt ? rest : spec, fixed)) {
      const except = isExempt ? " except the 'spec.exempt' field" : ''
      errors.push(invalid('spec', spec, `spec of '${name}'${except} must equal the fixed value`))
    }
  }
  checkFlowStatus(errors, level)
}

function checkLevelSpec(errors: Errors, name: string, spec: Obj): void {
  const type = text(spec, 'type')
  const limited = child(spec, 'limited')
  const exempt = child(spec, 'exempt')
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.push(invalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  }
  const isDeclared = atLeast(errors.release, '1.37')
  if (isDeclared) checkDeclaredParts(errors, spec)
  if (type === 'Exempt') {
    if (limited !== undefined && !isDeclared)
      errors.push(forbidden('spec.limited', 'must be nil if the type is not Limited'))
    if (exempt !== undefined) checkShares(errors, exempt, 'spec.exempt')
  } else if (type === 'Limited') {
    if (exempt !== undefined && !isDeclared) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'))
    if (limited === undefined) {
      if (!isDeclared) errors.push(required('spec.limited', 'must not be empty when type is Limited'))
    } else checkLimited(errors, limited)
  } else if (type === '' && atLeast(errors.release, '1.36')) errors.push(required('spec.type'))
  else errors.push(notSupported('spec.type', type, ['Exempt', 'Limited']))
}

/**
 * The parts that a type excludes or needs. Since v1.37 they are declared rules, which also apply to an unsupported
 * type.
 */
function checkDeclaredParts(errors: Errors, spec: Obj): void {
  const type = text(spec, 'type')
  const limited = child(spec, 'limited')
  if (limited !== undefined && type !== 'Limited') errors.push(forbidden('spec.limited', ''))
  if (limited === undefined && type === 'Limited') errors.push(required('spec.limited'))
  if (child(spec, 'exempt') !== undefined && type !== 'Exempt') errors.push(forbidden('spec.exempt', ''))
  if (limited === undefined) return
  const response = part(limited, 'limitResponse')
  const [queuing, isQueue] = [child(response, 'queuing'), text(response, 'type') === 'Queue']
  if (queuing !== undefined && !isQueue) errors.push(forbidden('spec.limited.limitResponse.queuing', ''))
  if (queuing === undefined && isQueue) errors.push(required('spec.limited.limitResponse.queuing'))
}

function checkShares(errors: Errors, level: Obj, path: string): void {
  const shares = numberIfSet(level, 'nominalConcurrencyShares')
  if (shares !== undefined && shares < 0) {
    errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'))
  }
  checkLendable(errors, level, path)
}

function checkLendable(errors: Errors, level: Obj, path: string): void {
  const percent = numberIfSet(level, 'lendablePercent')
  if (percent === undefined || (percent >= 0 && percent <= 100)) return
  errors.push(invalid(`${path}.lendablePercent`, percent, 'must be between 0 and 100, inclusive'))
}

function checkLimited(errors: Errors, limited: Obj): void {
  const path = 'spec.limited'
  const shares = number(limited, 'nominalConcurrencyShares')
  if (shares < 0) errors.push(invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'))
  const response = part(limited, 'limitResponse')
  const queuing = child(response, 'queuing')
  const type = text(response, 'type')
  const at = `${path}.limitResponse`
  const isDeclared = atLeast(errors.release, '1.37')
  if (type === 'Reject') {
    const why = 'must be nil if limited.limitResponse.type is not Limited'
    if (queuing !== undefined && !isDeclared) errors.push(forbidden(`${at}.queuing`, why))
  } else if (type === 'Queue') {
    const why = 'must not be empty if limited.limitResponse.type is Limited'
    if (queuing === undefined) {
      if (!isDeclared) errors.push(required(`${at}.queuing`, why))
    } else checkQueuing(errors, queuing, `${at}.queuing`)
  } else if (type === '' && atLeast(errors.release, '1.36')) errors.push(required(`${at}.type`))
  else errors.push(notSupported(`${at}.type`, type, ['Queue', 'Reject']))
  checkLendable(errors, limited, path)
  const borrowed = numberIfSet(limited, 'borrowingLimitPercent')
  if (borrowed !== undefined && borrowed < 0) {
    const why = 'if specified, must be a non-negative integer'
    errors.push(invalid(`${path}.borrowingLimitPercent`, borrowed, why))
  }
}

const maxQueues = 10_000_000
const maxHashBits = 60

function checkQueuing(errors: Errors, queuing: Obj, path: string): void {
  const [length, queues, hand] = ['queueLengthLimit', 'queues', 'handSize'].map((field) => number(queuing, field)) as [
    number,
    number,
    number,
  ]
  if (length <= 0) errors.push(invalid(`${path}.queueLengthLimit`, length, 'must be positive'))
  if (queues <= 0) errors.push(invalid(`${path}.queues`, queues, 'must be positive'))
  else if (queues > maxQueues) {
    errors.push(invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`))
  }
  const at = `${path}.handSize`
  if (hand <= 0) errors.push(invalid(at, hand, 'must be positive'))
  else if (hand > queues) errors.push(invalid(at, hand, `should not be greater than queues (${queues})`))
  else if (Math.ceil(Math.log2(queues) * hand) > maxHashBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${hand} should not be greater than ${maxHashBits}`
    errors.push(invalid(at, hand, why))
  }
}
