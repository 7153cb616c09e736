import {
  type FieldError,
  fieldError,
  forbidden,
  invalid,
  invalidObject,
  isPrintable,
  notSupported,
  quoteValue,
  required,
  tooLong,
  withinErrorBudget,
} from './field-error.ts'

/** The common options of all writes (meta/v1 CreateOptions, UpdateOptions, PatchOptions). */
export interface WriteOptionValues {
  readonly dryRun: readonly string[]
  readonly fieldManager: string
  readonly fieldValidation: string
}

export interface DeleteOptionValues {
  readonly dryRun: readonly string[]
  readonly orphanDependents?: boolean | undefined
  readonly propagationPolicy?: string | undefined
}

export interface ListOptionValues {
  readonly resourceVersion: string
  readonly resourceVersionMatch: string
  readonly continue: string
  readonly sendInitialEvents?: boolean | undefined
}

/** The 422 response for invalid options: `CreateOptions.meta.k8s.io "" is invalid: …`. */
export const invalidOptions = (kind: string, errors: readonly FieldError[]) =>
  errors.length === 0 ? undefined : invalidObject(kind, 'x.meta.k8s.io', '', errors)

/** meta/v1/validation, ValidateCreateOptions and ValidateUpdateOptions. */
export function writeOptionErrors(options: WriteOptionValues): readonly FieldError[] {
  return [
    ...withinErrorBudget((errors) => fieldManagerErrors(options.fieldManager, errors)),
    ...dryRunErrors(options.dryRun),
    ...fieldValidationErrors(options.fieldValidation),
  ]
}

/** meta/v1/validation, ValidatePatchOptions. */
export function patchOptionErrors(
  options: WriteOptionValues & { readonly force?: boolean | undefined },
  isApply: boolean,
): readonly FieldError[] {
  const errors: FieldError[] = []
  if (isApply && options.fieldManager === '') errors.push(required('fieldManager', 'is required for apply patch'))
  if (!isApply && options.force !== undefined) {
    errors.push(forbidden('force', 'may not be specified for non-apply patch'))
  }
  return [...errors, ...writeOptionErrors(options)]
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan']

/** meta/v1/validation, ValidateDeleteOptions. */
export function deleteOptionErrors(options: DeleteOptionValues): readonly FieldError[] {
  const errors: FieldError[] = []
  const { orphanDependents, propagationPolicy: policy } = options
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !propagationPolicies.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...propagationPolicies, 'nil']))
  }
  return [...errors, ...dryRunErrors(options.dryRun)]
}

/** meta/internalversion/validation, ValidateListOptions for lists. */
export function listOptionErrors(options: ListOptionValues): readonly FieldError[] {
  const errors: FieldError[] = []
  const field = 'resourceVersionMatch'
  const match = options.resourceVersionMatch
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (options.continue !== '') {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'))
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

/** meta/internalversion/validation, ValidateListOptions for watches. */
export function watchOptionErrors(options: ListOptionValues): readonly FieldError[] {
  const errors: FieldError[] = []
  const field = 'resourceVersionMatch'
  const match = options.resourceVersionMatch
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (match === '') return errors
  if (options.sendInitialEvents === undefined) {
    errors.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(field, match, ['NotOlderThan']))
  if (options.continue !== '') {
    errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'))
  }
  return errors
}

const maxManagerBytes = 128

function fieldManagerErrors(manager: string, errors: FieldError[]): readonly FieldError[] {
  if (manager === '') return errors
  if (Buffer.byteLength(manager) > maxManagerBytes) errors.push(tooLong('fieldManager', maxManagerBytes))
  let position = 0
  // Every error has the whole text, which is quoted once.
  let shown: string | undefined
  for (const char of manager) {
    if (!isPrintable(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      shown ??= quoteValue(manager)
      const why = `invalid character U+${code} (at position ${position})`
      errors.push(fieldError('FieldValueInvalid', 'fieldManager', `Invalid value: ${shown}: ${why}`))
    }
    position += Buffer.byteLength(char)
  }
  return errors
}

function dryRunErrors(dryRun: readonly string[]): readonly FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])]
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn']

function fieldValidationErrors(fieldValidation: string): readonly FieldError[] {
  if (fieldValidations.includes(fieldValidation)) return []
  return [notSupported('fieldValidation', fieldValidation, fieldValidations)]
}
