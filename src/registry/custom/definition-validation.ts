import { forbidden, invalid, notSupported, required } from '../field-error.ts'
import { checkMeta, checkMetaUpdate, immutable, metaOf } from '../validation/meta.ts'
import { label1035Problems, subdomainProblems } from '../validation/names.ts'
import { child, type Errors, flag, list, type Obj, part, text, texts } from '../validation/reader.ts'

export function checkDefinition(errors: Errors, definition: Obj): void {
  checkMeta(errors, metaOf(definition), { namespaced: false, name: 'anything', kubeFinalizers: false })
  const spec = part(definition, 'spec')
  const name = text(metaOf(definition), 'name')
  const wanted = `${text(part(spec, 'names'), 'plural')}.${text(spec, 'group')}`
  if (name !== '' && name !== wanted) {
    errors.push(invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'))
  }
  checkSpec(errors, spec)
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
  keep('spec.group', spec, before, 'group')
  keep('spec.names.plural', names, oldNames, 'plural')
  if (!established) return
  keep('spec.scope', spec, before, 'scope')
  keep('spec.names.kind', names, oldNames, 'kind')
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
  if (flag(spec, 'preserveUnknownFields')) {
    const why =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
    errors.push(invalid('spec.preserveUnknownFields', true, why))
  }
  checkVersions(errors, list(spec, 'versions'))
  checkNames(errors, part(spec, 'names'))
  const conversion = child(spec, 'conversion')
  const strategy = text(conversion, 'strategy')
  if (conversion !== undefined) {
    if (strategy === '') errors.push(required('spec.conversion.strategy'))
    else if (strategy !== 'None' && strategy !== 'Webhook') {
      errors.push(notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook']))
    }
  }
}

function checkVersions(errors: Errors, versions: readonly Obj[]): void {
  const names = versions.map((version) => text(version, 'name'))
  versions.forEach((version, i) => {
    const at = `spec.versions[${i}]`
    const problems = label1035Problems(text(version, 'name'))
    if (problems.length > 0) errors.push(invalid(`${at}.name`, text(version, 'name'), problems.join(',')))
    const schema = child(child(version, 'schema'), 'openAPIV3Schema')
    if (schema === undefined) errors.push(required(`${at}.schema.openAPIV3Schema`))
    else checkStructural(errors, schema, `${at}.schema.openAPIV3Schema`, true, 0)
    list(version, 'additionalPrinterColumns').forEach((column, j) => {
      checkColumn(errors, column, `${at}.additionalPrinterColumns[${j}]`)
    })
    checkScale(errors, child(child(version, 'subresources'), 'scale'), `${at}.subresources.scale`)
  })
  if (new Set(names).size !== names.length) {
    errors.push(invalid('spec.versions', versions, 'must contain unique version names'))
  }
  if (versions.filter((version) => flag(version, 'storage')).length !== 1) {
    errors.push(invalid('spec.versions', versions, 'must have exactly one version marked as storage version'))
  }
}

const columnTypes = ['integer', 'number', 'string', 'boolean', 'date']

function checkColumn(errors: Errors, column: Obj, path: string): void {
  if (text(column, 'name') === '') errors.push(required(`${path}.name`))
  const type = text(column, 'type')
  if (type === '') {
    errors.push(required(`${path}.type`, `must be one of ${columnTypes.join(',')}`))
  } else if (!columnTypes.includes(type)) {
    errors.push(invalid(`${path}.type`, type, `must be one of ${columnTypes.join(',')}`))
  }
  if (text(column, 'jsonPath') === '') errors.push(required(`${path}.JSONPath`))
}

function checkScale(errors: Errors, scale: Obj | undefined, path: string): void {
  if (scale === undefined) return
  for (const [field, root] of [
    ['specReplicasPath', '.spec.'],
    ['statusReplicasPath', '.status.'],
  ] as const) {
    const value = text(scale, field)
    if (value === '') errors.push(required(`${path}.${field}`))
    else if (!value.startsWith(root)) {
      errors.push(invalid(`${path}.${field}`, value, `should be a json path under ${root.slice(0, -1)}`))
    }
  }
}

function checkNames(errors: Errors, names: Obj): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind']) {
    const value = text(names, field)
    const at = `spec.names.${field}`
    if (value === '') {
      errors.push(required(at))
      continue
    }
    // Kinds are in camel case, but must be names when written small.
    const isKind = field === 'kind' || field === 'listKind'
    const problems = label1035Problems(isKind ? value.toLowerCase() : value)
    if (problems.length > 0) {
      errors.push(
        invalid(at, value, `${isKind ? 'may have mixed case, but should otherwise match: ' : ''}${problems.join(',')}`),
      )
    }
  }
  texts(names, 'shortNames').forEach((name, i) => {
    const problems = label1035Problems(name)
    if (problems.length > 0) errors.push(invalid(`spec.names.shortNames[${i}]`, name, problems.join(',')))
  })
  if (text(names, 'kind') !== '' && text(names, 'kind') === text(names, 'listKind')) {
    errors.push(invalid('spec.names.listKind', text(names, 'listKind'), 'kind and listKind may not be the same'))
  }
}

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const maxDepth = 500

/** A structural schema says of every value what it is. */
function checkStructural(errors: Errors, schema: Obj, path: string, isRoot: boolean, depth: number): void {
  if (depth > maxDepth) {
    errors.push(forbidden(path, 'the schema is nested too deeply'))
    return
  }
  const type = text(schema, 'type')
  const loose = flag(schema, 'x-kubernetes-int-or-string') || flag(schema, 'x-kubernetes-preserve-unknown-fields')
  if (isRoot && type !== 'object') {
    errors.push(
      type === ''
        ? required(`${path}.type`, 'must not be empty at the root')
        : invalid(`${path}.type`, type, 'must be object at the root'),
    )
  } else if (type === '' && !loose)
    errors.push(required(`${path}.type`, 'must not be empty for specified object fields'))
  else if (type !== '' && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types))
  if (schema['$ref'] !== undefined) errors.push(forbidden(`${path}.$ref`, '$ref is not supported'))
  const items = child(schema, 'items')
  if (type === 'array' && items === undefined) errors.push(required(`${path}.items`, 'must be specified'))
  if (items !== undefined && !Array.isArray(items)) checkStructural(errors, items, `${path}.items`, false, depth + 1)
  const properties = child(schema, 'properties')
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (isRoot && (name === 'metadata' || name === 'apiVersion' || name === 'kind')) continue
    checkStructural(errors, property as Obj, `${path}.properties[${name}]`, false, depth + 1)
  }
  const additional = schema['additionalProperties']
  if (typeof additional === 'object' && additional !== null) {
    if (properties !== undefined && Object.keys(properties).length > 0) {
      errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'))
    }
    checkStructural(errors, additional as Obj, `${path}.additionalProperties`, false, depth + 1)
  }
}
