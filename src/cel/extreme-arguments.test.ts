import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { simple } from './cel-type.ts'
import { evaluate } from './evaluator.ts'
import { functionNamed } from './functions.ts'
import { calendar } from './library/calendar.ts'
import { conversions } from './library/conversions.ts'
import { kubernetes } from './library/kubernetes.ts'
import { lists } from './library/lists.ts'
import { network } from './library/network.ts'
import { operators } from './library/operators.ts'
import { strings } from './library/strings.ts'
import { compileExpression } from './program.ts'
import { Duration, EvaluationError, ListValue, MapValue, none, Optional, Timestamp, TypeValue, Uint, type Value } from './value.ts' // biome-ignore format: one line

const functionNames = [operators, conversions, calendar, strings, lists, network, kubernetes].flatMap(Object.keys)

const maxInt = 2n ** 63n - 1n
const minInt = -(2n ** 63n)

const texts = [
  '',
  'a',
  'é😀',
  '\ud800',
  '\0',
  '%.1000000000f',
  '%.99999e',
  '%',
  '9'.repeat(400),
  '-9223372036854775808',
  '1e999999999',
  '1E-999999999',
  '0.' + '0'.repeat(300) + '1',
  '106751d',
  '9999999h59m',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:01Z',
  'http://[::1',
  'https://user:pass@[fe80::1%25en0]:99999/%zz?a=%zz#%',
  '::ffff:1.2.3.4',
  '10.0.0.0/99',
  '2001:db8::/129',
  '1.2.3-rc.1+build.99999999999999999999',
  'Etc/GMT+99',
  '+99:99',
  'dns1123Label',
  '__proto__',
  'constructor',
  'x'.repeat(5_000),
]

const extremes: readonly Value[] = [
  ...texts,
  0n,
  1n,
  -1n,
  maxInt,
  minInt,
  2n ** 53n + 1n,
  253_402_300_799n,
  -62_135_596_801n,
  new Uint(0n),
  new Uint(2n ** 64n - 1n),
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1e308,
  5e-324,
  true,
  false,
  null,
  new Uint8Array(0),
  new Uint8Array([0xff, 0]),
  new ListValue([]),
  new ListValue([1n, 'a', Number.NaN, null]),
  new ListValue(Array.from({ length: 2_000 }, (_, i) => BigInt(i))),
  new ListValue([new ListValue([new ListValue([])])]),
  MapValue.of([]),
  MapValue.of([['__proto__', 1n]]),
  new Duration(maxInt),
  new Duration(minInt),
  new Timestamp(-62_135_596_800n * 1_000_000_000n),
  new Timestamp(253_402_300_799_999_999_999n),
  new TypeValue('int'),
  none,
  new Optional('a'),
]

/** Calls a function. Returns a description of the result if CEL does not define it. */
function strange(name: string, args: readonly Value[], isMember: boolean): string | undefined {
  try {
    functionNamed(name)?.(args, isMember)
    return undefined
  } catch (error) {
    // The evaluator treats a RangeError as an exceeded budget.
    if (error instanceof EvaluationError || error instanceof RangeError) return undefined
    return `${name}: ${(error as Error).stack?.split('\n').slice(0, 3).join(' ')}`
  }
}

describe('every function of the language', () => {
  test('returns a value or a CEL error for one extreme argument of any function', () => {
    const found = functionNames.flatMap((name) =>
      extremes.flatMap((one) => [strange(name, [one], true), strange(name, [one], false)]),
    )
    expect(new Set(found.filter((one) => one !== undefined))).toEqual(new Set())
  })

  test('returns a value or a CEL error for two to four extreme arguments of any function', () => {
    const args = fc.array(fc.constantFrom(...extremes), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(fc.constantFrom(...functionNames), args, fc.boolean(), (name, given, isMember) => {
        expect(strange(name, given, isMember)).toBeUndefined()
      }),
      { numRuns: Number(process.env['BERTH_FUZZ'] ?? 3_000), seed: 1 },
    )
  })
})

test.each([
  ['"%.1000000000f".format([1.0]) == "%!(NOVERB)"', true],
  ['"abc".substring(0, 9223372036854775807) == ""', 'index out of range: 9223372036854775807'],
  ['"abc".charAt(-9223372036854775808) == ""', 'index out of range: -9223372036854775808'],
  ['"abc".indexOf("", 9223372036854775807) == 9223372036854775807', true],
  ['"abc".indexOf("b", 3) == -1 && "abc".lastIndexOf("b", 3) == -1', true],
  // Longer than the longest string of JavaScript.
  ['s.replace("a", s).replace("a", s) == ""', 'operation cancelled: actual cost limit exceeded'],
])('limits the cost of %s', (source, expected) => {
  const compiled = compileExpression(source, new Map([['s', simple('string')]]))
  if (!compiled.ok) throw new Error(compiled.message)
  const result = evaluate(compiled.program, new Map([['s', 'a'.repeat(5_000)]]), 10_000_000)
  expect(result.ok ? result.value : result.error.message).toBe(expected)
})
