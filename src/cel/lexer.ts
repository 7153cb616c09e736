import { controlEscapes } from '../base/control-escapes.ts'
import { lookupTable } from '../base/lookup-table.ts'
import type { Issue } from './expression.ts'

export type TokenKind = 'ident' | 'int' | 'uint' | 'float' | 'string' | 'bytes' | 'op' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The text in the source. */
  readonly text: string
  readonly at: number
  readonly string?: string
  readonly bytes?: Uint8Array
}

/** The expression cannot be parsed. */
export class SyntaxIssue extends Error {
  override readonly name = 'SyntaxIssue'
  readonly issue: Issue

  constructor(at: number, message: string) {
    super(message)
    this.issue = { at, message }
  }
}

const operators = ['==', '!=', '<=', '>=', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%', '<', '>'] // biome-ignore format: one line
const number = /(?:0x[0-9a-fA-F]+u?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|\d+u?)/iy
const identifier = /[_a-zA-Z][_a-zA-Z0-9]*/y
const blank = /(?:[ \t\r\n\f]+|\/\/[^\n]*)+/y
const quotes = /([bBrR]{0,2})("""|'''|"|')/y

export interface Tokens {
  readonly tokens: readonly Token[]
  /** Errors about skipped characters that are not part of a token. */
  readonly issues: readonly Issue[]
}

/** Splits an expression into tokens; the last is the end token. */
export function tokenize(source: string): Tokens {
  const lexer = new Lexer(source)
  return { tokens: lexer.all(), issues: lexer.issues }
}

class Lexer {
  readonly issues: Issue[] = []
  private readonly source: string
  private index = 0
  // Offsets are reported in code points, but the source is read in UTF-16 units.
  private points = 0

  constructor(source: string) {
    this.source = source
  }

  all(): readonly Token[] {
    const tokens: Token[] = []
    for (;;) {
      const skipped = this.match(blank)
      if (skipped !== undefined) this.advance(skipped[0])
      if (this.index >= this.source.length) {
        tokens.push({ kind: 'end', text: '<EOF>', at: this.points })
        return tokens
      }
      // No token starts with such a character, and the source may contain many of them.
      const code = this.source.codePointAt(this.index) as number
      if (code > 127) {
        this.skip(String.fromCodePoint(code))
        continue
      }
      const token = this.next()
      if (token !== undefined) tokens.push(token)
    }
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index
    return pattern.exec(this.source) ?? undefined
  }

  private advance(text: string): void {
    this.index += text.length
    for (const _ of text) this.points++
  }

  private next(): Token | undefined {
    const at = this.points
    const quoted = this.match(quotes)
    if (quoted !== undefined) return this.quoted(at, quoted)
    const found = this.match(number)
    // Like upstream's lexer, which has no context: `a.0` is a name and a number.
    if (found !== undefined) {
      this.advance(found[0])
      return { kind: numberKind(found[0]), text: found[0], at }
    }
    const name = this.match(identifier)
    if (name !== undefined) {
      this.advance(name[0])
      return { kind: 'ident', text: name[0], at }
    }
    const operator = operators.find((one) => this.source.startsWith(one, this.index))
    if (operator === undefined) {
      const char = String.fromCodePoint(this.source.codePointAt(this.index) ?? 0)
      // A character that could start an operator also consumes the next character that does not continue it.
      return this.skip(/[=&|]/.test(char) ? this.source.slice(this.index, this.index + 2) : char)
    }
    this.advance(operator)
    return { kind: 'op', text: operator, at }
  }

  private skip(text: string): undefined {
    this.issues.push({ at: this.points, message: `Syntax error: token recognition error at: '${text}'` })
    this.advance(text)
    return undefined
  }

  private quoted(at: number, [opening, prefix = '', quote = '']: RegExpExecArray): Token | undefined {
    const isRaw = /r/i.test(prefix)
    const isBytes = /b/i.test(prefix)
    const begin = this.index + opening.length
    let end = begin
    for (;;) {
      const char = this.source[end]
      if (char === undefined || (quote.length === 1 && (char === '\n' || char === '\r'))) {
        return this.skip(this.source.slice(this.index, end))
      }
      if (this.source.startsWith(quote, end)) break
      end += char === '\\' && !isRaw ? 2 : 1
    }
    const text = this.source.slice(this.index, end + quote.length)
    const body = this.source.slice(begin, end)
    this.advance(text)
    if (isBytes) return { kind: 'bytes', text, at, bytes: unescapeBytes(body, isRaw, at) }
    return { kind: 'string', text, at, string: isRaw ? body : unescapeText(body, at) }
  }
}

function numberKind(text: string): TokenKind {
  if (/u$/i.test(text)) return 'uint'
  return /^0x/i.test(text) || /^\d+$/.test(text) ? 'int' : 'float'
}

const simpleEscapes = lookupTable<string>({
  ...controlEscapes,
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
})
const escapeSequence =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gsu

function unescapeText(body: string, at: number): string {
  return body.replace(escapeSequence, (all: string, x, X, u, U, octal, simple: string | undefined) => {
    if (simple !== undefined) return simpleOrFail(simple, all, at)
    const code = octal === undefined ? Number.parseInt(x ?? X ?? u ?? U, 16) : Number.parseInt(octal, 8)
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      throw new SyntaxIssue(at, `invalid string literal: unable to unescape string`)
    }
    return String.fromCodePoint(code)
  })
}

function simpleOrFail(simple: string, all: string, at: number): string {
  const known = Object.hasOwn(simpleEscapes, simple) ? simpleEscapes[simple] : undefined
  if (known === undefined) throw new SyntaxIssue(at, `Syntax error: token recognition error at: '${all}'`)
  return known
}

const encoder = new TextEncoder()

function unescapeBytes(body: string, isRaw: boolean, at: number): Uint8Array {
  if (isRaw) return encoder.encode(body)
  const out: number[] = []
  let last = 0
  for (const match of body.matchAll(escapeSequence)) {
    const [all, x, X, u, U, octal, simple] = match
    out.push(...encoder.encode(body.slice(last, match.index)))
    if (simple !== undefined) out.push(...encoder.encode(simpleOrFail(simple, all, at)))
    else if (u !== undefined || U !== undefined) throw new SyntaxIssue(at, 'invalid bytes literal: unable to unescape')
    else out.push(octal === undefined ? Number.parseInt((x ?? X) as string, 16) : Number.parseInt(octal, 8))
    last = match.index + all.length
  }
  out.push(...encoder.encode(body.slice(last)))
  return Uint8Array.from(out)
}
