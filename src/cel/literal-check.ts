import { parseGoDuration } from '../api/go-duration.ts'
import { lookupTable } from '../base/lookup-table.ts'
import { regularExpression } from '../base/regexp/regular-expression.ts'
import { PatternError } from '../base/regexp/syntax.ts'
import type { CheckedExpression } from './checker.ts'
import type { Expression, FunctionCall, Issue } from './expression.ts'
import { readTime } from './library/conversions.ts'

const isRead = lookupTable<(text: string) => boolean>({
  duration: (text) => parseGoDuration(text).ok,
  timestamp: (text) => readTime(text) !== undefined,
  matches: isPattern,
})

/**
 * Reports literals that are invalid for the function that parses them, such as patterns and durations (cel-go,
 * cel.ASTValidators).
 */
export function wrongLiterals({ expression }: CheckedExpression): readonly Issue[] {
  const issues: Issue[] = []
  visit(expression, (call) => {
    const reads = Object.hasOwn(isRead, call.name) ? isRead[call.name] : undefined
    const arg = call.args.at(-1)
    if (reads === undefined || arg?.kind !== 'literal' || typeof arg.value !== 'string') return
    if (!reads(arg.value)) issues.push({ at: arg.at, message: `invalid ${call.name} argument` })
  })
  return issues
}

function isPattern(text: string): boolean {
  try {
    regularExpression(text)
    return true
  } catch (error) {
    if (error instanceof PatternError) return false
    throw error
  }
}

function visit(expression: Expression, onCall: (call: FunctionCall) => void): void {
  for (const part of partsOf(expression)) visit(part, onCall)
  if (expression.kind === 'call') onCall(expression)
}

function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'select':
      return [expression.operand]
    case 'call':
      return expression.target === undefined ? expression.args : [expression.target, ...expression.args]
    case 'list':
      return expression.elements
    case 'map':
      return expression.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return expression.fields.map(({ value }) => value)
    case 'comprehension':
      return [expression.range, expression.initial, expression.condition, expression.step, expression.result]
    default:
      return []
  }
}
