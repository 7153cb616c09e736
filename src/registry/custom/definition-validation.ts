import { deepEqual } from '../../api/equality.ts'
import { label1035Problems, subdomainProblems } from '../../api/name-problems.ts'
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../errors/field-error.ts'
import { checkMeta, checkMetaUpdate, immutable, metaOf } from '../validation/meta.ts'
import { child, type Errors, list, type Obj, part, strings, texts } from '../validation/reader.ts'
import { flag, text } from '../validation/scalars.ts'
import { checkDefaults } from './default-validation.ts'
import { walkFieldPath } from './field-path.ts'
import type { Schema } from './schema.ts'
import { checkSchemaRules } from './schema-rules.ts'
import { checkStructural } from './structural-schema.ts'

export function checkDefinition(errors: Errors, definition: Obj): void {
  checkMeta(errors, metaOf(definition), { namespaced: false, name: 'anything', kubeFinalizers: false })
  const spec = part(definition, 'spec')
  const name = text(metaOf(definition), 'name')
  const wanted = `${text(part(spec, 'names'), 'plural')}.${text(spec, 'group')}`
  if (name !== '') {
    const problems = [
      ...subdomainProblems(name),
      ...(name === wanted ? [] : ['must be spec.names.plural+"."+spec.group']),
    ]
    for (const problem of problems) errors.push(invalid('metadata.name', name, problem))
  }
  checkSpec(errors, spec)
  checkStored(errors, definition)
  checkApproval(errors, definition)
  checkPreserving(errors, spec)
}

/** Objects stored in a version can be read only while that version exists. */
function checkStored(errors: Errors, definition: Obj): void {
  const stored = texts(part(definition, 'status'), 'storedVersions')
  if (stored.length === 0) {
    errors.push(invalid('status.storedVersions', stored, 'must have at least one stored version'))
    return
  }
  const names = list(part(definition, 'spec'), 'versions').map((version) => text(version, 'name'))
  stored.forEach((name, i) => {
    if (names.includes(name)) return
    const why =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    errors.push(invalid(`status.storedVersions[${i}]`, name, why))
  })
}

const approval = 'api-approved.kubernetes.io'
const approvalPull = 'see https://github.com/kubernetes/enhancements/pull/1111'

/** Groups of Kubernetes are protected. */
function checkApproval(errors: Errors, definition: Obj): void {
  const group = text(part(definition, 'spec'), 'group')
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return
  const value = strings(metaOf(definition), 'annotations')[approval] ?? ''
  const at = `metadata.annotations[${approval}]`
  if (value === '') {
    errors.push(
      required(at, `protected groups must have approval annotation ${JSON.stringify(approval)}, ${approvalPull}`),
    )
  } else if (!value.startsWith('unapproved') && !/^[a-z]+:\/\/[^/]+/i.test(value)) {
    const how = `with either a URL or a reason starting with "unapproved", ${approvalPull}`
    errors.push(invalid(at, value, `protected groups must have approval annotation ${JSON.stringify(approval)} ${how}`))
  }
}

function checkPreserving(errors: Errors, spec: Obj): void {
  if (!flag(spec, 'preserveUnknownFields')) return
  const why = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  errors.push(invalid('spec.preserveUnknownFields', true, why))
}

export function checkDefinitionUpdate(errors: Errors, definition: Obj, old: Obj): void {
  checkMetaUpdate(errors, metaOf(definition), metaOf(old), 'metadata', false)
  const spec = part(definition, 'spec')
  const before = part(old, 'spec')
  checkSpec(errors, spec)
  const established = list(part(old, 'status'), 'conditions').some(
    (condition) => text(condition, 'type') === 'Established' && text(condition, 'status') === 'True',
  )
  const names = part(spec, 'names')
  const oldNames = part(before, 'names')
  const keep = (path: string, now: Obj, then: Obj, field: string): void => {
    if (text(now, field) !== text(then, field)) errors.push(invalid(path, text(now, field), immutable))
  }
  if (established) {
    keep('spec.scope', spec, before, 'scope')
    keep('spec.names.kind', names, oldNames, 'kind')
  }
  keep('spec.group', spec, before, 'group')
  keep('spec.names.plural', names, oldNames, 'plural')
  checkStored(errors, definition)
  if (strings(metaOf(old), 'annotations')[approval] !== strings(metaOf(definition), 'annotations')[approval]) {
    checkApproval(errors, definition)
  }
  if (!flag(before, 'preserveUnknownFields')) checkPreserving(errors, spec)
}

const scopes = ['Cluster', 'Namespaced']

function checkSpec(errors: Errors, spec: Obj): void {
  const group = text(spec, 'group')
  const problems = subdomainProblems(group)
  if (group === '') errors.push(required('spec.group'))
  else if (problems.length > 0) errors.push(invalid('spec.group', group, problems.join(',')))
  else if (!group.includes('.')) errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'))
  const scope = text(spec, 'scope')
  if (scope === '') errors.push(required('spec.scope'))
  else if (!scopes.includes(scope)) errors.push(notSupported('spec.scope', scope, scopes))
  const versions = list(spec, 'versions')
  const shared = sharedFields(versions)
  checkVersions(errors, versions, shared)
  checkNames(errors, part(spec, 'names'))
  // Upstream stores properties that all versions share in one place, and reports their errors there.
  const [first] = versions
  if (first !== undefined) checkVersionParts(errors, first, shared, 'spec', 'spec.validation')
  checkConversion(errors, child(spec, 'conversion'))
}

function checkConversion(errors: Errors, conversion: Obj | undefined): void {
  if (conversion === undefined) return
  const strategy = text(conversion, 'strategy')
  const at = 'spec.conversion'
  if (strategy === '') errors.push(required(`${at}.strategy`))
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(notSupported(`${at}.strategy`, strategy, ['None', 'Webhook']))
  }
  const webhook = child(conversion, 'webhook')
  const config = child(webhook, 'clientConfig')
  const versions = texts(webhook ?? {}, 'conversionReviewVersions')
  if (strategy !== 'Webhook') {
    const why = 'should not be set when strategy is not set to Webhook'
    if (config !== undefined) errors.push(forbidden(`${at}.webhookClientConfig`, why))
    if (versions.length > 0) errors.push(forbidden(`${at}.conversionReviewVersions`, why))
    return
  }
  if (config === undefined) {
    errors.push(required(`${at}.webhookClientConfig`, 'required when strategy is set to Webhook'))
  } else if ((text(config, 'url') === '') === (child(config, 'service') === undefined)) {
    errors.push(required(`${at}.webhookClientConfig`, 'exactly one of url or service is required'))
  }
  if (versions.length === 0) errors.push(required(`${at}.conversionReviewVersions`))
  else if (!versions.some((version) => version === 'v1' || version === 'v1beta1')) {
    errors.push(invalid(`${at}.conversionReviewVersions`, versions, 'must include at least one of v1, v1beta1'))
  }
}

const versionFields = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const
type VersionField = (typeof versionFields)[number]

/** apiextensions/v1 conversion: fields that are the same in every version belong to the definition. */
function sharedFields(versions: readonly Obj[]): ReadonlySet<VersionField> {
  const same = (field: VersionField): boolean => versions.every((one) => deepEqual(one[field], versions[0]?.[field]))
  return new Set(versionFields.filter(same))
}

function checkVersions(errors: Errors, versions: readonly Obj[], shared: ReadonlySet<VersionField>): void {
  const names = versions.map((version) => text(version, 'name'))
  versions.forEach((version, i) => {
    if (schemaOf(version) === undefined) errors.push(required(`spec.versions[${i}].schema.openAPIV3Schema`))
  })
  versions.forEach((version, i) => {
    checkVersion(errors, version, shared, `spec.versions[${i}]`)
  })
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'))
  }
  if (versions.filter((version) => flag(version, 'storage')).length !== 1) {
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'))
  }
}

const schemaOf = (version: Obj): Schema | undefined =>
  child(child(version, 'schema'), 'openAPIV3Schema') as Schema | undefined

function checkVersion(errors: Errors, version: Obj, shared: ReadonlySet<VersionField>, at: string): void {
  const problems = label1035Problems(text(version, 'name'))
  if (problems.length > 0) errors.push(invalid(`${at}.name`, text(version, 'name'), problems.join(',')))
  const warning = version['deprecationWarning']
  if (typeof warning === 'string') {
    for (const why of deprecationProblems(flag(version, 'deprecated'), warning)) {
      errors.push(invalid(`${at}.deprecationWarning`, warning, why))
    }
  }
  const own = new Set(versionFields.filter((field) => !shared.has(field)))
  checkVersionParts(errors, version, own, at, `${at}.schema`)
}

function checkVersionParts(
  errors: Errors,
  version: Obj,
  fields: ReadonlySet<VersionField>,
  at: string,
  schemaAt: string,
): void {
  const schema = schemaOf(version)
  const subresources = child(version, 'subresources')
  if (schema !== undefined && fields.has('schema')) {
    checkVersionSchema(errors, schema, child(subresources, 'status') !== undefined, `${schemaAt}.openAPIV3Schema`)
  }
  if (fields.has('subresources')) checkScale(errors, child(subresources, 'scale'), `${at}.subresources.scale`)
  if (fields.has('additionalPrinterColumns')) {
    list(version, 'additionalPrinterColumns').forEach((column, j) => {
      checkColumn(errors, column, `${at}.additionalPrinterColumns[${j}]`)
    })
  }
  if (schema === undefined || !fields.has('selectableFields')) return
  const selectable = list(version, 'selectableFields').map((field) => text(field, 'jsonPath'))
  checkSelectable(errors, selectable, schema, `${at}.selectableFields`)
}

function deprecationProblems(isDeprecated: boolean, warning: string): readonly string[] {
  if (!isDeprecated) return ['can only be set for deprecated versions']
  const odd = [...warning].findIndex(
    (char) => /[\p{C}\p{Zl}\p{Zp}]/u.test(char) || (char !== ' ' && /\p{Zs}/u.test(char)),
  )
  return [
    ...(Buffer.byteLength(warning) > 256 ? ['must be <= 256 characters long'] : []),
    ...(warning === '' ? ['must not be an empty string'] : []),
    ...(odd < 0 ? [] : [`must only contain printable UTF-8 characters; non-printable character found at index ${odd}`]),
  ]
}

// With a status subresource, rules next to the properties would not apply to the status.
const besideStatus = new Set(
  'description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-kubernetes-preserve-unknown-fields x-kubernetes-validations'.split(
    ' ',
  ),
)
const besideStatusShown =
  '[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]'

function checkVersionSchema(errors: Errors, schema: Schema, hasStatus: boolean, path: string): void {
  if (hasStatus) {
    if (schema.type !== undefined && schema.type !== 'object') {
      const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
      errors.push(invalid(`${path}.type`, schema.type, why))
    } else if (Object.keys(schema).some((name) => !besideStatus.has(name))) {
      const why = `only ${besideStatusShown} fields are allowed at the root of the schema if the status subresource is enabled`
      errors.push(invalid(path, schema, why))
    }
  }
  if (schema.nullable === true) errors.push(forbidden(`${path}.nullable`, 'nullable cannot be true at the root'))
  const structural = checkStructural(schema, path)
  const defaults: FieldError[] = []
  if (structural.length === 0) checkDefaults(defaults, schema, path)
  errors.push(...structural, ...defaults)
  errors.push(...checkSchemaRules(schema, path, structural.length === 0 && defaults.length === 0))
}

const maxSelectable = 8

function checkSelectable(errors: Errors, paths: readonly string[], schema: Schema, at: string): void {
  const seen = new Set<string>()
  paths.forEach((path, i) => {
    const here = `${at}[${i}].jsonPath`
    if (path === '') {
      errors.push(required(here))
      return
    }
    const found = path.includes('[') ? undefined : walkFieldPath(path, schema)
    if (found === undefined) {
      const why = path.includes('[')
        ? 'array notation is not allowed'
        : path.startsWith('.')
          ? 'does not refer to a valid field'
          : `expected [ or . but got: ${path.split('.')[0]}`
      errors.push(invalid(here, path, `is an invalid path: ${why}`))
      return
    }
    if (path.startsWith('.metadata')) errors.push(invalid(here, path, 'must not point to fields in metadata'))
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const why =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(here, path, why))
    }
    if (seen.has(found.path)) errors.push(duplicate(here, path))
    seen.add(found.path)
  })
  if (seen.size > maxSelectable) errors.push(tooMany(at, seen.size, maxSelectable))
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']

function checkColumn(errors: Errors, column: Obj, path: string): void {
  if (text(column, 'name') === '') errors.push(required(`${path}.name`))
  const type = text(column, 'type')
  if (type === '') {
    errors.push(required(`${path}.type`, `must be one of ${columnTypes.join(',')}`))
  } else if (!columnTypes.includes(type)) {
    errors.push(invalid(`${path}.type`, type, `must be one of ${columnTypes.join(',')}`))
  }
  const format = text(column, 'format')
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(`${path}.format`, format, `must be one of ${columnFormats.join(',')}`))
  }
  const jsonPath = text(column, 'jsonPath')
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`))
  else checkSimplePath(errors, jsonPath, `${path}.JSONPath`)
}

/** Whether the value has the form of a path. */
function checkSimplePath(errors: Errors, value: string, path: string): boolean {
  if (value.startsWith('.')) return true
  errors.push(invalid(path, value, 'must be a simple json path starting with .'))
  return false
}

function checkScale(errors: Errors, scale: Obj | undefined, path: string): void {
  if (scale === undefined) return
  for (const [field, roots] of [
    ['specReplicasPath', ['.spec']],
    ['statusReplicasPath', ['.status']],
    ['labelSelectorPath', ['.spec', '.status']],
  ] as const) {
    const value = text(scale, field)
    const at = `${path}.${field}`
    if (value === '') {
      if (field !== 'labelSelectorPath') errors.push(required(at))
    } else if (checkSimplePath(errors, value, at) && !roots.some((root) => value.startsWith(`${root}.`))) {
      const where = roots.length === 1 ? roots[0] : `either ${roots.join(' or ')}`
      errors.push(invalid(at, value, `should be a json path under ${where}`))
    }
  }
}

function checkNames(errors: Errors, names: Obj): void {
  const fields = ['plural', 'singular', 'kind', 'listKind']
  for (const field of fields) if (text(names, field) === '') errors.push(required(`spec.names.${field}`))
  for (const field of fields) {
    const value = text(names, field)
    if (value === '') continue
    // Kinds are in camel case, but must be valid names in lower case.
    const isKind = field === 'kind' || field === 'listKind'
    const problems = label1035Problems(isKind ? value.toLowerCase() : value)
    const prefix = isKind ? 'may have mixed case, but should otherwise match: ' : ''
    if (problems.length > 0) errors.push(invalid(`spec.names.${field}`, value, `${prefix}${problems.join(',')}`))
  }
  const checkEach = (field: string): void =>
    texts(names, field).forEach((name, i) => {
      const problems = label1035Problems(name)
      if (problems.length > 0) errors.push(invalid(`spec.names.${field}[${i}]`, name, problems.join(',')))
    })
  checkEach('shortNames')
  if (text(names, 'kind') !== '' && text(names, 'kind') === text(names, 'listKind')) {
    errors.push(invalid('spec.names.listKind', text(names, 'listKind'), 'kind and listKind may not be the same'))
  }
  checkEach('categories')
}
