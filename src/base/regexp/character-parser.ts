import { perlClasses, posixClasses, unicodeClass } from './named-class.ts'
import type { RegexpFlags } from './parser.ts'
import { cleanClass, foldClass, maxRune, negateClass, type RuneClass } from './rune-class.ts'
import { PatternError } from './syntax.ts'

interface Classed {
  readonly runes: RuneClass
  readonly end: number
}

interface Escaped {
  readonly rune: number
  readonly end: number
}

type PerlGroup =
  | { readonly kind: 'named'; readonly end: number }
  | { readonly kind: 'flags'; readonly flags: RegexpFlags; readonly opens: boolean; readonly end: number }

/** The maximum number of pairs in all classes of one pattern. `\pL` has 650. */
const maxPairs = 200_000

const controls: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
])

/** The syntax below operators: characters, escapes, classes, counts, flags. `at` is where a part begins. */
export class CharacterParser {
  private readonly text: string
  private pairs = 0
  /** From this position on, no `:]` closes a `[:`. */
  private unclosedFrom = Number.POSITIVE_INFINITY

  constructor(text: string) {
    this.text = text
  }

  /** `{2}`, `{2,}`, `{2,3}`; undefined for other forms. A number that is too large is -1 in `min`. */
  counts(at: number): { readonly min: number; readonly max: number; readonly end: number } | undefined {
    const first = this.integer(at + 1)
    if (first === undefined) return undefined
    let { value: min, end } = first
    let max = min
    if (this.text[end] === ',') {
      end++
      if (this.text[end] === '}') max = -1
      else {
        const second = this.integer(end)
        if (second === undefined) return undefined
        ;({ value: max, end } = second)
        if (max < 0) min = -1
      }
    }
    return this.text[end] === '}' ? { min, max, end: end + 1 } : undefined
  }

  private integer(at: number): { readonly value: number; readonly end: number } | undefined {
    let end = at
    while (isDigit(this.text.charCodeAt(end))) end++
    if (end === at || (end - at > 1 && this.text[at] === '0')) return undefined
    return { value: end - at > 9 ? -1 : Number(this.text.slice(at, end)), end }
  }

  /** After `(?`: a name, or flags. */
  perlGroup(at: number, given: RegexpFlags): PerlGroup {
    const { text } = this
    const left = text.length - at
    const isPython = left > 4 && text.startsWith('P<', at + 2)
    if (isPython || (left > 3 && text[at + 2] === '<')) {
      const end = text.indexOf('>', at)
      if (end < 0) throw new PatternError('invalid named capture', text.slice(at))
      const name = text.slice(at + (isPython ? 4 : 3), end)
      if (!/^\w+$/.test(name)) throw new PatternError('invalid named capture', text.slice(at, end + 1))
      return { kind: 'named', end: end + 1 }
    }
    const flags: Record<string, boolean> = { ...given }
    let value = true
    let sawFlag = false
    for (let i = at + 2; i < text.length; i++) {
      const char = text[i]!
      if (char === 'i' || char === 'm' || char === 's' || char === 'U') {
        flags[char] = value
        sawFlag = true
      } else if (char === '-' && value) {
        value = false
        sawFlag = false
      } else if ((char === ':' || char === ')') && (value || sawFlag)) {
        return { kind: 'flags', flags: flags as unknown as RegexpFlags, opens: char === ':', end: i + 1 }
      } else throw new PatternError('invalid or unsupported Perl syntax', text.slice(at, i + lengthAt(text, i)))
    }
    throw new PatternError('invalid or unsupported Perl syntax', text.slice(at))
  }

  /** `\d`, `\pL`, `\P{Greek}`; undefined for other escapes. */
  escapedClass(at: number, folds: boolean): Classed | undefined {
    const letter = this.text[at + 1] ?? ''
    if (letter === 'p' || letter === 'P') return this.unicode(at, folds)
    const runes = perlClasses.get(letter.toLowerCase())
    if (runes === undefined) return undefined
    const whole = folds ? foldClass(runes) : runes
    return this.spent({ runes: letter < 'a' ? negateClass(whole) : whole, end: at + 2 })
  }

  private unicode(at: number, folds: boolean): Classed {
    const { text } = this
    if (at + 2 >= text.length) throw new PatternError('invalid character class range', text.slice(at))
    const isBraced = text[at + 2] === '{'
    const close = isBraced ? text.indexOf('}', at) : at + 1 + lengthAt(text, at + 2)
    if (close < 0) throw new PatternError('invalid character class range', text.slice(at))
    const name = text.slice(at + (isBraced ? 3 : 2), isBraced ? close : close + 1)
    const isInner = name.startsWith('^')
    const runes = unicodeClass(isInner ? name.slice(1) : name)
    if (runes === undefined) throw new PatternError('invalid character class range', text.slice(at, close + 1))
    const whole = folds ? foldClass(runes) : runes
    return this.spent({ runes: (text[at + 1] === 'P') !== isInner ? negateClass(whole) : whole, end: close + 1 })
  }

  /** `\n`, `\x{1F6A2}`, `\.` */
  escapedRune(at: number): Escaped {
    const { text } = this
    const char = text[at + 1]
    if (char === undefined) throw new PatternError('trailing backslash at end of expression', '')
    const code = text.codePointAt(at + 1)!
    if (code < 0x80 && !isAlphanumeric(code)) return { rune: code, end: at + 2 }
    const control = controls.get(char)
    if (control !== undefined) return { rune: control, end: at + 2 }
    if (char === 'x') return this.hexadecimal(at)
    // A single digit other than 0 would be a backreference.
    if (char === '0' || (isOctal(char) && isOctal(text[at + 2]))) {
      let end = at + 2
      while (end < at + 4 && isOctal(text[end])) end++
      return { rune: Number.parseInt(text.slice(at + 1, end), 8), end }
    }
    throw this.badEscape(at, at + 1 + lengthAt(text, at + 1))
  }

  private hexadecimal(at: number): Escaped {
    const { text } = this
    if (at + 2 >= text.length) throw this.badEscape(at, text.length)
    if (text[at + 2] !== '{') {
      const first = at + 2 + lengthAt(text, at + 2)
      const end = first + lengthAt(text, first)
      const digits = text.slice(at + 2, end)
      if (!/^[0-9a-fA-F]{2}$/.test(digits)) throw this.badEscape(at, end)
      return { rune: Number.parseInt(digits, 16), end }
    }
    let rune = 0
    for (let i = at + 3; i < text.length; i += lengthAt(text, i)) {
      if (text[i] === '}') {
        if (i === at + 3) throw this.badEscape(at, i + 1)
        return { rune, end: i + 1 }
      }
      const digit = /[0-9a-fA-F]/.test(text[i]!) ? Number.parseInt(text[i]!, 16) : -1
      rune = rune * 16 + digit
      if (digit < 0 || rune > maxRune) throw this.badEscape(at, i + lengthAt(text, i))
    }
    throw this.badEscape(at, text.length)
  }

  private badEscape(at: number, end: number): PatternError {
    return new PatternError('invalid escape sequence', this.text.slice(at, end))
  }

  /** `[^a-z\d[:alpha:]]` */
  bracket(at: number, folds: boolean): Classed {
    const { text } = this
    const isNegated = text[at + 1] === '^'
    const pairs: number[] = []
    let i = at + (isNegated ? 2 : 1)
    for (let isFirst = true; isFirst || text[i] !== ']'; isFirst = false) {
      const named = this.namedInBracket(i, folds)
      if (named !== undefined) {
        for (const rune of named.runes) pairs.push(rune)
        i = named.end
        continue
      }
      const begin = i
      const low = this.runeInBracket(i, at)
      i = low.end
      let high = low.rune
      if (text[i] === '-' && i + 1 < text.length && text[i + 1] !== ']') {
        const last = this.runeInBracket(i + 1, at)
        high = last.rune
        i = last.end
        if (high < low.rune) throw new PatternError('invalid character class range', text.slice(begin, i))
      }
      pairs.push(low.rune, high)
      if (pairs.length / 2 > maxPairs) throw new PatternError('expression too large', text)
    }
    const clean = folds ? foldClass(cleanClass(pairs)) : cleanClass(pairs)
    return this.spent({ runes: isNegated ? negateClass(clean) : clean, end: i + 1 })
  }

  private namedInBracket(at: number, folds: boolean): Classed | undefined {
    const { text } = this
    if (text[at] === '\\') return this.escapedClass(at, folds)
    if (text[at] !== '[' || text[at + 1] !== ':' || at >= this.unclosedFrom || at + 2 >= text.length) return undefined
    const end = text.indexOf(':]', at + 2)
    if (end < 0) {
      this.unclosedFrom = at
      return undefined
    }
    const name = text.slice(at + 2, end)
    const isNegated = name.startsWith('^')
    const runes = posixClasses.get(isNegated ? name.slice(1) : name)
    if (runes === undefined) throw new PatternError('invalid character class range', text.slice(at, end + 2))
    const whole = folds ? foldClass(runes) : runes
    return this.spent({ runes: isNegated ? negateClass(whole) : whole, end: end + 2 })
  }

  private runeInBracket(at: number, bracket: number): Escaped {
    if (at >= this.text.length) throw new PatternError('missing closing ]', this.text.slice(bracket))
    if (this.text[at] === '\\') return this.escapedRune(at)
    const rune = this.text.codePointAt(at)!
    return { rune: rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune, end: at + lengthAt(this.text, at) }
  }

  private spent(found: Classed): Classed {
    this.pairs += found.runes.length / 2
    if (this.pairs > maxPairs) throw new PatternError('expression too large', this.text)
    return found
  }
}

/** 2 for a character beyond the basic plane; 0 at the end. */
function lengthAt(text: string, at: number): number {
  const code = text.codePointAt(at)
  return code === undefined ? 0 : code > 0xffff ? 2 : 1
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isOctal = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '7'
const isAlphanumeric = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
