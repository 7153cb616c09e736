// v1.36, daemon: flowcontrol.NewBackOff(1*time.Second, 15*time.Minute).
const firstMs = 1000
const longestMs = 900_000
const sweptFrom = 1000

/** The delay between two attempts on a node whose daemon pod keeps failing. */
export class FailedPodBackoff {
  private readonly entries = new Map<string, { delayMs: number; at: number }>()

  /** The time of the next attempt. If it is `now`, the call counts as the attempt. */
  tryAt(key: string, now: number): number {
    const entry = this.entries.get(key)
    if (entry !== undefined && now < entry.at + entry.delayMs) return entry.at + entry.delayMs
    const isForgotten = entry === undefined || now - entry.at > 2 * longestMs
    const delayMs = isForgotten ? firstMs : Math.min(entry.delayMs * 2, longestMs)
    this.entries.set(key, { delayMs, at: now })
    if (this.entries.size > sweptFrom) this.sweep(now)
    return now
  }

  private sweep(now: number): void {
    for (const [key, { at }] of this.entries) if (now - at > 2 * longestMs) this.entries.delete(key)
  }
}
