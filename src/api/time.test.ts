import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMicroTime, formatTime, parseTime } from './time.ts'

describe('times', () => {
  it.each([
    ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
    ['2026-01-02T03:04:05.123456Z', Date.UTC(2026, 0, 2, 3, 4, 5) + 123.456],
    ['2026-01-02T03:04:05+02:00', Date.UTC(2026, 0, 2, 1, 4, 5)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('parses %s as %d', (text, ms) => {
    expect(parseTime(text)).toBeCloseTo(ms, 4)
  })

  it.each([undefined, '', 'now', '2026-01-02', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-02T25:00:00Z'])(
    'rejects %j as a time',
    (text) => {
      expect(parseTime(text)).toBeUndefined()
    },
  )

  it('writes times in UTC, in seconds or microseconds', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5) + 678.901
    expect([formatTime(ms), formatMicroTime(ms)]).toEqual(['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.678901Z'])
    expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z')
  })

  it('parses formatted times to the same instant', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseTime(formatTime(ms))).toBe(Math.floor(ms / 1000) * 1000)
        expect(parseTime(formatMicroTime(ms))).toBe(ms)
      }),
    )
  })
})
