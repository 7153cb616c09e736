import type { Json } from '../../api/objects/meta.ts'

/** A JSON value as Go's `%v` prints it: keys sorted, nothing quoted. */
export function goPrint(value: Json): string {
  if (value === null) return '<nil>'
  if (Array.isArray(value)) return `[${value.map((one) => goPrint(one as Json)).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${key}:${goPrint(one as Json)}`)
  return `map[${members.join(' ')}]`
}

/** The type of a JSON value in Go, as `%s` prints a reflect.Type. */
export function goTypeName(value: Json): string {
  if (value === null) return '%!s(<nil>)'
  if (Array.isArray(value)) return '[]interface {}'
  if (typeof value === 'object') return 'map[string]interface {}'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  return Number.isInteger(value) ? 'int64' : 'float64'
}
