import { lookupTable } from '../base/lookup-table.ts'
import { failed, type Result } from '../base/result.ts'
import { createRequirement, invalid, type LabelOperator, type LabelRequirement } from './label-matcher.ts'
import { labelKeyProblems } from './label-syntax.ts'

// The grammar of labels.Parse (apimachinery v1.36): requirements separated by commas, each [!] KEY [ in (VALUES) |
// notin (VALUES) | = VALUE | == VALUE | != VALUE | > INTEGER | < INTEGER ]. "in" and "notin" are ordinary words in the
// place of a key or a value.

type SelectorToken = { readonly kind: 'word' | 'symbol' | 'end'; readonly text: string }

const tokenPattern = /[ \t\r\n]*(?:(==|!=|[=!(),><])|([^=!(),>< \t\r\n]+)|$)/y

function tokenize(text: string): SelectorToken[] {
  const tokens: SelectorToken[] = []
  tokenPattern.lastIndex = 0
  for (;;) {
    const match = tokenPattern.exec(text)
    const [, symbol, word] = match ?? []
    if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else break
  }
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

class SyntaxProblem extends Error {}

function unexpected(token: SelectorToken, expected: string, comma = ','): SyntaxProblem {
  return new SyntaxProblem(`found '${token.text}'${comma} expected: ${expected}`)
}

export function readRequirements(text: string): Result<readonly LabelRequirement[]> {
  try {
    return { ok: true, value: new SelectorReader(tokenize(text)).readAll() }
  } catch (problem) {
    if (problem instanceof SyntaxProblem) return failed(problem.message)
    throw problem
  }
}

const operatorOf = lookupTable<LabelOperator>({
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
})

class SelectorReader {
  private readonly tokens: readonly SelectorToken[]
  private position = 0

  constructor(tokens: readonly SelectorToken[]) {
    this.tokens = tokens
  }

  readAll(): LabelRequirement[] {
    const requirements: LabelRequirement[] = []
    if (this.peek().kind === 'end') return requirements
    if (!this.startsRequirement()) throw unexpected(this.peek(), "!, identifier, or 'end of string'")
    for (;;) {
      requirements.push(this.readRequirement())
      const token = this.take()
      if (token.kind === 'end') return requirements
      if (token.text !== ',') throw unexpected(token, "',' or 'end of string'")
      if (!this.startsRequirement()) throw unexpected(this.peek(), "identifier after ','")
    }
  }

  private readRequirement(): LabelRequirement {
    try {
      const { key, operator, values } = this.readParts()
      const made = createRequirement(key, operator, values)
      if (!made.ok) throw new SyntaxProblem(made.message)
      return made.value
    } catch (problem) {
      if (problem instanceof SyntaxProblem) problem.message = `unable to parse requirement: ${problem.message}`
      throw problem
    }
  }

  private readParts(): { key: string; operator: LabelOperator; values: string[] } {
    const negated = this.peek().text === '!'
    if (negated) this.take()
    const token = this.take()
    if (token.kind !== 'word') throw unexpected(token, 'identifier')
    const key = token.text
    const problems = labelKeyProblems(key)
    // Upstream prints a nil path here.
    if (problems.length > 0) throw new SyntaxProblem(invalid('<nil>', key, problems.join('; ')))
    if (negated) return { key, operator: '!', values: [] }
    if (this.peek().kind === 'end' || this.peek().text === ',') return { key, operator: 'exists', values: [] }
    const operator = this.readOperator()
    const values = operator === 'in' || operator === 'notin' ? this.readValueSet() : [this.readValue()]
    return { key, operator, values }
  }

  private readOperator(): LabelOperator {
    const token = this.take()
    const operator = Object.hasOwn(operatorOf, token.text) ? operatorOf[token.text] : undefined
    if (operator === undefined) throw unexpected(token, 'in, notin, =, ==, !=, gt, lt')
    return operator
  }

  private readValue(): string {
    if (this.peek().kind === 'end' || this.peek().text === ',') return ''
    const token = this.take()
    if (token.kind !== 'word') throw unexpected(token, 'identifier')
    return token.text
  }

  // Commas separate values, and a value may be empty: "(a,)" contains "a" and "".
  private readValueSet(): string[] {
    const open = this.take()
    if (open.text !== '(') throw unexpected(open, "'('", '')
    const values = new Set<string>()
    for (;;) {
      let value = ''
      if (this.peek().kind === 'word') value = this.take().text
      values.add(value)
      const token = this.take()
      if (token.text === ')') return [...values].sort()
      if (token.text !== ',') throw unexpected(token, "',' or ')'")
    }
  }

  private startsRequirement(): boolean {
    return this.peek().kind === 'word' || this.peek().text === '!'
  }

  private peek(): SelectorToken {
    return this.tokens[this.position] as SelectorToken
  }

  private take(): SelectorToken {
    const token = this.peek()
    if (token.kind !== 'end') this.position++
    return token
  }
}
