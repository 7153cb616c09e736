import { deepEqual } from '../../api/equality.ts'
import type { Json, JsonObject } from '../../api/objects/meta.ts'
import type { Field, Shape, StructShape } from '../../api/schema/shape.ts'
import type { Result } from '../../base/result.ts'
import { mergeOrder } from './element-order.ts'
import { goPrint, goTypeName } from './go-print.ts'
import { draftOf, isJsonObject, setOwn, without } from './merge-patch.ts'

const directive = '$patch'
const retainKeys = '$retainKeys'
const deletePrefix = '$deleteFromPrimitiveList'
const orderPrefix = '$setElementOrder'

/** An invalid patch. Thrown and caught inside this file only. */
class PatchProblem extends Error {}

/**
 * Strategic merge patch (v1.36, apimachinery util/strategicpatch): like JSON merge patch, but lists are merged by key
 * if the type says so, and directives delete, replace and order. Neither argument is changed; unchanged parts are
 * shared with the original, even if the patch names them.
 */
export function applyStrategicMerge(original: JsonObject, patch: JsonObject, shape: StructShape): Result<JsonObject> {
  try {
    return { ok: true, value: mergeObjects(original, patch, shape) }
  } catch (error) {
    if (error instanceof PatchProblem) return { ok: false, message: error.message }
    throw error
  }
}

type Items = readonly Json[]
type Draft = Record<string, Json>

function mergeObjects(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  const how = Object.hasOwn(patch, directive) ? patch[directive] : undefined
  if (how !== undefined) return directed(how, patch)
  if (!hasDirectives(patch)) return mergeMembers(original, patch, shape)
  const out: Draft = { ...original }
  const draft: Draft = { ...patch }
  retainOnly(out, draft)
  mergeOrderedLists(out, draft, shape)
  for (const key in draft) {
    const value = draft[key] as Json
    if (key.startsWith(deletePrefix)) deleteFromList(out, key, value)
    else {
      const next = mergedMember(out, key, value, shape)
      if (next === undefined) delete out[key]
      else setOwn(out, key, next)
    }
  }
  return out
}

function mergeMembers(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  let out: Draft | undefined
  let gone: string[] | undefined
  for (const key in patch) {
    const next = mergedMember(original, key, patch[key] as Json, shape)
    if (next === undefined) {
      if (!Object.hasOwn(original, key)) continue
      gone ??= []
      gone.push(key)
    } else if (!Object.hasOwn(original, key) || next !== original[key]) {
      out ??= draftOf(original, patch)
      setOwn(out, key, next)
    }
  }
  return gone === undefined ? (out ?? original) : without(out ?? original, gone)
}

function hasDirectives(patch: JsonObject): boolean {
  for (const key in patch) if (key.startsWith('$')) return true
  return false
}

function directed(how: Json, patch: JsonObject): JsonObject {
  if (how === 'delete') return {}
  if (how !== 'replace') throw unknownType(how, patch)
  const { [directive]: _, ...rest } = patch
  return rest
}

const unknownType = (how: Json, patch: JsonObject): PatchProblem =>
  new PatchProblem(`unknown patch type: ${goPrint(how)} in map: ${goPrint(patch)}`)

/** The new value of a member; undefined: it is removed. */
function mergedMember(original: JsonObject, key: string, value: Json, shape: Shape): Json | undefined {
  if (value === null) return undefined
  const present = Object.hasOwn(original, key) ? original[key] : undefined
  if (present === undefined || typeOf(present) !== typeOf(value)) {
    // Without a target to merge into, nulls and directives have no effect, and are not stored.
    return typeof value === 'object' ? content(value) : value
  }
  if (isJsonObject(value)) {
    const field = member(shape, key)
    const isWhole = field.field?.replaces === true
    return isWhole ? value : mergeObjects((present ?? {}) as JsonObject, value, field.shape)
  }
  return Array.isArray(value) ? mergeLists(present as Items, value, member(shape, key)) : value
}

interface PatchedField {
  readonly shape: Shape
  readonly field?: Field
}

function member(shape: Shape, key: string): PatchedField {
  if (shape.is === 'struct') {
    const field = shape.fields.get(key)
    if (field !== undefined) return { shape: field.shape, field }
    throw new PatchProblem(`unable to find api field in struct ${shape.name} for the json field ${JSON.stringify(key)}`)
  }
  if (shape.is === 'map') return { shape: shape.of }
  return { shape: anything }
}

const anything: Shape = { is: 'scalar', kind: 'json', goName: 'interface {}' }

function mergeLists(original: Items, patch: Items, { shape, field }: PatchedField): Items {
  if (field?.merge === undefined) return patch
  if (original.length === 0 && patch.length === 0) return original
  if (elementType(original, patch) !== 'object') {
    return mergeOrder({
      merged: [...new Set([...original, ...patch])],
      patchOrder: patch,
      serverOrder: original,
      key: '',
    })
  }
  const { key } = field.merge
  if (key === undefined) throw new PatchProblem(`cannot merge lists without merge key for ${shape.is}`)
  const { kept, left } = applySpecialElements(original, patch, key)
  const merged = mergeByKey(kept, left, key, shape.is === 'list' ? shape.of : anything)
  const ordered = mergeOrder({ merged, patchOrder: left, serverOrder: kept, key })
  return areSame(ordered, original) ? original : ordered
}

function areSame(list: Items, other: Items): boolean {
  if (list.length !== other.length) return false
  for (let i = 0; i < list.length; i++) if (list[i] !== other[i]) return false
  return true
}

/** Directives in a list: delete one element, or replace the whole list by the other elements. */
function applySpecialElements(original: Items, patch: Items, key: string): { kept: Items; left: Items } {
  const gone = new Set<string>()
  let replaces = false
  const left: Json[] = []
  for (const element of patch as readonly JsonObject[]) {
    const how = Object.hasOwn(element, directive) ? element[directive] : undefined
    if (how === undefined) left.push(element)
    else if (how === 'replace') replaces = true
    else if (how === 'delete') gone.add(identityOf(keyOf(element, key)))
    else if (how === 'merge') throw new PatchProblem('merging lists cannot yet be specified in the patch')
    else throw unknownType(how, element)
  }
  if (replaces) return { kept: left, left: [] }
  const isKept = (one: Json): boolean => !(isJsonObject(one) && gone.has(identityOf(one[key])))
  return { kept: gone.size === 0 ? original : original.filter(isKept), left }
}

/** Equal for equal values, so that elements of long lists are looked up by key. */
function identityOf(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return `${typeof value} ${String(value)}`
  if (Array.isArray(value)) return `[${value.map(identityOf).join()}]`
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${identityOf((value as JsonObject)[name])}`).join()}}`
}

function mergeByKey(original: Items, patch: Items, key: string, shape: Shape): Items {
  const merged: Json[] = [...original]
  const places = new Map<string, number>()
  const place = (one: Json | undefined, index: number): void => {
    const identity = isJsonObject(one) ? identityOf(one[key]) : undefined
    if (identity !== undefined && !places.has(identity)) places.set(identity, index)
  }
  if (patch.length > 0) merged.forEach(place)
  for (const element of patch as readonly JsonObject[]) {
    const index = places.get(identityOf(keyOf(element, key)))
    if (index === undefined) place(element, merged.push(element) - 1)
    else merged[index] = mergeObjects(merged[index] as JsonObject, element, shape)
  }
  for (const one of merged) keyOf(one, key)
  return merged
}

function keyOf(element: Json, key: string): Json {
  const value = isJsonObject(element) && Object.hasOwn(element, key) ? element[key] : undefined
  if (value !== undefined) return value
  throw new PatchProblem(`map: ${goPrint(element)} does not contain declared merge key: ${key}`)
}

/** `$setElementOrder/x` and the list `x` of the same patch are merged together, and removed from the patch. */
function mergeOrderedLists(out: Draft, rest: Draft, shape: Shape): void {
  for (const [name, order] of Object.entries(rest)) {
    if (!name.startsWith(orderPrefix)) continue
    delete rest[name]
    if (!Array.isArray(order)) throw notList(order)
    const key = afterSlash(name, orderPrefix)
    const original = listAt(out, key)
    const patch = listAt(rest, key)
    const found = member(shape, key)
    const mergeKey = found.field?.merge?.key ?? ''
    checkOrder(patch ?? [], order as Items, mergeKey)
    if (original === undefined && patch === undefined) continue
    const merged = mergedForOrder(original, patch, found)
    const kind = elementType(original ?? [], patch ?? [])
    if (kind === 'object') for (const one of [...merged, ...(order as Items), ...(original ?? [])]) keyOf(one, mergeKey)
    out[key] = mergeOrder({ merged, patchOrder: order as Items, serverOrder: original ?? [], key: mergeKey })
    delete rest[key]
  }
}

function mergedForOrder(original: Items | undefined, patch: Items | undefined, found: PatchedField): Items {
  if (patch === undefined) return original ?? []
  if (original === undefined) return withoutDirectives(patch) as Items
  return mergeLists(original, patch, found)
}

function listAt(holder: JsonObject, key: string): Items | undefined {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw notList(value)
  return value as Items
}

const notList = (value: Json): PatchProblem =>
  new PatchProblem(`expected a []interface {}, but received a ${goTypeName(value)}`)

/** The patch must list its elements in the requested order, and no element that the order does not contain. */
function checkOrder(patch: Items, order: Items, key: string): void {
  if (order.length === 0 || patch.length === 0) return
  const identity = (one: Json): Json => (key === '' ? one : keyOf(one, key))
  let next = 0
  for (const element of patch) {
    if (isJsonObject(element) && Object.hasOwn(element, directive)) continue
    while (next < order.length && !deepEqual(identity(order[next] as Json), identity(element))) next++
    if (next >= order.length) {
      const lists = [goPrint(patch as Json), goPrint(order as Json)]
      throw new PatchProblem(
        `The order in patch list:\n${lists[0]}\n doesn't match ${orderPrefix} list:\n${lists[1]}\n`,
      )
    }
    next++
  }
}

/** A directive of another type than its member has no effect. */
function deleteFromList(out: Draft, name: string, gone: Json): void {
  const key = afterSlash(name, deletePrefix)
  const present = Object.hasOwn(out, key) ? out[key] : undefined
  if (!Array.isArray(present) || !Array.isArray(gone)) return
  const isGone = new Set(gone as Items)
  const left = (present as Items).filter((one) => !isGone.has(one))
  setOwn(out, key, left as Json)
}

function retainOnly(out: Draft, rest: Draft): void {
  const keys = Object.hasOwn(rest, retainKeys) ? rest[retainKeys] : undefined
  if (keys === undefined) return
  delete rest[retainKeys]
  const invalidKeys = () => new PatchProblem('invalid patch format of retainKeys')
  if (!Array.isArray(keys)) throw invalidKeys()
  const retained = new Set(keys as Items)
  for (const [key, value] of Object.entries(rest)) {
    if (value === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue
    if (!retained.has(key)) throw invalidKeys()
  }
  for (const key of Object.keys(out)) if (!retained.has(key)) delete out[key]
}

function afterSlash(name: string, prefix: string): string {
  if (name.startsWith(`${prefix}/`)) return name.slice(prefix.length + 1)
  const list = prefix === orderPrefix ? 'setElementOrder' : 'primitive'
  throw new PatchProblem(`invalid patch format of ${list} list`)
}

function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value
}

function elementType(original: Items, patch: Items): string {
  let only: string | undefined
  for (const list of [original, patch]) {
    for (const one of list) {
      const type = one === null ? 'null' : typeOf(one)
      if (type === 'array') throw new PatchProblem('lists of lists are not supported')
      if (only !== undefined && type !== only) throw new PatchProblem('list element types are not identical')
      only = type
    }
  }
  if (only === undefined) throw new PatchProblem('no elements in any of the given slices')
  return only
}

/** The content of a part of a patch, without nulls and objects with directives. */
function content(value: Json): Json | undefined {
  if (isJsonObject(value) && Object.hasOwn(value, directive) && value[directive] !== null) return undefined
  return changedInside(value, contentOfMember)
}

function contentOfMember(inner: Json, isMember: boolean): Json | undefined {
  if (typeof inner !== 'object') return inner
  if (inner === null) return isMember ? undefined : null
  return content(inner)
}

function withoutDirectives(value: Json): Json | undefined {
  if (isJsonObject(value) && Object.hasOwn(value, directive)) return undefined
  return changedInside(value, withoutDirectives)
}

/**
 * A list or an object with its parts changed, without parts that become undefined; the same object if nothing changes.
 */
function changedInside(value: Json, change: (inner: Json, isMember: boolean) => Json | undefined): Json {
  if (Array.isArray(value)) {
    let changed: Json[] | undefined
    for (let i = 0; i < value.length; i++) {
      const inner = value[i] as Json
      const next = change(inner, false)
      if (next === inner && changed === undefined) continue
      changed ??= value.slice(0, i)
      if (next !== undefined) changed.push(next)
    }
    return changed ?? value
  }
  if (!isJsonObject(value)) return value
  let out: Draft | undefined
  let gone: string[] | undefined
  for (const key in value) {
    const inner = value[key] as Json
    const next = change(inner, true)
    if (next === inner) continue
    if (next === undefined) {
      gone ??= []
      gone.push(key)
    } else {
      out ??= { ...value }
      setOwn(out, key, next)
    }
  }
  return gone === undefined ? (out ?? value) : without(out ?? value, gone)
}
