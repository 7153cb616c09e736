import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quotient, scaledQuotient } from './quotient.ts'

describe('scaledQuotient', () => {
  it('equals int64 arithmetic for every amount a node can have', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat(),
        fc.nat(200),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        (a, factor, b) => {
          const exact = BigInt.asIntN(64, BigInt(a) * BigInt(factor)) / BigInt(b)
          expect(scaledQuotient(a, factor, b)).toBe(Number(exact))
        },
      ),
    )
  })

  it.each([
    [7, 2, 3],
    [-7, 2, -3],
    [2 ** 53 - 1, 2 ** 52, 1],
  ])('%d divided by %d is %d, rounded toward zero', (a, b, want) => {
    expect(quotient(a, b)).toBe(want)
  })
})
