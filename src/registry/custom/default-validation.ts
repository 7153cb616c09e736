import { deepEqual } from '../../api/equality.ts'
import type { Json } from '../../api/objects/meta.ts'
import { type FieldError, invalid } from '../errors/field-error.ts'
import { ruleTreeWithin } from './compiled-rules.ts'
import { checkRules } from './rule-validation.ts'
import { itemsOf, prune, type Schema } from './schema.ts'
import { checkSchema } from './schema-validation.ts'

/** Defaults must be valid values without unknown fields (v1.36, schema/defaulting, ValidateDefaults). */
export function checkDefaults(errors: FieldError[], schema: Schema, path: string): void {
  const { default: value } = schema
  if (value !== undefined && value !== null) {
    const at = `${path}.default`
    const isResource = schema['x-kubernetes-embedded-resource'] === true
    const pruned = prune(value, schema, '', isResource).value
    if (!deepEqual(pruned, value)) errors.push(invalid(at, value, 'must not have unknown fields'))
    const found: FieldError[] = []
    checkSchema(found, value, schema, '')
    if (found.length === 0) found.push(...brokenRules(schema, value))
    errors.push(...found.map((error) => ({ ...error, field: fieldWithin(at, error.field) })))
  }
  const items = itemsOf(schema)
  if (items !== undefined) checkDefaults(errors, items, `${path}.items`)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkDefaults(errors, property, `${path}.properties[${name}]`)
  }
}

/** A default is set in new objects, and stays in old ones. */
function brokenRules(schema: Schema, value: Json): readonly FieldError[] {
  const tree = ruleTreeWithin(schema)
  const { errors } = checkRules(tree, value, value, undefined)
  return errors.length > 0 ? errors : checkRules(tree, value, undefined, undefined).errors
}

/** The path of a field inside a value that was validated separately. */
export const fieldWithin = (at: string, field: string): string =>
  field === '' || field === '<nil>' ? at : field.startsWith('[') ? `${at}${field}` : `${at}.${field}`
