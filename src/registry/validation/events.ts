import { semanticEqual } from '../../api/equality.ts'
import { invalid, required } from '../errors/field-error.ts'
import { checkImmutable, checkMeta, checkMetaUpdate, immutable, metaOf } from './meta.ts'
import { checkQualifiedName, checkSubdomain } from './names.ts'
import { child, type Errors, type Obj, part } from './reader.ts'
import { number, text, textIfSet } from './scalars.ts'
import { internalForm } from './shown.ts'

/** The field names of the two APIs. Messages use the names of core/v1, except for the controller. */
interface EventFieldNames {
  readonly controller: string
  readonly involved: string
  readonly message: string
  readonly source: string
  readonly first: string
  readonly last: string
  readonly count: string
}

const core: EventFieldNames = {
  controller: 'reportingComponent',
  involved: 'involvedObject',
  message: 'message',
  source: 'source',
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
}

const renamed: EventFieldNames = {
  controller: 'reportingController',
  involved: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
}

const eventMeta = { namespaced: true, name: 'subdomain' } as const

const mismatch = 'does not match event.namespace'

function checkText(errors: Errors, value: string, path: string, max: number, needed: boolean): void {
  if (needed && value === '') errors.push(required(path))
  // A UTF-16 code unit has at most three bytes in UTF-8.
  if (value.length * 3 > max && Buffer.byteLength(value) > max)
    errors.push(invalid(path, '', `can have at most ${max} characters`))
}

/** legacyValidateEvent: the common rules of both APIs. */
function checkLegacy(errors: Errors, event: Obj, names: EventFieldNames): void {
  const namespace = text(metaOf(event), 'namespace')
  const involved = text(part(event, names.involved), 'namespace')
  const at = 'involvedObject.namespace'
  if (textIfSet(event, 'eventTime') === undefined) {
    const fits = involved === '' ? namespace === '' || namespace === 'default' : involved === namespace
    if (!fits) errors.push(invalid(at, involved, mismatch))
  } else {
    if (involved === '' && namespace !== 'default' && namespace !== 'kube-system') {
      errors.push(invalid(at, involved, mismatch))
    }
    const controller = text(event, names.controller)
    if (controller === '') errors.push(required(names.controller))
    checkQualifiedName(errors, controller, names.controller)
    checkText(errors, text(event, 'reportingInstance'), 'reportingInstance', 128, true)
    checkText(errors, text(event, 'action'), 'action', 128, true)
    checkText(errors, text(event, 'reason'), 'reason', 128, true)
    checkText(errors, text(event, names.message), 'message', 1024, false)
  }
  checkSubdomain(errors, namespace, 'namespace')
}

export const checkCoreEvent = (errors: Errors, event: Obj): void => checkLegacy(errors, event, core)

function checkSeries(errors: Errors, event: Obj): void {
  const series = child(event, 'series')
  if (series === undefined) return
  if (number(series, 'count') < 2) errors.push(invalid('series.count', '', 'should be at least 2'))
  if (textIfSet(series, 'lastObservedTime') === undefined) errors.push(required('series.lastObservedTime'))
}

/** events.k8s.io/v1 is strict, and does not accept the older fields. */
export function checkEvent(errors: Errors, event: Obj): void {
  checkLegacy(errors, event, renamed)
  checkMeta(errors, metaOf(event), eventMeta)
  checkSeries(errors, event)
  if (textIfSet(event, 'eventTime') === undefined) errors.push(required('eventTime'))
  const type = text(event, 'type')
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`))
  const unset = 'needs to be unset'
  if (textIfSet(event, renamed.first) !== undefined) errors.push(invalid('firstTimestamp', '', unset))
  if (textIfSet(event, renamed.last) !== undefined) errors.push(invalid('lastTimestamp', '', unset))
  if (number(event, renamed.count) !== 0) errors.push(invalid('count', '', unset))
  const source = child(event, renamed.source)
  if (text(source, 'component') !== '' || text(source, 'host') !== '') errors.push(invalid('source', '', unset))
}

export function checkEventUpdate(errors: Errors, event: Obj, old: Obj): void {
  checkLegacy(errors, event, renamed)
  checkMetaUpdate(errors, metaOf(event), metaOf(old))
  if (!semanticEqual(event['series'], old['series'])) checkSeries(errors, event)
  const structs: readonly (readonly [string, string, string])[] = [
    [renamed.involved, 'involvedObject', 'core.ObjectReference'],
    [renamed.source, 'source', 'core.EventSource'],
    ['related', 'related', 'core.ObjectReference'],
  ]
  for (const [field, path, type] of structs) {
    if (semanticEqual(event[field] ?? {}, old[field] ?? {})) continue
    errors.push(invalid(path, internalForm(errors, type, event[field]), immutable))
  }
  const texts: readonly (readonly [string, string])[] = [
    ['reason', 'reason'],
    [renamed.message, 'message'],
    ['reason', 'reason'],
    ['type', 'type'],
    ['action', 'action'],
    [renamed.controller, 'reportingController'],
    ['reportingInstance', 'reportingInstance'],
  ]
  for (const [field, path] of texts) checkImmutable(errors, text(event, field), text(old, field), path)
  checkImmutable(errors, number(event, renamed.count), number(old, renamed.count), 'count')
  for (const [field, path] of [
    [renamed.first, 'firstTimestamp'],
    [renamed.last, 'lastTimestamp'],
    ['eventTime', 'eventTime'],
  ] as const) {
    checkImmutable(errors, textIfSet(event, field), textIfSet(old, field), path)
  }
}
