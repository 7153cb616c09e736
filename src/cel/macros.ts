import { lookupTable } from '../base/lookup-table.ts'
import type { Expression } from './expression.ts'
import { SyntaxIssue } from './lexer.ts'

/** A call in the source, which may be a macro. */
export interface WrittenCall {
  readonly name: string
  readonly at: number
  readonly target: Expression | undefined
  readonly args: readonly Expression[]
}

/** No name in an expression begins with `@`. */
export const accumulator = '@result'

/** The expansion of a macro; undefined if the call is not a macro. */
export function expandMacro(written: WrittenCall): Expression | undefined {
  const { name, args, target } = written
  if (target === undefined) return name === 'has' && args.length === 1 ? expandHas(written) : undefined
  const macro = macros[`${name}/${args.length}`]
  return macro === undefined ? undefined : macro({ ...written, target })
}

/**
 * `cel.bind(name, value, expression)`: a fold over an empty list, whose accumulator is the name (cel-go, ext.Bindings).
 */
export function expandBind({ name, at, target, args }: WrittenCall): Expression | undefined {
  if (name !== 'bind' || args.length !== 3 || target?.kind !== 'ident' || target.name !== 'cel') return undefined
  const [bound, initial, result] = args as [Expression, Expression, Expression]
  if (bound.kind !== 'ident') throw new SyntaxIssue(bound.at, 'cel.bind() variable names must be simple identifiers')
  return bind(at, bound.name, initial, result)
}

type Receiver = WrittenCall & { readonly target: Expression }

const call = (name: string, at: number, ...args: readonly Expression[]): Expression => ({
  kind: 'call',
  at,
  name,
  target: undefined,
  args,
})
const method = (target: Expression, name: string, at: number, ...args: readonly Expression[]): Expression => ({
  kind: 'call',
  at,
  name,
  target,
  args,
})
const ident = (name: string, at: number): Expression => ({ kind: 'ident', at, name })
const literal = (value: boolean | bigint, at: number): Expression => ({ kind: 'literal', at, value })
const list = (at: number, ...elements: readonly Expression[]): Expression => ({
  kind: 'list',
  at,
  elements,
  optional: new Set(),
})

function expandHas({ at, args: [arg] }: WrittenCall): Expression {
  if (arg?.kind !== 'select' || arg.isTest) throw new SyntaxIssue(arg?.at ?? at, 'invalid argument to has() macro')
  return { ...arg, at, isTest: true }
}

function simpleName(arg: Expression | undefined): string {
  if (arg?.kind !== 'ident') throw new SyntaxIssue(arg?.at ?? 0, 'argument must be a simple name')
  if (arg.name === accumulator) throw new SyntaxIssue(arg.at, 'iteration variable overwrites accumulator variable')
  return arg.name
}

interface FoldExpression {
  readonly initial: Expression
  readonly condition?: Expression
  readonly step: Expression
  readonly result?: Expression
}

/** A fold with one variable, or two if the macro has one more argument. */
function fold(
  { at, target, args }: Receiver,
  variables: 1 | 2,
  { initial, condition, step, result }: FoldExpression,
): Expression {
  const variable = simpleName(args[0])
  const second = variables === 2 ? simpleName(args[1]) : undefined
  if (second === variable) throw new SyntaxIssue(args[1]?.at ?? at, `duplicate variable name: ${variable}`)
  return {
    kind: 'comprehension',
    at,
    range: target,
    variable,
    second,
    accumulator,
    initial,
    condition: condition ?? literal(true, at),
    step,
    result: result ?? ident(accumulator, at),
  }
}

const accu = (at: number): Expression => ident(accumulator, at)
const rest = ({ args }: Receiver, variables: 1 | 2): readonly Expression[] => args.slice(variables)

const all = (variables: 1 | 2) => (written: Receiver) => {
  const { at } = written
  const [predicate] = rest(written, variables) as [Expression]
  return fold(written, variables, {
    initial: literal(true, at),
    condition: call('@not_strictly_false', at, accu(at)),
    step: call('_&&_', at, accu(at), predicate),
  })
}

const exists = (variables: 1 | 2) => (written: Receiver) => {
  const { at } = written
  const [predicate] = rest(written, variables) as [Expression]
  return fold(written, variables, {
    initial: literal(false, at),
    condition: call('@not_strictly_false', at, call('!_', at, accu(at))),
    step: call('_||_', at, accu(at), predicate),
  })
}

const existsOne = (variables: 1 | 2) => (written: Receiver) => {
  const { at } = written
  const [predicate] = rest(written, variables) as [Expression]
  return fold(written, variables, {
    initial: literal(0n, at),
    step: call('_?_:_', at, predicate, call('_+_', at, accu(at), literal(1n, at)), accu(at)),
    result: call('_==_', at, accu(at), literal(1n, at)),
  })
}

/** A list of the transformed elements that pass the filter, if there is one. */
const toList = (variables: 1 | 2) => (written: Receiver) => {
  const { at } = written
  const parts = rest(written, variables)
  const [filter, transform] = parts.length === 2 ? parts : [undefined, parts[0]]
  const grown = call('_+_', at, accu(at), list(at, transform as Expression))
  return fold(written, variables, {
    initial: list(at),
    step: filter === undefined ? grown : call('_?_:_', at, filter, grown, accu(at)),
  })
}

const filter = (written: Receiver) => {
  const { at, args } = written
  const [predicate] = rest(written, 1) as [Expression]
  const grown = call('_+_', at, accu(at), list(at, args[0] as Expression))
  return fold(written, 1, { initial: list(at), step: call('_?_:_', at, predicate, grown, accu(at)) })
}

const toMap = (isEntry: boolean) => (written: Receiver) => {
  const { at, args } = written
  const parts = rest(written, 2)
  const [filter, transform] = parts.length === 2 ? parts : [undefined, parts[0]]
  const inserted = isEntry ? [transform as Expression] : [args[0] as Expression, transform as Expression]
  const grown = call('cel.@mapInsert', at, accu(at), ...inserted)
  return fold(written, 2, {
    initial: { kind: 'map', at, entries: [] },
    step: filter === undefined ? grown : call('_?_:_', at, filter, grown, accu(at)),
  })
}

/** A name for a value: a fold over an empty list. */
function bind(at: number, name: string, value: Expression, within: Expression): Expression {
  return {
    kind: 'comprehension',
    at,
    range: list(at),
    variable: '#unused',
    second: undefined,
    accumulator: name,
    initial: value,
    condition: literal(false, at),
    step: ident(name, at),
    result: within,
  }
}

const optionalMap =
  (isFlat: boolean) =>
  ({ at, target, args }: Receiver) => {
    const mapped = bind(at, simpleName(args[0]), method(target, 'value', at), args[1] as Expression)
    const none = call('optional.none', at)
    return call('_?_:_', at, method(target, 'hasValue', at), isFlat ? mapped : call('optional.of', at, mapped), none)
  }

function sortBy({ at, target, args }: Receiver): Expression {
  const sorted = '@__sortBy_input__'
  const keys = toList(1)({ name: 'map', at, target: ident(sorted, at), args })
  const ordered = method(ident(sorted, at), '@sortByAssociatedKeys', at, keys)
  return bind(at, sorted, target, ordered)
}

/** By name and number of arguments: macros of the language, of optionals, and of the extensions that v1.36 enables. */
const macros = lookupTable<(written: Receiver) => Expression>({
  'all/2': all(1),
  'exists/2': exists(1),
  'exists_one/2': existsOne(1),
  'map/2': toList(1),
  'map/3': toList(1),
  'filter/2': filter,
  'all/3': all(2),
  'exists/3': exists(2),
  'existsOne/3': existsOne(2),
  'transformList/3': toList(2),
  'transformList/4': toList(2),
  'transformMap/3': toMap(false),
  'transformMap/4': toMap(false),
  'transformMapEntry/3': toMap(true),
  'transformMapEntry/4': toMap(true),
  'optMap/2': optionalMap(false),
  'optFlatMap/2': optionalMap(true),
  'sortBy/2': sortBy,
})
