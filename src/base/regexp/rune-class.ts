/** Code points as pairs of first and last, sorted and disjoint. */
export type RuneClass = readonly number[]

export const maxRune = 0x10ffff

export const anyRune: RuneClass = [0, maxRune]
export const anyButNewline: RuneClass = [0, 0x09, 0x0b, maxRune]

/** Sorts pairs and joins adjacent ones. */
export function cleanClass(pairs: readonly number[]): RuneClass {
  const order: number[] = []
  for (let i = 0; i < pairs.length; i += 2) order.push(i)
  order.sort((a, b) => pairs[a]! - pairs[b]!)
  const clean: number[] = []
  for (const i of order) {
    const end = clean.length - 1
    if (end > 0 && pairs[i]! <= clean[end]! + 1) clean[end] = Math.max(clean[end]!, pairs[i + 1]!)
    else clean.push(pairs[i]!, pairs[i + 1]!)
  }
  return clean
}

export function negateClass(clean: RuneClass): RuneClass {
  const negated: number[] = []
  let next = 0
  for (let i = 0; i < clean.length; i += 2) {
    if (next < clean[i]!) negated.push(next, clean[i]! - 1)
    next = clean[i + 1]! + 1
  }
  if (next <= maxRune) negated.push(next, maxRune)
  return negated
}

export function classHas(clean: RuneClass, rune: number): boolean {
  let low = 0
  let high = clean.length >> 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (rune < clean[middle * 2]!) high = middle
    else if (rune > clean[middle * 2 + 1]!) low = middle + 1
    else return true
  }
  return false
}

/** The class with all code points that differ from one of its members only in case. */
export function foldClass(clean: RuneClass): RuneClass {
  let found = foldedClasses.get(clean)
  if (found === undefined) {
    found = findFolded(clean)
    foldedClasses.set(clean, found)
  }
  return found
}

const foldedClasses = new WeakMap<RuneClass, RuneClass>()

function findFolded(clean: RuneClass): RuneClass {
  if (clean.length === 2 && clean[0] === 0 && clean[1] === maxRune) return clean
  if (clean.length > 0 && clean.at(-1)! < 0x80) return foldAsciiClass(clean)
  const pairs = [...clean]
  for (const orbit of foldOrbits()) {
    if (orbit.some((rune) => classHas(clean, rune))) for (const rune of orbit) pairs.push(rune, rune)
  }
  return cleanClass(pairs)
}

function foldAsciiClass(clean: RuneClass): RuneClass {
  const pairs: number[] = []
  for (let i = 0; i < clean.length; i += 2) {
    for (let rune = clean[i]!; rune <= clean[i + 1]!; rune++) pairs.push(...foldAscii(rune))
  }
  return cleanClass(pairs)
}

/** One code point, case-insensitive. */
export function foldRune(rune: number): RuneClass {
  if (rune < 0x80) return foldAscii(rune)
  const orbit = orbitOf().get(rune)
  return orbit === undefined ? [rune, rune] : cleanClass(orbit.flatMap((one) => [one, one]))
}

// Two letters have a third form: the Kelvin sign and the long s.
function foldAscii(rune: number): RuneClass {
  const small = rune | 0x20
  if (small < 0x61 || small > 0x7a) return [rune, rune]
  const large = small - 0x20
  const third = small === 0x6b ? 0x212a : small === 0x73 ? 0x17f : undefined
  return third === undefined ? [large, large, small, small] : [large, large, small, small, third, third]
}

let orbits: readonly (readonly number[])[] | undefined
let byRune: ReadonlyMap<number, readonly number[]> | undefined

/**
 * Groups of code points that are equal under simple case folding, as in Go's unicode.SimpleFold: mappings of single
 * code points to upper or lower case connect them. The dotted and the dotless i are not connected.
 */
function foldOrbits(): readonly (readonly number[])[] {
  if (orbits !== undefined) return orbits
  const groups = new Map<number, number[]>()
  const join = (a: number, b: number) => {
    const left = groups.get(a) ?? [a]
    const right = groups.get(b) ?? [b]
    if (left === right) return
    const both = [...left, ...right]
    for (const rune of both) groups.set(rune, both)
  }
  for (const char of casedCharacters()) {
    const rune = char.codePointAt(0)!
    if (rune === 0x130 || rune === 0x131) continue
    for (const mapped of [char.toLowerCase(), char.toUpperCase()]) {
      const other = mapped.codePointAt(0)!
      if (other !== rune && mapped.length === (other > 0xffff ? 2 : 1)) join(rune, other)
    }
  }
  orbits = [...new Set(groups.values())]
  return orbits
}

function orbitOf(): ReadonlyMap<number, readonly number[]> {
  byRune ??= new Map(foldOrbits().flatMap((orbit) => orbit.map((rune) => [rune, orbit] as const)))
  return byRune
}

/** No character beyond this one has a case. */
const lastCased = 0x1e943

function casedCharacters(): readonly string[] {
  return runesText(0, lastCased).match(/\p{Changes_When_Casemapped}/gu) ?? []
}

/** All code points from `first` to `last` except surrogates, as text. */
export function runesText(first: number, last: number): string {
  const parts: string[] = []
  for (let from = first; from <= last; from += 4096) {
    const runes: number[] = []
    for (let rune = from; rune < from + 4096 && rune <= last; rune++) {
      if (rune < 0xd800 || rune > 0xdfff) runes.push(rune)
    }
    parts.push(String.fromCodePoint(...runes))
  }
  return parts.join('')
}
