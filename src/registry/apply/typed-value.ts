import { deepEqual } from '../../api/equality.ts'
import type { Json } from '../../api/objects/meta.ts'
import type { Field, Shape, StructShape } from '../../api/schema/shape.ts'
import { zeroOf } from '../../api/schema/type-table.ts'
import { encodeJson } from '../../base/exact-json.ts'
import type { MutableFields } from '../../base/fields.ts'
import { ownEntry } from '../../base/lookup-table.ts'
import { setOwn } from '../patch/merge-patch.ts'
import { emptySet, FieldSet, leafSet } from './field-set.ts'

/** How a value is owned: as a whole, by its members, or element by element. */
export type Ownership =
  | { readonly is: 'leaf' }
  | { readonly is: 'members'; readonly of: (name: string) => Ownership }
  | { readonly is: 'set' }
  | { readonly is: 'elements'; readonly keys: readonly string[]; readonly of: Ownership }

const leaf: Ownership = { is: 'leaf' }

/** Fields of unknown type: objects are owned by member, everything else as a whole. */
const deduced: Ownership = { is: 'members', of: () => deduced }

const structs = new WeakMap<StructShape, Ownership>()

export function ownershipOfStruct(shape: StructShape): Ownership {
  let known = structs.get(shape)
  if (known === undefined) {
    const byField = new Map<string, Ownership>()
    const of = (name: string): Ownership => {
      let found = byField.get(name)
      if (found === undefined) {
        const field = shape.fields.get(name)
        found = field === undefined ? deduced : ownershipOfField(field)
        byField.set(name, found)
      }
      return found
    }
    known = { is: 'members', of }
    structs.set(shape, known)
  }
  return known
}

function ownershipOfField(field: Field): Ownership {
  if (field.atomic) return leaf
  if (field.granular === true && field.shape.is === 'struct') return ownershipOfStruct(field.shape)
  if (field.shape.is === 'list') {
    if (field.list.kind === 'set') return { is: 'set' }
    if (field.list.kind === 'map') {
      learnDefaults(field.list.keys, field.shape.of)
      return { is: 'elements', keys: field.list.keys, of: ownershipOf(field.shape.of) }
    }
    return leaf
  }
  return ownershipOf(field.shape)
}

function ownershipOf(shape: Shape): Ownership {
  switch (shape.is) {
    case 'struct':
      return shape.atomic ? leaf : ownershipOfStruct(shape)
    case 'map':
      return ownershipOfMap(shape)
    case 'scalar':
      return shape.kind === 'json' ? deduced : leaf
    default:
      return leaf
  }
}

const maps = new WeakMap<Shape, Ownership>()

function ownershipOfMap(shape: Shape & { readonly is: 'map' }): Ownership {
  let known = maps.get(shape)
  if (known === undefined) {
    const of = ownershipOf(shape.of)
    known = { is: 'members', of: () => of }
    maps.set(shape, known)
  }
  return known
}

const isObj = (value: unknown): value is MutableFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keys with a default in the schema of the type: an element without them still has a name. */
const keyDefaults = new WeakMap<readonly string[], MutableFields>()
const noDefaults: MutableFields = {}

const isLocalReference = (element: Shape): boolean =>
  element.is === 'struct' && element.id === 'core.LocalObjectReference'

export function learnDefaults(keys: readonly string[], element: Shape): void {
  if (keyDefaults.has(keys)) return
  const defaults: MutableFields = {}
  for (const key of keys) {
    const field = element.is === 'struct' ? element.fields.get(key) : undefined
    if (key === 'protocol') defaults[key] = 'TCP'
    else if (field?.isAlways === true || isLocalReference(element)) defaults[key] = field && zeroOf(field.shape)
  }
  keyDefaults.set(keys, defaults)
}

/** The step that identifies a list element, or why it has none. */
export function elementStep(element: unknown, keys: readonly string[]): string | undefined {
  if (!isObj(element)) return undefined
  const defaults = keyDefaults.get(keys) ?? noDefaults
  const [only = ''] = keys
  if (keys.length === 1) {
    const value = element[only] ?? defaults[only]
    if (value === undefined) return undefined
    return `${stepStart(only)}${typeof value === 'string' ? JSON.stringify(value) : encodeJson(value)}}`
  }
  const named: MutableFields = {}
  let isNamed = false
  for (const key of [...keys].sort()) {
    const value = element[key] ?? defaults[key]
    if (value === undefined) continue
    named[key] = value
    isNamed = true
  }
  if (!isNamed) return undefined
  return `k:${encodeJson(named)}`
}

/** Most schemas have one of a few list keys. */
let lastKey = ''
let lastStart = 'k:{"":'

function stepStart(key: string): string {
  if (key !== lastKey) {
    lastKey = key
    lastStart = `k:{${JSON.stringify(key)}:`
  }
  return lastStart
}

const valueStep = (value: unknown): string => `v:${encodeJson(value)}`

/** A list element has no key, so it cannot be owned. Thrown while ownership is computed. */
export class Unnameable extends Error {}

export function unnameable(): never {
  throw new Unnameable()
}

/** The step of each element, in order. */
function stepsOf(list: readonly unknown[], how: Ownership): readonly string[] {
  if (how.is !== 'elements') return list.map(valueStep)
  return list.map((element) => elementStep(element, how.keys) ?? unnameable())
}

interface ElementsByStep {
  /** The first element of each step. */
  readonly first: ReadonlyMap<string, unknown>
  /** All elements of the steps that have several. */
  readonly repeated: ReadonlyMap<string, readonly unknown[]>
}

const noneRepeated: ElementsByStep['repeated'] = new Map()

function elementsByStep(list: readonly unknown[], how: Ownership, steps = stepsOf(list, how)): ElementsByStep {
  const first = new Map<string, unknown>()
  let repeated: Map<string, unknown[]> | undefined
  for (let i = 0; i < list.length; i++) {
    const step = steps[i] as string
    if (!first.has(step)) {
      first.set(step, list[i])
      continue
    }
    repeated ??= new Map()
    const same = repeated.get(step)
    if (same === undefined) repeated.set(step, [first.get(step), list[i]])
    else same.push(list[i])
  }
  return { first, repeated: repeated ?? noneRepeated }
}

const inner = (how: Ownership): Ownership => (how.is === 'elements' ? how.of : leaf)

/** Why a list of keyed elements is invalid; undefined if it is valid. */
export function listProblem(value: unknown, how: Ownership, path: string): string | undefined {
  if (how.is === 'members' && isObj(value)) {
    for (const name in value) {
      const problem = listProblem(value[name], how.of(name), `${path}.${name}`)
      if (problem !== undefined) return problem
    }
  } else if ((how.is === 'elements' || how.is === 'set') && Array.isArray(value)) {
    const seen = new Set<string>()
    for (const [i, element] of value.entries()) {
      const step = how.is === 'elements' ? elementStep(element, how.keys) : valueStep(element)
      if (step === undefined) {
        const keys = how.is === 'elements' ? how.keys : []
        const missing = keys.filter((key) => !isObj(element) || element[key] === undefined)
        const what =
          missing.length === keys.length
            ? `all key fields [${keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`
            : `key field ${JSON.stringify(missing[0])} (and doesn't have default value)`
        return `${path}: element ${i}: associative list with keys has an element that omits ${what}`
      }
      if (seen.has(step)) return `${path}: duplicate entries for key ${step.slice(2)}`
      seen.add(step)
      const problem = listProblem(element, inner(how), path)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** The fields that an applied object claims (typed.ToFieldSet). */
export function claimedFields(value: unknown, how: Ownership): FieldSet {
  if (how.is === 'members' && isObj(value)) {
    let out: FieldSet | undefined
    for (const name in value) {
      if (value[name] === undefined) continue
      out ??= new FieldSet()
      out.put(`f:${name}`, claimedFields(value[name], how.of(name)))
    }
    return out ?? leafSet
  }
  if ((how.is === 'elements' || how.is === 'set') && Array.isArray(value)) {
    // No manager owns an empty list.
    return ofElements(value, how, false, (element) => claimedFields(element, inner(how)).asMember())
  }
  return leafSet
}

/**
 * The set of a list: its elements, and the list itself if it is a member. No manager owns the fields of elements that
 * share a key.
 */
function ofElements(
  list: readonly unknown[],
  how: Ownership,
  member: boolean,
  setOf: (element: unknown) => FieldSet,
): FieldSet {
  if (list.length === 0) return member ? leafSet : emptySet
  const out = new FieldSet(member)
  const { first, repeated } = elementsByStep(list, how)
  // Elements with the same fields share one set, so that thousands of containers cost only their names.
  let last = leafSet
  for (const [step, element] of first) {
    const set = repeated.has(step) ? leafSet : setOf(element)
    if (!set.hasSameChildren(last)) last = set
    out.put(step, last)
  }
  return out
}

export interface TypedComparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** The effect of a change from `before` to `after`, field by field (typed.Compare). */
export function compare(before: unknown, after: unknown, how: Ownership): TypedComparison {
  const { added = emptySet, modified = emptySet, removed = emptySet } = differences(before, after, how) ?? {}
  return { added, modified, removed }
}

/** Sets are absent if they are empty: most of two large objects is usually equal. */
interface Differences {
  added?: FieldSet
  modified?: FieldSet
  removed?: FieldSet
}

const modifiedHere: Differences = { modified: leafSet }

function differences(before: unknown, after: unknown, how: Ownership): Differences | undefined {
  if (before === after) return undefined
  if (before === undefined) return { added: allFields(after, how) }
  if (after === undefined) return { removed: allFields(before, how) }
  if (how.is === 'members' && isMaybeObj(before) && isMaybeObj(after)) {
    const old = (before ?? {}) as MutableFields
    const now = (after ?? {}) as MutableFields
    let out: Differences | undefined
    for (const name in old) {
      const kept = ownEntry(now, name)
      if (old[name] !== kept) out = withInner(out, `f:${name}`, differences(old[name], kept, how.of(name)))
    }
    for (const name in now) {
      if (ownEntry(old, name) !== undefined) continue
      out = withInner(out, `f:${name}`, differences(undefined, now[name], how.of(name)))
    }
    return out
  }
  if ((how.is === 'elements' || how.is === 'set') && isMaybeList(before) && isMaybeList(after)) {
    return listDifferences((before ?? []) as readonly unknown[], (after ?? []) as readonly unknown[], how)
  }
  return deepEqual(before, after) ? undefined : modifiedHere
}

const isMaybeObj = (value: unknown): boolean => value === null || isObj(value)
const isMaybeList = (value: unknown): boolean => value === null || Array.isArray(value)

/** Elements with the same key are compared as a whole: no manager owns their fields. */
function listDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  how: Ownership,
): Differences | undefined {
  const old = elementsByStep(before, how)
  const now = elementsByStep(after, how)
  let out: Differences | undefined
  for (const [step, was] of old.first) {
    const were = old.repeated.get(step)
    const are = now.repeated.get(step)
    const is = now.first.get(step)
    if (were !== undefined && are !== undefined) {
      if (!deepEqual(were, are)) out = withInner(out, step, modifiedHere)
    } else if (were !== undefined) {
      out = withInner(out, step, { ...differences(undefined, is, inner(how)), removed: leafSet })
    } else if (are !== undefined) {
      out = withInner(out, step, { ...differences(was, undefined, inner(how)), added: leafSet })
    } else out = withInner(out, step, differences(was, is, inner(how)))
  }
  for (const [step, is] of now.first) {
    if (old.first.has(step)) continue
    const added = now.repeated.has(step) ? leafSet : allFields(is, inner(how))
    out = withInner(out, step, { added })
  }
  return out
}

function withInner(out: Differences | undefined, step: string, inner: Differences | undefined): typeof out {
  if (inner === undefined) return out
  const into = out ?? {}
  for (const how of ['added', 'modified', 'removed'] as const) {
    const set = inner[how]
    if (set === undefined) continue
    into[how] ??= new FieldSet()
    into[how].put(step, set)
  }
  return into
}

/** A value that was added or removed as a whole: all of its paths. */
function allFields(value: unknown, how: Ownership): FieldSet {
  if (how.is === 'members' && isObj(value)) {
    let out: FieldSet | undefined
    for (const name in value) {
      if (value[name] === undefined) continue
      out ??= new FieldSet(true)
      out.put(`f:${name}`, allFields(value[name], how.of(name)))
    }
    return out ?? leafSet
  }
  if ((how.is === 'elements' || how.is === 'set') && Array.isArray(value)) {
    return ofElements(value, how, true, (element) => allFields(element, inner(how)))
  }
  return leafSet
}

/** `live` with all fields of `config` (typed.Merge). */
export function mergeValues(live: unknown, config: unknown, how: Ownership): unknown {
  if (live === undefined || live === null) return config
  // Null is ignored for values with members or elements.
  if (config === null && how.is !== 'leaf' && typeof live === 'object' && Object.keys(live).length > 0) {
    if (Array.isArray(live) === (how.is !== 'members')) return live
  }
  if (how.is === 'members' && isObj(live) && isObj(config)) {
    const out: MutableFields = { ...live }
    for (const name in config) {
      const value = config[name]
      if (value === undefined) continue
      setOwn(out as Record<string, Json>, name, mergeValues(live[name], value, how.of(name)) as Json)
    }
    return out
  }
  if ((how.is === 'elements' || how.is === 'set') && Array.isArray(live) && Array.isArray(config)) {
    return mergeElements(live, config, how)
  }
  return config
}

function mergeElements(live: readonly unknown[], config: readonly unknown[], how: Ownership): readonly unknown[] {
  const liveSteps = stepsOf(live, how)
  const configSteps = stepsOf(config, how)
  const { first, repeated } = elementsByStep(live, how, liveSteps)
  const wanted = new Map<string, unknown>()
  configSteps.forEach((step, i) => {
    wanted.set(step, config[i])
  })
  return interleaved(liveSteps, configSteps).map((taken) => {
    if (typeof taken === 'number') return live[taken]
    // Several elements with the same key are replaced, not merged.
    return repeated.has(taken) ? wanted.get(taken) : mergeValues(first.get(taken), wanted.get(taken), inner(how))
  })
}

/**
 * Merges the order of two lists: elements of the configuration in its order, elements of the live list only in their
 * place.
 */
function interleaved(live: readonly string[], config: readonly string[]): readonly (string | number)[] {
  const inConfig = new Set(config)
  const inLive = new Set(live)
  const shared = config.filter((step) => inLive.has(step))
  const taken = new Set<string>()
  const out: (string | number)[] = []
  let l = 0
  let r = 0
  let next = 0
  const take = (step: string): void => {
    out.push(step)
    taken.add(step)
    if (step === shared[next]) next++
  }
  while (l < live.length || r < config.length) {
    const left = live[l]
    const right = config[r]
    if (left !== undefined && left === right) {
      take(left)
      l++
      r++
    } else if (left !== undefined && !inConfig.has(left)) out.push(l++)
    else if (left !== undefined && (taken.has(left) || (right !== undefined && left !== shared[next]))) l++
    else if (right !== undefined) {
      take(right)
      r++
    } else l++
  }
  return out
}

/** `value` without the paths of `gone`. An element or field is removed with its content. */
export function removeFields(value: unknown, gone: FieldSet, how: Ownership): unknown {
  if (how.is === 'members' && isObj(value)) {
    const out: MutableFields = { ...value }
    for (const [step, child] of gone.children) {
      const name = step.slice(2)
      if (!step.startsWith('f:') || !Object.hasOwn(out, name)) continue
      if (child.member) delete out[name]
      else {
        const rest = removeFields(out[name], child, how.of(name))
        if (isEmptied(rest, out[name])) delete out[name]
        else out[name] = rest
      }
    }
    return out
  }
  if ((how.is === 'elements' || how.is === 'set') && Array.isArray(value)) {
    const steps = stepsOf(value, how)
    const kept: unknown[] = []
    value.forEach((element, i) => {
      const child = gone.children.get(steps[i] as string)
      if (child?.member === true) return
      kept.push(child === undefined ? element : removeFields(element, child, inner(how)))
    })
    return kept
  }
  return value
}

/** Whether a value that was not empty is empty now. */
function isEmptied(rest: unknown, before: unknown): boolean {
  const size = (value: unknown): number => (typeof value === 'object' && value !== null ? Object.keys(value).length : 1)
  return size(rest) === 0 && size(before) > 0
}
