// v1.36, daemon: flowcontrol.NewBackOff(1*time.Second, 15*time.Minute).
const FIRST_MS = 1000
const LONGEST_MS = 900_000
const SWEPT_FROM = 1000

/** The delay between two attempts on a node whose daemon pod keeps failing. */
export class FailedPodBackoff {
  private readonly entries = new Map<string, { delayMs: number; at: number }>()

  /** When the next attempt may be made; `now` if immediately, which counts as the attempt. */
  tryAt(key: string, now: number): number {
    const entry = this.entries.get(key)
    if (entry !== undefined && now < entry.at + entry.delayMs) return entry.at + entry.delayMs
    const isForgotten = entry === undefined || now - entry.at > 2 * LONGEST_MS
    const delayMs = isForgotten ? FIRST_MS : Math.min(entry.delayMs * 2, LONGEST_MS)
    this.entries.set(key, { delayMs, at: now })
    if (this.entries.size > SWEPT_FROM) this.sweep(now)
    return now
  }

  private sweep(now: number): void {
    for (const [key, { at }] of this.entries) if (now - at > 2 * LONGEST_MS) this.entries.delete(key)
  }
}
