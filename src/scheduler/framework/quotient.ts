// Upstream computes scores in int64. The product of 100 and a number of bytes is exact in a double up to 90 TB. Beyond
// that BigInt keeps the division exact, including int64 overflow.
const maxExact = 2 ** 53

/** The integer part of `a * factor / b`, rounded toward zero, as in int64 arithmetic. */
export function scaledQuotient(a: number, factor: number, b: number): number {
  const product = a * factor
  if (product > maxExact || product < -maxExact) return wideQuotient(a, factor, b)
  const quotient = Math.trunc(product / b)
  // The division may have rounded up to the next integer.
  return Math.abs(quotient * b) > Math.abs(product) ? quotient - Math.sign(quotient) : quotient
}

function wideQuotient(a: number, factor: number, b: number): number {
  const product = BigInt.asIntN(64, BigInt(Math.trunc(a)) * BigInt(factor))
  return Number(product / BigInt(Math.trunc(b)))
}

/** The integer part of `a / b`, rounded toward zero. */
export function quotient(a: number, b: number): number {
  return scaledQuotient(a, 1, b)
}
