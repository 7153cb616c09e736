import { capped, fixed, most, one, product, type SizeBounds, scaled, sum, unknown } from './bounds.ts'
import type { CelType } from './cel-type.ts'
import type { Expression } from './expression.ts'
import { maxIncluded } from './library/lists.ts'
import { perCharacter, perListLiteral, perPatternCharacter } from './runtime-cost.ts'

export interface CallEstimate {
  readonly cost: SizeBounds
  readonly size?: SizeBounds | undefined
}

/** The known properties of the arguments of a call. */
export interface Sizes {
  of(expression: Expression): SizeBounds
  ofElements(list: Expression): SizeBounds
  typeOf(expression: Expression): CelType
}

/** Functions of Kubernetes, and functions for which it defines costs (v1.36, apiserver/pkg/cel/library/cost.go). */
export function ownCall(
  sizes: Sizes,
  name: string,
  id: string,
  target: Expression | undefined,
  args: readonly Expression[],
): CallEstimate | undefined {
  const [first, second] = args
  const ofFirst = (): SizeBounds => (first === undefined ? unknown : sizes.of(first))
  const traversed = (size: SizeBounds): CallEstimate => ({ cost: scaled(size, perCharacter) })
  switch (name) {
    case 'isSorted':
    case 'sum':
    case 'max':
    case 'min':
    case 'indexOf':
    case 'lastIndexOf':
      return target === undefined ? undefined : walk(sizes, target)
    case 'includes':
      return id === 'dra_includes_dyn_dyn' ? { cost: { min: 0, max: maxIncluded } } : included(sizes, target)
    case 'url':
      return { ...traversed(ofFirst()), size: ofFirst() }
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim': {
      const size = target === undefined ? unknown : sizes.of(target)
      return { ...traversed(size), size }
    }
    case 'replace':
      if (target === undefined || first === undefined || second === undefined) return undefined
      return replacement(sizes.of(target), sizes.of(first), sizes.of(second))
    case 'split': {
      const size = target === undefined ? unknown : sizes.of(target)
      const limit = second?.kind === 'literal' && typeof second.value === 'bigint' ? Number(second.value) : size.max
      return { cost: scaled(size, 2 * perCharacter), size: { min: 0, max: limit } }
    }
    case 'join':
      return target === undefined ? undefined : joined(sizes, target, first)
    case 'find':
    case 'findAll': {
      const size = target === undefined ? unknown : sizes.of(target)
      return { cost: patternCost(size, ofFirst()), size: { min: 0, max: size.max } }
    }
    case 'cidr':
    case 'isIP':
    case 'isCIDR':
    case 'quantity':
    case 'isQuantity':
    case 'semver':
    case 'isSemver':
      return traversed(ofFirst())
    case 'ip':
      return id === 'cidr_ip' ? { cost: one } : traversed(ofFirst())
    case 'ip.isCanonical':
      return { cost: scaled(ofFirst(), 2 * perCharacter) }
    case 'containsIP':
    case 'containsCIDR':
      return containing(name, id, ofFirst())
    case '_==_':
      return first !== undefined && second !== undefined ? equality(sizes, first, second) : undefined
    case 'validate':
      return { cost: scaled(scaled(ofFirst(), perCharacter), 128 * perPatternCharacter) }
  }
  return undefined
}

/** Values of these types are compared at a fixed cost. */
function equality(sizes: Sizes, first: Expression, second: Expression): CallEstimate | undefined {
  const [a, b] = [sizes.typeOf(first), sizes.typeOf(second)]
  if (a.kind !== 'opaque' || b.kind !== 'opaque' || a.name !== b.name) return undefined
  return a.name === 'kubernetes.URL' || a.name === 'kubernetes.NamedFormat' ? undefined : { cost: one }
}

function containing(name: string, id: string, other: SizeBounds): CallEstimate {
  const bytes: SizeBounds = { min: 4, max: 16 }
  let cost = scaled(sum(bytes, bytes), perCharacter)
  if (name === 'containsCIDR') cost = sum(sum(cost, scaled(bytes, perCharacter)), one)
  return { cost: id.endsWith('_string') ? sum(cost, scaled(other, perCharacter)) : cost }
}

/** One comparison per element; the target may also be a single value. Upstream reads the keys of a map as its elements. */
function included(sizes: Sizes, target: Expression | undefined): CallEstimate | undefined {
  if (target === undefined) return undefined
  const type = sizes.typeOf(target)
  if (type.kind === 'list') return walk(sizes, target)
  return { cost: type.kind === 'map' ? eachOf(sizes, target, type.key) : sizes.of(target) }
}

/** The cost of visiting each element once. */
function walk(sizes: Sizes, target: Expression): CallEstimate {
  const type = sizes.typeOf(target)
  if (type.kind !== 'list') return { cost: scaled(sizes.of(target), perCharacter) }
  return { cost: eachOf(sizes, target, type.element) }
}

function eachOf(sizes: Sizes, target: Expression, element: CelType): SizeBounds {
  const isText = element.kind === 'simple' && (element.name === 'string' || element.name === 'bytes')
  const each = isText ? sum(one, scaled(sizes.ofElements(target), perCharacter)) : one
  return product(sizes.of(target), each)
}

function joined(sizes: Sizes, target: Expression, separator: Expression | undefined): CallEstimate {
  const count = sizes.of(target)
  let size = product(count, sizes.ofElements(target))
  if (separator !== undefined) {
    const between: SizeBounds = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
    size = sum(size, product(sizes.of(separator), between))
  }
  return { cost: scaled(size, perCharacter), size }
}

function replacement(whole: SizeBounds, old: SizeBounds, fresh: SizeBounds): CallEstimate {
  let [countMax, keptMax, countMin, keptMin] = [0, 0, 0, 0]
  if (old.min === 0) [countMax, keptMax] = [capped(whole.max + 1), whole.max]
  else if (fresh.max <= old.min) keptMax = whole.max
  else countMax = Math.ceil(whole.max / old.min)
  if (old.max === 0) [countMin, keptMin] = [whole.min + 1, whole.min]
  else if (old.max <= fresh.min) keptMin = whole.min
  else countMin = Math.ceil(whole.min / old.max)
  const size = sum(product({ min: countMin, max: countMax }, fresh), { min: keptMin, max: keptMax })
  return { cost: scaled(whole, 2 * perCharacter), size }
}

export function patternCost(text: SizeBounds, pattern: SizeBounds): SizeBounds {
  return product(scaled(sum(text, one), perCharacter), scaled(pattern, perPatternCharacter))
}

export const listCalls: ReadonlySet<string> = new Set([
  'slice',
  'reverse',
  'flatten',
  'distinct',
  'sort',
  '@sortByAssociatedKeys',
])

/** The cost of calls that return a list for a list. */
export function listCall(
  sizes: Sizes,
  name: string,
  target: Expression,
  first: Expression | undefined,
  second: Expression | undefined,
  total: SizeBounds,
): CallEstimate {
  const literal = (arg: Expression | undefined, otherwise: number): number =>
    arg?.kind === 'literal' && typeof arg.value === 'bigint' ? Math.max(0, Number(arg.value)) : otherwise
  const whole = sizes.of(name === '@sortByAssociatedKeys' && first !== undefined ? first : target)
  const base = fixed(1 + perListLiteral)
  const made = (size: SizeBounds, factor: number): CallEstimate => ({
    cost: sum(sum(scaled(size, factor), base), total),
    size,
  })
  switch (name) {
    case 'slice':
      return made(fixed(literal(second, whole.max) - literal(first, 0)), 1)
    case 'reverse':
      return made(whole, 1)
    case 'flatten':
      return made(whole, first === undefined ? 1 : literal(first, most))
    case 'distinct':
      return made(product(whole, whole), 2)
    default: {
      const type = sizes.typeOf(name === 'sort' || first === undefined ? target : first)
      const isText = type.kind === 'list' && type.element.kind === 'simple' && /string|bytes/.test(type.element.name)
      return made(product(whole, whole), isText ? 2 + perCharacter : 2)
    }
  }
}
