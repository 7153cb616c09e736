import type { KubeObject } from '../../api/objects/meta.ts'
import { atLeast } from '../../api/releases/at-least.ts'
import { type FieldError, withinErrorBudget } from '../errors/field-error.ts'
import type { Kind } from '../kinds/kind.ts'
import { withDeclaredRules } from './declarative.ts'
import { checkMeta, checkMetaUpdate, metaOf } from './meta.ts'
import { type Errors, noErrors, type Obj } from './reader.ts'
import { number, text } from './scalars.ts'
import { type Validator, validators } from './validators.ts'

const asObj = (object: KubeObject): Obj => object as unknown as Obj

/** All errors of a new object. */
export function creationErrors(kind: Kind, object: KubeObject): readonly FieldError[] {
  return withDeclaredRules(
    kind,
    withinErrorBudget(() => allCreationErrors(kind, object)),
    object,
  )
}

function allCreationErrors(kind: Kind, given: KubeObject): readonly FieldError[] {
  if (kind.strategy.validate !== undefined) return kind.strategy.validate(given, undefined, undefined)
  const object = checkedForm(kind, given)
  const errors = noErrors(kind.release)
  const validator = validators[kind.resource]
  if (validator === undefined) checkPlain(errors, kind, asObj(object))
  else {
    validator.create(errors, asObj(object))
    // For kinds whose validation does not cover metadata, the common rules run afterwards (rest.BeforeCreate).
    if (errors.length === 0 && validator.checksMeta === false) checkPlain(errors, kind, asObj(object))
  }
  return errors
}

/** Of several versions, validation uses the stored one, as upstream uses internal types. */
const checkedForm = (kind: Kind, object: KubeObject): KubeObject =>
  kind.isVersioned === undefined || kind.toStorage === undefined ? object : kind.toStorage(object)

function checkPlain(errors: Errors, kind: Kind, object: Obj): void {
  const name = kind.strategy.nameRule ?? 'subdomain'
  checkMeta(errors, metaOf(object), { namespaced: kind.namespaced, name, kubeFinalizers: false })
}

const firstPartial = { 'before 1.35': '1.35', 'before 1.36': '1.36', 'before 1.37': '1.37' } as const

function isCheckedWhole({ wholeOnUpdate }: Validator, { release }: Kind): boolean {
  if (wholeOnUpdate === undefined || wholeOnUpdate === true) return wholeOnUpdate === true
  return !atLeast(release, firstPartial[wholeOnUpdate])
}

function isUntouched(meta: Obj, before: Obj): boolean {
  if (meta === before) return text(meta, 'resourceVersion') !== ''
  for (const field in meta) if (field !== 'generation' && meta[field] !== before[field]) return false
  return text(meta, 'resourceVersion') !== '' && number(meta, 'generation') >= number(before, 'generation')
}

/** All errors of an update of `old` to `object`, through the resource itself or a subresource. */
export function updateErrors(
  kind: Kind,
  object: KubeObject,
  old: KubeObject,
  subresource: string | undefined,
): readonly FieldError[] {
  return withDeclaredRules(
    kind,
    withinErrorBudget(() => allUpdateErrors(kind, object, old, subresource)),
    object,
    old,
  )
}

function allUpdateErrors(
  kind: Kind,
  given: KubeObject,
  before: KubeObject,
  subresource: string | undefined,
): readonly FieldError[] {
  if (kind.strategy.validate !== undefined) return kind.strategy.validate(given, before, subresource)
  const object = checkedForm(kind, given)
  const old = checkedForm(kind, before)
  const errors = noErrors(kind.release)
  const validator = validators[kind.resource]
  const meta = metaOf(asObj(object))
  const metaBefore = metaOf(asObj(old))
  // Runs for every kind, in addition to its own validation (registry/rest BeforeUpdate). Metadata that is identical to
  // the stored one was already checked.
  if (!isUntouched(meta, metaBefore)) {
    checkMeta(errors, meta, { namespaced: kind.namespaced, name: 'path-segment', kubeFinalizers: false })
    checkMetaUpdate(errors, meta, metaBefore, 'metadata', false)
  }
  if (validator === undefined || (subresource !== undefined && subresource !== 'scale')) {
    const check = subresource === undefined ? undefined : validator?.subresources?.[subresource]
    if (check !== undefined) check(errors, asObj(object), asObj(old))
  } else {
    if (isCheckedWhole(validator, kind)) validator.create(errors, asObj(object))
    validator.update(errors, asObj(object), asObj(old))
  }
  return errors
}
