import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { must } from '../base/result.ts'
import { parseCronSchedule } from './cron-schedule.ts'
import { findTimeZone, type TimeZone, utc, wallTime, zonedText } from './time-zone.ts'

const at = (text: string) => Date.parse(text)
const zone = (name: string) => findTimeZone(name) as TimeZone

describe('cron schedules', () => {
  it.each([
    ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'],
    ['*/15 * * * *', '2026-01-01T00:14:59Z', '2026-01-01T00:15:00Z'],
    ['5 4 * * *', '2026-01-01T04:05:00Z', '2026-01-02T04:05:00Z'],
    ['0 0 31 * *', '2026-02-01T00:00:00Z', '2026-03-31T00:00:00Z'],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 12 1 * MON', '2026-01-02T00:00:00Z', '2026-01-05T12:00:00Z'],
    ['0 12 * * mon-fri', '2026-01-02T12:00:00Z', '2026-01-05T12:00:00Z'],
    ['10/20 3 * jan,Dec ?', '2026-02-01T00:00:00Z', '2026-12-01T03:10:00Z'],
    ['30 6-16/4 * * 1-5', '2026-01-01T10:30:00Z', '2026-01-01T14:30:00Z'],
    ['@hourly', '2026-01-01T00:10:00Z', '2026-01-01T01:00:00Z'],
    ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
    ['@every 1h30m', '2026-01-01T00:00:01Z', '2026-01-01T01:30:01Z'],
    ['TZ=Europe/Berlin 0 9 * * *', '2026-01-01T00:00:00Z', '2026-01-01T08:00:00Z'],
    ['CRON_TZ=Asia/Kolkata 0 9 * * *', '2026-01-01T00:00:00Z', '2026-01-01T03:30:00Z'],
  ])('computes that the schedule %s after %s is due at %s', (text, after, next) => {
    expect(new Date(must(parseCronSchedule(text)).next(at(after)) as number).toISOString()).toBe(
      new Date(at(next)).toISOString(),
    )
  })

  it('returns no time for a schedule without a valid date', () => {
    expect(must(parseCronSchedule('59 23 31 2 *')).next(at('2026-01-01T00:00:00Z'))).toBeUndefined()
  })

  it('skips an hour that a day does not have, and repeats an hour that occurs twice', () => {
    const berlin = zone('Europe/Berlin')
    const daily = must(parseCronSchedule('30 2 * * *', berlin))
    expect(zonedText(berlin, daily.next(at('2026-03-28T12:00:00Z')) as number)).toBe('2026-03-30T02:30:00+02:00')
    const first = daily.next(at('2026-10-24T12:00:00Z')) as number
    expect(zonedText(berlin, first)).toBe('2026-10-25T02:30:00+02:00')
    expect(zonedText(berlin, daily.next(first) as number)).toBe('2026-10-25T02:30:00+01:00')
  })

  it.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-2 * * * *', 'beginning of range (5) beyond end of range (2): 5-2'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
    ['TZ=Nowhere/Land * * * * *', 'provided bad location Nowhere/Land: unknown time zone Nowhere/Land'],
  ])('rejects the schedule %j: %s', (text, message) => {
    expect(parseCronSchedule(text)).toEqual({ ok: false, message })
  })

  it('finds the same instants as a search of every minute', () => {
    const field = (min: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min, max }).map(String),
        fc.integer({ min: 2, max: 10 }).map((step) => `*/${step}`),
        fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((list) => list.join(',')),
      )
    const text = fc
      .tuple(field(0, 59), field(0, 23), field(1, 28), fc.constant('*'), field(0, 6))
      .map((f) => f.join(' '))
    const names = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata')
    const start = fc.integer({ min: 0, max: 365 * 24 * 60 }).map((m) => at('2026-01-01T00:00:00Z') + m * 60_000)
    fc.assert(
      fc.property(text, names, start, (spec, name, from) => {
        const schedule = must(parseCronSchedule(spec, name === 'UTC' ? utc : zone(name)))
        const found = schedule.next(from)
        const slow = slowNext(spec, name === 'UTC' ? utc : zone(name), from)
        if (slow === undefined) expect(found === undefined || found > from + 40 * 86_400_000).toBe(true)
        else expect(found).toBe(slow)
      }),
      { numRuns: 60 },
    )
  })
})

function slowNext(spec: string, place: TimeZone, from: number): number | undefined {
  const [minute, hour, day, , weekday] = spec.split(' ') as [string, string, string, string, string]
  const fits = (text: string, value: number, min: number): boolean =>
    text === '*' ||
    text
      .split(',')
      .some((part) => (part.startsWith('*/') ? (value - min) % Number(part.slice(2)) === 0 : Number(part) === value))
  for (let ms = (Math.floor(from / 60_000) + 1) * 60_000; ms < from + 40 * 86_400_000; ms += 60_000) {
    const wall = wallTime(place, ms)
    const [byDay, byWeekday] = [fits(day, wall.day, 1), fits(weekday, wall.weekday, 0)]
    const isDay = day === '*' || weekday === '*' ? byDay && byWeekday : byDay || byWeekday
    if (isDay && fits(hour, wall.hour, 0) && fits(minute, wall.minute, 0)) return ms
  }
  return undefined
}
