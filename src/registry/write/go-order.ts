import type { KubeObject } from '../../api/objects/meta.ts'
import type { Shape, StructShape } from '../../api/schema/shape.ts'
import { setMember } from '../../base/exact-json.ts'
import type { Fields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { tokenProjection } from '../admission/token-projection.ts'

// Pods of one template share their spec, and the tree of its owned fields.
const recent = new Recent<object, { readonly shape: Shape; readonly value: unknown }>()
const recentFields = new Recent<object, Fields>()

/**
 * The object in the order in which Go writes it: members of structs in declaration order, keys of maps sorted. Clients
 * that print a response as received show this order. Parts that are in order are returned unchanged. Without a shape,
 * as for custom resources, everything is a map. `known` is the stored object, in order: its parts are not checked
 * again.
 */
export function inGoOrder(object: KubeObject, shape: StructShape | undefined, known?: KubeObject): KubeObject {
  // The store sets the resourceVersion at its place.
  const { metadata } = object
  const versioned =
    'resourceVersion' in metadata ? object : { ...object, metadata: { ...metadata, resourceVersion: '' } }
  if (shape === undefined) return inOrder(undefined, versioned) as KubeObject
  const tree = versioned as unknown as Fields
  const old = known as unknown as Fields | undefined
  let out: Record<string, unknown> | undefined
  for (const name in tree) {
    const before = tree[name]
    const field = shape.fields.get(name)
    if (field === undefined || typeof before !== 'object' || before === null || before === old?.[name]) continue
    const isShared = name !== 'metadata' && old === undefined
    const after = isShared ? remembered(field.shape, before) : inOrder(field.shape, before, old?.[name])
    if (after === before) continue
    out ??= { ...tree }
    out[name] = after
  }
  return arranged(out ?? tree, shape) as unknown as KubeObject
}

function remembered(shape: Shape, value: object): unknown {
  const known = recent.get(value)
  if (known?.shape === shape) return known.value
  const ordered = inOrder(shape, value)
  recent.set(value, { shape, value: ordered })
  return ordered
}

function inOrder(shape: Shape | undefined, value: unknown, known?: unknown): unknown {
  if (typeof value !== 'object' || value === null || value === known || value === tokenProjection) return value
  if (Array.isArray(value)) {
    return shape === undefined || shape.is === 'list' ? listInOrder(shape?.of, value, known) : value
  }
  switch (shape?.is) {
    case undefined:
      return mapInOrder(undefined, value as Fields)
    case 'struct':
      return structInOrder(shape, value as Fields, known)
    case 'map':
      return mapInOrder(shape.of, value as Fields)
    case 'loose':
      return structInOrder(shape.of, value as Fields, known)
    default:
      return value
  }
}

function listInOrder(of: Shape | undefined, list: readonly unknown[], known: unknown): readonly unknown[] {
  const old = Array.isArray(known) ? known : undefined
  let out: unknown[] | undefined
  for (let i = 0; i < list.length; i++) {
    const after = inOrder(of, list[i], old?.[i])
    if (after === list[i]) continue
    out ??= [...list]
    out[i] = after
  }
  return out ?? list
}

function mapInOrder(of: Shape | undefined, map: Fields): Fields {
  let out: Record<string, unknown> | undefined
  let last = ''
  let sorted = true
  for (const name in map) {
    if (name < last) sorted = false
    last = name
    const before = map[name]
    if (typeof before !== 'object') continue
    const after = inOrder(of, before)
    if (after === before) continue
    out ??= { ...map }
    out[name] = after
  }
  if (sorted) return out ?? map
  const all = out ?? map
  // Users choose the names: each name becomes an own member, even if objects inherit a member with this name.
  const names = Object.keys(all).sort()
  return Object.fromEntries(names.map((name) => [name, all[name]]))
}

/** The last tree in order: the same tree occurs again when the whole object of a create is put in order. */
let lastInOrder: Fields | undefined

/** The tree of owned fields, sorted as structured-merge-diff sorts it. */
export function fieldsInOrder(fields: Fields): Fields {
  if (fields !== lastInOrder) lastInOrder = rememberedFields(fields, rememberedInside)
  return lastInOrder
}

/** All pods of a template share one tree of owned fields of the spec, and usually the whole tree. */
function rememberedFields(fields: Fields, inside: (fields: Fields) => Fields): Fields {
  let value = recentFields.get(fields)
  if (value === undefined) {
    value = sortedFields(fields, inside)
    recentFields.set(fields, value)
  }
  return value
}

const rememberedInside = (fields: Fields): Fields => rememberedFields(fields, deepSorted)
const deepSorted = (fields: Fields): Fields => sortedFields(fields, deepSorted)

function sortedFields(fields: Fields, inside: (fields: Fields) => Fields): Fields {
  let lastName = ''
  let isSorted = true
  let isText = true
  // Elements of a list often share one tree.
  let last: unknown
  let changed: Map<unknown, Fields> | undefined
  for (const name in fields) {
    isText &&= isOrderedAsText(name)
    if (isSorted && lastName !== '') isSorted = isText ? lastName <= name : isBefore(lastName, name)
    lastName = name
    const value = fields[name]
    if (value === last || typeof value !== 'object' || value === null || Array.isArray(value)) continue
    last = value
    const after = inside(value as Fields)
    if (after === value) continue
    changed ??= new Map()
    changed.set(value, after)
  }
  if (isSorted && changed === undefined) return fields
  const names = Object.keys(fields)
  const inOrder = isSorted ? names : isText ? names.sort() : inElementOrder(names)
  return inNameOrder(fields, inOrder, changed)
}

// The value of a single key ends with a quote, which sorts before all characters but two. If a value has neither of the
// two, names sort like values.
const singleTextKey = /^k:\{"[^ !"\\]*":"[^ !"\\]*"\}$/

/** Fields, and elements with a single key that is a string: such names are in order when they are sorted as text. */
const isOrderedAsText = (name: string): boolean => !name.startsWith('k:') || singleTextKey.test(name)

function isBefore(a: string, b: string): boolean {
  if (!a.startsWith('k:') || !b.startsWith('k:')) return a <= b
  return byPathElement(pathElement(a), pathElement(b)) <= 0
}

function inElementOrder(names: readonly string[]): readonly string[] {
  const elements = names.map(pathElement).sort(byPathElement)
  return elements.map(({ name }) => name)
}

/** `changed`: replaces a value. */
function inNameOrder(fields: Fields, names: readonly string[], changed?: ReadonlyMap<unknown, Fields>): Fields {
  const out: Record<string, unknown> = {}
  for (const name of names) {
    const value = fields[name]
    setMember(out, name, changed?.get(value) ?? value)
  }
  return out
}

type PathKey = readonly [name: string, value: unknown]
const noKey: PathKey = ['', undefined]

/** A member of a tree of owned fields; `keys` are the keys of a list element, parsed once for all comparisons. */
interface PathElement {
  readonly name: string
  readonly keys: readonly PathKey[] | undefined
}

const pathElement = (name: string): PathElement => ({
  name,
  keys: name.startsWith('k:') ? (singleKey(name) ?? Object.entries(JSON.parse(name.slice(2)) as Fields)) : undefined,
})

/** The keys of `k:{"name":"web"}`, the usual form, without parsing it. Undefined if it has another form. */
function singleKey(name: string): PathElement['keys'] {
  const start = 'k:{"'.length
  const nameEnd = name.indexOf('"', start)
  const end = name.length - '"}'.length
  if (!name.startsWith('":"', nameEnd) || name.includes('\\')) return undefined
  const value = nameEnd + '":"'.length
  return name.indexOf('"', value) === end ? [[name.slice(start, nameEnd), name.slice(value, end)]] : undefined
}

/** List elements by the values of their keys, everything else by name. */
function byPathElement(a: PathElement, b: PathElement): number {
  if (a.keys === undefined || b.keys === undefined) return a.name < b.name ? -1 : 1
  for (let i = 0; i < a.keys.length; i++) {
    const [name, value] = a.keys[i] as PathKey
    const [otherName, other] = b.keys[i] ?? noKey
    if (name !== otherName) return name < otherName ? -1 : 1
    if (value !== other) return (value as string) < (other as string) ? -1 : 1
  }
  return a.keys.length - b.keys.length
}

function structInOrder(shape: StructShape, value: Fields, known: unknown): Fields {
  const old = typeof known === 'object' && known !== null ? (known as Fields) : undefined
  let out: Record<string, unknown> | undefined
  // Limits and requests are often the same object.
  let last: unknown
  let lastShape: Shape | undefined
  let after: unknown
  for (const name in value) {
    const before = value[name]
    if (typeof before !== 'object' || before === null || before === old?.[name]) continue
    const field = shape.fields.get(name)
    if (field === undefined) continue
    if (before !== last || field.shape !== lastShape) {
      after = name === 'fieldsV1' ? fieldsInOrder(before as Fields) : inOrder(field.shape, before, old?.[name])
      last = before
      lastShape = field.shape
    }
    if (after === before) continue
    out ??= { ...value }
    out[name] = after
  }
  return arranged(out ?? value, shape)
}

interface Ranks {
  readonly rankOf: ReadonlyMap<string, number>
  /** The last names that were not in order. Elements of a list often have the same names. */
  given: readonly string[]
  ordered: readonly string[]
}

const ranks = new WeakMap<StructShape, Ranks>()

function ranksOf(shape: StructShape): Ranks {
  let known = ranks.get(shape)
  if (known === undefined) {
    const rankOf = new Map([...shape.fields.keys()].map((name, rank) => [name, rank]))
    known = { rankOf, given: [], ordered: [] }
    ranks.set(shape, known)
  }
  return known
}

function orderedNames(value: Fields, known: Ranks): readonly string[] {
  const given = Object.keys(value)
  const { rankOf } = known
  const isSame = given.length === known.given.length && given.every((name, i) => name === known.given[i])
  if (!isSame) {
    known.given = given
    known.ordered = [...given].sort((a, b) => (rankOf.get(a) ?? rankOf.size) - (rankOf.get(b) ?? rankOf.size))
  }
  return known.ordered
}

/** Orders the members of a struct, each of which is already in order. */
function arranged(value: Fields, shape: StructShape): Fields {
  const known = ranksOf(shape)
  let last = -1
  for (const name in value) {
    const rank = known.rankOf.get(name)
    if (rank !== undefined && rank > last) {
      last = rank
      continue
    }
    const out: Record<string, unknown> = {}
    for (const each of orderedNames(value, known)) out[each] = value[each]
    return out
  }
  return value
}
