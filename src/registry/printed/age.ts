import { parseTime } from '../../api/time.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** A duration in the two largest units (apimachinery util/duration, HumanDuration). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 2 * minute) return `${Math.max(0, seconds)}s`
  if (seconds < 10 * minute) return both(seconds, minute, 'm', 1, 's')
  if (seconds < 3 * hour) return `${Math.floor(seconds / minute)}m`
  if (seconds < 8 * hour) return both(seconds, hour, 'h', minute, 'm')
  if (seconds < 2 * day) return `${Math.floor(seconds / hour)}h`
  if (seconds < 8 * day) return both(seconds, day, 'd', hour, 'h')
  if (seconds < 2 * year) return `${Math.floor(seconds / day)}d`
  if (seconds < 8 * year) return both(seconds, year, 'y', day, 'd')
  return `${Math.floor(seconds / year)}y`
}

function both(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((seconds % large) / small)
  const text = `${Math.floor(seconds / large)}${largeName}`
  return rest === 0 ? text : `${text}${rest}${smallName}`
}

/** The time since then, or `<unknown>` if the time is not set. */
export function since(time: string | null | undefined, now: number): string {
  const ms = instant(time)
  return ms === undefined ? '<unknown>' : humanDuration(now - ms)
}

export function instant(time: string | null | undefined): number | undefined {
  return time === undefined || time === null || time === '' ? undefined : parseTime(time)
}
