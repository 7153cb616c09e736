import { deepEqual } from '../../api/equality.ts'
import { type FieldError, invalid } from '../field-error.ts'
import { ruleTreeWithin } from './compiled-rules.ts'
import { checkRules } from './rule-validation.ts'
import { itemsOf, prune, type Schema } from './schema.ts'
import { checkSchema } from './schema-validation.ts'

/** Defaults are values like any other: known, and valid (v1.36, schema/defaulting, ValidateDefaults). */
export function checkDefaults(errors: FieldError[], schema: Schema, path: string): void {
  const { default: value } = schema
  if (value !== undefined && value !== null) {
    const at = `${path}.default`
    const isResource = schema['x-kubernetes-embedded-resource'] === true
    const pruned = prune(value, schema, '', isResource).value
    if (!deepEqual(pruned, value)) errors.push(invalid(at, value, 'must not have unknown fields'))
    const found: FieldError[] = []
    checkSchema(found, value, schema, at)
    if (found.length === 0) {
      const rules = checkRules(ruleTreeWithin(schema), value, value, undefined).errors
      const unchanging =
        rules.length > 0 ? rules : checkRules(ruleTreeWithin(schema), value, undefined, undefined).errors
      found.push(
        ...unchanging.map((error) => ({ ...error, field: error.field === '<nil>' ? at : `${at}.${error.field}` })),
      )
    }
    errors.push(...found)
  }
  const items = itemsOf(schema)
  if (items !== undefined) checkDefaults(errors, items, `${path}.items`)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkDefaults(errors, property, `${path}.properties[${name}]`)
  }
}
