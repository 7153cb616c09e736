import { label1035Problems } from '../../api/name-problems.ts'
import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { MutableFields } from '../../base/fields.ts'
import { type FieldError, invalid, required, withinErrorBudget } from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate } from '../validation/meta.ts'
import { child, type Errors, noErrors, type Obj } from '../validation/reader.ts'
import { text } from '../validation/scalars.ts'
import { ruleTreeOf } from './compiled-rules.ts'
import { Correlation } from './correlation.ts'
import type { CustomSchema, ScalePaths } from './custom-kind.ts'
import { fieldWithin } from './default-validation.ts'
import { finalizerWarnings } from './finalizer-warnings.ts'
import { readField } from './json-path.ts'
import { checkRules } from './rule-validation.ts'
import { hasEmbedded, isMap, itemsOf, KnownParts, propertyOf, type Schema } from './schema.ts'
import { checkListTypes, checkSchema } from './schema-validation.ts'

export interface CustomWrite {
  readonly release: KubernetesRelease
  readonly namespaced: boolean
  readonly subresource: string | undefined
}

/** Errors of a custom resource: metadata, schema, lists, embedded objects, rules, in upstream's order. */
export function customErrors(
  custom: CustomSchema,
  object: KubeObject,
  old: KubeObject | undefined,
  { release, namespaced, subresource }: CustomWrite,
): readonly FieldError[] {
  const errors = noErrors(release)
  const meta = object.metadata as unknown as Obj
  if (old === undefined) checkMeta(errors, meta, { namespaced, name: 'subdomain', kubeFinalizers: false })
  else checkMetaUpdate(errors, meta, old.metadata as unknown as Obj, 'metadata', false)
  const { schema } = custom
  if (schema === undefined) return errors
  const before = old === undefined ? undefined : new Correlation(object, old, schema)
  if (subresource === 'status') errors.push(...statusErrors(object, schema, before))
  else checkSchema(errors, contentOf(object), withoutIdentity(schema), '', before)
  if (custom.scale !== undefined) checkScale(errors, object, custom.scale, subresource === 'status')
  if (hasEmbedded(schema)) checkEmbedded(errors, contentOf(object), schema, '', true)
  checkLists(errors, object, old, schema)
  if (errors.some(({ reason }) => blocking.has(reason))) {
    if (ruleTreeOf(schema) !== undefined) errors.push(unchecked)
  } else errors.push(...checkRules(ruleTreeOf(schema), object, old, before).errors)
  return errors
}

/** Validates the status only. */
function statusErrors(object: KubeObject, schema: Schema, before: Correlation | undefined): readonly FieldError[] {
  const found: FieldError[] = []
  const { status } = contentOf(object) as { readonly status?: unknown }
  if (status !== undefined) checkSchema(found, status, propertyOf(schema, 'status'), '', before?.key('status'))
  return found.map((error) => ({ ...error, field: fieldWithin('status', error.field) }))
}

const maxReplicas = 2 ** 31 - 1

/**
 * The replica fields of the scale subresource must be valid (customresource, ValidateScaleSpec and
 * ValidateScaleStatus).
 */
function checkScale(errors: FieldError[], object: KubeObject, paths: ScalePaths, isStatus: boolean): void {
  for (const path of isStatus ? [paths.statusReplicasPath] : [paths.specReplicasPath, paths.statusReplicasPath]) {
    const found = readField(path, object)
    if (found === undefined) continue
    if (typeof found !== 'number' && typeof found !== 'bigint') {
      const why = `${path} accessor error: ${String(found)} is of the type ${typeof found}, expected int64`
      errors.push(invalid(path, 0, why))
    } else if (found < 0) errors.push(invalid(path, found, 'should be a non-negative integer'))
    else if (found > maxReplicas) errors.push(invalid(path, found, `should be less than or equal to ${maxReplicas}`))
  }
}

/** After these errors, no rule can be evaluated. */
const blocking: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const unchecked: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}

function checkLists(errors: FieldError[], object: KubeObject, old: KubeObject | undefined, schema: Schema): void {
  const own = withoutIdentity(schema)
  const isSound = (content: Readonly<Record<string, unknown>>): boolean =>
    Object.keys(content).every((name) => hasSoundLists(content[name], propertyOf(own, name)))
  const content = contentOf(object)
  if (isSound(content)) return
  if (old === undefined || isSound(contentOf(old))) checkListTypes(errors, content, own, '')
}

const soundLists = new KnownParts()

function hasSoundLists(value: unknown, schema: Schema | undefined): boolean {
  if (schema === undefined || soundLists.has(schema, value)) return true
  const problems = withinErrorBudget((found) => {
    checkListTypes(found, value, schema, '')
    return found
  })
  if (problems.length === 0) soundLists.add(schema, value)
  return problems.length === 0
}

const contentOf = ({
  metadata: _,
  apiVersion: __,
  kind: ___,
  ...rest
}: KubeObject): Readonly<Record<string, unknown>> => rest as Record<string, unknown>

const identity = new Set(['metadata', 'apiVersion', 'kind'])

/** The schema without apiVersion, kind and metadata, which the common rules check. */
function withoutIdentity(schema: Schema): Schema {
  const known = stripped.get(schema)
  if (known !== undefined) return known
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !identity.has(name)))
  const names = schema.required?.filter((name) => !identity.has(name))
  const own = { ...schema, properties, ...(names === undefined ? {} : { required: names }) }
  stripped.set(schema, own)
  return own
}

const stripped = new WeakMap<Schema, Schema>()

/** Embedded objects have apiVersion and kind (schema/objectmeta, Validate). */
function checkEmbedded(errors: Errors, value: unknown, schema: Schema | undefined, path: string, isRoot = false): void {
  if (schema === undefined) return
  if (Array.isArray(value)) {
    value.forEach((one, i) => {
      checkEmbedded(errors, one, itemsOf(schema), `${path}[${i}]`)
    })
    return
  }
  if (!isMap(value)) return
  if (!isRoot && schema['x-kubernetes-embedded-resource'] === true) checkEmbeddedObject(errors, value, path)
  for (const name of Object.keys(value)) {
    checkEmbedded(errors, value[name], propertyOf(schema, name), path === '' ? name : `${path}.${name}`)
  }
}

function checkEmbeddedObject(errors: Errors, value: MutableFields, path: string): void {
  for (const field of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, field)) errors.push(required(`${path}.${field}`))
  }
  for (const field of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, field)) continue
    const found = value[field]
    if (typeof found !== 'string') errors.push(invalid(`${path}.${field}`, found, 'must be a string'))
    else if (found === '') errors.push(invalid(`${path}.${field}`, found, 'must not be empty'))
    else if (field === 'kind') {
      const problems = label1035Problems(found.toLowerCase())
      const why = `may have mixed case, but should otherwise match: ${problems.join(',')}`
      if (problems.length > 0) errors.push(invalid(`${path}.kind`, found, why))
    }
  }
  const meta = child(value as Obj, 'metadata')
  if (meta === undefined) return
  // A name is not required; the check uses a placeholder.
  const named = { ...meta, name: text(meta, 'name') === '' ? 'fakename' : text(meta, 'name') }
  const namespaced = text(meta, 'namespace') !== ''
  checkMeta(errors, named, { namespaced, name: 'path-segment', kubeFinalizers: false }, `${path}.metadata`)
}

/** Values that are accepted with a warning. */
export function customWarnings(
  custom: CustomSchema,
  object: KubeObject,
  old: KubeObject | undefined,
): readonly string[] {
  const finalizers = finalizerWarnings(object.metadata.finalizers ?? [], old?.metadata.finalizers ?? [])
  const tree = custom.schema === undefined || old === undefined ? undefined : ruleTreeOf(custom.schema)
  if (tree === undefined) return finalizers
  return [...checkRules(tree, object, old, new Correlation(object, old, custom.schema)).warnings, ...finalizers]
}
