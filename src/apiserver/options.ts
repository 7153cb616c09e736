import type { Failure } from '../api/call.ts'
import type { DeleteOptions, Json } from '../api/objects/meta.ts'
import { failure } from '../api/status.ts'

/** Query parameters of writes, checked as upstream checks them (apimachinery meta/v1/validation). */
export interface WriteParameters {
  readonly dryRun?: boolean
  readonly fieldManager?: string
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  readonly force?: boolean
}

export function writeParameters(query: URLSearchParams, kind: string): WriteParameters | Failure {
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  const wrong = dryRun.find((value) => value !== 'All')
  if (wrong !== undefined)
    return invalidOption(kind, 'dryRun', JSON.stringify([wrong]).replace(/,/g, ' '), '"All"', wrong)
  const fieldValidation = query.get('fieldValidation') ?? ''
  if (!['', 'Strict', 'Warn', 'Ignore'].includes(fieldValidation)) {
    return invalidOption(
      kind,
      'fieldValidation',
      JSON.stringify(fieldValidation),
      '"", "Ignore", "Strict", "Warn"',
      fieldValidation,
    )
  }
  const manager = query.get('fieldManager') ?? ''
  if (manager.length > 128) {
    return invalidValue(kind, 'fieldManager', `Too long: may not be more than 128 bytes`)
  }
  return {
    ...(dryRun.length > 0 ? { dryRun: true } : {}),
    ...(manager === '' ? {} : { fieldManager: manager }),
    ...(fieldValidation === '' ? {} : { fieldValidation: fieldValidation as 'Strict' }),
    ...(query.get('force') === 'true' ? { force: true } : {}),
  }
}

function invalidOption(kind: string, field: string, shown: string, supported: string, _value: string): Failure {
  return invalidValue(
    kind,
    field,
    `Unsupported value: ${shown}: supported values: ${supported}`,
    'FieldValueNotSupported',
  )
}

function invalidValue(kind: string, field: string, message: string, reason = 'FieldValueInvalid'): Failure {
  return failure('Invalid', `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    group: 'meta.k8s.io',
    kind,
    causes: [{ reason, message, field }],
  })
}

/** A number in the query, or the 400 that upstream's conversion gives. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined | Failure {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text)
  return failure('BadRequest', `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}

/** DELETE takes its options from the body or, without one, from the query. */
export function deleteOptions(
  body: Json | undefined,
  query: URLSearchParams,
): { readonly options: DeleteOptions; readonly dryRun: boolean } | Failure {
  if (body !== undefined && body !== null) {
    if (typeof body !== 'object' || Array.isArray(body))
      return failure('BadRequest', 'the body of a deletion must be DeleteOptions')
    const { dryRun, gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = body as Record<
      string,
      unknown
    >
    const grace = gracePeriodSeconds ?? undefined
    if (grace !== undefined && (typeof grace !== 'number' || !Number.isInteger(grace))) {
      return failure(
        'BadRequest',
        'json: cannot unmarshal into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      )
    }
    const options: DeleteOptions = {
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace as number }),
      ...(preconditions === undefined || preconditions === null
        ? {}
        : { preconditions: preconditions as NonNullable<DeleteOptions['preconditions']> }),
      ...(typeof propagationPolicy === 'string' ? { propagationPolicy: propagationPolicy as 'Orphan' } : {}),
      ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
    }
    return checked(options, Array.isArray(dryRun) && dryRun.includes('All'))
  }
  const grace = integerParameter(query, 'gracePeriodSeconds')
  if (typeof grace === 'object') return grace
  const policy = query.get('propagationPolicy')
  const orphan = query.get('orphanDependents')
  return checked(
    {
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(policy === null ? {} : { propagationPolicy: policy as 'Orphan' }),
      ...(orphan === null ? {} : { orphanDependents: orphan === 'true' }),
    },
    query.getAll('dryRun').includes('All'),
  )
}

const policies = ['Orphan', 'Background', 'Foreground']

function checked(options: DeleteOptions, dryRun: boolean) {
  if (options.propagationPolicy !== undefined && options.orphanDependents !== undefined) {
    return invalidValue(
      'DeleteOptions',
      'propagationPolicy',
      `Invalid value: ${JSON.stringify(options.propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`,
    )
  }
  if (options.propagationPolicy !== undefined && !policies.includes(options.propagationPolicy)) {
    const shown = JSON.stringify(options.propagationPolicy)
    return invalidValue(
      'DeleteOptions',
      'propagationPolicy',
      `Unsupported value: ${shown}: supported values: "Background", "Foreground", "Orphan", "nil"`,
      'FieldValueNotSupported',
    )
  }
  return { options, dryRun }
}
