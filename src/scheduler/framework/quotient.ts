// Scores are computed in int64 upstream. Products of up to a hundred and an amount in bytes stay exact in a double up to
// 90 TB; beyond that the detour over BigInt keeps the division exact, int64 overflow included.
const maxExact = 2 ** 53

/** The integer part of `a * factor / b`, rounded towards zero, as int64 arithmetic gives it. */
export function scaledQuotient(a: number, factor: number, b: number): number {
  const product = a * factor
  if (product > maxExact || product < -maxExact) return wideQuotient(a, factor, b)
  const quotient = Math.trunc(product / b)
  // The rounded quotient may have been lifted to the next integer.
  return Math.abs(quotient * b) > Math.abs(product) ? quotient - Math.sign(quotient) : quotient
}

function wideQuotient(a: number, factor: number, b: number): number {
  const product = BigInt.asIntN(64, BigInt(Math.trunc(a)) * BigInt(factor))
  return Number(product / BigInt(Math.trunc(b)))
}

/** The integer part of `a / b`, rounded towards zero. */
export function quotient(a: number, b: number): number {
  return scaledQuotient(a, 1, b)
}
