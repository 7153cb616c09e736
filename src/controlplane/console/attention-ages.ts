import type { AttentionItem } from '../../wire/console-tables.ts'

/** After a longer pause, the time at which an item appeared is unknown. */
const watchedMs = 30_000

/** The times at which items appeared whose objects do not contain this time. */
export class AttentionAges {
  private appeared: ReadonlyMap<string, number> = new Map()
  private lookedAt: number | undefined

  /** The current items, with the time at which they appeared, if they appeared since the last call. */
  dated(items: readonly AttentionItem[], now: number): readonly AttentionItem[] {
    const isWatching = this.lookedAt !== undefined && now - this.lookedAt <= watchedMs
    const appeared = new Map(items.map(({ id }) => [id, this.appeared.get(id) ?? (isWatching ? now : 0)]))
    this.appeared = appeared
    this.lookedAt = now
    return items.map((item) => (item.sinceMs === 0 ? { ...item, sinceMs: appeared.get(item.id) ?? 0 } : item))
  }
}
