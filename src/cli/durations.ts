import { formatGoDurationMs, parseGoDurationMs } from '../api/go-duration.ts'
import { type OptionSpec, parsed } from './command.ts'

/** An option with a duration in the format of Go. */
export function duration(summary: string, defaultMs: number): OptionSpec<number> {
  const parse = (given: string) => {
    const read = parseGoDurationMs(given)
    if (!read.ok || read.value <= 0) throw new Error('must be a duration, for example 15s')
    return read.value
  }
  return parsed({ summary, value: 'DURATION', parse, default: defaultMs, shown: formatGoDurationMs(defaultMs) })
}

/** The time until an instant, in seconds: `5m0s`; `now` if it is due. */
export function untilText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds <= 0 ? 'now' : formatGoDurationMs(seconds * 1000)
}

/** An age in the format of kubectl: `12s`, `5m`, `3h`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
