import { lookupTable } from '../base/lookup-table.ts'
import { failed, type Result } from '../base/result.ts'
import { parseGoDuration } from './go-duration.ts'
import { findTimeZone, instantOf, type TimeZone, utc, wallTime } from './time-zone.ts'

export interface CronSchedule {
  /** The first instant after this one; undefined if there is none within five years. */
  next(afterMs: number): number | undefined
}

interface FieldBounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const minutes: FieldBounds = { min: 0, max: 59 }
const hours: FieldBounds = { min: 0, max: 23 }
const days: FieldBounds = { min: 1, max: 31 }
const months: FieldBounds = {
  min: 1,
  max: 12,
  names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
}
const weekdays: FieldBounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }

interface CronField {
  readonly values: ReadonlySet<number>
  /** The field is written as `*` or `?`: any value matches. */
  readonly isStar: boolean
}

const descriptors = lookupTable<string>({
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
})

/**
 * The schedule of a CronJob: five fields, a descriptor, or `@every` with a duration, in the given zone unless the text
 * starts with a zone. Grammar and messages are from the library that upstream uses (github.com/robfig/cron v3,
 * ParseStandard).
 */
export function parseCronSchedule(text: string, zone: TimeZone = utc): Result<CronSchedule> {
  if (text === '') return failed('empty spec string')
  if (text.startsWith('TZ=') || text.startsWith('CRON_TZ=')) {
    const space = text.indexOf(' ')
    // Upstream recovers from a panic of its parser and reports it (v1.36, pkg/util/parsers,
    // ParseCronScheduleWithPanicRecovery).
    if (space < 0) return failed('invalid schedule format: runtime error: slice bounds out of range [:-1]')
    const name = text.slice(text.indexOf('=') + 1, space)
    const found = name === 'Local' ? utc : findTimeZone(name)
    if (found === undefined) return failed(`provided bad location ${name}: unknown time zone ${name}`)
    return parseSpec(text.slice(space).trim(), found)
  }
  return parseSpec(text, zone)
}

function parseSpec(text: string, zone: TimeZone): Result<CronSchedule> {
  if (text.startsWith('@every ')) return parseEvery(text)
  if (text.startsWith('@')) {
    const spelled = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined
    return spelled === undefined ? failed(`unrecognized descriptor: ${text}`) : parseSpec(spelled, zone)
  }
  const parts = text.split(/\s+/).filter((part) => part !== '')
  if (parts.length !== 5) return failed(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`)
  const fields: CronField[] = []
  for (const [i, bounds] of [minutes, hours, days, months, weekdays].entries()) {
    const field = parseField(parts[i] ?? '', bounds)
    if (!field.ok) return field
    fields.push(field.value)
  }
  const [minute, hour, day, month, weekday] = fields as [CronField, CronField, CronField, CronField, CronField]
  return { ok: true, value: { next: (afterMs) => nextOf({ minute, hour, day, month, weekday, zone }, afterMs) } }
}

function parseEvery(text: string): Result<CronSchedule> {
  const duration = parseGoDuration(text.slice('@every '.length))
  if (!duration.ok) return failed(`failed to parse duration ${text}: ${duration.message}`)
  const seconds = duration.value < 1_000_000_000n ? 1 : Number(duration.value / 1_000_000_000n)
  return { ok: true, value: { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + seconds * 1000 } }
}

function parseField(text: string, bounds: FieldBounds): Result<CronField> {
  const values = new Set<number>()
  let isStar = false
  for (const part of text.split(',').filter((one) => one !== '')) {
    const range = parseRange(part, bounds)
    if (!range.ok) return range
    const { start, end, step } = range.value
    for (let value = start; value <= end; value += step) values.add(value)
    isStar ||= range.value.isStar
  }
  return { ok: true, value: { values, isStar } }
}

interface CronRange {
  readonly start: number
  readonly end: number
  readonly step: number
  readonly isStar: boolean
}

function parseRange(text: string, bounds: FieldBounds): Result<CronRange> {
  const [limits = '', stepText, ...moreSteps] = text.split('/')
  const [low = '', high, ...moreLimits] = limits.split('-')
  const isStar = low === '*' || low === '?'
  const first = isStar ? done(bounds.min) : parseNumber(low, bounds)
  if (!first.ok) return first
  if (!isStar && moreLimits.length > 0) return failed(`too many hyphens: ${text}`)
  const last = isStar ? done(bounds.max) : high === undefined ? first : parseNumber(high, bounds)
  if (!last.ok) return last
  if (moreSteps.length > 0) return failed(`too many slashes: ${text}`)
  const step = stepText === undefined ? done(1) : parseNumber(stepText)
  if (!step.ok) return step
  const start = first.value
  // A single number with a step starts there and continues to the maximum.
  const end = stepText !== undefined && high === undefined ? bounds.max : last.value
  if (start < bounds.min) return failed(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`)
  if (end > bounds.max) return failed(`end of range (${end}) above maximum (${bounds.max}): ${text}`)
  if (start > end) return failed(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (step.value === 0) return failed(`step of range should be a positive number: ${text}`)
  return done({ start, end, step: step.value, isStar: isStar && step.value === 1 })
}

function done<T>(value: T): Result<T> {
  return { ok: true, value }
}

function parseNumber(text: string, bounds?: FieldBounds): Result<number> {
  const named = bounds?.names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0 && text !== '') return done(named)
  if (!/^[+-]?[0-9]+$/.test(text)) {
    return failed(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  }
  const number = Number(text)
  if (!Number.isSafeInteger(number)) {
    return failed(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`)
  }
  return number < 0 ? failed(`negative number (${number}) not allowed: ${text}`) : done(number)
}

interface CronSpec {
  readonly minute: CronField
  readonly hour: CronField
  readonly day: CronField
  readonly month: CronField
  readonly weekday: CronField
  readonly zone: TimeZone
}

const minuteMs = 60_000
const hourMs = 3_600_000
const years = 5

/** Advances the fields, the largest first. When a field overflows into the next larger one, it starts again. */
function nextOf(spec: CronSpec, afterMs: number): number | undefined {
  const { zone } = spec
  let at = Math.floor(afterMs / 1000) * 1000 + 1000
  const lastYear = wallTime(zone, at).year + years
  for (;;) {
    const began = at
    const { year, month, day } = wallTime(zone, at)
    if (year > lastYear) return undefined
    if (!spec.month.values.has(month)) {
      at = instantOf(zone, month === 12 ? year + 1 : year, month === 12 ? 1 : month + 1, 1)
      continue
    }
    if (!isDay(spec, at)) {
      at = nextMidnight(zone, instantOf(zone, year, month, day), year, month, day)
      continue
    }
    at = withinDay(spec, at)
    if (at === began || isWithin(spec, at)) return at
  }
}

/** The next matching hour and minute of the day, or an instant on a later day. */
function withinDay({ zone, hour, minute }: CronSpec, from: number): number {
  let at = Math.ceil(from / minuteMs) * minuteMs
  const { day } = wallTime(zone, from)
  for (;;) {
    const wall = wallTime(zone, at)
    if (wall.day !== day) return at
    if (!hour.values.has(wall.hour)) at += hourMs - wall.minute * minuteMs
    else if (!minute.values.has(wall.minute)) at += minuteMs
    else return at
  }
}

function isWithin(spec: CronSpec, at: number): boolean {
  const wall = wallTime(spec.zone, at)
  return (
    spec.month.values.has(wall.month) &&
    isDay(spec, at) &&
    spec.hour.values.has(wall.hour) &&
    spec.minute.values.has(wall.minute)
  )
}

/** If clocks change at midnight, the day starts at another hour. */
function nextMidnight(zone: TimeZone, midnight: number, year: number, month: number, day: number): number {
  const next = instantOf(zone, year, month, day + 1)
  const { hour } = wallTime(zone, next)
  const fixed = hour === 0 ? next : hour > 12 ? next + (24 - hour) * hourMs : next
  return fixed > midnight ? fixed : midnight + 24 * hourMs
}

/** If both the day of the month and the weekday are given, one match is enough. */
function isDay({ day, weekday, zone }: CronSpec, at: number): boolean {
  const wall = wallTime(zone, at)
  const [byDay, byWeekday] = [day.values.has(wall.day), weekday.values.has(wall.weekday)]
  return day.isStar || weekday.isStar ? byDay && byWeekday : byDay || byWeekday
}
