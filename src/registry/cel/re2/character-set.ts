import { lookupTable } from '../../../base/lookup-table.ts'

/** Some code points. */
export interface CharacterSet {
  has(point: number): boolean
}

export type Range = readonly [first: number, last: number]

export const anyPoint: CharacterSet = { has: () => true }
export const anyButNewline: CharacterSet = { has: (point) => point !== 0x0a }

export function single(point: number, folds: boolean): CharacterSet {
  if (!folds) return { has: (one) => one === point }
  const same = foldsOf(point)
  return { has: (one) => same.includes(one) }
}

export function ranges(list: readonly Range[]): CharacterSet {
  return { has: (point) => list.some(([first, last]) => point >= first && point <= last) }
}

export const negated = (set: CharacterSet): CharacterSet => ({ has: (point) => !set.has(point) })

export const union = (sets: readonly CharacterSet[]): CharacterSet => ({
  has: (point) => sets.some((set) => set.has(point)),
})

/** A set that does not tell upper from lower case. */
export const folded = (set: CharacterSet): CharacterSet => ({
  has: (point) => foldsOf(point).some((one) => set.has(one)),
})

function foldsOf(point: number): readonly number[] {
  const char = String.fromCodePoint(point)
  return [point, char.toLowerCase().codePointAt(0) ?? point, char.toUpperCase().codePointAt(0) ?? point]
}

/** `\p{Greek}`, `\pL`; undefined when there is no such class. */
export function unicodeClass(name: string): CharacterSet | undefined {
  for (const form of [`\\p{${name}}`, `\\p{Script=${name}}`]) {
    try {
      const pattern = new RegExp(`^${form}$`, 'u')
      return { has: (point) => pattern.test(String.fromCodePoint(point)) }
    } catch {
      // Not a general category; perhaps a script.
    }
  }
  return undefined
}

const digit: readonly Range[] = [[0x30, 0x39]]
const lower: Range = [0x61, 0x7a]
const upper: Range = [0x41, 0x5a]
const word: readonly Range[] = [...digit, lower, upper, [0x5f, 0x5f]]
const space: readonly Range[] = [[0x09, 0x0a], [0x0c, 0x0d], [0x20, 0x20]] // biome-ignore format: one line

/** `\d`, `\w`, `\s`: of ASCII only, as in RE2. */
export const perlClasses = lookupTable<CharacterSet>({
  d: ranges(digit),
  w: ranges(word),
  s: ranges(space),
  D: negated(ranges(digit)),
  W: negated(ranges(word)),
  S: negated(ranges(space)),
})

/** `[[:alpha:]]`. */
export const posixClasses = lookupTable<CharacterSet>({
  alnum: ranges([...digit, lower, upper]),
  alpha: ranges([lower, upper]),
  ascii: ranges([[0, 0x7f]]),
  blank: ranges([[0x09, 0x09], [0x20, 0x20]]), // biome-ignore format: one line
  cntrl: ranges([[0, 0x1f], [0x7f, 0x7f]]), // biome-ignore format: one line
  digit: ranges(digit),
  graph: ranges([[0x21, 0x7e]]),
  lower: ranges([lower]),
  print: ranges([[0x20, 0x7e]]),
  punct: ranges([[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]]), // biome-ignore format: one line
  space: ranges([[0x09, 0x0d], [0x20, 0x20]]), // biome-ignore format: one line
  upper: ranges([upper]),
  word: ranges(word),
  xdigit: ranges([...digit, [0x61, 0x66], [0x41, 0x46]]),
})

export const isWordPoint = (point: number | undefined): boolean =>
  point !== undefined && (perlClasses['w'] as CharacterSet).has(point)
