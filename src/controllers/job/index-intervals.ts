/** A set of indexes in the form of the status of a Job: `1,3-5,7`. Intervals include both ends. */
export type Intervals = readonly { readonly first: number; readonly last: number }[]

const whole = /^[+-]?[0-9]+$/

/** Invalid parts and indexes at or above `limit` are ignored (v1.36, job parseIndexesFromString). */
export function parseIntervals(text: string | undefined, limit: number): Intervals {
  if (text === undefined || text === '') return []
  const result: { first: number; last: number }[] = []
  for (const part of text.split(',')) {
    const [firstText = '', lastText = firstText] = part.split('-')
    if (!whole.test(firstText) || !whole.test(lastText)) continue
    const first = Number(firstText)
    if (first >= limit) break
    const last = Math.min(Number(lastText), limit - 1)
    const previous = result.at(-1)
    if (previous !== undefined && previous.last === first - 1) previous.last = last
    else result.push({ first, last })
  }
  return result
}

/** Formats a set. Two adjacent indexes are separated by a comma: `3,4`. */
export function intervalsText(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(',')
}

export function totalOf(intervals: Intervals): number {
  let total = 0
  for (const { first, last } of intervals) total += last - first + 1
  return total
}

export function includesIndex(intervals: Intervals, index: number): boolean {
  return intervals.some(({ first, last }) => first <= index && index <= last)
}

export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  const added = [...indexes].map((index) => ({ first: index, last: index }))
  return added.length === 0 ? intervals : merged([...intervals, ...added])
}

export function merged(intervals: Intervals): Intervals {
  const result: { first: number; last: number }[] = []
  for (const { first, last } of [...intervals].sort((a, b) => a.first - b.first)) {
    const previous = result.at(-1)
    if (previous === undefined || first > previous.last + 1) result.push({ first, last })
    else previous.last = Math.max(previous.last, last)
  }
  return result
}

/** The number of indexes that are in both sets. */
export function overlapOf(a: Intervals, b: Intervals): number {
  let total = 0
  for (const one of a) {
    for (const other of b) {
      total += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1)
    }
  }
  return total
}

/** The lowest indexes below `limit` that are not in the set. */
export function firstMissing(intervals: Intervals, count: number, limit: number): readonly number[] {
  const missing: number[] = []
  let candidate = 0
  for (const { first, last } of intervals) {
    for (; candidate < Math.min(first, limit) && missing.length < count; candidate++) missing.push(candidate)
    candidate = Math.max(candidate, last + 1)
  }
  for (; candidate < limit && missing.length < count; candidate++) missing.push(candidate)
  return missing
}
