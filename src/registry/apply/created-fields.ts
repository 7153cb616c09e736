import { deepEqual } from '../../api/equality.ts'
import type { JsonObject } from '../../api/objects/meta.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { Fields } from '../../base/fields.ts'
import { Recent } from '../../base/recent.ts'
import { elementStep, type Ownership, unnameable } from './typed-value.ts'

const nothing: JsonObject = Object.freeze({})

const steps = new Map<string, string>()
const stepLimit = 4096
/** Users choose the names in larger maps. Such names would displace the names that repeat. */
const usualMembers = 64

function fieldStep(name: string): string {
  let step = steps.get(name)
  if (step === undefined) {
    step = `f:${name}`
    if (steps.size >= stepLimit) steps.clear()
    steps.set(name, step)
  }
  return step
}

/** Fields that no manager owns. */
const unownedMetadata = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
])

/**
 * The fields that the creator of an object owns: the fields that an update from the empty object would add. Computed
 * directly instead of by comparison, because every create over HTTP needs it. `empty` is the empty object of the kind:
 * structures that it has are not owned themselves, only their members.
 */
export function createdFields(object: Fields, empty: Fields, how: Ownership, ignored: readonly string[]): JsonObject {
  if (how.is !== 'members') return nothing
  const out: Record<string, JsonObject> = {}
  for (const name in object) {
    const value = object[name]
    if (name === 'apiVersion' || name === 'kind' || value === undefined || ignored.includes(name)) continue
    const fields =
      name === 'metadata' ? metadataFields(value as Fields, how.of(name)) : topFields(value, empty[name], how.of(name))
    if (fields !== undefined) out[fieldStep(name)] = fields
  }
  return shared(out)
}

// Keyed by the fields of the spec, which pods of one template share.
const recentTrees = new Recent<object, JsonObject>()
// Keyed by the names of the fields of the spec: objects often have different values in the same fields.
const treesByNames = new Recent<string, JsonObject>(64)

/** The tree of an earlier object with the same fields, if there is one, so that results computed from it are reused. */
function shared(fields: JsonObject): JsonObject {
  const spec = fields['f:spec']
  if (typeof spec !== 'object' || spec === null) return fields
  const known = recentTrees.get(spec)
  if (known !== undefined && isSameTree(fields, known)) return known
  const names = Object.keys(spec).join()
  const similar = treesByNames.get(names)
  const tree = similar !== undefined && isSameTree(fields, similar) ? similar : fields
  if (tree !== similar) treesByNames.set(names, tree)
  recentTrees.set(spec, tree)
  return tree
}

/** Larger trees repeat rarely, and comparing them costs more than it saves. */
const maxSharedFields = 1000

/** Whether both have the same fields in the same order. */
function isSameTree(a: JsonObject, b: JsonObject, count = { fields: 0 }): boolean {
  if (a === b) return true
  const names = Object.keys(b)
  count.fields += names.length
  if (count.fields > maxSharedFields) return false
  let at = 0
  for (const name in a) {
    if (names[at++] !== name || !isSameTree(a[name] as JsonObject, b[name] as JsonObject, count)) return false
  }
  return at === names.length
}

interface KnownField {
  readonly before: unknown
  readonly how: Ownership
  readonly fields: JsonObject | undefined
}

// Pods of one template share their spec.
const recent = new Recent<object, KnownField>()

function topFields(value: unknown, before: unknown, how: Ownership): JsonObject | undefined {
  if (typeof value !== 'object' || value === null) return grown(value, before, how)
  const known = recent.get(value)
  if (known !== undefined && known.before === before && known.how === how) return known.fields
  const fields = grown(value, before, how)
  recent.set(value, { before, how, fields })
  return fields
}

function metadataFields(metadata: Fields, how: Ownership): JsonObject | undefined {
  const out: Record<string, JsonObject> = {}
  if (how.is !== 'members') return undefined
  for (const name in metadata) {
    const value = metadata[name]
    if (value !== undefined && !unownedMetadata.has(name)) out[fieldStep(name)] = whole(value, how.of(name))
  }
  return Object.keys(out).length === 0 ? undefined : out
}

/** The fields that were added to an existing value. */
function grown(value: unknown, before: unknown, how: Ownership): JsonObject | undefined {
  if (before === undefined) return whole(value, how)
  if (how.is === 'members' && typeof value === 'object' && value !== null) {
    const old = (before ?? {}) as Fields
    const out: Record<string, JsonObject> = {}
    for (const name in value) {
      const inner = (value as Fields)[name]
      if (inner === undefined || inner === old[name]) continue
      const fields = grown(inner, old[name], how.of(name))
      if (fields !== undefined) out[fieldStep(name)] = fields
    }
    return Object.keys(out).length === 0 ? undefined : out
  }
  if ((how.is === 'elements' || how.is === 'set') && Array.isArray(value)) return elements(value, how, {})
  return deepEqual(value, before) ? undefined : nothing
}

function whole(value: unknown, how: Ownership): JsonObject {
  if (how.is === 'leaf' || typeof value !== 'object' || value === null) return nothing
  if (how.is === 'members') {
    if (Array.isArray(value)) return nothing
    let out: Record<string, JsonObject> | undefined
    let count = 0
    // Limits and requests are often the same object.
    let last: unknown
    let lastHow: Ownership | undefined
    let fields = nothing
    for (const name in value) {
      const inner = (value as Fields)[name]
      if (inner === undefined) continue
      if (count === usualMembers) return wholeOfMany(value as Fields, how)
      const innerHow = how.of(name)
      if (inner !== last || innerHow !== lastHow) {
        fields = whole(inner, innerHow)
        last = inner
        lastHow = innerHow
      }
      out ??= { '.': nothing }
      out[fieldStep(name)] = fields
      count++
    }
    return out ?? nothing
  }
  return Array.isArray(value) && value.length > 0 ? elements(value, how, { '.': nothing }) : nothing
}

/** The last large tree without inner trees: limits and requests mostly have the same names. */
let lastOfMany: { readonly names: readonly string[]; readonly fields: JsonObject } | undefined

/** In the order in which servers write it, so that a large tree is not built again. */
function wholeOfMany(value: Fields, how: Extract<Ownership, { readonly is: 'members' }>): JsonObject {
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  const last = lastOfMany
  const isSame = last?.names.length === names.length && names.every((name, i) => name === last.names[i])
  const isFlat = names.every((name) => typeof value[name] !== 'object' || how.of(name).is === 'leaf')
  if (isSame && isFlat) return last.fields
  const fields: Record<string, JsonObject> = { '.': nothing }
  for (const name of names.toSorted()) fields[`f:${name}`] = isFlat ? nothing : whole(value[name], how.of(name))
  lastOfMany = isFlat ? { names, fields } : undefined
  return fields
}

function elements(list: readonly unknown[], how: Ownership, out: Tree): JsonObject {
  if (how.is !== 'elements') {
    for (const element of list) out[`v:${encodeJson(element)}`] = nothing
    return out
  }
  const steps: string[] = []
  const trees: JsonObject[] = []
  let last = nothing
  // The names of the last element if all of its fields are leaves.
  let lastNames: readonly string[] | undefined
  for (const element of list) {
    steps.push(elementStep(element, how.keys) ?? unnameable())
    // Elements with the same fields share one tree, so that thousands of containers cost only their names.
    if (lastNames === undefined || !isFlat(element, how.of, lastNames)) {
      const fields = whole(element, how.of)
      if (!hasSameMembers(fields, last)) last = list.length > usualMembers ? inNameOrder(fields) : fields
      lastNames = flatNames(element, how.of)
    }
    trees.push(last)
  }
  return list.length > usualMembers ? inStepOrder(steps, trees, out) : inGivenOrder(steps, trees, out)
}

type Tree = Record<string, JsonObject>

/** If several elements have the same key, no manager owns their fields. */
function inGivenOrder(steps: readonly string[], trees: readonly JsonObject[], out: Tree): JsonObject {
  steps.forEach((step, i) => {
    out[step] = Object.hasOwn(out, step) ? nothing : (trees[i] as JsonObject)
  })
  return out
}

/** Builds the tree in the order in which servers write it, so that it need not be sorted later. */
function inStepOrder(steps: string[], trees: readonly JsonObject[], out: Tree): JsonObject {
  const [first = nothing] = trees
  const byStep = trees.every((tree) => tree === first) ? undefined : new Map(steps.map((step, i) => [step, trees[i]]))
  let before: string | undefined
  for (const step of steps.sort()) {
    out[step] = step === before ? nothing : (byStep?.get(step) ?? first)
    before = step
  }
  return out
}

function inNameOrder(fields: JsonObject): JsonObject {
  const out: Tree = {}
  for (const name of Object.keys(fields).sort()) out[name] = fields[name] as JsonObject
  return out
}

function isLeaf(value: unknown, how: Ownership): boolean {
  if (value === undefined) return false
  if (how.is === 'leaf' || typeof value !== 'object') return true
  for (const _ in value) return false
  return true
}

/** The names of an element's fields, if all of them are leaves. */
function flatNames(element: unknown, how: Ownership): readonly string[] | undefined {
  const names = Object.keys(element as Fields)
  return isFlat(element, how, names) ? names : undefined
}

/** Whether an element has fields of these names, in this order, and all of them are leaves. */
function isFlat(element: unknown, how: Ownership, names: readonly string[]): boolean {
  if (how.is !== 'members') return false
  let at = 0
  for (const name in element as Fields) {
    if (name !== names[at++] || !isLeaf((element as Fields)[name], how.of(name))) return false
  }
  return at === names.length
}

/** Whether both objects have the same members with identical values. */
function hasSameMembers(a: JsonObject, b: JsonObject): boolean {
  let missing = 0
  for (const name in a) {
    if (a[name] !== b[name]) return false
    missing++
  }
  for (const _ in b) missing--
  return missing === 0
}
