/** Counters as Go writes them with `omitempty`: zero counters are omitted. */
export function withoutZeros<T extends Readonly<Record<string, number | undefined>>>(counters: T): Partial<T> {
  const kept: Record<string, number> = {}
  for (const name in counters) {
    const count = counters[name]
    if (count !== undefined && count !== 0) kept[name] = count
  }
  return kept as Partial<T>
}
