import type { Json } from '../../api/objects/meta.ts'
import type { MutableFields } from '../../base/fields.ts'

/** apiextensions.k8s.io/v1 JSONSchemaProps: the part that is enforced. */
export interface Schema {
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly nullable?: boolean
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly maximum?: number
  readonly exclusiveMaximum?: boolean
  readonly minimum?: number
  readonly exclusiveMinimum?: boolean
  readonly multipleOf?: number
  readonly maxLength?: number
  readonly minLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly minItems?: number
  readonly uniqueItems?: boolean
  readonly maxProperties?: number
  readonly minProperties?: number
  readonly required?: readonly string[]
  readonly items?: Schema | readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** A rule in CEL that a value must meet. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

export const isMap = (value: unknown): value is MutableFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schema of a list's elements; tuples are not allowed in definitions. */
export const itemsOf = (schema: Schema): Schema | undefined =>
  schema.items === undefined || Array.isArray(schema.items) ? undefined : (schema.items as Schema)

export function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  const properties = schema?.properties
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name]
  return typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined
}

/** Remembers parts of objects that were checked. Objects do not change, and most writes keep most parts. */
export class KnownParts {
  private readonly bySchema = new WeakMap<Schema, WeakSet<object>>()

  has(schema: Schema | undefined, part: unknown): boolean {
    if (schema === undefined || typeof part !== 'object' || part === null) return false
    return this.bySchema.get(schema)?.has(part) ?? false
  }

  add(schema: Schema | undefined, part: unknown): void {
    if (schema === undefined || typeof part !== 'object' || part === null) return
    const known = this.bySchema.get(schema)
    if (known === undefined) this.bySchema.set(schema, new WeakSet([part]))
    else known.add(part)
  }
}

/** Parts of resources that need no pruning, no defaults, and no removal of nulls. */
const pruned = new KnownParts()
const defaulted = new KnownParts()
const nullFree = new KnownParts()

/** Changes a part. Remembers a part that does not change, so that it is not computed again. */
function changedPart(
  known: KnownParts,
  schema: Schema | undefined,
  part: unknown,
  change: (part: unknown, schema: Schema | undefined) => unknown,
): unknown {
  if (known.has(schema, part)) return part
  const next = change(part, schema)
  if (next === part) known.add(schema, part)
  return next
}

/** apiVersion, kind and metadata have a fixed schema; a definition can only say `type: object`. */
const embedded = ['apiVersion', 'kind', 'metadata']

export interface Pruned {
  readonly value: unknown
  /** Paths of unknown fields. */
  readonly unknown: readonly string[]
}

/** The value without unknown fields. Unchanged parts are shared with the input. */
export function prune(value: unknown, schema: Schema, path: string, isResource: boolean): Pruned {
  const unknown: string[] = []
  const kept = pruneInto(value, schema, path, isResource, unknown)
  const inMetadata: string[] = []
  const whole = pruneMetadata(kept, schema, path, true, inMetadata)
  return { value: whole, unknown: [...unknown.sort(), ...inMetadata] }
}

/** The fields of ObjectMeta. */
export const metadataFields: ReadonlySet<string> = new Set([
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
])

/** Metadata of embedded objects has the fields of ObjectMeta (schema/objectmeta, Coerce). */
function pruneMetadata(
  value: unknown,
  schema: Schema | undefined,
  path: string,
  isRoot: boolean,
  unknown: string[],
): unknown {
  if (schema === undefined || !hasEmbedded(schema)) return value
  if (Array.isArray(value)) {
    return value.map((one, i) => pruneMetadata(one, itemsOf(schema), `${path}[${i}]`, false, unknown))
  }
  if (!isMap(value)) return value
  const out: MutableFields = { ...value }
  const metadata = out['metadata']
  if (!isRoot && schema['x-kubernetes-embedded-resource'] === true && isMap(metadata)) {
    const kept = Object.entries(metadata).filter(([name]) => metadataFields.has(name))
    for (const name of Object.keys(metadata)) {
      if (!metadataFields.has(name)) unknown.push(`${path}.metadata.${name}`)
    }
    out['metadata'] = Object.fromEntries(kept)
  }
  for (const name of Object.keys(out)) {
    const at = path === '' ? name : `${path}.${name}`
    out[name] = pruneMetadata(out[name], propertyOf(schema, name), at, false, unknown)
  }
  return out
}

const embedding = new WeakMap<Schema, boolean>()

/** Whether the schema has embedded objects; usually it has none. */
export function hasEmbedded(schema: Schema): boolean {
  let found = embedding.get(schema)
  if (found === undefined) {
    const items = itemsOf(schema)
    const values = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []
    const parts = [...(items === undefined ? [] : [items]), ...values, ...Object.values(schema.properties ?? {})]
    found = schema['x-kubernetes-embedded-resource'] === true || parts.some(hasEmbedded)
    embedding.set(schema, found)
  }
  return found
}

function pruneInto(
  value: unknown,
  schema: Schema | undefined,
  path: string,
  isResource: boolean,
  unknown: string[],
): unknown {
  if (Array.isArray(value)) {
    const items = schema === undefined ? undefined : itemsOf(schema)
    if (items === undefined) return value
    const isEmbedded = items['x-kubernetes-embedded-resource'] === true
    return mapped(value, (one, i) => pruneInto(one, items, `${path}[${i}]`, isEmbedded, unknown))
  }
  if (!isMap(value)) return value
  const preserves = schema?.['x-kubernetes-preserve-unknown-fields'] === true || schema?.additionalProperties === true
  let out: MutableFields = value
  for (const name of Object.keys(value)) {
    if (isResource && embedded.includes(name)) continue
    const at = path === '' ? name : `${path}.${name}`
    const property = propertyOf(schema, name)
    if (property === undefined) {
      if (preserves) continue
      unknown.push(at)
      if (out === value) out = { ...value }
      delete out[name]
      continue
    }
    const isEmbedded = property['x-kubernetes-embedded-resource'] === true
    const inside = (part: unknown) => pruneInto(part, property, at, isEmbedded, unknown)
    const next = isResource ? changedPart(pruned, property, value[name], inside) : inside(value[name])
    if (next === value[name]) continue
    if (out === value) out = { ...value }
    out[name] = next
  }
  return out
}

/** The list with each item replaced, or the list itself if no item changes. */
function mapped(list: readonly unknown[], replace: (item: unknown, index: number) => unknown): readonly unknown[] {
  const out = list.map(replace)
  return out.every((item, i) => item === list[i]) ? list : out
}

/** Sets the defaults of a schema, from the outside in; they replace nulls of fields that are not nullable. */
export function applySchemaDefaults(value: unknown, schema: Schema | undefined, isResource = false): unknown {
  if (schema === undefined) return value
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    return mapped(value, (one) => applySchemaDefaults(one, items))
  }
  if (!isMap(value)) return value
  let out: MutableFields = value
  const set = (name: string, next: unknown): void => {
    if (out === value) out = { ...value }
    out[name] = next
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const present = Object.hasOwn(value, name) ? value[name] : undefined
    const isMissing = present === undefined || (present === null && property.nullable !== true)
    if (isMissing && property.default !== undefined) set(name, structuredClone(property.default))
  }
  for (const name of Object.keys(out)) {
    const property = propertyOf(schema, name)
    const next = isResource
      ? changedPart(defaulted, property, out[name], applySchemaDefaults)
      : applySchemaDefaults(out[name], property)
    if (next !== out[name]) set(name, next)
  }
  return out
}

/**
 * Removes nulls from fields that are not nullable and have no default (schema/defaulting,
 * PruneNonNullableNullsWithoutDefaults).
 */
export function withoutNulls(value: unknown, schema: Schema | undefined, isResource = false): unknown {
  if (schema === undefined) return value
  if (Array.isArray(value)) {
    const items = itemsOf(schema)
    return mapped(value, (one) => withoutNulls(one, items))
  }
  if (!isMap(value)) return value
  let out: MutableFields = value
  for (const name of Object.keys(value)) {
    const property = propertyOf(schema, name)
    const isDropped =
      value[name] === null && property !== undefined && property.nullable !== true && property.default === undefined
    const next = isDropped
      ? undefined
      : isResource
        ? changedPart(nullFree, property, value[name], withoutNulls)
        : withoutNulls(value[name], property)
    if (!isDropped && next === value[name]) continue
    if (out === value) out = { ...value }
    if (isDropped) delete out[name]
    else out[name] = next
  }
  return out
}
