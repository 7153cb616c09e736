import type { Failure } from '../api/call.ts'
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import type { DeleteOptions } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'
import {
  deleteOptionErrors,
  invalidOptions,
  type ListOptionValues,
  listOptionErrors,
  patchOptionErrors,
  watchOptionErrors,
  writeOptionErrors,
} from '../registry/errors/option-errors.ts'
import { truth } from './route.ts'

/**
 * The query parameters of a write, parsed and validated as upstream does (apimachinery meta/v1 and meta/v1/validation).
 */
export interface WriteParameters {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly force?: boolean
}

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

const none: WriteParameters = {}

export function writeParameters(
  query: URLSearchParams,
  kind: WriteOptionsKind,
  isApply = false,
): WriteParameters | Failure {
  if (query.size === 0 && !isApply) return none
  const force = kind === 'PatchOptions' ? booleanParameter(query, 'force') : undefined
  const options = {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
    force,
  }
  const errors = kind === 'PatchOptions' ? patchOptionErrors(options, isApply) : writeOptionErrors(options)
  const refusal = invalidOptions(kind, errors)
  if (refusal !== undefined) return refusal
  return {
    ...(options.dryRun.length > 0 ? { dryRun: true } : {}),
    ...(options.fieldManager === '' ? {} : { fieldManager: options.fieldManager }),
    ...(options.fieldValidation === '' ? {} : { fieldValidation: options.fieldValidation as 'Strict' }),
    ...(force === true ? { force } : {}),
  }
}

export interface DeleteParameters {
  readonly options: DeleteOptions
  readonly dryRun: boolean
}

const unsafeOption = 'ignoreStoreReadErrorWithClusterBreakingPotential'

/** DeleteOptions from a body or a query. */
type GivenDeleteOptions = Omit<DeleteOptions, 'propagationPolicy'> & {
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
}

export function deleteQuery(query: URLSearchParams): DeleteParameters | Failure {
  if (query.size === 0) return checkedDelete({})
  const grace = integerParameter(query, 'gracePeriodSeconds')
  if (typeof grace === 'object') return grace
  const orphanDependents = booleanParameter(query, 'orphanDependents')
  const unsafe = booleanParameter(query, unsafeOption)
  const propagationPolicy = query.get('propagationPolicy')
  const uid = query.get('uid') ?? ''
  const resourceVersion = query.get('resourceVersion') ?? ''
  const preconditions = {
    ...(uid === '' ? {} : { uid }),
    ...(resourceVersion === '' ? {} : { resourceVersion }),
  }
  return checkedDelete({
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === null ? {} : { propagationPolicy }),
    ...(unsafe === undefined ? {} : { [unsafeOption]: unsafe }),
    ...(uid === '' && resourceVersion === '' ? {} : { preconditions }),
    dryRun: query.getAll('dryRun'),
  })
}

export function checkedDelete(given: GivenDeleteOptions): DeleteParameters | Failure {
  const { dryRun = [], gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy } = given
  const refusal = invalidOptions('DeleteOptions', deleteOptionErrors({ dryRun, orphanDependents, propagationPolicy }))
  if (refusal !== undefined) return refusal
  const options: DeleteOptions = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as 'Orphan' }),
    ...(given[unsafeOption] === true ? { [unsafeOption]: true } : {}),
  }
  return { options, dryRun: dryRun.length > 0 }
}

export interface ListParameters extends ListOptionValues {
  readonly labelSelector: string
  readonly fieldSelector: string
  readonly allowWatchBookmarks: boolean
  readonly timeoutSeconds?: number
  readonly limit?: number
}

const noListParameters: ListParameters = {
  ...{ labelSelector: '', fieldSelector: '', allowWatchBookmarks: false },
  ...{ resourceVersion: '', resourceVersionMatch: '', continue: '' },
}

/** ListOptions of a list, watch or deletecollection. Upstream parses all of them for every verb. */
export function listParameters(query: URLSearchParams): ListParameters | Failure {
  if (query.size === 0) return noListParameters
  const timeoutSeconds = integerParameter(query, 'timeoutSeconds')
  if (typeof timeoutSeconds === 'object') return timeoutSeconds
  const limit = integerParameter(query, 'limit')
  if (typeof limit === 'object') return limit
  const sendInitialEvents = booleanParameter(query, 'sendInitialEvents')
  const options: ListParameters = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continue: query.get('continue') ?? '',
    ...(sendInitialEvents === undefined ? {} : { sendInitialEvents }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(limit === undefined ? {} : { limit }),
  }
  for (const selector of [parseLabelSelector(options.labelSelector), parseFieldSelector(options.fieldSelector)]) {
    if (!selector.ok) return failure('BadRequest', selector.message)
  }
  const isWatch = booleanParameter(query, 'watch') === true
  const errors = isWatch ? watchOptionErrors(defaulted(options)) : listOptionErrors(options)
  return invalidOptions('ListOptions', errors) ?? options
}

/** A watch without a resourceVersion starts with the current state (meta/internalversion, SetListOptionsDefaults). */
function defaulted(options: ListParameters): ListParameters {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents } = options
  if (sendInitialEvents !== undefined || resourceVersionMatch !== '') return options
  if (resourceVersion !== '' && resourceVersion !== '0') return options
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }
}

/** GetOptions, and the parameter that upstream removed and still rejects. */
export function getParameters(query: URLSearchParams): { readonly resourceVersion: string } | Failure {
  if (booleanParameter(query, 'export') === true) {
    return failure('BadRequest', 'the export parameter, deprecated since v1.14, is no longer supported')
  }
  return { resourceVersion: query.get('resourceVersion') ?? '' }
}

/**
 * Every value except "0" and "false" is true, including the empty one (apimachinery runtime,
 * Convert_Slice_string_To_bool).
 */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null ? undefined : truth(text)
}

const maxInt64 = 2n ** 63n

/** A number in the query, or the 400 with the message of Go's strconv.ParseInt. */
function integerParameter(query: URLSearchParams, name: string): number | undefined | Failure {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^[+-]?\d+$/.test(text)) return wrongInteger(text, 'invalid syntax')
  const value = BigInt(text.replace(/^\+/, ''))
  return value >= maxInt64 || value < -maxInt64 ? wrongInteger(text, 'value out of range') : Number(value)
}

const wrongInteger = (text: string, why: string): Failure =>
  failure('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
