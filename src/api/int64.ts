const int64Max = 2n ** 63n - 1n
const int64Min = -(2n ** 63n)
const digits = /^[+-]?[0-9]+$/

/**
 * Go's strconv.ParseInt(text, 10, 64). Numbers that a double represents exactly are returned as numbers, larger ones as
 * bigints: JavaScript compares the two by value.
 */
export function parseInt64(text: string): number | bigint | undefined {
  if (!digits.test(text)) return undefined
  if (text.length <= 15) return Number(text)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return value > int64Max || value < int64Min ? undefined : value
}
