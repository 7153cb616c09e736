import { type Expression, type Issue, type MapEntry, qualifiedName, type StructField } from './expression.ts'
import { SyntaxIssue, type Token, tokenize } from './lexer.ts'
import { expandBind, expandMacro } from './macros.ts'
import { Uint } from './value.ts'

const maxDepth = 250
const maxCodePoints = 100_000

export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Parses an expression (cel-spec, langdef, Syntax) and expands macros. */
export function parseExpression(source: string, bindings = false): ParsedExpression {
  const length = [...source].length
  if (length > maxCodePoints) {
    const message = `expression code point size exceeds limit: size: ${length}, limit ${maxCodePoints}`
    return { ok: false, issues: [{ at: 0, message }] }
  }
  const read: Issue[] = []
  try {
    const { tokens, issues } = tokenize(source)
    read.push(...issues)
    const expression = new CelParser(tokens, bindings, read).whole()
    return read.length === 0 ? { ok: true, expression } : { ok: false, issues: read }
  } catch (error) {
    if (error instanceof SyntaxIssue) return { ok: false, issues: [...read, error.issue] }
    throw error
  }
}

// cel-spec, langdef: reserved words, which may be fields but not names.
const reserved = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' ')) // biome-ignore format: one line
const primaries = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}" // biome-ignore format: one line
const relations = new Set(['<', '<=', '>', '>=', '==', '!=', 'in'])
const additions = new Set(['+', '-'])
const multiplications = new Set(['*', '/', '%'])
const maxInt = 2n ** 63n
const closing = new Set([')', ']', '}'])
const opening = new Set(['(', '[', '{', '!'])
const firstOperators = new Set([...opening, '.', '-'])

const startsPrimary = ({ kind, text }: Token): boolean =>
  kind === 'op' ? firstOperators.has(text) : kind !== 'end' && text !== 'in'

const noAlternative = ({ kind, text }: Token): string =>
  `no viable alternative at input '.${kind === 'end' ? '' : text}'`

class CelParser {
  private readonly tokens: readonly Token[]
  private readonly bindings: boolean
  private readonly issues: Issue[]
  private index = 0
  private depth = 0

  /** `issues` receives the errors after which the parser can continue. */
  constructor(tokens: readonly Token[], bindings: boolean, issues: Issue[]) {
    this.tokens = tokens
    this.bindings = bindings
    this.issues = issues
  }

  whole(): Expression {
    const found = this.expression()
    const rest = this.peek()
    if (rest.kind === 'end') return found
    const isLast = this.tokens[this.index + 1]?.kind === 'end'
    throw this.wrong(rest, `${isLast ? 'extraneous' : 'mismatched'} input '${rest.text}' expecting <EOF>`)
  }

  private peek(): Token {
    return this.tokens[this.index] as Token
  }

  private take(): Token {
    const token = this.peek()
    if (token.kind !== 'end') this.index++
    return token
  }

  private isNext(text: string): boolean {
    const { kind, text: found } = this.peek()
    return found === text && (kind === 'op' || kind === 'ident')
  }

  private accept(text: string): Token | undefined {
    return this.isNext(text) ? this.take() : undefined
  }

  private expect(text: string): Token {
    const token = this.peek()
    if (this.isNext(text)) return this.take()
    // If the next token could follow the closing bracket, only the bracket is missing.
    const isMissing = closing.has(text) && (token.kind === 'end' || (token.kind === 'op' && !opening.has(token.text)))
    throw this.wrong(
      token,
      isMissing ? `missing '${text}' at '${token.text}'` : `mismatched input '${token.text}' expecting '${text}'`,
    )
  }

  private wrong({ at }: Token, why: string): SyntaxIssue {
    return new SyntaxIssue(at, `Syntax error: ${why}`)
  }

  /** Counts the operators of a chain: the depth of the expression grows with the length of the chain. */
  private chain(): () => void {
    let length = 0
    return () => {
      if (++length > maxDepth) throw new SyntaxIssue(-1, `expression recursion limit exceeded: ${maxDepth}`)
    }
  }

  private deeper<T>(read: () => T): T {
    if (++this.depth > maxDepth) {
      throw new SyntaxIssue(-1, `expression recursion limit exceeded: ${maxDepth}`)
    }
    const found = read()
    this.depth--
    return found
  }

  private expression(): Expression {
    return this.deeper(() => {
      const condition = this.logical('||')
      const mark = this.accept('?')
      if (mark === undefined) return condition
      const yes = this.logical('||')
      this.expect(':')
      const no = this.expression()
      return callOf('_?_:_', mark, [condition, yes, no])
    })
  }

  private logical(operator: '||' | '&&'): Expression {
    const terms: Expression[] = [operator === '||' ? this.logical('&&') : this.relation()]
    const marks: Token[] = []
    for (let mark = this.accept(operator); mark !== undefined; mark = this.accept(operator)) {
      marks.push(mark)
      terms.push(operator === '||' ? this.logical('&&') : this.relation())
    }
    return balanced(operator === '||' ? '_||_' : '_&&_', terms, marks)
  }

  private relation(): Expression {
    return this.leftToRight(relations, () => this.sum())
  }

  private sum(): Expression {
    return this.leftToRight(additions, () => this.product())
  }

  private product(): Expression {
    return this.leftToRight(multiplications, () => this.unary())
  }

  private leftToRight(operators: ReadonlySet<string>, operand: () => Expression): Expression {
    let left = operand()
    const chain = this.chain()
    while (operators.has(this.peek().text) && this.peek().kind !== 'string') {
      chain()
      const mark = this.take()
      left = callOf(mark.text === 'in' ? '@in' : `_${mark.text}_`, mark, [left, operand()])
    }
    return left
  }

  private unary(): Expression {
    const mark = this.peek()
    if (mark.kind !== 'op' || (mark.text !== '!' && mark.text !== '-')) return this.member(this.primary())
    let count = 0
    while (this.isNext(mark.text)) {
      this.take()
      count++
    }
    // A sign directly before a number is part of it, so that the lowest int64 can be written.
    const { kind } = this.peek()
    if (mark.text === '-' && count === 1 && (kind === 'int' || kind === 'float')) {
      return this.member(this.numeral(this.take(), mark))
    }
    const operand = this.deeper(() => this.member(this.primary()))
    return count % 2 === 0 ? operand : callOf(mark.text === '!' ? '!_' : '-_', mark, [operand])
  }

  private member(first: Expression): Expression {
    let operand = first
    const chain = this.chain()
    for (;;) {
      chain()
      const dot = this.accept('.')
      if (dot !== undefined) {
        operand = this.afterDot(operand, dot)
        continue
      }
      const bracket = this.accept('[')
      if (bracket === undefined) return operand
      const isOptional = this.accept('?') !== undefined
      const key = this.expression()
      this.expect(']')
      operand = callOf(isOptional ? '_[?_]' : '_[_]', bracket, [operand, key])
    }
  }

  private afterDot(operand: Expression, dot: Token): Expression {
    const isOptional = this.accept('?') !== undefined
    const name = this.peek()
    if (name.kind !== 'ident') throw this.wrong(name, noAlternative(name))
    this.take()
    if (isOptional) {
      const field: Expression = { kind: 'literal', at: name.at, value: name.text }
      return callOf('_?._', dot, [operand, field])
    }
    const open = this.accept('(')
    if (open === undefined) {
      const select: Expression = { kind: 'select', at: dot.at, operand, field: name.text, isTest: false }
      const type = this.isNext('{') ? qualifiedName(select) : undefined
      return type === undefined ? select : this.structLiteral(type)
    }
    const args = this.list(')')
    return (
      (this.bindings ? expandBind({ name: name.text, at: open.at, target: operand, args }) : undefined) ??
      expandMacro({ name: name.text, at: open.at, target: operand, args }) ?? {
        kind: 'call',
        at: open.at,
        name: name.text,
        target: operand,
        args,
      }
    )
  }

  /** Expressions up to a closing bracket. */
  private list(closing: string): readonly Expression[] {
    const found: Expression[] = []
    if (this.accept(closing) !== undefined) return found
    do found.push(this.expression())
    while (this.accept(',') !== undefined)
    this.expect(closing)
    return found
  }

  private primary(): Expression {
    const token = this.peek()
    switch (token.kind) {
      case 'int':
      case 'uint':
      case 'float':
        return this.numeral(this.take())
      case 'string':
        this.take()
        return { kind: 'literal', at: token.at, value: token.string ?? '' }
      case 'bytes':
        this.take()
        return { kind: 'literal', at: token.at, value: token.bytes ?? new Uint8Array() }
      case 'ident':
        return this.named(this.take(), '')
      case 'op':
        return this.marked(token)
      case 'end':
        throw this.wrong(token, `mismatched input '<EOF>' expecting ${primaries}`)
    }
  }

  private marked(token: Token): Expression {
    switch (token.text) {
      case '(': {
        this.take()
        const inner = this.expression()
        this.expect(')')
        return inner
      }
      case '[':
        this.take()
        return this.listLiteral(token)
      case '{':
        this.take()
        return this.mapLiteral(token)
      case '.': {
        this.take()
        const name = this.peek()
        if (name.kind !== 'ident') throw this.wrong(name, noAlternative(name))
        return this.named(this.take(), '.')
      }
      default:
        return this.afterUnexpected(token)
    }
  }

  /** ANTLR skips a token if an expression can start with the next token. */
  private afterUnexpected(token: Token): Expression {
    const next = this.tokens[this.index + 1]
    if (next === undefined || !startsPrimary(next)) {
      throw this.wrong(token, `mismatched input '${token.text}' expecting ${primaries}`)
    }
    this.issues.push(this.wrong(token, `extraneous input '${token.text}' expecting ${primaries}`).issue)
    this.take()
    return this.unary()
  }

  private named(token: Token, prefix: string): Expression {
    const { text: name, at } = token
    if (prefix === '') {
      if (name === 'true' || name === 'false') return { kind: 'literal', at, value: name === 'true' }
      if (name === 'null') return { kind: 'literal', at, value: null }
      if (name === 'in') throw this.wrong(token, `mismatched input 'in' expecting ${primaries}`)
    }
    const open = this.accept('(')
    if (reserved.has(name)) throw new SyntaxIssue(at, `reserved identifier: ${name}`)
    if (open === undefined) {
      if (this.isNext('{')) return this.structLiteral(name)
      return { kind: 'ident', at, name }
    }
    const args = this.list(')')
    return (
      expandMacro({ name, at: open.at, target: undefined, args }) ?? {
        kind: 'call',
        at: open.at,
        name,
        target: undefined,
        args,
      }
    )
  }

  private listLiteral({ at }: Token): Expression {
    const elements: Expression[] = []
    const optional = new Set<number>()
    while (!this.isNext(']')) {
      if (this.accept('?') !== undefined) optional.add(elements.length)
      elements.push(this.expression())
      if (this.accept(',') === undefined) break
    }
    this.expect(']')
    return { kind: 'list', at, elements, optional }
  }

  private mapLiteral({ at }: Token): Expression {
    const entries: MapEntry[] = []
    while (!this.isNext('}')) {
      const isOptional = this.accept('?') !== undefined
      const key = this.expression()
      const colon = this.expect(':')
      entries.push({ at: colon.at, key, value: this.expression(), isOptional })
      if (this.accept(',') === undefined) break
    }
    this.expect('}')
    return { kind: 'map', at, entries }
  }

  /** Only mutating admission policies can create objects by type name; the checker reports it. */
  private structLiteral(name: string): Expression {
    const { at } = this.expect('{')
    const fields: StructField[] = []
    while (!this.isNext('}')) {
      const isOptional = this.accept('?') !== undefined
      const field = this.peek()
      if (field.kind !== 'ident')
        throw this.wrong(
          field,
          `mismatched input '${field.text}' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}`,
        )
      this.take()
      const colon = this.expect(':')
      fields.push({ at: colon.at, name: field.text, value: this.expression(), isOptional })
      if (this.accept(',') === undefined) break
    }
    this.expect('}')
    return { kind: 'struct', at, name, fields }
  }

  private numeral(token: Token, sign?: Token): Expression {
    const at = sign?.at ?? token.at
    const text = `${sign === undefined ? '' : '-'}${token.text}`
    if (token.kind === 'float') return { kind: 'literal', at, value: Number(text) }
    if (token.kind === 'uint') {
      const value = BigInt(token.text.slice(0, -1))
      if (value >= 2n ** 64n) throw new SyntaxIssue(at, 'invalid uint literal')
      return { kind: 'literal', at, value: new Uint(value) }
    }
    const size = BigInt(token.text)
    const value = sign === undefined ? size : -size
    if (value >= maxInt || value < -maxInt) throw new SyntaxIssue(at, 'invalid int literal')
    return { kind: 'literal', at, value }
  }
}

function callOf(name: string, { at }: Token, args: readonly Expression[]): Expression {
  return { kind: 'call', at, name, target: undefined, args }
}

/** Builds a balanced tree from a chain of one logical operator, so that long chains are not deep. */
function balanced(name: string, terms: readonly Expression[], marks: readonly Token[]): Expression {
  const [only] = terms
  if (terms.length === 1) return only as Expression
  const middle = Math.floor((terms.length - 1) / 2)
  const left = balanced(name, terms.slice(0, middle + 1), marks.slice(0, middle))
  const right = balanced(name, terms.slice(middle + 1), marks.slice(middle + 1))
  return callOf(name, marks[middle] as Token, [left, right])
}
