import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeScalar, isTooDeep, maxDepth } from './scalars.ts'

const two = (number: number): string => String(number).padStart(2, '0')

test('accepts a time if the date exists in the calendar, and keeps it as written', () => {
  const upTo = (max: number) => fc.integer({ min: 0, max })
  fc.assert(
    fc.property(
      fc.constantFrom(0, 1900, 2000, 2023, 2024, 2026, 9999),
      upTo(13),
      upTo(32),
      upTo(24),
      upTo(60),
      upTo(60),
      (year, month, day, hour, minute, second) => {
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
        const ms = Date.parse(`${text}Z`)
        const isReal = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
        const micro = `${text}.012345Z`
        expect(decodeScalar('time', `${text}Z`)).toMatchObject(isReal ? { ok: true, value: `${text}Z` } : { ok: false })
        expect(decodeScalar('micro-time', micro)).toMatchObject(isReal ? { ok: true, value: micro } : { ok: false })
      },
    ),
    { numRuns: 1000 },
  )
})

test.each([
  ['another zone', 'time', '2026-02-28T23:30:00-01:00', '2026-03-01T00:30:00Z'],
  ['a fraction of a second', 'time', '2026-02-28T23:30:00.25Z', '2026-02-28T23:30:00Z'],
  ['a fraction in another zone', 'micro-time', '2026-02-28T23:30:00.250000+01:00', '2026-02-28T22:30:00.250000Z'],
] as const)('writes a time with %s in UTC', (_, kind, text, written) => {
  expect(decodeScalar(kind, text)).toEqual({ ok: true, value: written })
})

test.each([
  ['time', '2026-02-28 23:30:00Z'],
  ['time', '2026-02-28T23:30:0xZ'],
  ['time', '2026-02-28T23:30:00'],
  ['micro-time', '2026-02-28T23:30:00Z'],
  ['micro-time', '2026-02-28T23:30:00.25Z'],
  ['micro-time', '2026-02-28T23:30:00.25000xZ'],
] as const)('refuses a value of type %s: %s', (kind, text) => {
  expect(decodeScalar(kind, text).ok).toBe(false)
})

test('accepts an untyped value that nests up to the limit', () => {
  const nested = (levels: number, wrap: (inner: unknown) => unknown) => {
    let value: unknown = 1
    for (let level = 0; level < levels; level++) value = wrap(value)
    return value
  }
  for (const wrap of [(inner: unknown) => [0, inner], (inner: unknown) => ({ a: 'x', b: inner })]) {
    expect(isTooDeep(nested(maxDepth + 1, wrap))).toBe(false)
    expect(isTooDeep(nested(maxDepth + 2, wrap))).toBe(true)
    expect(isTooDeep(nested(100_000, wrap))).toBe(true)
  }
})
