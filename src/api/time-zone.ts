/** Local time in a zone. Months count from 1, Sunday is 0. */
export interface WallTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly weekday: number
}

export interface TimeZone {
  readonly name: string
  /** The offset of local time from UTC at an instant. */
  offsetMs(ms: number): number
}

export const utc: TimeZone = { name: 'UTC', offsetMs: () => 0 }

const zones = new Map<string, TimeZone | undefined>()

/** A zone of the IANA database; undefined for an unknown name. */
export function findTimeZone(name: string): TimeZone | undefined {
  if (name === '' || name === 'UTC') return utc
  if (!zones.has(name)) {
    // Any text can be looked up, and the database has fewer names than this.
    if (zones.size >= 1000) zones.clear()
    zones.set(name, createTimeZone(name))
  }
  return zones.get(name)
}

const quarterMs = 15 * 60_000

function createTimeZone(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined
  }
  // Offsets change only at quarters of an hour, and the same instants are requested repeatedly.
  const known = new Map<number, number>()
  return {
    name,
    offsetMs(ms) {
      const quarter = Math.floor(ms / quarterMs)
      let offset = known.get(quarter)
      if (offset === undefined) {
        offset = readOffset(format, quarter * quarterMs)
        if (known.size > 10_000) known.clear()
        known.set(quarter, offset)
      }
      return offset
    },
  }
}

function readOffset(format: Intl.DateTimeFormat, ms: number): number {
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(new Date(ms))) parts[type] = Number(value)
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
}

export function wallTime(zone: TimeZone, ms: number): WallTime {
  const shifted = new Date(ms + zone.offsetMs(ms))
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    weekday: shifted.getUTCDay(),
  }
}

/**
 * The instant of a local time. When clocks are set forward or back, it is one of two possible instants, as with Go's
 * time.Date.
 */
export function instantOf(zone: TimeZone, year: number, month: number, day: number, hour = 0): number {
  const asUtc = Date.UTC(year, month - 1, day, hour)
  const first = asUtc - zone.offsetMs(asUtc)
  return asUtc - zone.offsetMs(first)
}

/** RFC 3339 with the zone's offset. */
export function zonedText(zone: TimeZone, ms: number): string {
  const offset = zone.offsetMs(ms)
  const text = new Date(ms + offset).toISOString().slice(0, 19)
  if (offset === 0) return `${text}Z`
  const minutes = Math.abs(offset) / 60_000
  const two = (n: number): string => String(Math.floor(n)).padStart(2, '0')
  return `${text}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
