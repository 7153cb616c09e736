import { lookupTable } from '../base/lookup-table.ts'
import { failed, type Result } from '../base/result.ts'

const unitsNs = lookupTable<bigint>({
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
})

// The largest magnitude of an int64; the negative end of the range is one larger.
const maxNs = 2n ** 63n
const part = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y

/** Go's time.ParseDuration: `1h30m`, `-1.5h`, `300ms`. The result is in nanoseconds. */
export function parseGoDuration(text: string): Result<bigint> {
  const wrong = failed(`time: invalid duration ${JSON.stringify(text)}`)
  const negative = text.startsWith('-')
  const body = negative || text.startsWith('+') ? text.slice(1) : text
  if (body === '0') return { ok: true, value: 0n }
  if (body === '') return wrong
  let total = 0n
  part.lastIndex = 0
  while (part.lastIndex < body.length) {
    const match = part.exec(body)
    if (match === null) return wrong
    const [, whole = '', fraction = '', unit = ''] = match
    if (whole === '' && fraction === '') return wrong
    if (unit === '') return failed(`time: missing unit in duration ${JSON.stringify(text)}`)
    const unitNs = Object.hasOwn(unitsNs, unit) ? unitsNs[unit] : undefined
    if (unitNs === undefined) {
      return failed(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`)
    }
    total += BigInt(whole === '' ? '0' : whole) * unitNs
    if (fraction !== '') total += fractionNs(fraction, unitNs)
    if (total > maxNs) return wrong
  }
  if (negative) return { ok: true, value: -total }
  return total === maxNs ? wrong : { ok: true, value: total }
}

// Go multiplies in floating point, which affects the last digit: a third of an hour is 20 minutes. Digits that do not
// fit into a signed 64-bit integer are dropped.
function fractionNs(digits: string, unitNs: bigint): bigint {
  let kept = digits
  while (BigInt(kept) >= maxNs) kept = kept.slice(0, -1)
  return BigInt(Math.trunc(Number(BigInt(kept)) * (Number(unitNs) / 10 ** kept.length)))
}

/** A duration in milliseconds, with a fraction for smaller units. */
export function parseGoDurationMs(text: string): Result<number> {
  const parsed = parseGoDuration(text)
  if (!parsed.ok) return parsed
  const whole = parsed.value / 1_000_000n
  return { ok: true, value: Number(whole) + Number(parsed.value - whole * 1_000_000n) / 1e6 }
}

/** Go's Duration.String: `1h30m0s`, `1.5s`, `100ms`, `2µs`, `0s`. */
export function formatGoDuration(ns: bigint): string {
  if (ns === 0n) return '0s'
  const sign = ns < 0n ? '-' : ''
  const magnitude = ns < 0n ? -ns : ns
  if (magnitude < 1_000n) return `${sign}${magnitude}ns`
  if (magnitude < 1_000_000n) return `${sign}${decimal(magnitude, 3)}µs`
  if (magnitude < 1_000_000_000n) return `${sign}${decimal(magnitude, 6)}ms`
  const minutes = magnitude / 60_000_000_000n
  const seconds = `${decimal(magnitude % 60_000_000_000n, 9)}s`
  if (minutes === 0n) return sign + seconds
  const hours = minutes / 60n
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`
}

export function formatGoDurationMs(ms: number): string {
  return formatGoDuration(BigInt(Math.round(ms * 1e6)))
}

/** value / 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const unit = 10n ** BigInt(places)
  const fraction = (value % unit).toString().padStart(places, '0').replace(/0+$/, '')
  return fraction === '' ? `${value / unit}` : `${value / unit}.${fraction}`
}
