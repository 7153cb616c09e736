import { controlEscapes } from '../../base/control-escapes.ts'
import { lookupTable } from '../../base/lookup-table.ts'
import type { Schema } from './schema.ts'

const escapes = lookupTable<string>({
  ...controlEscapes,
  "'": "'",
  '\\': '\\',
})
const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/s

/** The field of the schema that a path such as `.spec['a.b']` names, as in messages; undefined if there is none. */
export function parseFieldPath(text: string, schema: Schema): string | undefined {
  return walkFieldPath(text, schema)?.path
}

export function walkFieldPath(
  text: string,
  root: Schema,
): { readonly path: string; readonly schema: Schema } | undefined {
  let schema = root
  let path = ''
  let rest = text
  while (rest !== '') {
    const match = step.exec(rest)
    if (match === null) return undefined
    const name = match[1] ?? unescaped(match[2] ?? '')
    if (name === undefined) return undefined
    const { properties, additionalProperties } = schema
    if (properties !== undefined) {
      const next = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (next === undefined) return undefined
      path += `.${name}`
      schema = next
    } else if (typeof additionalProperties === 'object') {
      path += `[${name}]`
      schema = additionalProperties
    } else return undefined
    rest = rest.slice(match[0].length)
  }
  return { path, schema }
}

function unescaped(text: string): string | undefined {
  let isWrong = false
  const found = text.replace(/\\(.)/gs, (_, char: string) => {
    const known = Object.hasOwn(escapes, char) ? escapes[char] : undefined
    if (known === undefined) isWrong = true
    return known ?? ''
  })
  return isWrong ? undefined : found
}
