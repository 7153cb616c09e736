import type { JsonObject } from '../../api/objects/meta.ts'
import { encodeJson, parseJson } from '../../base/exact-json.ts'

/**
 * Paths into an object, as a tree. Steps are written as in managedFields: `f:name` for a field, `k:{"name":"c"}` for
 * the list element with these keys, `v:"x"` for a value of a set (structured-merge-diff, fieldpath.Set).
 */
export class FieldSet {
  /** The path of this node is itself in the set. */
  member: boolean
  /** Most sets of a large object are leaves, which share one empty map. */
  private childSets: Map<string, FieldSet> | undefined

  constructor(member = false, children?: Map<string, FieldSet>) {
    this.member = member
    this.childSets = children
  }

  get children(): ReadonlyMap<string, FieldSet> {
    return this.childSets ?? noChildren
  }

  put(step: string, child: FieldSet): void {
    this.childSets ??= new Map()
    this.childSets.set(step, child)
  }

  get isEmpty(): boolean {
    if (this.member) return false
    for (const child of this.children.values()) if (!child.isEmpty) return false
    return true
  }

  /** The set below a step, created if it does not exist. */
  at(step: string): FieldSet {
    let child = this.children.get(step)
    if (child === undefined) {
      child = new FieldSet()
      this.put(step, child)
    }
    return child
  }

  find(path: readonly string[]): FieldSet | undefined {
    let here: FieldSet | undefined = this
    for (const step of path) here = here?.children.get(step)
    return here
  }

  has(path: readonly string[]): boolean {
    return this.find(path)?.member === true
  }

  union(other: FieldSet): FieldSet {
    if (other.children.size === 0 && (this.member || !other.member)) return this
    const out = new FieldSet(this.member || other.member, new Map(this.children))
    for (const [step, child] of other.children) {
      const own = out.children.get(step)
      out.put(step, own === undefined ? child : own.union(child))
    }
    return out
  }

  /** Adds the paths of another set, whose parts become parts of this one. Joins many small sets in linear time. */
  absorb(other: FieldSet): void {
    this.member ||= other.member
    for (const [step, child] of other.children) {
      const own = this.children.get(step)
      if (own === undefined) this.put(step, child)
      else own.absorb(child)
    }
  }

  /** The paths of this set that are not in the other. */
  difference(other: FieldSet | undefined): FieldSet {
    if (other === undefined || (other.children.size === 0 && !other.member)) return this
    const out = new FieldSet(this.member && !other.member)
    for (const [step, child] of this.children) {
      const rest = child.difference(other.children.get(step))
      if (!rest.isEmpty) out.put(step, rest)
    }
    return out
  }

  intersection(other: FieldSet | undefined): FieldSet {
    const out = new FieldSet(this.member && other?.member === true)
    for (const [step, child] of this.children) {
      const common = other === undefined ? undefined : other.children.get(step)
      if (common === undefined) continue
      const both = child.intersection(common)
      if (!both.isEmpty) out.put(step, both)
    }
    return out
  }

  /** Whether this set has a path in common with another set, which is given as JSON. */
  meets(json: JsonObject): boolean {
    if (this.member && (Object.hasOwn(json, '.') || Object.keys(json).length === 0)) return true
    // A record with one field may be compared with a change of thousands: the cost depends on the smaller one.
    for (const step in json) {
      if (this.children.get(step)?.meets(json[step] as JsonObject) === true) return true
    }
    return false
  }

  /** Every path of the set, in the order of its steps. */
  paths(): readonly (readonly string[])[] {
    const found: string[][] = []
    const walk = (set: FieldSet, path: readonly string[]): void => {
      if (set.member) found.push([...path])
      for (const step of [...set.children.keys()].sort()) walk(set.children.get(step) as FieldSet, [...path, step])
    }
    walk(this, [])
    return found
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty
  }

  toJson(): JsonObject {
    if (this.children.size === 0) return leafJson
    const out: Record<string, JsonObject> = {}
    if (this.member) out['.'] = leafJson
    for (const step of [...this.children.keys()].sort()) {
      const child = this.children.get(step) as FieldSet
      if (!child.isEmpty) out[step] = child.toJson()
    }
    return out
  }

  static fromJson(json: JsonObject): FieldSet {
    return readJson(json, true)
  }
}

const noChildren: ReadonlyMap<string, FieldSet> = new Map()
const leafJson: JsonObject = Object.freeze({})

function readJson(json: JsonObject, root: boolean): FieldSet {
  const keys = Object.keys(json)
  const set = new FieldSet(!root && keys.length === 0)
  for (const key of keys) {
    const value = json[key]
    if (key === '.') set.member = true
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      set.put(key, readJson(value as JsonObject, false))
    }
  }
  return set
}

/** `.spec.containers[name="c"].image`, as in conflict messages. */
export function writtenPath(path: readonly string[]): string {
  return path
    .map((step) => {
      const rest = step.slice(2)
      if (step.startsWith('f:')) return `.${rest}`
      if (step.startsWith('v:')) return `[=${rest}]`
      if (!step.startsWith('k:')) return `[${rest}]`
      const keys = parseJson(rest) as Record<string, unknown>
      const pairs = Object.entries(keys).map(([key, value]) => `${key}=${encodeJson(value)}`)
      return `[${pairs.join(',')}]`
    })
    .join('')
}
