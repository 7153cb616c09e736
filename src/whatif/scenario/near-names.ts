import { listed } from '../report/phrases.ts'

/** What may have been meant by a name that nobody has, or the first few names that there are. */
export function nameHint(unknown: string, known: readonly string[], most = 6): string {
  if (known.length === 0) return 'there is none'
  const near = nearNames(unknown, known)
  return near.length > 0 ? `did you mean ${listed(near, most)}?` : `there are ${listed(known, most)}`
}

// Long names of clouds share most of their letters: only a slip of the pen counts as near.
const MOST_EDITS = 2

/** Names that hold it or are held by it, and names that are a slip or two away; the nearest first. */
export function nearNames(unknown: string, known: readonly string[]): readonly string[] {
  const rated = known.flatMap((name) => {
    const edits = editsBetween(unknown, name)
    if (edits <= Math.min(MOST_EDITS, unknown.length / 3)) return [{ name, rank: edits }]
    const isPart =
      name.startsWith(unknown) || (unknown.length > 2 && (name.includes(unknown) || unknown.includes(name)))
    return isPart ? [{ name, rank: MOST_EDITS + 1 }] : []
  })
  const best = Math.min(...rated.map(({ rank }) => rank))
  return rated
    .filter(({ rank }) => rank === best)
    .map(({ name }) => name)
    .sort()
}

/** Letters to put in, take out, change or swap with the next, to make one of the other; more than two are not counted. */
export function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_EDITS) return MOST_EDITS + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] as number) + 1)
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] as number
}
