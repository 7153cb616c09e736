// Reserved words of CEL; a property with such a name is written between underscores.
import { lookupTable } from '../base/lookup-table.ts'

const reserved = new Set('true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' ')) // biome-ignore format: one line
const parts = lookupTable<string>({ __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }) // biome-ignore format: one line

/** The name of a property in expressions; undefined if it has none (v1.36, apiserver/pkg/cel/escaping.go). */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => parts[part] as string)
}

/** Some reserved words are allowed as field names (cel/types.go, recognizeKeywordAsFieldName). */
export const escapedKeyword = (field: string): string | undefined => (reserved.has(field) ? `__${field}__` : undefined)
