import { ownEntry } from '../base/lookup-table.ts'

/**
 * Whether two JSON values are equal. An undefined property counts as absent, as in JSON text. The order of properties
 * does not matter. Shared parts are recognized by identity first, which makes the comparison of two versions of a
 * stored object cheap.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && arraysEqual(a, b)
  return !Array.isArray(b) && objectsEqual(a as JsonLike, b as JsonLike)
}

/**
 * Kubernetes' semantic equality (apimachinery equality.Semantic): like deepEqual, but an absent list or map equals an
 * empty one.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (a === undefined || a === null) return isEmpty(b)
  if (b === undefined || b === null) return isEmpty(a)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i++) if (!semanticEqual(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  for (const key in a) if (!semanticEqual((a as JsonLike)[key], ownEntry(b as JsonLike, key))) return false
  for (const key in b) if (!Object.hasOwn(a, key) && !isEmpty((b as JsonLike)[key])) return false
  return true
}

type JsonLike = { readonly [key: string]: unknown }

function arraysEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false
  return true
}

function objectsEqual(a: JsonLike, b: JsonLike): boolean {
  let present = 0
  for (const key in a) {
    const value = a[key]
    if (value === undefined) continue
    present++
    const other = b[key]
    if (other === undefined || !deepEqual(value, other)) return false
  }
  for (const key in b) if (b[key] !== undefined) present--
  return present === 0
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object') return false
  if (Array.isArray(value)) return value.length === 0
  for (const key in value) if (!isEmpty((value as JsonLike)[key])) return false
  return true
}
