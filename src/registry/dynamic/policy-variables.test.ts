import { expect, test } from 'vitest'
import { compileVariables } from './policy-variables.ts'

test('stops compiling variables when the check of one of them ends the validation', () => {
  let reads = 0
  const variables = Array.from({ length: 100 }, (_, i) => ({
    name: `v${i}`,
    get expression() {
      reads++
      return '('
    },
  }))
  const check = (_: unknown, position: number) => {
    if (position === 2) throw new Error('too many errors')
  }
  expect(() => compileVariables(variables, { params: false }, true, check)).toThrow('too many errors')
  expect(reads).toBeLessThan(10)
})
