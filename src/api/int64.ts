const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)
const DIGITS = /^[+-]?[0-9]+$/

/**
 * Go's strconv.ParseInt(text, 10, 64). Numbers that a double holds exactly come as numbers, larger ones as bigints:
 * JavaScript compares the two kinds with each other by value.
 */
export function parseInt64(text: string): number | bigint | undefined {
  if (!DIGITS.test(text)) return undefined
  if (text.length <= 15) return Number(text)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return value > INT64_MAX || value < INT64_MIN ? undefined : value
}
