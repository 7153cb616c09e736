const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface GrowthForecast {
  /** The period over which the rate was measured. */
  readonly days: number
  readonly created: number
  readonly perDay: number
  /** Absent: not exhausted at the current rate. */
  readonly exhaustedAtMs?: number
}

/**
 * The time at which the range is exhausted at the current rate of new nodes. The rate comes from the creation times of
 * the existing nodes, so a replaced node counts as growth, and the forecast tends to be early. The initial nodes of the
 * cluster do not count. Undefined with less than one day of history.
 */
export function forecastGrowth(
  createdAtMs: readonly number[],
  { room, now, windowMs }: { readonly room: number; readonly now: number; readonly windowMs: number },
): GrowthForecast | undefined {
  if (createdAtMs.length === 0) return undefined
  const oldest = createdAtMs.reduce((least, at) => Math.min(least, at))
  const since = Math.max(now - windowMs, oldest + hourMs)
  if (now - since < dayMs - hourMs) return undefined
  const created = createdAtMs.filter((at) => at > since && at <= now).length
  const days = (now - since) / dayMs
  const perDay = created / days
  if (perDay === 0) return { days, created, perDay }
  const at = now + (room / perDay) * dayMs
  // Beyond the range of dates: never.
  return at < 8.64e15 ? { days, created, perDay, exhaustedAtMs: at } : { days, created, perDay }
}
