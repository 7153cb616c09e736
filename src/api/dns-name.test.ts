import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDnsLabel, isDnsSubdomain } from './dns-name.ts'

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const labelPattern = new RegExp(`^${label}$`)
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`)

describe('DNS names', () => {
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
  ])('checks the DNS name %j with the same result as the regular expressions', (text) => {
    expect([isDnsLabel(text), isDnsSubdomain(text)]).toEqual([labelPattern.test(text), subdomainPattern.test(text)])
  })

  it('checks any text as a DNS name with the same result as the regular expressions', () => {
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
