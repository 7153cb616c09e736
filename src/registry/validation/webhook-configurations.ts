import { deepEqual } from '../../api/equality.ts'
import { label1035Problems, subdomainProblems } from '../../api/name-problems.ts'
import { readUrl } from '../../cel/library/urls.ts'
import { duplicate, invalid, required } from '../errors/field-error.ts'
import {
  checkChoice,
  checkFullyQualified,
  checkMatchConditions,
  checkRule,
  failurePolicies,
  matchPolicies,
  reinvocationPolicies,
} from './admission-rules.ts'
import { checkMeta, metaOf } from './meta.ts'
import { portProblems, push } from './names.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { number, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'

const accepted = ['v1', 'v1beta1']
const harmless = ['None', 'NoneOnDryRun']
const sideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown']

/** Values that older servers accepted and that may stay. */
interface WebhookLeniency {
  readonly sideEffects: boolean
  readonly versions: boolean
  readonly names: boolean
  readonly conditions: boolean
}

const strict: WebhookLeniency = { sideEffects: false, versions: false, names: false, conditions: false }

/** ValidateValidatingWebhookConfiguration and ValidateMutatingWebhookConfiguration. */
export function checkWebhooks(errors: Errors, configuration: Obj): void {
  checkAll(errors, configuration, strict)
}

export function checkWebhooksUpdate(errors: Errors, configuration: Obj, old: Obj): void {
  const before = list(old, 'webhooks')
  const names = before.map((hook) => text(hook, 'name'))
  const conditions = (hooks: readonly Obj[]) => hooks.map((hook) => list(hook, 'matchConditions'))
  checkAll(errors, configuration, {
    sideEffects: !before.every((hook) => harmless.includes(text(hook, 'sideEffects'))),
    versions: before.some((hook) => {
      const versions = texts(hook, 'admissionReviewVersions')
      return versions.length > 0 && !versions.some((version) => accepted.includes(version))
    }),
    names: new Set(names).size < names.length,
    conditions: deepEqual(conditions(before), conditions(list(configuration, 'webhooks'))),
  })
}

function checkAll(errors: Errors, configuration: Obj, leniency: WebhookLeniency): void {
  checkMeta(errors, metaOf(configuration), { namespaced: false, name: 'subdomain' })
  const seen = new Set<string>()
  list(configuration, 'webhooks').forEach((hook, i) => {
    const path = `webhooks[${i}]`
    checkWebhook(errors, hook, path, leniency)
    checkReviewVersions(errors, texts(hook, 'admissionReviewVersions'), `${path}.admissionReviewVersions`, leniency)
    const name = text(hook, 'name')
    if (leniency.names || name === '') return
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name))
    seen.add(name)
  })
}

function checkWebhook(errors: Errors, hook: Obj, path: string, leniency: WebhookLeniency): void {
  checkFullyQualified(errors, text(hook, 'name'), `${path}.name`)
  list(hook, 'rules').forEach((rule, i) => {
    checkRule(errors, rule, `${path}.rules[${i}]`)
  })
  checkChoice(errors, textIfSet(hook, 'failurePolicy'), `${path}.failurePolicy`, failurePolicies)
  checkChoice(errors, textIfSet(hook, 'matchPolicy'), `${path}.matchPolicy`, matchPolicies)
  const allowed = leniency.sideEffects ? sideEffects : harmless
  const effects = textIfSet(hook, 'sideEffects')
  if (effects === undefined) errors.push(required(`${path}.sideEffects`, `must specify one of ${allowed.join(', ')}`))
  else checkChoice(errors, effects, `${path}.sideEffects`, allowed)
  const timeout = numberIfSet(hook, 'timeoutSeconds')
  if (timeout !== undefined && (timeout > 30 || timeout < 1)) {
    const why = 'the timeout value must be between 1 and 30 seconds'
    errors.push(invalid(`${path}.timeoutSeconds`, timeout, why))
  }
  checkLabelSelector(errors, child(hook, 'namespaceSelector'), `${path}.namespaceSelector`)
  checkLabelSelector(errors, child(hook, 'objectSelector'), `${path}.objectSelector`)
  checkChoice(errors, textIfSet(hook, 'reinvocationPolicy'), `${path}.reinvocationPolicy`, reinvocationPolicies)
  checkClientConfig(errors, part(hook, 'clientConfig'), `${path}.clientConfig`)
  if (!leniency.conditions) {
    checkMatchConditions(errors, list(hook, 'matchConditions'), `${path}.matchConditions`, false)
  }
}

function checkClientConfig(errors: Errors, config: Obj, path: string): void {
  const url = textIfSet(config, 'url')
  const service = child(config, 'service')
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(path, 'exactly one of url or service is required'))
  } else if (url !== undefined) checkWebhookUrl(errors, url, `${path}.url`)
  else if (service !== undefined) checkWebhookService(errors, service, `${path}.service`)
}

const form = '; desired format: https://host[/path]'

/** apiserver/pkg/util/webhook, ValidateWebhookURL. */
export function checkWebhookUrl(errors: Errors, url: string, path: string): void {
  const [beforeFragment = '', fragment = ''] = url.split('#', 2)
  const isAbsolute = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(url) || url.startsWith('/')
  const read = readUrl(isAbsolute ? url : `/${url}`)
  if (!read.ok) {
    errors.push(required(path, `url must be a valid URL: ${read.why}${form}`))
    return
  }
  const { scheme, host, query } = isAbsolute
    ? read.url
    : { scheme: '', host: '', query: beforeFragment.split('?')[1] ?? '' }
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`))
  if (host === '') errors.push(invalid(path, host, `host must be specified${form}`))
  const user = /^[^/]*\/\/([^/?#]*)@/.exec(beforeFragment)?.[1]
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'))
}

/** apiserver/pkg/util/webhook, ValidateWebhookService. */
export function checkWebhookService(errors: Errors, service: Obj, path: string): void {
  if (text(service, 'namespace') === '') errors.push(required(`${path}.namespace`))
  if (text(service, 'name') === '') errors.push(required(`${path}.name`))
  const port = numberIfSet(service, 'port') === undefined ? 443 : number(service, 'port')
  const problems = portProblems(port)
  if (problems.length > 0) errors.push(invalid(`${path}.port`, port, `port is not valid: ${problems.join(', ')}`))
  const given = textIfSet(service, 'path')
  if (given === undefined || given === '' || given === '/') return
  if (given === '//') {
    errors.push(invalid(`${path}.path`, given, 'segment[0] may not be empty'))
    return
  }
  if (!given.startsWith('/')) errors.push(invalid(`${path}.path`, given, "must start with a '/'"))
  const steps = given.slice(1).replace(/\/$/, '').split('/')
  steps.forEach((step, i) => {
    if (step === '') errors.push(invalid(`${path}.path`, given, `segment[${i}] may not be empty`))
    else
      push(
        errors,
        `${path}.path`,
        given,
        subdomainProblems(step).map((problem) => `segment[${i}]: ${problem}`),
      )
  })
}

function checkReviewVersions(
  errors: Errors,
  versions: readonly string[],
  path: string,
  { versions: isLenient }: WebhookLeniency,
): void {
  if (versions.length === 0) {
    errors.push(required(path, `must specify one of ${accepted.join(', ')}`))
    return
  }
  const seen = new Set<string>()
  versions.forEach((version, i) => {
    if (seen.has(version)) {
      errors.push(invalid(`${path}[${i}]`, version, 'duplicate version'))
      return
    }
    seen.add(version)
    push(errors, `${path}[${i}]`, version, label1035Problems(version))
  })
  if (!isLenient && !versions.some((version) => accepted.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${accepted.join(', ')}`))
  }
}
