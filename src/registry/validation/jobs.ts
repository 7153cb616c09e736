import { parseCronSchedule } from '../../api/cron-schedule.ts'
import { deepEqual, semanticEqual } from '../../api/equality.ts'
import { compileLabelSelector } from '../../api/label-selector.ts'
import { labelNameProblems } from '../../api/name-problems.ts'
import type { LabelSelector } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import { findTimeZone } from '../../api/time-zone.ts'
import { invalid, notSupported, required, tooLong } from '../errors/field-error.ts'
import { checkFailurePolicy, checkSuccessPolicy, shownFailurePolicy, shownSuccessPolicy } from './job-policies.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, checkNonnegative, immutable, metaOf } from './meta.ts'
import { domainPathProblems } from './names.ts'
import { child, type Errors, entryOf, list, type Obj, part, strings } from './reader.ts'
import { flag, numberIfSet, text, textIfSet } from './scalars.ts'
import { checkLabelSelector } from './selectors.ts'
import { inOrder, sortedMap } from './shown.ts'
import { checkTemplate } from './workloads.ts'

const meta = { namespaced: true, name: 'subdomain' } as const
const maxManagedBy = 63
const maxIndexed = 100_000
const manyCompletions = 100_000
const maxForMany = 10_000

const counts = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
]

/** The common spec of a Job and of the template in a CronJob. */
function checkJobTemplate(errors: Errors, spec: Obj, path: string): void {
  for (const field of counts) {
    const value = numberIfSet(spec, field)
    if (value !== undefined) checkNonnegative(errors, value, `${path}.${field}`)
  }
  const perIndex = numberIfSet(spec, 'backoffLimitPerIndex')
  const maxFailed = numberIfSet(spec, 'maxFailedIndexes')
  if (maxFailed !== undefined && perIndex === undefined) {
    errors.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'))
  }
  checkManagedBy(errors, textIfSet(spec, 'managedBy'), `${path}.managedBy`)
  const mode = textIfSet(spec, 'completionMode')
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(`${path}.completionMode`, mode, ['NonIndexed', 'Indexed']))
  }
  if (mode === 'Indexed') checkIndexed(errors, spec, path)
  if (mode === undefined || mode === 'NonIndexed') {
    const why = 'requires indexed completion mode'
    if (perIndex !== undefined) errors.push(invalid(`${path}.backoffLimitPerIndex`, perIndex, why))
    if (maxFailed !== undefined) errors.push(invalid(`${path}.maxFailedIndexes`, maxFailed, why))
  }
  checkPolicies(errors, spec, mode, path)
  checkTemplate(errors, part(spec, 'template'), `${path}.template`)
  checkRestarts(errors, spec, `${path}.template.spec.restartPolicy`)
}

function checkManagedBy(errors: Errors, manager: string | undefined, path: string): void {
  if (manager === undefined) return
  if (manager === '') errors.push(required(path))
  for (const { value, problem } of domainPathProblems(manager)) errors.push(invalid(path, value, problem))
  if (manager.length > maxManagedBy) errors.push(tooLong(path, maxManagedBy))
}

function checkIndexed(errors: Errors, spec: Obj, path: string): void {
  const completions = numberIfSet(spec, 'completions')
  const parallelism = numberIfSet(spec, 'parallelism')
  const maxFailed = numberIfSet(spec, 'maxFailedIndexes')
  if (completions === undefined) errors.push(required(`${path}.completions`, 'when completion mode is Indexed'))
  if (parallelism !== undefined && parallelism > maxIndexed) {
    const why = `must be less than or equal to ${maxIndexed} when completion mode is Indexed`
    errors.push(invalid(`${path}.parallelism`, parallelism, why))
  }
  const failedAt = `${path}.maxFailedIndexes`
  if (completions !== undefined && maxFailed !== undefined && maxFailed > completions) {
    errors.push(invalid(failedAt, maxFailed, 'must be less than or equal to completions'))
  }
  if (maxFailed !== undefined && maxFailed > maxIndexed) {
    errors.push(invalid(failedAt, maxFailed, `must be less than or equal to ${maxIndexed}`))
  }
  const isMany = completions !== undefined && completions > manyCompletions
  if (!isMany || numberIfSet(spec, 'backoffLimitPerIndex') === undefined) return
  const above = `when completions are above ${manyCompletions} and used with backoff limit per index`
  if (maxFailed === undefined) {
    errors.push(required(failedAt, `must be specified when completions is above ${manyCompletions}`))
  }
  if (parallelism !== undefined && parallelism > maxForMany) {
    errors.push(invalid(`${path}.parallelism`, parallelism, `must be less than or equal to ${maxForMany} ${above}`))
  }
  if (maxFailed !== undefined && maxFailed > maxForMany) {
    errors.push(invalid(failedAt, maxFailed, `must be less than or equal to ${maxForMany} ${above}`))
  }
}

function checkPolicies(errors: Errors, spec: Obj, mode: string | undefined, path: string): void {
  checkGang(errors, spec, path)
  const failures = child(spec, 'podFailurePolicy')
  if (failures !== undefined) checkFailurePolicy(errors, spec, failures, `${path}.podFailurePolicy`)
  const success = child(spec, 'successPolicy')
  if (success !== undefined) {
    const at = `${path}.successPolicy`
    if (mode === 'Indexed') checkSuccessPolicy(errors, spec, success, at)
    else errors.push(invalid(at, shownSuccessPolicy(success), 'requires indexed completion mode'))
  }
  const replacement = textIfSet(spec, 'podReplacementPolicy')
  const supported = failures === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed']
  if (replacement !== undefined && !supported.includes(replacement)) {
    errors.push(notSupported(`${path}.podReplacementPolicy`, replacement, supported))
  }
}

/** The gang of a Job cannot be larger than the Job (v1.37, validateGangMinCount). */
function checkGang(errors: Errors, spec: Obj, path: string): void {
  const gang = child(child(child(spec, 'scheduling'), 'schedulingPolicy'), 'gang')
  const minCount = gang === undefined ? undefined : numberIfSet(gang, 'minCount')
  const parallelism = numberIfSet(spec, 'parallelism') ?? 1
  if (minCount === undefined || minCount <= parallelism) return
  const why = `must not be greater than parallelism (${parallelism})`
  errors.push(invalid(`${path}.scheduling.schedulingPolicy.gang.minCount`, minCount, why))
}

/** A gang policy cannot change to another policy (v1.37, validateJobSchedulingUpdate). */
function checkKeptPolicy(errors: Errors, spec: Obj, before: Obj): void {
  const [now, was] = [spec, before].map((of) => child(child(of, 'scheduling'), 'schedulingPolicy'))
  if (now === undefined || was === undefined) return
  if ((child(was, 'basic') !== undefined) === (child(now, 'basic') !== undefined)) return
  const why =
    'the basic/gang policy variant is immutable after creation; only schedulingPolicy.gang.minCount may be updated'
  errors.push(invalid('spec.scheduling.schedulingPolicy', null, why))
}

function checkRestarts(errors: Errors, spec: Obj, path: string): void {
  const policy = text(part(part(spec, 'template'), 'spec'), 'restartPolicy')
  if (policy === 'Always' || policy === '') errors.push(required(path, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(path, policy, ['OnFailure', 'Never']))
  else if (child(spec, 'podFailurePolicy') !== undefined && policy !== 'Never') {
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'))
  }
}

function checkJobSpec(errors: Errors, spec: Obj): void {
  checkJobTemplate(errors, spec, 'spec')
  const selector = child(spec, 'selector')
  if (selector === undefined) errors.push(required('spec.selector'))
  else checkLabelSelector(errors, selector, 'spec.selector')
  const compiled = compileLabelSelector(selector as LabelSelector | undefined)
  const labels = templateLabels(spec)
  if (!compiled.ok || compiled.value.matches(labels)) return
  const why = '`selector` does not match template `labels`'
  errors.push(invalid('spec.template.metadata.labels', sortedMap(labels), why))
}

const templateLabels = (spec: Obj) => strings(part(part(spec, 'template'), 'metadata'), 'labels')

/** Generated labels and selector must not be changed. */
function checkGenerated(errors: Errors, job: Obj): void {
  const spec = part(job, 'spec')
  const selector = child(spec, 'selector')
  if (flag(spec, 'manualSelector') || selector === undefined) return
  const uid = text(metaOf(job), 'uid')
  const name = text(metaOf(job), 'name')
  const expected: readonly (readonly [string, string])[] = [
    ['controller-uid', uid],
    ['job-name', name],
    ['batch.kubernetes.io/controller-uid', uid],
    ['batch.kubernetes.io/job-name', name],
  ]
  const labels = templateLabels(spec)
  for (const [key, value] of expected) {
    const at = `spec.template.metadata.labels[${key}]`
    const actual = entryOf(labels, key)
    if (actual === undefined) errors.push(required(at, `must be '${value}'`))
    else if (actual !== value) errors.push(invalid(at, sortedMap(labels), `must be '${value}'`))
  }
  const compiled = compileLabelSelector(selector as LabelSelector)
  if (!compiled.ok || compiled.value.matches(Object.fromEntries(expected))) return
  errors.push(
    invalid('spec.selector', inOrder(errors, 'meta.LabelSelector', selector), '`selector` not auto-generated'),
  )
}

/** ValidateJob. */
export function checkJob(errors: Errors, job: Obj): void {
  checkMeta(errors, metaOf(job), meta)
  checkGenerated(errors, job)
  const spec = part(job, 'spec')
  checkJobSpec(errors, spec)
  checkNameOfIndexes(errors, job)
}

/** The last pod of an indexed Job needs a host name. */
function checkNameOfIndexes(errors: Errors, job: Obj): void {
  const spec = part(job, 'spec')
  const completions = numberIfSet(spec, 'completions')
  if (text(spec, 'completionMode') !== 'Indexed' || completions === undefined || completions <= 0) return
  const name = text(metaOf(job), 'name')
  const hostname = `${name}-${completions - 1}`
  if (labelNameProblems(hostname).length === 0) return
  const why = `will not able to create pod with invalid DNS label: ${hostname}`
  errors.push(invalid('metadata.name', name, why))
}

/** ValidateJobUpdate; before v1.37 the strategy also calls ValidateJob. */
export function checkJobUpdate(errors: Errors, job: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(job), metaOf(old))
  const spec = part(job, 'spec')
  const before = part(old, 'spec')
  checkJobSpec(errors, spec)
  checkCompletions(errors, spec, before)
  const selectorOf = (from: Obj): unknown => inOrder(errors, 'meta.LabelSelector', child(from, 'selector'))
  checkImmutable(errors, selectorOf(spec), selectorOf(before), 'spec.selector')
  checkKeptTemplate(errors, spec, old)
  checkImmutable(errors, spec['completionMode'], before['completionMode'], 'spec.completionMode')
  if (!semanticEqual(spec['podFailurePolicy'], before['podFailurePolicy'])) {
    errors.push(invalid('spec.podFailurePolicy', shownFailurePolicy(child(spec, 'podFailurePolicy')), immutable))
  }
  checkImmutable(errors, spec['backoffLimitPerIndex'], before['backoffLimitPerIndex'], 'spec.backoffLimitPerIndex')
  checkImmutable(errors, spec['managedBy'], before['managedBy'], 'spec.managedBy')
  if (!semanticEqual(spec['successPolicy'], before['successPolicy'])) {
    errors.push(invalid('spec.successPolicy', shownSuccessPolicy(child(spec, 'successPolicy')), immutable))
  }
  checkKeptPolicy(errors, spec, before)
  if (atLeast(errors.release, '1.37')) checkNameOfIndexes(errors, job)
}

function checkCompletions(errors: Errors, spec: Obj, before: Obj): void {
  const completions = numberIfSet(spec, 'completions')
  if (text(spec, 'completionMode') !== 'Indexed') {
    checkImmutable(errors, completions, numberIfSet(before, 'completions'), 'spec.completions')
  } else if (completions !== undefined && completions !== numberIfSet(before, 'completions')) {
    if (completions === numberIfSet(spec, 'parallelism')) return
    errors.push(invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'))
  }
}

/** While a Job is suspended before its first or next start, its scheduling directives may change. */
function checkKeptTemplate(errors: Errors, spec: Obj, old: Obj): void {
  const template = part(spec, 'template')
  const before = part(part(old, 'spec'), 'template')
  const kept = maySchedule(errors.release, old) ? withDirectives(before, template) : before
  if (semanticEqual(template, kept)) return
  if (mayResize(errors.release, old)) {
    const [podSpec, keptSpec] = [part(template, 'spec'), withResources(part(kept, 'spec'), part(template, 'spec'))]
    if (semanticEqual(podSpec, keptSpec)) return
    errors.push(invalid('spec.template.spec', inOrder(errors, 'core.PodSpec', podSpec), immutable))
    return
  }
  errors.push(invalid('spec.template', inOrder(errors, 'core.PodTemplateSpec', template), immutable))
}

/** Without the gate, only a Job that never started may change its scheduling directives. */
function maySchedule(release: KubernetesRelease, job: Obj): boolean {
  if (release.gates.has('MutableSchedulingDirectivesForSuspendedJobs')) return isWaiting(release, job)
  return flag(part(job, 'spec'), 'suspend') && textIfSet(part(job, 'status'), 'startTime') === undefined
}

const mayResize = (release: KubernetesRelease, job: Obj): boolean =>
  release.gates.has('MutablePodResourcesForSuspendedJobs') && isWaiting(release, job)

/** A suspended Job without pods. In v1.35 it must have the condition even if it never started. */
function isWaiting(release: KubernetesRelease, job: Obj): boolean {
  const status = part(job, 'status')
  if (!flag(part(job, 'spec'), 'suspend') || (numberIfSet(status, 'active') ?? 0) !== 0) return false
  if (atLeast(release, '1.36') && textIfSet(status, 'startTime') === undefined) return true
  return list(status, 'conditions').some(
    (condition) => text(condition, 'type') === 'Suspended' && text(condition, 'status') === 'True',
  )
}

function withDirectives(before: Obj, template: Obj): Obj {
  const now = part(template, 'spec')
  const was = part(before, 'spec')
  const kept: Record<string, unknown> = { ...was }
  for (const field of ['nodeSelector', 'tolerations', 'schedulingGates']) set(kept, field, now[field])
  const { nodeAffinity: _, ...others } = part(was, 'affinity')
  const nodeAffinity = child(child(now, 'affinity'), 'nodeAffinity')
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity }
  const isEmpty = Object.keys(affinity).length === 0 && child(now, 'affinity') === undefined
  set(kept, 'affinity', isEmpty ? undefined : affinity)
  const metadata: Record<string, unknown> = { ...part(before, 'metadata') }
  for (const field of ['labels', 'annotations']) set(metadata, field, part(template, 'metadata')[field])
  return { ...before, metadata, spec: kept }
}

function withResources(was: Obj, now: Obj): Obj {
  const out: Record<string, unknown> = { ...was }
  for (const field of ['containers', 'initContainers']) {
    const next = list(now, field)
    const before = list(was, field)
    if (next.length !== before.length || before.length === 0) continue
    out[field] = before.map((container, i) => {
      if (text(container, 'name') !== text(next[i], 'name')) return container
      const { resources: _, ...rest } = container
      const resources = next[i]?.['resources']
      return resources === undefined ? rest : { ...rest, resources }
    })
  }
  return out
}

function set(to: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete to[field]
  else to[field] = value
}

const concurrency = ['Allow', 'Forbid', 'Replace']

/** ValidateCronJobCreate. */
export function checkCronJob(errors: Errors, cronJob: Obj): void {
  checkMeta(errors, metaOf(cronJob), meta)
  checkCronJobSpec(errors, part(cronJob, 'spec'), undefined)
  const name = text(metaOf(cronJob), 'name')
  if (name.length > 52) errors.push(invalid('metadata.name', name, 'must be no more than 52 characters'))
}

export function checkCronJobUpdate(errors: Errors, cronJob: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(cronJob), metaOf(old))
  checkCronJobSpec(errors, part(cronJob, 'spec'), part(old, 'spec'))
}

function checkCronJobSpec(errors: Errors, spec: Obj, before: Obj | undefined): void {
  const schedule = text(spec, 'schedule')
  const zone = textIfSet(spec, 'timeZone')
  if (schedule === '') errors.push(required('spec.schedule'))
  else checkSchedule(errors, schedule, text(before, 'schedule').includes('TZ'), zone)
  const deadline = numberIfSet(spec, 'startingDeadlineSeconds')
  if (deadline !== undefined) checkNonnegative(errors, deadline, 'spec.startingDeadlineSeconds')
  if (before === undefined || !deepEqual(textIfSet(before, 'timeZone'), zone)) checkTimeZone(errors, zone)
  const policy = text(spec, 'concurrencyPolicy')
  if (policy === '') errors.push(required('spec.concurrencyPolicy'))
  else if (!concurrency.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, concurrency))
  const job = part(part(spec, 'jobTemplate'), 'spec')
  const path = 'spec.jobTemplate.spec'
  checkJobTemplate(errors, job, path)
  const selector = child(job, 'selector')
  if (selector !== undefined) {
    const shown = inOrder(errors, 'meta.LabelSelector', selector)
    errors.push(invalid(`${path}.selector`, shown, '`selector` will be auto-generated'))
  }
  if (flag(job, 'manualSelector')) errors.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']))
  for (const field of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']) {
    const limit = numberIfSet(spec, field)
    if (limit !== undefined) checkNonnegative(errors, limit, `spec.${field}`)
  }
}

function checkSchedule(errors: Errors, schedule: string, hadZone: boolean, zone: string | undefined): void {
  const parsed = parseCronSchedule(schedule)
  if (!parsed.ok) errors.push(invalid('spec.schedule', schedule, parsed.message))
  if (!schedule.includes('TZ')) return
  if (!hadZone) {
    const why = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    errors.push(invalid('spec.schedule', schedule, why))
  } else if (zone !== undefined) {
    const why = 'cannot use both timeZone field and TZ or CRON_TZ in schedule'
    errors.push(invalid('spec.schedule', schedule, why))
  }
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/

function checkTimeZone(errors: Errors, zone: string | undefined): void {
  if (zone === undefined) return
  const at = 'spec.timeZone'
  if (zone === '') {
    errors.push(invalid(at, zone, 'timeZone must be nil or non-empty string'))
    return
  }
  const isOdd = (name: string): boolean => name === '.' || name === '..' || name.startsWith('-') || !zonePart.test(name)
  if (zone.split('/').some(isOdd)) {
    errors.push(invalid(at, zone, `unknown time zone ${zone}`))
    return
  }
  if (zone.toLowerCase() === 'local') {
    const why = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'
    errors.push(invalid(at, zone, why))
  }
  if (zone !== 'Local' && findTimeZone(zone) === undefined) errors.push(invalid(at, zone, `unknown time zone ${zone}`))
}
