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

  /**
   * Sets never change once they are computed, so the result shares parts with both, and is this set itself if it has
   * all paths.
   */
  union(other: FieldSet): FieldSet {
    if (other === this) return this
    let out: FieldSet | undefined
    for (const [step, child] of other.children) {
      const own = this.children.get(step)
      const joined = own === undefined ? child : own.union(child)
      if (joined === own) continue
      out ??= new FieldSet(this.member || other.member, new Map(this.children))
      out.put(step, joined)
    }
    return out ?? (other.member ? this.asMember() : this)
  }

  /** The paths of this set, and the path of this node. */
  asMember(): FieldSet {
    if (this.member) return this
    return this.childSets === undefined ? leafSet : new FieldSet(true, this.childSets)
  }

  /** Adds the paths of another set, whose parts become parts of this one. Joins many small sets in linear time. */
  absorb(other: FieldSet): void {
    this.member ||= other.member
    for (const [step, child] of other.children) {
      const own = this.children.get(step)
      if (own === undefined) this.put(step, child)
      else if (own === leafSet) this.put(step, child.asMember())
      else own.absorb(child)
    }
  }

  /** The paths of this set that are not in the other; this set itself if the two have no path in common. */
  difference(other: FieldSet | undefined): FieldSet {
    if (other === undefined || (other.children.size === 0 && !other.member)) return this
    if (other === this) return emptySet
    let rest: Map<string, FieldSet> | undefined
    const [fewer, more] = this.children.size < other.children.size ? [this, other] : [other, this]
    for (const step of fewer.children.keys()) {
      if (!more.children.has(step)) continue
      const own = this.children.get(step) as FieldSet
      const left = own.difference(other.children.get(step))
      if (left === own) continue
      rest ??= new Map(this.children)
      if (left.isEmpty) rest.delete(step)
      else rest.set(step, left)
    }
    const member = this.member && !other.member
    if (rest === undefined && member === this.member) return this
    return new FieldSet(member, rest ?? this.childSets)
  }

  intersection(other: FieldSet | undefined): FieldSet {
    if (other === undefined || other === this) return other ?? emptySet
    const out = new FieldSet(this.member && other.member)
    const [fewer, more] = this.children.size < other.children.size ? [this, other] : [other, this]
    for (const [step, child] of fewer.children) {
      const common = more.children.get(step)
      if (common === undefined) continue
      const both = child.intersection(common)
      if (!both.isEmpty) out.put(step, both)
    }
    return out
  }

  /** Whether this set has a path in common with another set, which is given as JSON. */
  meets(json: JsonObject): boolean {
    if (this.member && (Object.hasOwn(json, '.') || Object.keys(json).length === 0)) return true
    // Iterates over the record, which may have one field where the set has thousands.
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
    return this.isWithin(other) && other.isWithin(this)
  }

  /** Whether all paths of this set are in the other. */
  private isWithin(other: FieldSet): boolean {
    if (this === other) return true
    if (this.member && !other.member) return false
    for (const [step, child] of this.children) {
      const there = other.children.get(step)
      if (there === undefined ? !child.isEmpty : !child.isWithin(there)) return false
    }
    return true
  }

  /** Whether both have identical child sets at the same steps. */
  hasSameChildren(other: FieldSet): boolean {
    if (this.member !== other.member || this.children.size !== other.children.size) return false
    for (const [step, child] of this.children) if (other.children.get(step) !== child) return false
    return true
  }

  toJson(): JsonObject {
    if (this.children.size === 0) return leafJson
    const out: Record<string, JsonObject> = {}
    if (this.member) out['.'] = leafJson
    // Elements of a list often share one set.
    let last: FieldSet | undefined
    let json = leafJson
    for (const step of sorted([...this.children.keys()])) {
      const child = this.children.get(step) as FieldSet
      if (child.isEmpty) continue
      if (child !== last) {
        last = child
        json = child.toJson()
      }
      out[step] = json
    }
    return out
  }

  static fromJson(json: JsonObject): FieldSet {
    return readJson(json, true)
  }
}

const noChildren: ReadonlyMap<string, FieldSet> = new Map()
const leafJson: JsonObject = Object.freeze({})

/** The set with only this path. It is shared: never change it. */
export const leafSet = new FieldSet(true)
/** The set without paths. It is shared: never change it. */
export const emptySet = new FieldSet()
Object.freeze(leafSet)
Object.freeze(emptySet)

function sorted(steps: string[]): readonly string[] {
  for (let i = 1; i < steps.length; i++) if ((steps[i - 1] as string) > (steps[i] as string)) return steps.sort()
  return steps
}

function readJson(json: JsonObject, root: boolean): FieldSet {
  let set: FieldSet | undefined
  // Elements of a list often share one tree.
  let last: unknown
  let lastSet = leafSet
  for (const key in json) {
    set ??= new FieldSet()
    const value = json[key]
    if (key === '.') set.member = true
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (value !== last) {
        last = value
        lastSet = readJson(value as JsonObject, false)
      }
      set.put(key, lastSet)
    }
  }
  return set ?? (root ? emptySet : leafSet)
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
