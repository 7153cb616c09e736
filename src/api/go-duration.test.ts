import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGoDuration, formatGoDurationMs, parseGoDuration, parseGoDurationMs } from './go-duration.ts'

describe('Go durations', () => {
  it.each([
    ['0', 0n, '0s'],
    ['5m', 300_000_000_000n, '5m0s'],
    ['1h30m', 5_400_000_000_000n, '1h30m0s'],
    ['1.5h', 5_400_000_000_000n, '1h30m0s'],
    ['-1.5s', -1_500_000_000n, '-1.5s'],
    ['+.5s', 500_000_000n, '500ms'],
    ['1.s', 1_000_000_000n, '1s'],
    ['100ms', 100_000_000n, '100ms'],
    ['2us', 2_000n, '2µs'],
    ['2µs1ns', 2_001n, '2.001µs'],
    ['7ns', 7n, '7ns'],
    ['0.3333333333333333333h', 1_200_000_000_000n, '20m0s'],
    ['0.100000000000000000000h', 360_000_000_000n, '6m0s'],
    ['9223372036854775807ns', 2n ** 63n - 1n, '2562047h47m16.854775807s'],
    ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
    ['3m2s1m', 242_000_000_000n, '4m2s'],
  ])('parses %s as %d ns and writes it as %s', (text, ns, written) => {
    expect(parseGoDuration(text)).toEqual({ ok: true, value: ns })
    expect(formatGoDuration(ns)).toBe(written)
  })

  it.each([
    ['', 'time: invalid duration ""'],
    ['3', 'time: missing unit in duration "3"'],
    ['-', 'time: invalid duration "-"'],
    ['s', 'time: invalid duration "s"'],
    ['.s', 'time: invalid duration ".s"'],
    ['3d', 'time: unknown unit "d" in duration "3d"'],
    ['1h 2m', 'time: unknown unit "h " in duration "1h 2m"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
  ])('rejects the duration %j', (text, message) => {
    expect(parseGoDuration(text)).toEqual({ ok: false, message })
  })

  it('parses the text of a duration to the same duration', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (ns) => {
        expect(parseGoDuration(formatGoDuration(ns))).toEqual({ ok: true, value: ns })
      }),
    )
  })

  it('parses durations in milliseconds', () => {
    expect(parseGoDurationMs('1m0.0015s')).toEqual({ ok: true, value: 60001.5 })
    expect(formatGoDurationMs(90_000)).toBe('1m30s')
    expect(parseGoDurationMs('x').ok).toBe(false)
  })
})
