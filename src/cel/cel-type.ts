/** The static type of a value. */
export type CelType =
  | { readonly kind: 'simple'; readonly name: SimpleName }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly element: CelType }
  | { readonly kind: 'type'; readonly of: CelType | undefined }
  | { readonly kind: 'object'; readonly name: string; readonly fields: ReadonlyMap<string, CelType> }
  | { readonly kind: 'opaque'; readonly name: string }
  /** A type parameter of a signature, or of an empty list: bound to the first type it is compared with. */
  | { readonly kind: 'parameter'; readonly name: string }

export type SimpleName =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'null'
  | 'timestamp'
  | 'duration'
  | 'dyn'
  /** Like dyn, but not iterable (google.protobuf.Any). */
  | 'any'
  | 'error'

export const simple = (name: SimpleName): CelType => ({ kind: 'simple', name })
export const listOf = (element: CelType): CelType => ({ kind: 'list', element })
export const mapOf = (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value })
export const optionalOf = (element: CelType): CelType => ({ kind: 'optional', element })
export const dyn = simple('dyn')
export const bool = simple('bool')
export const errorType = simple('error')

/** The text of a type in messages (cel-go, checker.FormatCELType). */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'simple':
      return type.name === 'error' ? '!error!' : type.name
    case 'list':
      return `list(${formatType(type.element)})`
    case 'map':
      return `map(${formatType(type.key)}, ${formatType(type.value)})`
    case 'optional':
      return `optional_type(${formatType(type.element)})`
    case 'type':
      return type.of === undefined ? 'type' : `type(${formatType(type.of)})`
    case 'object':
    case 'opaque':
    case 'parameter':
      return type.name
  }
}

/** The current bindings of type parameters. */
export type Bindings = Map<string, CelType>

export function substitute(bindings: Bindings, type: CelType, unboundIsDyn: boolean): CelType {
  switch (type.kind) {
    case 'parameter': {
      const bound = bindings.get(type.name)
      if (bound !== undefined) return substitute(bindings, bound, unboundIsDyn)
      return unboundIsDyn ? dyn : type
    }
    case 'list':
      return listOf(substitute(bindings, type.element, unboundIsDyn))
    case 'map':
      return mapOf(substitute(bindings, type.key, unboundIsDyn), substitute(bindings, type.value, unboundIsDyn))
    case 'optional':
      return optionalOf(substitute(bindings, type.element, unboundIsDyn))
    case 'type':
      return type.of === undefined ? type : { kind: 'type', of: substitute(bindings, type.of, unboundIsDyn) }
    default:
      return type
  }
}

export const isLoose = (type: CelType): boolean =>
  type.kind === 'simple' && (type.name === 'dyn' || type.name === 'any' || type.name === 'error')

/**
 * Whether a value of one type is assignable to another; type parameters are bound. If it is not assignable, the
 * bindings are restored (cel-go, checker.isAssignable).
 */
export function isAssignable(bindings: Bindings, wanted: CelType, found: CelType): boolean {
  const trial: Bindings = new Map(bindings)
  if (!unify(trial, wanted, found)) return false
  for (const [name, type] of trial) bindings.set(name, type)
  return true
}

function unify(bindings: Bindings, wanted: CelType, found: CelType): boolean {
  const a = resolve(bindings, wanted)
  const b = resolve(bindings, found)
  if (a.kind === 'parameter' && b.kind === 'parameter' && a.name === b.name) return true
  if (b.kind === 'parameter') return bind(bindings, b.name, a)
  if (a.kind === 'parameter') return bind(bindings, a.name, b)
  if (isLoose(a) || isLoose(b)) return true
  if (isNull(b) || isNull(a)) return isNull(a) === isNull(b) || isNullable(isNull(a) ? b : a)
  switch (a.kind) {
    case 'simple':
      return b.kind === 'simple' && a.name === b.name
    case 'list':
      return b.kind === 'list' && unify(bindings, a.element, b.element)
    case 'map':
      return b.kind === 'map' && unify(bindings, a.key, b.key) && unify(bindings, a.value, b.value)
    case 'optional':
      return b.kind === 'optional' && unify(bindings, a.element, b.element)
    case 'type':
      return b.kind === 'type'
    case 'object':
      return b.kind === 'object' && a.name === b.name
    case 'opaque':
      return b.kind === 'opaque' && a.name === b.name
  }
}

const isNull = (type: CelType): boolean => type.kind === 'simple' && type.name === 'null'

function isNullable(type: CelType): boolean {
  if (type.kind === 'simple') return type.name === 'timestamp' || type.name === 'duration'
  return type.kind === 'object' || type.kind === 'opaque' || type.kind === 'optional'
}

function resolve(bindings: Bindings, type: CelType): CelType {
  let here = type
  while (here.kind === 'parameter') {
    const bound = bindings.get(here.name)
    if (bound === undefined) return here
    here = bound
  }
  return here
}

function bind(bindings: Bindings, name: string, type: CelType): boolean {
  if (mentions(bindings, type, name)) return false
  bindings.set(name, type)
  return true
}

function mentions(bindings: Bindings, type: CelType, name: string): boolean {
  const here = resolve(bindings, type)
  switch (here.kind) {
    case 'parameter':
      return here.name === name
    case 'list':
    case 'optional':
      return mentions(bindings, here.element, name)
    case 'map':
      return mentions(bindings, here.key, name) || mentions(bindings, here.value, name)
    case 'type':
      return here.of !== undefined && mentions(bindings, here.of, name)
    default:
      return false
  }
}
