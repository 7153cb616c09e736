import {
  type Bindings,
  bool,
  type CelType,
  dyn,
  errorType,
  formatType,
  isAssignable,
  isLoose,
  listOf,
  mapOf,
  optionalOf,
  simple,
  substitute,
} from './cel-type.ts'
import { type limitedIncludes, type Overload, overloadsOf, typeNames } from './declarations.ts'
import { escapedKeyword } from './escaping.ts'
import {
  type Comprehension,
  type Expression,
  type ExpressionVisitor,
  type FunctionCall,
  type Ident,
  type Issue,
  type ListLiteral,
  type Literal,
  type MapLiteral,
  qualifiedName,
  type Select,
  type StructLiteral,
  visitExpression,
} from './expression.ts'
import { Timestamp, Uint, type Value } from './value.ts'

export interface CheckedExpression {
  readonly expression: Expression
  readonly type: CelType
  readonly typeOf: (expression: Expression) => CelType
  /** The overloads that a call may use. */
  readonly overloadsAt: (call: FunctionCall) => readonly Overload[]
  /** `sets.contains(a, b)` is parsed as a call on `sets`, but `sets.contains` is the name of a function. */
  readonly qualifiedName: (call: FunctionCall) => string | undefined
  /** Field selections that are names of types: `google.protobuf.Duration`. */
  readonly typeNameAt: (select: Expression) => string | undefined
  /** Field selections that are names of variables: `authorizer.requestResource`. */
  readonly variableAt: (select: Expression) => string | undefined
  /** The variables of the environment that the expression uses. */
  readonly mentions: ReadonlySet<string>
}

export type Checked =
  | { readonly ok: true; readonly checked: CheckedExpression }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Assigns a type to every part of an expression, or reports errors (cel-go, checker). */
export function checkExpression(
  expression: Expression,
  variables: ReadonlyMap<string, CelType>,
  structs?: StructTypes,
  includes?: IncludesFunction,
): Checked {
  const checker = new Checker(variables, structs, includes)
  const type = checker.check(expression)
  if (checker.issues.length > 0) return { ok: false, issues: checker.issues }
  return { ok: true, checked: checker.result(expression, type) }
}

/** The implementation of `includes`, which only device selectors have (DRAListTypeAttributes). */
export type IncludesFunction = 'includes' | typeof limitedIncludes

type TypeScope = ReadonlyMap<string, CelType>

/** The types whose values an expression can create by name. */
export type StructTypes = (name: string) => (CelType & { readonly kind: 'object' }) | undefined

class Checker implements ExpressionVisitor<CelType> {
  readonly issues: Issue[] = []
  private readonly types = new Map<Expression, CelType>()
  private readonly overloads = new Map<FunctionCall, readonly Overload[]>()
  private readonly qualified = new Map<FunctionCall, string>()
  private readonly typeSelections = new Map<Expression, string>()
  private readonly variableSelections = new Map<Expression, string>()
  private readonly mentioned = new Set<string>()
  private readonly bindings: Bindings = new Map()
  private readonly scopes: TypeScope[]
  private fresh = 0

  private readonly structs: StructTypes | undefined
  private readonly includes: IncludesFunction | undefined

  constructor(variables: TypeScope, structs: StructTypes | undefined, includes: IncludesFunction | undefined) {
    this.scopes = [variables]
    this.structs = structs
    this.includes = includes
  }

  result(expression: Expression, type: CelType): CheckedExpression {
    const final = (one: CelType): CelType => substitute(this.bindings, one, true)
    return {
      expression,
      type: final(type),
      typeOf: (part) => final(this.types.get(part) ?? dyn),
      overloadsAt: (call) => this.overloads.get(call) ?? [],
      qualifiedName: (call) => this.qualified.get(call),
      typeNameAt: (part) => this.typeSelections.get(part),
      variableAt: (part) => this.variableSelections.get(part),
      mentions: this.mentioned,
    }
  }

  check(expression: Expression): CelType {
    const type = visitExpression(expression, this)
    this.types.set(expression, type)
    return type
  }

  private report({ at }: { readonly at: number }, message: string): CelType {
    this.issues.push({ at, message })
    return errorType
  }

  private lookup(name: string): CelType | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const found = this.scopes[i]?.get(name)
      if (found === undefined) continue
      if (i === 0) this.mentioned.add(name)
      return found
    }
    return undefined
  }

  /** A variable with a dot in its name: `authorizer.requestResource`. */
  private qualifiedVariable(select: Select, name: string): CelType | undefined {
    const [first = ''] = name.split('.', 1)
    if (this.scopes.some((scope, i) => i > 0 && scope.has(first))) return undefined
    const found = this.scopes[0]?.get(name)
    if (found === undefined) return undefined
    this.mentioned.add(name)
    this.variableSelections.set(select, name)
    return found
  }

  literal({ value }: Literal): CelType {
    return literalType(value)
  }

  ident(ident: Ident): CelType {
    const { name } = ident
    const variable = this.lookup(name)
    if (variable !== undefined) return variable
    const type = typeNames.get(name)
    if (type !== undefined) {
      this.typeSelections.set(ident, name)
      return { kind: 'type', of: type }
    }
    return this.report(ident, `undeclared reference to '${name}' (in container '')`)
  }

  select(select: Select): CelType {
    const name = qualifiedName(select)
    const variable = name === undefined || select.isTest ? undefined : this.qualifiedVariable(select, name)
    if (variable !== undefined) return variable
    const type = name === undefined ? undefined : typeNames.get(name)
    if (type !== undefined && name !== undefined && !select.isTest) {
      this.typeSelections.set(select, name)
      return { kind: 'type', of: type }
    }
    const operand = this.check(select.operand)
    const found = this.field(select, operand, select.field)
    return select.isTest ? bool : found
  }

  private field(at: Expression, operand: CelType, field: string): CelType {
    const target = substitute(this.bindings, operand, false)
    switch (target.kind) {
      case 'map':
        return target.value
      case 'object': {
        const found = target.fields.get(field) ?? target.fields.get(escapedKeyword(field) ?? field)
        return found ?? this.report(at, `undefined field '${field}'`)
      }
      case 'optional':
        return optionalOf(this.field(at, target.element, field))
      case 'parameter':
        isAssignable(this.bindings, dyn, target)
        return dyn
      case 'simple':
        if (isLoose(target)) return dyn
    }
    const shown = formatType(target)
    // These types are structs without fields in Go.
    if (shown.startsWith('kubernetes.authorization.')) {
      return this.report(at, `unexpected failed resolution of '${shown}'`)
    }
    return this.report(at, `type '${shown}' does not support field selection`)
  }

  call(call: FunctionCall): CelType {
    if (call.name === '_?._') return this.optionalSelect(call)
    if (call.target === undefined) return this.resolve(call, call.name, call.args, false)
    const prefix = qualifiedName(call.target)
    const qualified = prefix === undefined ? undefined : `${prefix}.${call.name}`
    if (qualified !== undefined && this.isFunction(qualified) && !this.isVariable(prefix as string)) {
      this.qualified.set(call, qualified)
      return this.resolve(call, qualified, call.args, false)
    }
    return this.resolve(call, call.name, [call.target, ...call.args], true)
  }

  /** Functions on patches belong to the types that can be created. */
  private isFunction(qualified: string): boolean {
    return overloadsOf(qualified) !== undefined && (this.structs !== undefined || !qualified.startsWith('jsonpatch.'))
  }

  private isVariable(prefix: string): boolean {
    const [first = ''] = prefix.split('.')
    return this.scopes.some((scope) => scope.has(first))
  }

  /** `a.?b`: an optional with the type of `a.b`. */
  private optionalSelect(call: FunctionCall): CelType {
    const [operand, field] = call.args as [Expression, Expression]
    const name = field.kind === 'literal' ? String(field.value) : ''
    this.types.set(field, simple('string'))
    const found = this.field(call, this.check(operand), name)
    return found.kind === 'optional' || found === errorType ? found : optionalOf(found)
  }

  private resolve(call: FunctionCall, name: string, args: readonly Expression[], isMember: boolean): CelType {
    const declared = name === 'includes' ? this.includesOverloads() : overloadsOf(name)
    const found = args.map((arg) => this.check(arg))
    if (declared === undefined) {
      return this.report(call, `undeclared reference to '${name}' (in container '')`)
    }
    const matching: Overload[] = []
    let result: CelType | undefined
    for (const overload of declared) {
      if (overload.isMember !== isMember || overload.params.length !== args.length) continue
      const { params, result: given } = this.renamed(overload)
      const trial: Bindings = new Map(this.bindings)
      if (!params.every((param, i) => isAssignable(trial, param, found[i] as CelType))) continue
      for (const [parameter, type] of trial) this.bindings.set(parameter, type)
      matching.push(overload)
      const now = substitute(this.bindings, given, false)
      result = result === undefined || sameType(result, now) ? now : dyn
    }
    if (result === undefined) {
      const shown = found.map((type) => formatType(substitute(this.bindings, type, true)))
      const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`
      return this.report(call, `found no matching overload for '${name}' applied to '${signature}'`)
    }
    this.overloads.set(call, matching)
    return result
  }

  private includesOverloads(): readonly Overload[] | undefined {
    return this.includes === undefined ? undefined : overloadsOf(this.includes)
  }

  /** A signature with fresh placeholders. */
  private renamed({ params, result, parameters }: Overload): Pick<Overload, 'params' | 'result'> {
    if (parameters.size === 0) return { params, result }
    const names: Bindings = new Map()
    for (const name of parameters) names.set(name, this.freshParameter())
    return {
      params: params.map((param) => substitute(names, param, false)),
      result: substitute(names, result, false),
    }
  }

  private freshParameter(): CelType {
    return { kind: 'parameter', name: `_var${this.fresh++}` }
  }

  list({ elements, optional }: ListLiteral): CelType {
    let joined: CelType | undefined
    elements.forEach((element, i) => {
      const type = this.check(element)
      joined = this.join(element, joined, optional.has(i) ? this.unwrapped(element, type) : type)
    })
    return listOf(joined ?? this.freshParameter())
  }

  map({ entries }: MapLiteral): CelType {
    let keys: CelType | undefined
    let values: CelType | undefined
    for (const { key, value, isOptional } of entries) {
      keys = this.join(key, keys, this.check(key))
      const type = this.check(value)
      values = this.join(value, values, isOptional ? this.unwrapped(value, type) : type)
    }
    return mapOf(keys ?? this.freshParameter(), values ?? this.freshParameter())
  }

  private unwrapped(at: Expression, type: CelType): CelType {
    if (type.kind === 'optional') return type.element
    if (isLoose(type)) return dyn
    return this.report(at, `expected type 'optional_type(${formatType(type)})' but found '${formatType(type)}'`)
  }

  struct(literal: StructLiteral): CelType {
    const type = this.structs?.(literal.name)
    if (type === undefined) {
      return this.report(literal, `undeclared reference to '${literal.name}' (in container '')`)
    }
    for (const { at, name, value, isOptional } of literal.fields) {
      const field = type.fields.get(name)
      const checked = this.check(value)
      const found = isOptional ? this.unwrapped(value, checked) : checked
      if (field !== undefined && isAssignable(this.bindings, field, found)) continue
      const wanted = field === undefined ? '' : formatType(substitute(this.bindings, field, true))
      const given = formatType(substitute(this.bindings, found, true))
      this.report({ at }, `expected type of field '${name}' is '${wanted}' but provided type is '${given}'`)
    }
    return type
  }

  /** Literals hold one type only (cel.HomogeneousAggregateLiterals). */
  private join(at: Expression, before: CelType | undefined, type: CelType): CelType {
    if (before === undefined) return type
    if (isAssignable(this.bindings, before, type)) return moreGeneral(before, type)
    const [wanted, found] = [before, type].map((one) => formatType(substitute(this.bindings, one, true)))
    this.report(at, `expected type '${wanted}' but found '${found}'`)
    return dyn
  }

  comprehension(fold: Comprehension): CelType {
    const range = substitute(this.bindings, this.check(fold.range), false)
    const initial = this.check(fold.initial)
    const variables = this.loopVariables(fold, range)
    this.scopes.push(new Map([[fold.accumulator, initial]]))
    this.scopes.push(variables)
    this.assertType(fold.condition, this.check(fold.condition), bool)
    this.assertType(fold.step, this.check(fold.step), initial)
    this.scopes.pop()
    const result = this.check(fold.result)
    this.scopes.pop()
    return substitute(this.bindings, result, false)
  }

  private loopVariables({ range: at, variable, second }: Comprehension, range: CelType): TypeScope {
    const [key, value] = this.loopTypes(at, range)
    if (second !== undefined) return new Map([[variable, key], [second, value]]) // biome-ignore format: one line
    return new Map([[variable, range.kind === 'map' ? key : value]])
  }

  private loopTypes(at: Expression, range: CelType): readonly [CelType, CelType] {
    switch (range.kind) {
      case 'list':
        return [simple('int'), range.element]
      case 'map':
        return [range.key, range.value]
      case 'parameter':
        isAssignable(this.bindings, dyn, range)
        return [dyn, dyn]
      case 'simple':
        if (range.name === 'dyn' || range.name === 'error') return [dyn, dyn]
    }
    const why = `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
    this.report(at, why)
    return [errorType, errorType]
  }

  private assertType(at: Expression, found: CelType, wanted: CelType): void {
    if (isAssignable(this.bindings, wanted, found)) return
    const [a, b] = [wanted, found].map((one) => formatType(substitute(this.bindings, one, true)))
    this.report(at, `expected type '${a}' but found '${b}'`)
  }
}

function sameType(a: CelType, b: CelType): boolean {
  return formatType(a) === formatType(b)
}

/** The more general of two types, one of which is assignable to the other. */
function moreGeneral(a: CelType, b: CelType): CelType {
  return b.kind === 'simple' && (b.name === 'dyn' || b.name === 'any') ? b : a
}

function literalType(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return bool
    case 'bigint':
      return simple('int')
    case 'number':
      return simple('double')
    case 'string':
      return simple('string')
  }
  if (value === null) return simple('null')
  if (value instanceof Uint) return simple('uint')
  return value instanceof Timestamp ? simple('timestamp') : simple('bytes')
}
