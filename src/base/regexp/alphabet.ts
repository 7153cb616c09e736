import { classHas, maxRune, type RuneClass } from './rune-class.ts'

// Above this number of comparisons, computing a smaller alphabet costs more than it saves.
const maxComparisons = 2_000_000

/**
 * Code points that no class of a program distinguishes share a letter, so that the transition table has few columns.
 * Newline and word characters are distinguished for the assertions.
 */
export class Alphabet {
  /** The number of letters. */
  readonly size: number
  /** One code point of each letter. */
  readonly samples: readonly number[]
  private readonly starts: Int32Array
  private readonly letters: Int32Array
  private readonly ascii = new Int32Array(128)

  constructor(classes: readonly RuneClass[]) {
    const all = [...classes, newline, word]
    const edges = new Set<number>([0])
    for (const runes of all) {
      for (let i = 0; i < runes.length; i += 2) {
        edges.add(runes[i]!)
        if (runes[i + 1]! < maxRune) edges.add(runes[i + 1]! + 1)
      }
    }
    this.starts = Int32Array.from(edges).sort()
    this.letters = lettersOf(this.starts, all)
    const samples: number[] = []
    this.letters.forEach((letter, i) => {
      samples[letter] ??= this.starts[i]!
    })
    this.samples = samples
    this.size = samples.length
    for (let rune = 0; rune < 128; rune++) this.ascii[rune] = this.search(rune)
  }

  letterOf(rune: number): number {
    return rune < 128 ? this.ascii[rune]! : this.search(rune)
  }

  private search(rune: number): number {
    let low = 0
    let high = this.starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.starts[middle]! <= rune) low = middle
      else high = middle - 1
    }
    return this.letters[low]!
  }
}

const newline: RuneClass = [0x0a, 0x0a]
const word: RuneClass = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]

/** A letter for each interval between edges: intervals that are in the same classes share a letter. */
function lettersOf(starts: Int32Array, classes: readonly RuneClass[]): Int32Array {
  if (starts.length * classes.length > maxComparisons) return starts.map((_, i) => i)
  let letters = new Int32Array(starts.length)
  let count = 1
  for (const runes of classes) {
    const refined = new Map<number, number>()
    const next = new Int32Array(starts.length)
    for (let i = 0; i < starts.length; i++) {
      const key = letters[i]! * 2 + (classHas(runes, starts[i]!) ? 1 : 0)
      let letter = refined.get(key)
      if (letter === undefined) {
        letter = refined.size
        refined.set(key, letter)
      }
      next[i] = letter
    }
    letters = next
    count = refined.size
    if (count === starts.length) break
  }
  return letters
}
