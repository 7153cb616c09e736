import { assert } from './assert.ts'

/** A source of randomness that gives the same draws for the same seed and name. */
export interface RandomStream {
  /** Uniform in [0, 1), with 53 bits. */
  next(): number
  /** Uniform integer in [0, n), 1 ≤ n ≤ 2^32. */
  int(n: number): number
  pick<T>(items: readonly T[]): T
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[]
  /** `n` lower-case hexadecimal digits. */
  hex(n: number): string
  /** The form of a version 4 UUID. */
  uuid(): string
  /** `n` characters of the alphabet that Kubernetes uses for generated names. */
  alphanumeric(n: number): string
}

/** Named streams are independent: a new draw in one place does not shift the draws of another. */
export interface Random {
  readonly seed: string
  /** The stream of that name; a second call returns the same stream in its current state. */
  stream(name: string): RandomStream
}

// No vowels and no similar-looking characters, so that generated names are not words (v1.36, apimachinery util/rand).
const safeAlphabet = Buffer.from('bcdfghjklmnpqrstvwxz2456789', 'latin1')
const hexDigits = Buffer.from('0123456789abcdef', 'latin1')

// Strings are assembled in a buffer. Concatenated from characters they would be ropes, which use more memory for the
// lifetime of the object, and are flattened on first lookup.
let scratch = Buffer.alloc(64)
const uuidForm = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'
const uuidScratch = Buffer.from(uuidForm, 'latin1')
const hexPlaces = Uint8Array.from([...uuidForm].flatMap((letter, at) => (letter === 'x' || letter === 'y' ? [at] : [])))
const variantPlace = uuidForm.indexOf('y')

export function createRandom(seed: string | number): Random {
  const streams = new Map<string, RandomStream>()
  return {
    seed: String(seed),
    stream(name) {
      let stream = streams.get(name)
      if (stream === undefined) {
        stream = createStream(`${seed}\u0000${name}`)
        streams.set(name, stream)
      }
      return stream
    },
  }
}

function createStream(identity: string): RandomStream {
  const uint32 = sfc32(hash128(identity))

  const int = (n: number): number => {
    assert(Number.isInteger(n) && n >= 1 && n <= 2 ** 32, `random: no integer below ${n}`)
    // Draws above the last multiple of n are rejected: a plain modulo would prefer small results.
    const limit = 2 ** 32 - (2 ** 32 % n)
    for (;;) {
      const draw = uint32()
      if (draw < limit) return draw % n
    }
  }
  const word = (alphabet: Buffer, n: number): string => {
    if (n > scratch.length) scratch = Buffer.alloc(n)
    // Like `int`. Names are drawn for every object, so the constants are computed once.
    const size = alphabet.length
    const limit = 2 ** 32 - (2 ** 32 % size)
    for (let at = 0; at < n; ) {
      const draw = uint32()
      if (draw < limit) scratch[at++] = alphabet[draw % size] as number
    }
    return scratch.toString('latin1', 0, n)
  }
  const uuid = (): string => {
    for (let i = 0; i < hexPlaces.length; i++) {
      const at = hexPlaces[i] as number
      // The digit of the variant is 8, 9, a or b.
      uuidScratch[at] = hexDigits[at === variantPlace ? 8 + (uint32() & 3) : uint32() & 15] as number
    }
    return uuidScratch.toString('latin1')
  }

  return {
    next: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    int,
    pick<T>(items: readonly T[]): T {
      assert(items.length > 0, 'random: nothing to pick from')
      return items[items.length === 1 ? 0 : int(items.length)] as T
    },
    shuffle<T>(items: readonly T[]): T[] {
      const copy = [...items]
      for (let i = copy.length - 1; i > 0; i--) {
        const j = int(i + 1)
        const held = copy[i] as T
        copy[i] = copy[j] as T
        copy[j] = held
      }
      return copy
    },
    hex: (n) => word(hexDigits, n),
    uuid,
    alphanumeric: (n) => word(safeAlphabet, n),
  }
}

type Seed128 = readonly [number, number, number, number]

/** Four lanes of multiply and mix over UTF-16 code units; similar names get very different seeds. */
function hash128(text: string): Seed128 {
  let a = 0x6a09e667
  let b = 0xbb67ae85 | 0
  let c = 0x3c6ef372
  let d = 0xa54ff53a | 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ unit, 0x9e3779b1)
    b = c ^ Math.imul(b ^ unit, 0x85ebca6b)
    c = d ^ Math.imul(c ^ unit, 0xc2b2ae35)
    d = a ^ Math.imul(d ^ unit, 0x27d4eb2f)
  }
  return [mix(a ^ text.length), mix(b ^ a), mix(c ^ b), mix(d ^ c)]
}

function mix(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Chris Doty-Humphrey's small fast counter generator: 128 bits of state, period of at least 2^32. */
function sfc32(seed: Seed128): () => number {
  let [a, b, c, counter] = seed
  const draw = (): number => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  // The first outputs resemble the seed.
  for (let i = 0; i < 12; i++) draw()
  return draw
}
