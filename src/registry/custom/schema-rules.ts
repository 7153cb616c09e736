import { type FieldError, forbidden, internalError, invalid, notSupported, required } from '../errors/field-error.ts'
import { type CompiledRule, compileRules } from './compiled-rules.ts'
import { walkFieldPath } from './field-path.ts'
import { type RuleType, ruleType } from './rule-types.ts'
import { itemsOf, type Schema, type ValidationRule } from './schema.ts'

// v1.36, apiextensions validation: the limits of the estimated cost of one rule and of all rules of a schema.
const perRuleLimit = 10_000_000
const perSchemaLimit = 100_000_000
const maxRequestBytes = 3 * 1024 * 1024

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string']

interface SchemaPosition {
  readonly path: string
  readonly isRoot: boolean
  readonly inMeta: boolean
  /** Why no default is allowed here; undefined: it is allowed. */
  readonly noDefault: string | undefined
  /** The list or map on the path whose elements cannot be identified across an update. */
  readonly uncorrelated: string | undefined
  /** The maximum number of values at this position; undefined: unlimited. */
  readonly count: number | undefined
  /** Rules inside allOf, anyOf, oneOf and not are not checked. */
  readonly hasRules: boolean
}

interface Costly {
  readonly path: string
  readonly cost: number
}

/** Errors of a schema: fields that OpenAPI and the extensions forbid, and invalid rules. */
export function checkSchemaRules(schema: Schema, path: string, canHaveRules: boolean): readonly FieldError[] {
  const check = new SchemaCheck()
  check.node(schema, {
    path,
    isRoot: true,
    inMeta: false,
    noDefault: undefined,
    uncorrelated: undefined,
    count: 1,
    hasRules: canHaveRules,
  })
  return [...check.schemaErrors, ...check.ruleErrors, ...check.totals(path)]
}

class SchemaCheck {
  readonly schemaErrors: FieldError[] = []
  readonly ruleErrors: FieldError[] = []
  private total = 0
  private costly: Costly[] = []

  node(schema: Schema, place: SchemaPosition): void {
    const before = this.schemaErrors.length
    const { path } = place
    checkPlain(this.schemaErrors, schema, place)
    if (schema.uniqueItems === true) {
      const why = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
      this.schemaErrors.push(forbidden(`${path}.uniqueItems`, why))
    }
    this.values(schema, place)
    this.properties(schema, place)
    this.nested(schema, place)
    this.items(schema, place)
    checkListsAndMaps(this.schemaErrors, schema, path)
    this.rules(schema, place, this.schemaErrors.length === before)
  }

  private values(schema: Schema, place: SchemaPosition): void {
    const { additionalProperties: values } = schema
    if (values === undefined) return
    const at = `${place.path}.additionalProperties`
    const hasProperties = Object.keys(schema.properties ?? {}).length > 0
    if (hasProperties && values !== true) {
      this.schemaErrors.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'))
    }
    if (typeof values !== 'object') return
    const noDefault = place.inMeta ? 'inside additionalProperties applying to object metadata' : place.noDefault
    this.node(values, { ...place, path: at, isRoot: false, noDefault, count: childCount(schema, place.count) })
  }

  private properties(schema: Schema, place: SchemaPosition): void {
    const isResource = place.isRoot || schema['x-kubernetes-embedded-resource'] === true
    const mapType = schema['x-kubernetes-map-type']
    const isOdd = mapType !== undefined && mapType !== 'granular' && mapType !== 'atomic'
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const isMeta = isResource && ['metadata', 'kind', 'apiVersion'].includes(name)
      this.node(property, {
        ...place,
        path: `${place.path}.properties[${name}]`,
        isRoot: false,
        inMeta: place.inMeta || isMeta,
        noDefault: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefault,
        uncorrelated: place.uncorrelated ?? (isOdd ? place.path : undefined),
        count: childCount(schema, place.count),
      })
    }
  }

  private nested(schema: Schema, place: SchemaPosition): void {
    const inner = (one: Schema, at: string): void =>
      this.node(one, { ...place, path: `${place.path}.${at}`, isRoot: false, hasRules: false })
    if (schema.not !== undefined) inner(schema.not, 'not')
    for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
      schema[name]?.forEach((one, i) => {
        inner(one, `${name}[${i}]`)
      })
    }
  }

  private items(schema: Schema, place: SchemaPosition): void {
    const items = itemsOf(schema)
    if (items === undefined) return
    const isKeyed = schema['x-kubernetes-list-type'] === 'map'
    this.node(items, {
      ...place,
      path: `${place.path}.items`,
      isRoot: false,
      uncorrelated: place.uncorrelated ?? (isKeyed ? undefined : place.path),
      count: childCount(schema, place.count),
    })
  }

  private rules(schema: Schema, place: SchemaPosition, isSound: boolean): void {
    const rules = schema['x-kubernetes-validations'] ?? []
    if (rules.length === 0) return
    const before = this.schemaErrors.length
    rules.forEach((rule, i) => {
      checkRuleForm(this.schemaErrors, rule, schema, `${place.path}.x-kubernetes-validations[${i}]`)
    })
    if (!isSound || this.schemaErrors.length > before || !place.hasRules) return
    const type = ruleType(schema, place.isRoot || schema['x-kubernetes-embedded-resource'] === true)
    if (type === undefined) {
      const why =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations'
      this.ruleErrors.push(internalError(`${place.path}.x-kubernetes-validations`, why))
      return
    }
    compileRules(rules, type).forEach((compiled, i) => {
      this.compiled(compiled, type, place, `${place.path}.x-kubernetes-validations[${i}]`)
    })
  }

  private compiled(compiled: CompiledRule, type: RuleType, place: SchemaPosition, at: string): void {
    const { rule } = compiled
    const count = place.count ?? Math.floor(maxRequestBytes / (type.minBytes + 1))
    this.observe(`${at}.rule`, compiled.maxCost * count, 'estimated rule cost')
    if (compiled.error !== undefined) this.ruleErrors.push(invalid(`${at}.rule`, shown(rule), compiled.error))
    if (compiled.messageError !== undefined) {
      this.ruleErrors.push(invalid(`${at}.messageExpression`, shown(rule), compiled.messageError))
    } else if (compiled.messageMaxCost !== undefined) {
      this.observe(`${at}.messageExpression`, compiled.messageMaxCost, 'estimated messageExpression cost')
    }
    if (compiled.usesOldSelf) {
      if (place.uncorrelated === undefined) return
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelated}`
      this.ruleErrors.push(invalid(`${at}.rule`, rule.rule, why))
    } else if (rule.optionalOldSelf !== undefined) {
      const why = 'may not be set if oldSelf is not used in rule'
      this.ruleErrors.push(invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, why))
    }
  }

  private observe(path: string, cost: number, name: string): void {
    if (cost > perRuleLimit) this.ruleErrors.push(forbidden(path, tooCostly(name, cost, perRuleLimit)))
    this.total += cost
    if (cost >= perSchemaLimit / 100) {
      this.costly = [...this.costly, { path, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4)
    }
  }

  totals(path: string): readonly FieldError[] {
    if (this.total <= perSchemaLimit) return []
    const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.costly.map((one) => forbidden(one.path, why)),
      forbidden(path, tooCostly(name, this.total, perSchemaLimit)),
    ]
  }
}

function tooCostly(name: string, cost: number, limit: number): string {
  const times = cost / limit
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`
  const hint = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared' // biome-ignore format: one line
  return `${name} exceeds budget by factor of ${factor} (${hint})`
}

/** A rule as Go's encoder writes the internal type: every field, under its Go name. */
function shown(rule: ValidationRule): object {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  }
}

/** The maximum number of values of a part of the schema. */
function childCount(schema: Schema, count: number | undefined): number | undefined {
  if (count === undefined) return undefined
  if (schema.type === 'array')
    return schema.maxItems === undefined ? undefined : count * Math.max(0, Number(schema.maxItems))
  if (schema.type === 'object' && schema.additionalProperties !== undefined) {
    return schema.maxProperties === undefined ? undefined : count * Math.max(0, Number(schema.maxProperties))
  }
  return count
}

const unsupported = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const

function checkPlain(errors: FieldError[], schema: Schema, { path, noDefault, inMeta }: SchemaPosition): void {
  const { type = '' } = schema
  if (type !== '' && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types))
  if (schema.default !== undefined && noDefault !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${noDefault}`))
  }
  for (const name of unsupported) {
    const value = (schema as Readonly<Record<string, unknown>>)[name]
    if (value !== undefined && value !== '') errors.push(forbidden(`${path}.${name}`, `${name} is not supported`))
  }
  if (type === 'null') {
    errors.push(forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative'))
  }
  if (Array.isArray(schema.items)) {
    errors.push(forbidden(`${path}.items`, 'items must be a schema object and not an array'))
  }
  if (inMeta && schema['x-kubernetes-embedded-resource'] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta'))
  }
}

function checkListsAndMaps(errors: FieldError[], schema: Schema, path: string): void {
  const { type = '' } = schema
  const listType = schema['x-kubernetes-list-type']
  const mapType = schema['x-kubernetes-map-type']
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined'))
  }
  const must = (wanted: string, extension: string): void => {
    const why = `must be ${wanted} if ${extension} is specified`
    errors.push(type === '' ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why))
  }
  if (mapType !== undefined) {
    if (type !== 'object') must('object', 'x-kubernetes-map-type')
    const known = ['atomic', 'granular']
    if (!known.includes(mapType)) errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, known))
  }
  if (listType !== undefined) {
    if (type !== 'array') must('array', 'x-kubernetes-list-type')
    else if (listType === 'set') checkSetItems(errors, schema, path)
    const known = ['atomic', 'set', 'map']
    if (!known.includes(listType)) errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, known))
  }
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (keys.length > 0 && listType !== 'map') {
    const at = `${path}.x-kubernetes-list-type`
    const why = 'must be map if x-kubernetes-list-map-keys is non-empty'
    errors.push(listType === undefined ? required(at, why) : invalid(at, listType, why))
  }
  if (listType === 'map') checkKeyedItems(errors, schema, keys, path)
  checkKeys(errors, schema, keys, path)
}

function checkSetItems(errors: FieldError[], schema: Schema, path: string): void {
  const items = itemsOf(schema)
  const why = 'must be atomic as item of a list with x-kubernetes-list-type=set'
  const listType = items?.['x-kubernetes-list-type']
  if (items?.type === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.push(invalid(`${path}.items.x-kubernetes-list-type`, listType, why))
  }
  if (items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    // Upstream shows the list type of the items here.
    errors.push(invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, why))
  }
}

function checkKeyedItems(errors: FieldError[], schema: Schema, keys: readonly string[], path: string): void {
  if (keys.length === 0) {
    const why = 'must not be empty if x-kubernetes-list-type is map'
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, why))
  }
  const items = itemsOf(schema)
  if (items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'))
    return
  }
  if (items.type !== 'object') {
    const why = "must be object if parent array's x-kubernetes-list-type is map"
    errors.push(invalid(`${path}.items.type`, items.type ?? '', why))
    return
  }
  const seen = new Set<string>()
  for (const key of keys) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined
    if (property === undefined) {
      const why = 'entries must all be names of item properties'
      errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, why))
    } else if (property.type === 'array' || property.type === 'object') {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map"
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, why))
    }
    if (seen.has(key)) {
      errors.push(invalid(`${path}.x-kubernetes-list-map-keys`, keys, 'must not contain duplicate entries'))
    }
    seen.add(key)
  }
}

/** Elements of sets and of lists with keys must not be null; the keys are required. */
function checkKeys(errors: FieldError[], schema: Schema, keys: readonly string[], path: string): void {
  const items = itemsOf(schema)
  const listType = schema['x-kubernetes-list-type']
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return
  if (items.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`))
  }
  if (listType === 'set') return
  for (const key of keys) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined
    if (property === undefined) continue
    const at = `${path}.items.properties[${key}]`
    const why = 'this property is in x-kubernetes-list-map-keys, so it'
    if (items.required?.includes(key) !== true && property.default === undefined) {
      errors.push(required(`${at}.default`, `${why} must have a default or be a required property`))
    }
    if (property.nullable === true) errors.push(forbidden(`${at}.nullable`, `${why} cannot be nullable`))
  }
}

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']
const hasBreaks = (text: string): boolean => /[\n\r]/.test(text)

function checkRuleForm(errors: FieldError[], rule: ValidationRule, schema: Schema, at: string): void {
  const { message = '', messageExpression = '', fieldPath = '', reason } = rule
  const text = (rule.rule ?? '').trim()
  if (text === '') errors.push(required(`${at}.rule`, 'rule is not specified'))
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${at}.message`, message, 'must be non-empty if specified'))
  } else if (hasBreaks(message.trim())) {
    errors.push(invalid(`${at}.message`, message, 'must not contain line breaks'))
  } else if (hasBreaks(text) && message.trim() === '') {
    errors.push(required(`${at}.message`, 'message must be specified if rule contains line breaks'))
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified'))
  }
  if (reason !== undefined && !reasons.includes(reason)) errors.push(notSupported(`${at}.reason`, reason, reasons))
  if (fieldPath === '') return
  const path = `${at}.fieldPath`
  if (fieldPath.trim() === '') errors.push(invalid(path, fieldPath, 'must be non-empty if specified'))
  if (hasBreaks(fieldPath)) errors.push(invalid(path, fieldPath, 'must not contain line breaks'))
  if (walkFieldPath(fieldPath, schema) === undefined) errors.push(invalid(path, fieldPath, 'must be a valid path'))
}
