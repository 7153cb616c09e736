const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface GrowthForecast {
  /** What the rate was measured over. */
  readonly days: number
  readonly created: number
  readonly perDay: number
  /** Absent: not as long as it goes on like this. */
  readonly exhaustedAtMs?: number
}

/**
 * When room runs out if nodes keep coming as they came. All that present nodes tell is when they were made, so one that
 * replaced another counts as growth: the forecast errs on the early side. The nodes that a cluster began with are not
 * growth. Undefined when there is less than a day to look back on.
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
  // Further ahead than dates go is never.
  return at < 8.64e15 ? { days, created, perDay, exhaustedAtMs: at } : { days, created, perDay }
}
