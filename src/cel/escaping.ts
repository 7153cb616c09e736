// Words that CEL keeps for itself; a property of that name is written between underscores.
import { lookupTable } from '../base/lookup-table.ts'

const reserved = new Set('true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' ')) // biome-ignore format: one line
const parts = lookupTable<string>({ __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' }) // biome-ignore format: one line

/** How an expression names a property; undefined when it cannot (v1.36, apiserver/pkg/cel/escaping.go). */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  if (reserved.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => parts[part] as string)
}

/** Words that are kept for later may stand where only a field can (cel/types.go, recognizeKeywordAsFieldName). */
export const escapedKeyword = (field: string): string | undefined => (reserved.has(field) ? `__${field}__` : undefined)
