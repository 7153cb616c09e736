import type { Value } from './value.ts'

/** A position in the source, counted in code points. */
interface Placed {
  readonly at: number
}

export interface Literal extends Placed {
  readonly kind: 'literal'
  readonly value: Value
}

export interface Ident extends Placed {
  readonly kind: 'ident'
  readonly name: string
}

export interface Select extends Placed {
  readonly kind: 'select'
  readonly operand: Expression
  readonly field: string
  /** `has(a.b)`: whether the field is present. */
  readonly isTest: boolean
}

export interface FunctionCall extends Placed {
  readonly kind: 'call'
  readonly name: string
  readonly target: Expression | undefined
  readonly args: readonly Expression[]
}

export interface ListLiteral extends Placed {
  readonly kind: 'list'
  readonly elements: readonly Expression[]
  /** Indexes of elements written `?e`, which are omitted if their value is optional.none(). */
  readonly optional: ReadonlySet<number>
}

export interface MapLiteral extends Placed {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}

export interface MapEntry extends Placed {
  readonly key: Expression
  readonly value: Expression
  readonly isOptional: boolean
}

export interface StructLiteral extends Placed {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly StructField[]
}

export interface StructField extends Placed {
  readonly name: string
  readonly value: Expression
  readonly isOptional: boolean
}

/** `a.b.c`, if the expression consists of names only. */
export function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'ident') return expression.name
  if (expression.kind !== 'select' || expression.isTest) return undefined
  const prefix = qualifiedName(expression.operand)
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`
}

/** The expansion of macros over lists and maps (cel-spec, langdef, Macros). */
export interface Comprehension extends Placed {
  readonly kind: 'comprehension'
  readonly range: Expression
  readonly variable: string
  /** For a comprehension with two variables: the first is the key or index, this is the value. */
  readonly second: string | undefined
  readonly accumulator: string
  readonly initial: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

export type Expression =
  | Literal
  | Ident
  | Select
  | FunctionCall
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension

/** One method for each kind of expression. */
export interface ExpressionVisitor<T> {
  literal(literal: Literal): T
  ident(ident: Ident): T
  select(select: Select): T
  call(call: FunctionCall): T
  list(list: ListLiteral): T
  map(map: MapLiteral): T
  struct(struct: StructLiteral): T
  comprehension(comprehension: Comprehension): T
}

export function visitExpression<T>(expression: Expression, visitor: ExpressionVisitor<T>): T {
  switch (expression.kind) {
    case 'literal':
      return visitor.literal(expression)
    case 'ident':
      return visitor.ident(expression)
    case 'select':
      return visitor.select(expression)
    case 'call':
      return visitor.call(expression)
    case 'list':
      return visitor.list(expression)
    case 'map':
      return visitor.map(expression)
    case 'struct':
      return visitor.struct(expression)
    case 'comprehension':
      return visitor.comprehension(expression)
  }
}

/** An error of an expression, and its position. */
export interface Issue {
  readonly at: number
  readonly message: string
}

const maxIssues = 100
const wideDot = '．'

interface ShownLine {
  readonly text: string
  /** A dot for each code point. */
  readonly dots: string
}

const shownLine = (line: string): ShownLine => ({
  text: line.replaceAll('\t', ' '),
  dots: line.replace(/./gsu, (char) => ((char.codePointAt(0) as number) > 0x7f ? wideDot : '.')),
})

/** In the format of cel-go's common.Errors: one block each, with the line and a mark under the position. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  // An empty source has no line to show.
  if (source === '') return issues.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join('\n')
  const lines = source.split('\n').map(shownLine)
  const shown = issues
    .slice(0, maxIssues)
    .sort((a, b) => a.at - b.at)
    .map(({ at, message }) => {
      let line = 0
      let column = at
      while (line < lines.length - 1 && column > (lines[line] as ShownLine).dots.length) {
        column -= (lines[line] as ShownLine).dots.length + 1
        line++
      }
      const { text, dots } = lines[line] as ShownLine
      const mark = dots[column] === wideDot ? '＾' : '^'
      return `ERROR: <input>:${line + 1}:${column + 1}: ${message}\n | ${text}\n | ${dots.slice(0, column)}${mark}`
    })
  const rest = issues.length - shown.length
  return [...shown, ...(rest > 0 ? [`${rest} more errors were truncated`] : [])].join('\n')
}
