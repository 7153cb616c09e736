import { describe, expect, it } from 'vitest'
import { releaseOf } from '../../api/releases/release-of.ts'
import { must } from '../../base/result.ts'
import type { FieldError } from '../errors/field-error.ts'
import { cidrWarnings, ipWarnings } from '../warnings/addresses.ts'
import { checkCidrForm, checkIpForm, checkStrictCidr, checkStrictIp } from './addresses.ts'

type Check = (errors: FieldError[], value: string, path: string) => void
const release = must(releaseOf('1.37'))

/** The error about the value, without the value. */
function problem(check: Check, value: string): string {
  const errors: FieldError[] = []
  check(errors, value, 'p')
  return errors.map(({ message }) => message.slice(message.lastIndexOf('": ') + 3)).join()
}
const invalidIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const invalidCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'
const zeros = 'must not have leading 0s'
const mapped = 'must not be an IPv4-mapped IPv6 address'

// The answers of apimachinery v0.37.1 (util/validation). v0.34 differs only in one word of the warnings.
describe('an IP address', () => {
  it.each([
    ['10.9.8.7', '', '', ''],
    ['::ffff:10.9.8.7', '', mapped, 'non-standard IP address "::ffff:10.9.8.7" is invalid: use "10.9.8.7"'],
    ['::FFFF:a09:807', '', mapped, 'non-standard IP address "::FFFF:a09:807" is invalid: use "10.9.8.7"'],
    [
      '0:0:0:0:0:ffff:10.9.8.7',
      '',
      mapped,
      'non-standard IP address "0:0:0:0:0:ffff:10.9.8.7" is invalid: use "10.9.8.7"',
    ],
    ['::ffff:010.9.8.7', '', zeros, 'non-standard IP address "::ffff:010.9.8.7" is invalid: use "10.9.8.7"'],
    ['10.9.8.0000000007', '', zeros, 'non-standard IP address "10.9.8.0000000007" is invalid: use "10.9.8.7"'],
    ['0fd00::1', '', zeros, 'non-standard IP address "0fd00::1" is invalid: use "fd00::1"'],
    ['FD00::0001', '', '', 'IPv6 address "FD00::0001" should be in RFC 5952 canonical format ("fd00::1")'],
    ['::10.9.8.7', '', '', 'IPv6 address "::10.9.8.7" should be in RFC 5952 canonical format ("::a09:807")'],
    ['::ffff:10.9.8', invalidIp, invalidIp, ''],
    ['10.9.8.256', invalidIp, invalidIp, ''],
  ])('checks the address %s as apimachinery does', (value, lenient, strict, warning) => {
    expect(problem((errors, text, path) => checkIpForm(errors, text, path, false), value)).toBe(lenient)
    expect(problem(checkIpForm, value)).toBe(strict)
    expect(ipWarnings('p', value, release)).toEqual(warning === '' ? [] : [`p: ${warning}`])
  })

  it('requires the canonical form of an address where rules were always strict', () => {
    expect(problem(checkStrictIp, 'FD00::0001')).toBe('must be in canonical form ("fd00::1")')
    expect(problem(checkStrictIp, '::ffff:10.9.8.7')).toBe(mapped)
  })
})

describe('a CIDR', () => {
  const hasMapped = 'must not have an IPv4-mapped IPv6 address'
  const hasZeros = 'must not have leading 0s in IP or prefix length'
  const ambiguous = (value: string, block: string, single: string): string =>
    `CIDR value "${value}" is ambiguous in this context (should be "${block}" or "${single}"?)`
  const nonStandard = (value: string, use: string): string =>
    `non-standard CIDR value "${value}" is invalid: use "${use}"`
  it.each<[string, string, string, readonly string[]]>([
    ['10.9.8.0/24', '', '', []],
    ['::ffff:10.9.8.0/120', '', hasMapped, [nonStandard('::ffff:10.9.8.0/120', '10.9.8.0/24')]],
    ['::ffff:a09:800/120', '', hasMapped, [nonStandard('::ffff:a09:800/120', '10.9.8.0/24')]],
    [
      '::ffff:10.9.8.7/120',
      '',
      hasMapped,
      [
        ambiguous('::ffff:10.9.8.7/120', '10.9.8.0/24', '10.9.8.7/128'),
        nonStandard('::ffff:10.9.8.7/120', '10.9.8.0/24'),
      ],
    ],
    [
      '::ffff:10.9.8.7/64',
      '',
      hasMapped,
      [ambiguous('::ffff:10.9.8.7/64', '::/64', '10.9.8.7/128'), nonStandard('::ffff:10.9.8.7/64', '::/64')],
    ],
    ['10.9.8.0/000000024', '', hasZeros, [nonStandard('10.9.8.0/000000024', '10.9.8.0/24')]],
    [
      '10.9.8.7/24',
      '',
      'must not have bits set beyond the prefix length',
      [ambiguous('10.9.8.7/24', '10.9.8.0/24', '10.9.8.7/32')],
    ],
    ['::ffff:10.9.8.0/129', invalidCidr, invalidCidr, []],
    ['10.9.8.0/120', invalidCidr, invalidCidr, []],
  ])('checks the CIDR %s as apimachinery does', (value, lenient, strict, warnings) => {
    expect(problem((errors, text, path) => checkCidrForm(errors, text, path, false), value)).toBe(lenient)
    expect(problem(checkCidrForm, value)).toBe(strict)
    expect(cidrWarnings('p', value, release)).toEqual(warnings.map((one) => `p: ${one}`))
  })

  it('requires the canonical form of a CIDR where rules were always strict', () => {
    expect(problem(checkStrictCidr, 'FD00::/64')).toBe('must be in canonical form ("fd00::/64")')
  })
})
