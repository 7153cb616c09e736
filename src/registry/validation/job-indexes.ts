export type Interval = { readonly first: number; readonly last: number } | { readonly problem: string }

const whole = /^[+-]?\d+$/

/** `3` or `3-5`, below the number of completions (batch/validation parseIndexInterval). */
export function readInterval(text: string, completions: number): Interval {
  const ends = text.split('-')
  if (ends.length > 2) {
    const rule = "an index interval can have at most two parts separated by '-'"
    return { problem: `the fragment ${JSON.stringify(text)} violates the requirement that ${rule}` }
  }
  const values: number[] = []
  for (const end of ends) {
    if (!whole.test(end)) return { problem: `cannot convert string to integer for index: ${JSON.stringify(end)}` }
    const value = Number(end)
    if (value >= completions) return { problem: `too large index: ${JSON.stringify(end)}` }
    values.push(value)
  }
  const [first = 0, last = first] = values
  if (values.length === 2 && first >= last) {
    return { problem: `non-increasing order, previous: ${first}, current: ${last}` }
  }
  return { first, last }
}

/** The number of indexes in a string, or why it is invalid. */
export function countIndexes(text: string, completions: number): number | { readonly problem: string } {
  let total = 0
  let previous: number | undefined
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = readInterval(part, completions)
    if ('problem' in interval) return interval
    if (previous !== undefined && previous >= interval.first) {
      return { problem: `non-increasing order, previous: ${previous}, current: ${interval.first}` }
    }
    total += interval.last - interval.first + 1
    previous = interval.last
  }
  return total
}

/** The first common index, by one pass over both; invalid parts are skipped. */
export function commonIndex(completed: string, failed: string, completions: number): number | undefined {
  if (completed === '' || failed === '') return undefined
  const read = (text: string) => text.split(',').map((part) => readInterval(part, completions))
  const done = read(completed)
  const lost = read(failed)
  let i = 0
  let j = 0
  while (i < done.length && j < lost.length) {
    const a = done[i] as Interval
    const b = lost[j] as Interval
    if ('problem' in a) i++
    else if ('problem' in b) j++
    else if (a.first <= b.last && b.first <= a.last) return Math.max(a.first, b.first)
    else if (a.first <= b.first) i++
    else j++
  }
  return undefined
}
