import { CharacterParser } from './character-parser.ts'
import { anyButNewline, anyRune, foldRune } from './rune-class.ts'
import { type Assertion, makeNode, maxHeight, maxInstructions, PatternError, type SyntaxNode } from './syntax.ts'

export interface ParsedRegexp {
  readonly node: SyntaxNode
  /** Capturing groups, without the whole match. */
  readonly groups: number
}

export interface RegexpFlags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  readonly U: boolean
}

/** The content between two parentheses. */
interface OpenGroup {
  readonly flagsOutside: RegexpFlags
  /** The index of a capturing group. */
  readonly capture: number | undefined
  readonly alternatives: SyntaxNode[]
  parts: SyntaxNode[]
}

const maxRepeat = 1000

const escapedAssertions: ReadonlyMap<string, Assertion> = new Map([
  ['A', 'begin-text'],
  ['z', 'end-text'],
  ['b', 'word-boundary'],
  ['B', 'no-word-boundary'],
])
const empty = makeNode({ op: 'empty' })

/** Reads RE2's syntax with Perl's extensions, as Go's regexp.Compile does. Throws PatternError. */
export function parsePattern(text: string): ParsedRegexp {
  return new RegexpParser(text).whole()
}

class RegexpParser {
  private readonly text: string
  private readonly characters: CharacterParser
  private readonly frames: OpenGroup[] = []
  private flags: RegexpFlags = { i: false, m: false, s: false, U: false }
  private frame: OpenGroup = { flagsOutside: this.flags, capture: undefined, alternatives: [], parts: [] }
  private at = 0
  private groups = 0
  private nodes = 0
  /** The start of the repetition operator that ends at this position. */
  private lastRepeat: number | undefined

  constructor(text: string) {
    this.text = text
    this.characters = new CharacterParser(text)
  }

  whole(): ParsedRegexp {
    while (this.at < this.text.length) {
      const before = this.lastRepeat
      this.lastRepeat = undefined
      this.one(before)
    }
    if (this.frames.length > 0) throw new PatternError('missing closing )', this.text)
    return { node: this.closed(), groups: this.groups }
  }

  private one(lastRepeat: number | undefined): void {
    const { text, at } = this
    switch (text[at]) {
      case '(':
        if (text[at + 1] === '?') this.perlGroup()
        else this.open(++this.groups, 1)
        return
      case '|':
        this.frame.alternatives.push(this.sequence())
        this.frame.parts = []
        this.at++
        return
      case ')':
        this.close()
        return
      case '^':
        this.assert(this.flags.m ? 'begin-line' : 'begin-text', 1)
        return
      case '$':
        this.assert(this.flags.m ? 'end-line' : 'end-text', 1)
        return
      case '.':
        this.push(makeNode({ op: 'class', runes: this.flags.s ? anyRune : anyButNewline }))
        this.at++
        return
      case '[':
        this.bracket()
        return
      case '*':
      case '+':
      case '?':
        this.simpleRepeat(text[at] as '*' | '+' | '?', lastRepeat)
        return
      case '{':
        this.countedRepeat(lastRepeat)
        return
      case '\\':
        this.escape()
        return
      default:
        this.literal(text.codePointAt(at)!)
        this.at += text.codePointAt(at)! > 0xffff ? 2 : 1
    }
  }

  private push(node: SyntaxNode): SyntaxNode {
    // A repetition is checked before it is expanded.
    if (node.size > maxInstructions || ++this.nodes > maxInstructions) {
      throw new PatternError('expression too large', this.text)
    }
    if (node.height > maxHeight) throw new PatternError('expression nests too deeply', this.text)
    this.frame.parts.push(node)
    return node
  }

  private literal(rune: number): void {
    const clean = rune >= 0xd800 && rune <= 0xdfff ? 0xfffd : rune
    this.push(makeNode({ op: 'class', runes: this.flags.i ? foldRune(clean) : [clean, clean] }))
  }

  private assert(assertion: Assertion, length: number): void {
    this.push(makeNode({ op: 'assert', assertion }))
    this.at += length
  }

  private open(capture: number | undefined, length: number, flags: RegexpFlags = this.flags): void {
    if (++this.nodes > maxInstructions) throw new PatternError('expression too large', this.text)
    this.frames.push(this.frame)
    this.frame = { flagsOutside: this.flags, capture, alternatives: [], parts: [] }
    this.flags = flags
    this.at += length
  }

  private close(): void {
    const outer = this.frames.pop()
    if (outer === undefined) throw new PatternError('unexpected )', this.text)
    const { capture, flagsOutside } = this.frame
    const node = this.closed()
    this.frame = outer
    this.flags = flagsOutside
    this.at++
    this.push(capture === undefined ? node : makeNode({ op: 'capture', index: capture, sub: node }))
  }

  /** The content of a frame as one node. */
  private closed(): SyntaxNode {
    const { alternatives } = this.frame
    const last = this.sequence()
    if (alternatives.length === 0) return this.checked(last)
    const subs = [...alternatives, last].flatMap((node) => (node.op === 'alternate' ? node.subs : [node]))
    return this.checked(makeNode({ op: 'alternate', subs }))
  }

  private sequence(): SyntaxNode {
    const { parts } = this.frame
    if (parts.length === 1) return parts[0]!
    if (parts.length === 0) return empty
    const subs = parts.flatMap((node) => (node.op === 'concat' ? node.subs : [node]))
    return this.checked(makeNode({ op: 'concat', subs }))
  }

  private checked(node: SyntaxNode): SyntaxNode {
    if (node.size > maxInstructions) throw new PatternError('expression too large', this.text)
    if (node.height > maxHeight) throw new PatternError('expression nests too deeply', this.text)
    return node
  }

  private simpleRepeat(char: '*' | '+' | '?', lastRepeat: number | undefined): void {
    const op = ({ '*': 'star', '+': 'plus', '?': 'quest' } as const)[char]
    const begin = this.at
    this.at++
    this.repeated(begin, lastRepeat, (sub, isLazy) => makeNode({ op, sub, isLazy }))
  }

  private countedRepeat(lastRepeat: number | undefined): void {
    const begin = this.at
    const found = this.characters.counts(begin)
    if (found === undefined) {
      this.literal(0x7b)
      this.at++
      return
    }
    const { min, max, end } = found
    if (min < 0 || min > maxRepeat || max > maxRepeat || (max >= 0 && min > max)) {
      throw new PatternError('invalid repeat count', this.text.slice(begin, end))
    }
    this.at = end
    const node = this.repeated(begin, lastRepeat, (sub, isLazy) => makeNode({ op: 'repeat', sub, min, max, isLazy }))
    if ((min >= 2 || max >= 2) && node.copies > maxRepeat) {
      throw new PatternError('invalid repeat count', this.text.slice(begin, this.at))
    }
  }

  private repeated(
    begin: number,
    lastRepeat: number | undefined,
    make: (sub: SyntaxNode, isLazy: boolean) => SyntaxNode,
  ): SyntaxNode {
    let isLazy = this.flags.U
    if (this.text[this.at] === '?') {
      this.at++
      isLazy = !isLazy
    }
    if (lastRepeat !== undefined) {
      throw new PatternError('invalid nested repetition operator', this.text.slice(lastRepeat, this.at))
    }
    const sub = this.frame.parts.pop()
    if (sub === undefined) {
      throw new PatternError('missing argument to repetition operator', this.text.slice(begin, this.at))
    }
    this.lastRepeat = begin
    const node = make(sub, isLazy)
    // Go reports too many copies first.
    if (node.copies <= maxRepeat) this.push(node)
    return node
  }

  private perlGroup(): void {
    const group = this.characters.perlGroup(this.at, this.flags)
    if (group.kind === 'named') this.open(++this.groups, group.end - this.at)
    else if (group.opens) this.open(undefined, group.end - this.at, group.flags)
    else {
      this.flags = group.flags
      this.at = group.end
    }
  }

  private bracket(): void {
    const { runes, end } = this.characters.bracket(this.at, this.flags.i)
    this.push(makeNode({ op: 'class', runes }))
    this.at = end
  }

  private escape(): void {
    const { text, at } = this
    const char = text[at + 1] ?? ''
    const assertion = escapedAssertions.get(char)
    if (assertion !== undefined) {
      this.assert(assertion, 2)
      return
    }
    if (char === 'C') throw new PatternError('invalid escape sequence', '\\C')
    if (char === 'Q') {
      this.quoted()
      return
    }
    const named = this.characters.escapedClass(at, this.flags.i)
    if (named !== undefined) {
      this.push(makeNode({ op: 'class', runes: named.runes }))
      this.at = named.end
      return
    }
    const { rune, end } = this.characters.escapedRune(at)
    this.literal(rune)
    this.at = end
  }
  /** `\Q…\E`, or to the end. */
  private quoted(): void {
    const end = this.text.indexOf('\\E', this.at + 2)
    for (const char of this.text.slice(this.at + 2, end < 0 ? undefined : end)) this.literal(char.codePointAt(0)!)
    this.at = end < 0 ? this.text.length : end + 2
  }
}
