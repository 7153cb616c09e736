import { findTimeZone } from '../../api/time-zone.ts'
import { Duration, EvaluationError, noOverload, Timestamp, type Value } from '../value.ts'
import type { Library } from './implementation.ts'

/** A time in a time zone: a date whose UTC fields have the local values. */
function localDate(time: Timestamp, zone: Value | undefined): Date {
  const ms = Number(time.nanos / 1_000_000n)
  if (zone === undefined) return new Date(ms)
  if (typeof zone !== 'string') throw noOverload()
  const offset = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone)
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3])
    return new Date(ms + (offset[1] === '-' ? -minutes : minutes) * 60_000)
  }
  const found = findTimeZone(zone)
  if (found === undefined) throw new EvaluationError(`unknown time zone ${zone}`)
  return new Date(ms + found.offsetMs(ms))
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
