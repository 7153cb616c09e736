import { Duration, EvaluationError, noOverload, Timestamp, type Value } from '../value.ts'
import type { Library } from './implementation.ts'

/** A time as a place's clocks show it: a date whose UTC fields are the local ones. */
function localDate(time: Timestamp, zone: Value | undefined): Date {
  const ms = Number(time.nanos / 1_000_000n)
  if (zone === undefined) return new Date(ms)
  if (typeof zone !== 'string') throw noOverload()
  const offset = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000)
  }
  if (zone === '' || zone === 'UTC') return new Date(ms)
  return new Date(ms + zoneOffsetMs(ms, zone))
}

function zoneOffsetMs(ms: number, timeZone: string): number {
  let parts: readonly Intl.DateTimeFormatPart[]
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    parts = format.formatToParts(new Date(ms))
  } catch {
    throw new EvaluationError(`unknown time zone ${timeZone}`)
  }
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return local - Math.floor(ms / 1000) * 1000
}

const field = (read: (date: Date) => number, perUnit?: bigint) => (args: readonly Value[]) => {
  const [value, zone] = args
  if (value instanceof Duration && perUnit !== undefined && zone === undefined) return value.nanos / perUnit
  if (!(value instanceof Timestamp)) throw noOverload()
  return BigInt(read(localDate(value, zone)))
}

const dayOfYear = (date: Date): number => {
  const begin = Date.UTC(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - begin) / 86_400_000)
}

const milli = 1_000_000n
const milliseconds = field((date) => date.getUTCMilliseconds())

export const calendar: Library = {
  getFullYear: field((date) => date.getUTCFullYear()),
  getMonth: field((date) => date.getUTCMonth()),
  getDayOfYear: field(dayOfYear),
  getDayOfMonth: field((date) => date.getUTCDate() - 1),
  getDate: field((date) => date.getUTCDate()),
  getDayOfWeek: field((date) => date.getUTCDay()),
  getHours: field((date) => date.getUTCHours(), 3_600_000n * milli),
  getMinutes: field((date) => date.getUTCMinutes(), 60_000n * milli),
  getSeconds: field((date) => date.getUTCSeconds(), 1_000n * milli),
  getMilliseconds: (args) => (args[0] instanceof Duration ? args[0].nanos / milli : milliseconds(args)),
}
