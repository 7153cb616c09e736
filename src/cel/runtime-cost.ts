import { lookupTable } from '../base/lookup-table.ts'
import { isObject, ListValue, MapValue, Opaque, Optional, sizeOf, type Value } from './value.ts'

/** Cost units of cel-go (common/cost.go): about 50 ns of a server each. */
export const perListLiteral = 10
export const perMapLiteral = 30
export const perStructLiteral = 40
export const perCharacter = 0.1
export const perPatternCharacter = 0.25

export const traversal = (size: number): number => Math.ceil(size * perCharacter)

function actualSize(value: Value | undefined): number {
  if (value === undefined) return 1
  if (value instanceof Optional) return value.value === undefined ? 1 : actualSize(value.value)
  return sizeOf(value) ?? 1
}

/** The cost of visiting all parts of a value. */
function treeCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter)
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter)
  if (value instanceof ListValue) return value.items.reduce((sum: number, one) => sum + treeCost(one), 0)
  if (value instanceof MapValue) {
    let sum = 0
    for (const { key, value: inner } of value.entries.values()) sum += treeCost(key) + treeCost(inner)
    return sum
  }
  if (!isObject(value)) return 1
  let sum = 0
  for (const [name, inner] of value.fields()) sum += treeCost(name) + treeCost(inner)
  return sum
}

type CallCost = (args: readonly Value[], result: Value) => number

const ofFirst: CallCost = ([first]) => traversal(actualSize(first))
const twiceFirst: CallCost = ([first]) => Math.ceil(actualSize(first) * 2 * perCharacter)
const tree: CallCost = ([first]) => (first === undefined ? 0 : treeCost(first))
const bySmaller: CallCost = ([a, b]) => traversal(Math.min(actualSize(a), actualSize(b)))
const byPattern: CallCost = ([text, pattern]) =>
  Math.ceil((1 + actualSize(text)) * perCharacter) * Math.ceil(actualSize(pattern) * perPatternCharacter)

/** Rough lengths of the expressions behind named formats (v1.36, apiserver/pkg/cel/library/format.go). */
const formatLengths = lookupTable<number>({
  dns1123Label: 30,
  dns1123Subdomain: 60,
  dns1035Label: 30,
  qualifiedName: 60,
  dns1123LabelPrefix: 30,
  dns1123SubdomainPrefix: 60,
  dns1035LabelPrefix: 30,
  labelValue: 40,
})

const comparedTexts: CallCost = (args, result) =>
  typeof args[0] === 'string' || args[0] instanceof Uint8Array ? bySmaller(args, result) : 1

const containing =
  (isCidr: boolean): CallCost =>
  ([cidr, other]) => {
    const size = actualSize(cidr)
    const base = traversal(2 * size) + (isCidr ? traversal(size) + 1 : 0)
    return base + (typeof other === 'string' ? traversal(actualSize(other)) : 0)
  }

const listMade = (size: number, factor: number): number => Math.floor(size * factor) + 1 + perListLiteral

/** The cost of comparing each element with every other element. */
function selfCompared(list: Value | undefined): number {
  const size = actualSize(list)
  const first = list instanceof ListValue ? list.items[0] : undefined
  const isText = typeof first === 'string' || first instanceof Uint8Array
  return listMade(size * size, isText ? 2 + perCharacter : 2)
}

/** Calls whose cost is not 1 (cel-go, interpreter/runtimecost.go; v1.36, apiserver/pkg/cel/library/cost.go). */
const costs = lookupTable<CallCost>({
  isSorted: tree,
  sum: tree,
  max: tree,
  min: tree,
  indexOf: tree,
  lastIndexOf: tree,
  includes: tree,
  url: ofFirst,
  lowerAscii: ofFirst,
  upperAscii: ofFirst,
  substring: ofFirst,
  trim: ofFirst,
  replace: twiceFirst,
  split: twiceFirst,
  join: (_, result) => Math.ceil(actualSize(result) * 2 * perCharacter),
  find: byPattern,
  findAll: byPattern,
  matches: byPattern,
  cidr: ofFirst,
  isIP: ofFirst,
  isCIDR: ofFirst,
  ip: (args, result) => (args[0] instanceof Opaque ? 1 : ofFirst(args, result)),
  'ip.isCanonical': twiceFirst,
  containsIP: containing(false),
  containsCIDR: containing(true),
  quantity: ofFirst,
  isQuantity: ofFirst,
  semver: ofFirst,
  isSemver: ofFirst,
  validate: ([format, value]) => {
    const name = format instanceof Opaque && format.content.kind === 'format' ? format.content.name : ''
    const length = formatLengths[name] ?? 128
    return Math.ceil((1 + actualSize(value)) * perCharacter) * Math.ceil(length * perPatternCharacter)
  },
  startsWith: ofFirst,
  endsWith: ofFirst,
  bytes: (args, result) => (typeof args[0] === 'string' ? ofFirst(args, result) : 1),
  string: (args, result) => (args[0] instanceof Uint8Array ? ofFirst(args, result) : 1),
  'strings.quote': ofFirst,
  format: ofFirst,
  '@in': ([, container]) => (container instanceof ListValue ? container.items.length : 1),
  '_<_': comparedTexts,
  '_<=_': comparedTexts,
  '_>_': comparedTexts,
  '_>=_': comparedTexts,
  '_==_': (args, result) => (args[0] instanceof Opaque ? 1 : bySmaller(args, result)),
  '_!=_': bySmaller,
  '_+_': ([a, b]) => (typeof a === 'string' || a instanceof Uint8Array ? traversal(actualSize(a) + actualSize(b)) : 1),
  contains: ([text, part]) => traversal(actualSize(text)) * traversal(actualSize(part)),
  slice: (_, result) => listMade(actualSize(result), 1),
  reverse: (_, result) => listMade(actualSize(result), 1),
  'lists.range': (_, result) => listMade(actualSize(result), 1),
  flatten: ([list, depth]) => listMade(actualSize(list), typeof depth === 'bigint' ? Number(depth) : 1),
  distinct: ([list]) => selfCompared(list),
  sort: ([list]) => selfCompared(list),
  '@sortByAssociatedKeys': ([, keys]) => selfCompared(keys),
  // An access check has a fixed cost (v1.36, apiserver/pkg/cel/library/cost.go).
  check: () => 350_000,
  'sets.contains': ([a, b]) => actualSize(a) * actualSize(b) + 1,
  'sets.intersects': ([a, b]) => actualSize(a) * actualSize(b) + 1,
  'sets.equivalent': ([a, b]) => 2 * actualSize(a) * actualSize(b) + 1,
})

export function callCost(name: string, args: readonly Value[], result: Value): number {
  const cost = Object.hasOwn(costs, name) ? costs[name] : undefined
  return cost === undefined ? 1 : cost(args, result)
}
