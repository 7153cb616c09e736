import { type CelType, formatType } from './cel-type.ts'
import { type CheckedExpression, checkExpression, type IncludesFunction, type StructTypes } from './checker.ts'
import { formatIssues } from './expression.ts'
import { wrongLiterals } from './literal-check.ts'
import { parseExpression } from './parser.ts'

export type Compiled =
  | { readonly ok: true; readonly program: CheckedExpression }
  /** The errors in the format of cel-go. */
  | { readonly ok: false; readonly message: string }

/**
 * Parses and checks an expression over some variables. With `bindings`, `cel.bind` is a macro; with `includes`, the
 * function `includes` exists.
 */
export function compileExpression(
  source: string,
  variables: ReadonlyMap<string, CelType>,
  structs?: StructTypes,
  options: { readonly bindings?: boolean; readonly includes?: IncludesFunction | undefined } = {},
): Compiled {
  const parsed = parseExpression(source, options.bindings === true)
  if (!parsed.ok) return { ok: false, message: formatIssues(source, parsed.issues) }
  const checked = checkExpression(parsed.expression, variables, structs, options.includes)
  if (!checked.ok) return { ok: false, message: formatIssues(source, checked.issues) }
  const wrong = wrongLiterals(checked.checked)
  if (wrong.length > 0) return { ok: false, message: formatIssues(source, wrong) }
  return { ok: true, program: checked.checked }
}

export const isType = (type: CelType, name: string): boolean => formatType(type) === name
