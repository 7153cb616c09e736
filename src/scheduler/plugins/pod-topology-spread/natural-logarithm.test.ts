import { expect, it } from 'vitest'
import { naturalLogarithm } from './natural-logarithm.ts'

it('naturalLogarithm differs from Math.log by less than the last bit', () => {
  for (let x = 2; x < 20_000; x++) {
    expect(Math.abs(naturalLogarithm(x) - Math.log(x))).toBeLessThanOrEqual(Math.log(x) * 2 ** -52)
  }
  expect(naturalLogarithm(2)).toBe(Math.LN2)
})
