import { formatGoDurationMs } from '../api/go-duration.ts'

/** How long until an instant, or since it, in whole seconds: `5m0s`, `now`. */
export function untilText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds <= 0 ? 'now' : formatGoDurationMs(seconds * 1000)
}

/** As kubectl writes ages: `12s`, `5m`, `3h`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
