import {
  anyButNewline,
  anyPoint,
  type CharacterSet,
  folded,
  negated,
  perlClasses,
  posixClasses,
  type Range,
  ranges,
  single,
  unicodeClass,
  union,
} from './character-set.ts'

export type Assertion = 'text-begin' | 'text-end' | 'line-begin' | 'line-end' | 'word-boundary' | 'no-word-boundary'

export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'assert'; readonly assertion: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  | {
      readonly kind: 'repeat'
      readonly part: Node
      readonly min: number
      /** Absent: without end. */
      readonly max: number | undefined
      readonly isGreedy: boolean
    }

/** A pattern that RE2 does not know. The message is Go's. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

const fail = (why: string, where: string): PatternError =>
  new PatternError(`error parsing regexp: ${why}: \`${where}\``)

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly U: boolean
}

const maxRepeat = 1000
const maxDepth = 1000

/** Reads a regular expression in RE2's syntax, which has neither backreferences nor lookaround. */
export function parsePattern(text: string): Node {
  return new Reader(text).whole()
}

class Reader {
  private readonly text: string
  private readonly points: readonly string[]
  private index = 0
  private depth = 0
  private flags: Flags = { i: false, m: false, s: false, U: false }

  constructor(text: string) {
    this.text = text
    this.points = [...text]
  }

  whole(): Node {
    const node = this.choice()
    if (this.index < this.points.length) throw fail('unexpected )', this.text)
    return node
  }

  private peek(): string | undefined {
    return this.points[this.index]
  }

  private rest(): string {
    return this.points.slice(this.index).join('')
  }

  private choice(): Node {
    if (++this.depth > maxDepth) throw fail('expression nests too deeply', this.text)
    const flags = this.flags
    const options: Node[] = [this.sequence()]
    while (this.peek() === '|') {
      this.index++
      options.push(this.sequence())
    }
    this.flags = flags
    this.depth--
    return options.length === 1 ? (options[0] as Node) : { kind: 'choice', options }
  }

  private sequence(): Node {
    const parts: Node[] = []
    for (let char = this.peek(); char !== undefined && char !== '|' && char !== ')'; char = this.peek()) {
      parts.push(this.repeated(this.atom(), parts.length === 0 && isQuantifier(char)))
    }
    return parts.length === 1
      ? (parts[0] as Node)
      : parts.length === 0
        ? { kind: 'empty' }
        : { kind: 'sequence', parts }
  }

  private repeated(first: Node, isBare: boolean): Node {
    let part = first
    let before = this.index
    for (let count = 0; ; count++) {
      const bounds = isBare ? undefined : this.quantifier()
      if (bounds === undefined) return part
      const isLazy = this.peek() === '?'
      if (isLazy) this.index++
      const written = this.points.slice(before, this.index).join('')
      if (count > 0) throw fail('invalid nested repetition operator', `${written}`)
      part = { kind: 'repeat', part, ...bounds, isGreedy: isLazy === this.flags.U }
      before = this.index - written.length
    }
  }

  private quantifier(): { readonly min: number; readonly max: number | undefined } | undefined {
    switch (this.peek()) {
      case '*':
        this.index++
        return { min: 0, max: undefined }
      case '+':
        this.index++
        return { min: 1, max: undefined }
      case '?':
        this.index++
        return { min: 0, max: 1 }
    }
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.rest())
    if (match === null) return undefined
    const [all, low = '', comma, high = ''] = match
    const min = Number(low)
    const max = comma === undefined ? min : high === '' ? undefined : Number(high)
    if (min > maxRepeat || (max !== undefined && (max > maxRepeat || max < min)))
      throw fail('invalid repeat count', all)
    this.index += all.length
    return { min, max }
  }

  private atom(): Node {
    const char = this.peek() as string
    this.index++
    switch (char) {
      case '(':
        return this.group()
      case '[':
        return { kind: 'set', set: this.bracket() }
      case '.':
        return { kind: 'set', set: this.flags.s ? anyPoint : anyButNewline }
      case '^':
        return { kind: 'assert', assertion: this.flags.m ? 'line-begin' : 'text-begin' }
      case '$':
        return { kind: 'assert', assertion: this.flags.m ? 'line-end' : 'text-end' }
      case '*':
      case '+':
      case '?':
        throw fail('missing argument to repetition operator', char)
      case '\\':
        return this.escaped()
      default:
        return this.literal(char)
    }
  }

  private literal(char: string): Node {
    return { kind: 'set', set: single(char.codePointAt(0) as number, this.flags.i) }
  }

  private group(): Node {
    if (this.peek() !== '?') return this.closing(() => this.choice())
    const named = /^\?P?<(\w*)>/.exec(this.rest())
    if (named !== null) {
      if (named[1] === '') throw fail('invalid named capture', `(${named[0]}`)
      this.index += named[0].length
      return this.closing(() => this.choice())
    }
    const match = /^\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.rest())
    if (match === null) throw fail('invalid or unsupported Perl syntax', `(${this.rest().slice(0, 2)}`)
    const [all, on = '', off = '', end] = match
    this.index += all.length
    const outer = this.flags
    this.flags = withFlags(withFlags(outer, on, true), off, false)
    if (end === ')') return { kind: 'empty' }
    const inner = this.closing(() => this.choice())
    this.flags = outer
    return inner
  }

  private closing(read: () => Node): Node {
    const node = read()
    if (this.peek() !== ')') throw fail('missing closing )', this.text)
    this.index++
    return node
  }

  private escaped(): Node {
    const char = this.peek()
    if (char === undefined) throw fail('trailing backslash at end of expression', '')
    switch (char) {
      case 'A':
        return this.assertion('text-begin')
      case 'z':
        return this.assertion('text-end')
      case 'b':
        return this.assertion('word-boundary')
      case 'B':
        return this.assertion('no-word-boundary')
      case 'Q':
        return this.quoted()
    }
    const set = this.escapedClass()
    if (set !== undefined) return { kind: 'set', set }
    return { kind: 'set', set: single(this.escapedPoint(), this.flags.i) }
  }

  private assertion(assertion: Assertion): Node {
    this.index++
    return { kind: 'assert', assertion }
  }

  private quoted(): Node {
    this.index++
    const rest = this.rest()
    const end = rest.indexOf('\\E')
    const text = end < 0 ? rest : rest.slice(0, end)
    this.index += [...text].length + (end < 0 ? 0 : 2)
    return { kind: 'sequence', parts: [...text].map((char) => this.literal(char)) }
  }

  /** After a backslash: a class such as `d` or `p{Greek}`, if it is one. */
  private escapedClass(): CharacterSet | undefined {
    const char = this.peek() as string
    if (Object.hasOwn(perlClasses, char)) {
      this.index++
      return perlClasses[char]
    }
    if (char !== 'p' && char !== 'P') return undefined
    const match = /^[pP](?:\{(\^?)(\w+)\}|([A-Z]))/.exec(this.rest())
    const found = match === null ? undefined : unicodeClass(match[2] ?? match[3] ?? '')
    if (match === null || found === undefined) throw fail('invalid character class range', `\\${match?.[0] ?? char}`)
    this.index += match[0].length
    return (char === 'P') === (match[1] === '^') ? found : negated(found)
  }

  private escapedPoint(): number {
    const match = /^(?:x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]+)\}|([0-7]{3}|0[0-7]{0,2}))/.exec(this.rest())
    if (match !== null) {
      const [all, short, long, octal] = match
      this.index += all.length
      const point = octal === undefined ? Number.parseInt((short ?? long) as string, 16) : Number.parseInt(octal, 8)
      if (point > 0x10ffff) throw fail('invalid escape sequence', `\\${all}`)
      return point
    }
    const char = this.peek() as string
    const control = { a: 0x07, f: 0x0c, t: 0x09, n: 0x0a, r: 0x0d, v: 0x0b }[char]
    if (control === undefined && /[a-zA-Z0-9]/.test(char)) throw fail('invalid escape sequence', `\\${char}`)
    this.index++
    return control ?? (char.codePointAt(0) as number)
  }

  private bracket(): CharacterSet {
    const begin = this.index - 1
    const isNegated = this.peek() === '^'
    if (isNegated) this.index++
    const list: Range[] = []
    const sets: CharacterSet[] = []
    for (let isFirst = true; isFirst || this.peek() !== ']'; isFirst = false) {
      if (this.peek() === undefined) throw fail('missing closing ]', this.points.slice(begin).join(''))
      const named = /^\[:(\^?)(\w+):\]/.exec(this.rest())
      if (named !== null) {
        const set = posixClasses[named[2] as string]
        if (set === undefined) throw fail('invalid character class range', named[0])
        sets.push(named[1] === '^' ? negated(set) : set)
        this.index += named[0].length
        continue
      }
      const set = this.peek() === '\\' ? this.classInBracket() : undefined
      if (set !== undefined) sets.push(set)
      else list.push(this.range())
    }
    this.index++
    const whole = union([ranges(list), ...sets])
    const set = this.flags.i ? folded(whole) : whole
    return isNegated ? negated(set) : set
  }

  private classInBracket(): CharacterSet | undefined {
    this.index++
    if (this.peek() === undefined) throw fail('trailing backslash at end of expression', '')
    const set = this.escapedClass()
    if (set === undefined) this.index--
    return set
  }

  private range(): Range {
    const begin = this.index
    const first = this.point()
    if (this.peek() !== '-' || this.points[this.index + 1] === ']' || this.points[this.index + 1] === undefined) {
      return [first, first]
    }
    this.index++
    const last = this.point()
    if (last < first) throw fail('invalid character class range', this.points.slice(begin, this.index).join(''))
    return [first, last]
  }

  private point(): number {
    const char = this.peek() as string
    this.index++
    if (char !== '\\') return char.codePointAt(0) as number
    if (this.peek() === undefined) throw fail('trailing backslash at end of expression', '')
    return this.escapedPoint()
  }
}

const isQuantifier = (char: string): boolean => char === '*' || char === '+' || char === '?'

function withFlags(flags: Flags, names: string, value: boolean): Flags {
  const changed: Record<string, boolean> = { ...flags }
  for (const name of names) changed[name] = value
  return changed as unknown as Flags
}
