import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDnsLabel, isDnsSubdomain } from './dns-name.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelPattern = new RegExp(`^${label}$`)
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`)

describe('names of DNS', () => {
  it.each([
    '',
    '-',
    '.',
    'a',
    '9',
    'a-',
    '-a',
    'a.b',
    'a..b',
    'a-.b',
    'a.-b',
    '.a',
    'a.',
    'A',
    'a_b',
    'ä',
    'a\n',
    'a-b.c-9',
  ])('agrees with the regular expressions: %j', (text) => {
    expect([isDnsLabel(text), isDnsSubdomain(text)]).toEqual([labelPattern.test(text), subdomainPattern.test(text)])
  })

  it('agrees with the regular expressions on any text', () => {
    const letters = fc.constantFrom('a', 'z', '0', '9', '-', '.', 'A', '_', '`', '{', '/', ':', ' ', 'é', '\n')
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        expect([isDnsLabel(text), isDnsSubdomain(text)]).toEqual([labelPattern.test(text), subdomainPattern.test(text)])
      }),
      { numRuns: 2000 },
    )
  })
})
