// Formats of numbers, durations and instants in the console.

const ki = 1024

export function cpuText(milli: number): string {
  if (milli >= 10_000_000) return countText(Math.round(milli / 1000))
  if (milli % 1000 === 0) return String(milli / 1000)
  return milli < 1000 ? `${milli}m` : trimmed(milli / 1000)
}

export function memoryText(bytes: number): string {
  const units = ['B', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi']
  let value = bytes
  let unit = 0
  while (value >= ki && unit < units.length - 1) {
    value /= ki
    unit++
  }
  return `${trimmed(value)}${units[unit] === 'B' ? '' : ` ${units[unit]}`}`
}

const trimmed = (value: number) => (value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10))

export function percentText(share: number): string {
  if (!Number.isFinite(share)) return '–'
  return `${Math.round(share * 100)} %`
}

/** A price or a sum of prices, in the unit of the catalog: `0.192`, `24.5`, `1,830`. */
export function priceText(price: number): string {
  if (price >= 1000) return countText(Math.round(price))
  return String(Number(price.toPrecision(3)))
}

/** 1,234,567 */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',')
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** `4,000 pods`, or `12 of 4,000 pods`. */
export function shownText(shown: number, all: number, one: string): string {
  return shown === all ? counted(all, one) : `${countText(shown)} of ${counted(all, one)}`
}

/** `12s`, `4m 05s`, `3h 20m`, `5d 4h` */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours}h ${two(minutes % 60)}m`
  return `${Math.floor(hours / 24)}d ${hours % 24}h`
}

export function agoText(atMs: number, nowMs: number): string {
  const ms = nowMs - atMs
  return ms < 1_000 ? 'just now' : `${spanText(ms)} ago`
}

/** The time between an instant and now, in the past or in a forecast. */
export const distanceText = (atMs: number, nowMs: number) =>
  atMs > nowMs ? untilText(atMs, nowMs) : agoText(atMs, nowMs)

/** `in 12s`, or `now` when it is due. */
export function untilText(atMs: number, nowMs: number): string {
  const ms = atMs - nowMs
  return ms <= 500 ? 'now' : `in ${spanText(ms)}`
}

const two = (value: number) => String(value).padStart(2, '0')

/** The local time of day, in seconds. */
export function clockText(atMs: number): string {
  const date = new Date(atMs)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** An instant as the time since a start, with tenths if there are any: `1.5s`, `4m 05s`. */
export function momentText(ms: number): string {
  return ms < 60_000 && ms % 1000 !== 0 ? `${Math.round(ms / 100) / 10}s` : spanText(ms)
}

/** The local date and time, in minutes. */
export function dateText(atMs: number): string {
  const date = new Date(atMs)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
