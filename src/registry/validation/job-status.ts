import { semanticEqual } from '../../api/equality.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { duplicate, invalid, invalidUnshown, required } from '../errors/field-error.ts'
import { commonIndex, countIndexes } from './job-indexes.ts'
import { checkMetaUpdate, checkNonnegative, immutable, metaOf } from './meta.ts'
import { child, type Errors, list, type Obj, part, texts } from './reader.ts'
import { flag, number, numberIfSet, text, textIfSet } from './scalars.ts'

const conditionIs = (status: Obj, type: string, value = 'True'): boolean =>
  list(status, 'conditions').some((one) => text(one, 'type') === type && text(one, 'status') === value)

const isFinished = (status: Obj): boolean => conditionIs(status, 'Complete') || conditionIs(status, 'Failed')

/**
 * ValidateJobUpdateStatus. Most rules apply only to changed fields: a status that was invalid before may stay invalid.
 */
export function checkJobStatus(errors: Errors, job: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(job), metaOf(old))
  const status = part(job, 'status')
  const before = part(old, 'status')
  const spec = part(job, 'spec')
  checkCounts(errors, status)
  checkConditions(errors, spec, status, before)
  checkTimes(errors, spec, status, before)
  checkFinished(errors, spec, status, before)
  checkIndexes(errors, spec, status, before)
  checkPods(errors, status, before)
  checkHistory(errors, spec, status, before)
}

function checkCounts(errors: Errors, status: Obj): void {
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    checkNonnegative(errors, number(status, field), `status.${field}`)
  }
  const uncounted = child(status, 'uncountedTerminatedPods')
  const seen = new Set<string>()
  for (const field of uncounted === undefined ? [] : ['succeeded', 'failed']) {
    texts(uncounted, field).forEach((uid, i) => {
      const at = `status.uncountedTerminatedPods.${field}[${i}]`
      if (uid === '') errors.push(invalid(at, uid, 'must not be empty'))
      else if (seen.has(uid)) errors.push(duplicate(at, uid))
      else seen.add(uid)
    })
  }
}

const terminal = ['Failed', 'Complete', 'FailureTarget']

/** Final conditions exclude each other, require the condition that announces them, and cannot be removed. */
function checkConditions(errors: Errors, spec: Obj, status: Obj, before: Obj): void {
  const is = (type: string): boolean => conditionIs(status, type)
  const changed = (type: string): boolean => conditionIs(before, type) !== is(type)
  const refuse = (why: string): void => {
    errors.push(invalidUnshown('status.conditions', why))
  }
  if ((changed('Complete') || changed('Failed')) && is('Complete') && is('Failed')) {
    refuse('cannot set Complete=True and Failed=true conditions')
  }
  if ((changed('Complete') || changed('FailureTarget')) && is('Complete') && is('FailureTarget')) {
    refuse('cannot set Complete=True and FailureTarget=true conditions')
  }
  const failedIndexes = textIfSet(status, 'failedIndexes') !== textIfSet(before, 'failedIndexes')
  if ((changed('Failed') || failedIndexes) && is('Failed') && !is('FailureTarget')) {
    refuse('cannot set Failed=True condition without the FailureTarget=true condition')
  }
  if ((changed('Complete') || changed('SuccessCriteriaMet')) && is('Complete') && !is('SuccessCriteriaMet')) {
    refuse('cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
  }
  if (is('SuccessCriteriaMet') && is('Failed')) refuse('cannot set SuccessCriteriaMet=True and Failed=true conditions')
  if (is('SuccessCriteriaMet') && is('FailureTarget')) {
    refuse('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  }
  if (child(spec, 'successPolicy') !== undefined && !is('SuccessCriteriaMet') && is('Complete')) {
    refuse('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')
  }
  for (const type of terminal) {
    if (conditionIs(before, type) && !is(type)) refuse(`cannot disable the terminal ${type}=True condition`)
  }
  if (conditionIs(before, 'SuccessCriteriaMet') && !is('SuccessCriteriaMet')) {
    refuse('cannot disable the SuccessCriteriaMet=True condition')
  }
  if (conditionIs(before, 'Complete') && !conditionIs(before, 'SuccessCriteriaMet') && is('SuccessCriteriaMet')) {
    refuse('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')
  }
}

function checkTimes(errors: Errors, spec: Obj, status: Obj, before: Obj): void {
  const completion = textIfSet(status, 'completionTime')
  const start = textIfSet(status, 'startTime')
  const oldCompletion = textIfSet(before, 'completionTime')
  const oldStart = textIfSet(before, 'startTime')
  const isComplete = conditionIs(status, 'Complete')
  const completeChanged = conditionIs(before, 'Complete') !== isComplete
  const at = 'status.completionTime'
  if (completeChanged || completion !== oldCompletion) {
    if (completion !== undefined && !isComplete) {
      errors.push(invalid(at, completion, 'cannot set completionTime when there is no Complete=True condition'))
    }
    if (completion === undefined && isComplete) {
      errors.push(required(at, 'completionTime is required for Complete jobs'))
    }
  }
  const timesChanged = start !== oldStart || completion !== oldCompletion
  if (timesChanged && start !== undefined && completion !== undefined && completion < start) {
    errors.push(invalid(at, completion, 'must be equal to or after `startTime`'))
  }
  if (completion !== undefined && oldCompletion !== undefined && completion !== oldCompletion) {
    errors.push(invalid(at, completion, immutable))
  }
  const isResuming = conditionIs(before, 'Suspended') && conditionIs(status, 'Suspended', 'False')
  if (oldStart !== undefined && start !== oldStart && !isResuming && !flag(spec, 'suspend')) {
    errors.push(
      atLeast(errors.release, '1.36')
        ? invalid('status.startTime', start ?? null, 'field is immutable for unsuspended job once set')
        : required('status.startTime', 'startTime cannot be removed for unsuspended job'),
    )
  }
}

function checkFinished(errors: Errors, spec: Obj, status: Obj, before: Obj): void {
  if (!isFinished(status)) return
  const finishes = !isFinished(before)
  const active = number(status, 'active')
  if ((finishes || active !== number(before, 'active')) && active > 0) {
    errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'))
  }
  const start = textIfSet(status, 'startTime')
  const isEmpty = flag(spec, 'suspend') && numberIfSet(spec, 'completions') === 0
  if ((finishes || start !== textIfSet(before, 'startTime')) && !isEmpty && start === undefined) {
    errors.push(required('status.startTime', 'startTime is required for finished job'))
  }
  const uncounted = child(status, 'uncountedTerminatedPods')
  const left = texts(uncounted, 'succeeded').length + texts(uncounted, 'failed').length
  const uncountedChanged = !semanticEqual(uncounted, child(before, 'uncountedTerminatedPods'))
  if ((finishes || uncountedChanged) && left > 0) {
    const shown = { Succeeded: uncounted?.['succeeded'] ?? null, Failed: uncounted?.['failed'] ?? null }
    errors.push(invalid('status.uncountedTerminatedPods', shown, 'must be empty for finished job'))
  }
}

function checkPods(errors: Errors, status: Obj, before: Obj): void {
  const terminating = number(status, 'terminating')
  const finishes = isFinished(status) !== isFinished(before)
  const terminatingChanged = terminating !== number(before, 'terminating')
  if ((finishes || terminatingChanged) && isFinished(status) && terminating > 0) {
    errors.push(invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'))
  }
  const active = number(status, 'active')
  const ready = numberIfSet(status, 'ready')
  const changed = ready !== numberIfSet(before, 'ready') || active !== number(before, 'active')
  if (changed && ready !== undefined && ready > active) {
    errors.push(invalid('status.ready', ready, 'cannot set more ready pods than active'))
  }
}

function checkIndexes(errors: Errors, spec: Obj, status: Obj, before: Obj): void {
  const completed = text(status, 'completedIndexes')
  const failed = textIfSet(status, 'failedIndexes')
  const completedChanged = completed !== text(before, 'completedIndexes')
  const failedChanged = failed !== textIfSet(before, 'failedIndexes')
  const completions = numberIfSet(spec, 'completions')
  const perIndex = numberIfSet(spec, 'backoffLimitPerIndex') !== undefined
  const checkText = (field: string, value: string): void => {
    const counted = countIndexes(value, completions ?? 0)
    if (typeof counted === 'number') return
    errors.push(invalid(`status.${field}`, value, `error parsing ${field}: ${counted.problem}`))
  }
  if (completions !== undefined) {
    if (completedChanged) checkText('completedIndexes', completed)
    if (failedChanged && perIndex && failed !== undefined) checkText('failedIndexes', failed)
  }
  if (completedChanged && completed !== '' && text(spec, 'completionMode') !== 'Indexed') {
    const why = 'cannot set non-empty completedIndexes when non-indexed completion mode'
    errors.push(invalid('status.completedIndexes', completed, why))
  }
  if (failed === undefined) return
  if (failedChanged && !perIndex) {
    const why = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null'
    errors.push(invalid('status.failedIndexes', failed, why))
  }
  if (completions === undefined || (!failedChanged && !completedChanged)) return
  const common = commonIndex(completed, failed, completions)
  if (common === undefined) return
  const why = `failedIndexes and completedIndexes overlap at index: ${common}`
  errors.push(invalid('status.failedIndexes', failed, why))
}

/** Counters do not decrease, except the succeeded pods of an indexed Job whose completions change. */
function checkHistory(errors: Errors, spec: Obj, status: Obj, before: Obj): void {
  const isElastic =
    text(spec, 'completionMode') === 'Indexed' && numberIfSet(spec, 'completions') === numberIfSet(spec, 'parallelism')
  for (const field of isElastic ? ['failed'] : ['failed', 'succeeded']) {
    if (number(status, field) >= number(before, field)) continue
    errors.push(invalid(`status.${field}`, number(status, field), `cannot decrease the ${field} counter`))
  }
}
