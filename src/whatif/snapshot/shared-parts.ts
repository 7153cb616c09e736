import type { KubeObject } from '../../api/objects/meta.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'

type MutableObject = Record<string, unknown>

/** An object that other objects are compared with: its members in order, and the models of its nested objects. */
interface Model {
  readonly value: object
  readonly isList: boolean
  readonly names: readonly string[]
  readonly values: readonly unknown[]
  readonly inner: readonly (Model | undefined)[]
}

/**
 * Lets objects that were just read share equal parts. The pods of a workload differ in names, addresses and times, but share
 * containers, tolerations, labels and owners, which are most of the data of a large cluster. Stored objects are immutable, so
 * sharing only affects memory use.
 */
export class SharedParts {
  /**
   * By owner, or by kind. The first object of a group is kept unchanged and becomes a model when the second one
   * arrives.
   */
  private readonly groups = new Map<string, object | Model>()
  private readonly models = new WeakSet<object>()
  private readonly nodeNames = new Map<string, string>()

  /** Returns the object itself, with parts replaced. It must not be shared yet. */
  take<T extends KubeObject>(object: T): T {
    const kind = object.kind ?? ''
    if (kind === 'Pod') this.shareNodeName(object as MutableObject)
    const owner = controllerOf(object)?.uid
    if (owner === undefined) this.shareWithGroup(kind, object)
    // The first pod of an owner still shares many parts with other objects of its kind.
    else if (!this.shareWithGroup(owner, object)) this.shareWithGroup(kind, object)
    return object
  }

  /** Returns false if the object is the first of its group. */
  private shareWithGroup(name: string, object: object): boolean {
    const known = this.groups.get(name)
    if (known === undefined) {
      this.groups.set(name, object)
      return false
    }
    if (known === object) return true
    let model = known as Model
    if (!this.models.has(known)) {
      model = modelOf(known)
      this.models.add(model)
      this.groups.set(name, model)
    }
    share(object, model)
    return true
  }

  private shareNodeName(pod: MutableObject): void {
    const spec = pod['spec'] as { nodeName?: string } | undefined
    const name = (spec as Pod['spec'] | undefined)?.nodeName
    if (spec === undefined || name === undefined) return
    const known = this.nodeNames.get(name)
    if (known === undefined) this.nodeNames.set(name, name)
    else spec.nodeName = known
  }
}

function modelOf(value: object): Model {
  const names = Object.keys(value)
  const values = Object.values(value) as readonly unknown[]
  const inner = values.map((member) => (isParent(member) ? modelOf(member) : undefined))
  return { value, isList: Array.isArray(value), names, values, inner }
}

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The model's value if `value` equals it, with members in the same order; otherwise `value` with shared parts. */
function share(value: object, model: Model): object {
  if (Array.isArray(value) !== model.isList) return value
  return model.isList ? shareItems(value as unknown[], model) : shareMembers(value as MutableObject, model)
}

function shareItems(list: unknown[], model: Model): object {
  const shared = Math.min(list.length, model.values.length)
  let isSame = list.length === model.values.length
  for (let at = 0; at < shared; at++) {
    const known = model.values[at]
    const taken = shareValue(list[at], known, model.inner[at])
    list[at] = taken
    if (taken !== known) isSame = false
  }
  return isSame ? model.value : list
}

function shareMembers(members: MutableObject, model: Model): object {
  const { names, values, inner } = model
  let at = 0
  let isSame = true
  for (const name in members) {
    if (names[at] !== name) {
      isSame = false
      const place = names.indexOf(name)
      if (place < 0) continue
      at = place
    }
    const value = members[name]
    const known = values[at]
    const taken = shareValue(value, known, inner[at])
    // Equal strings may be two copies in memory.
    if (typeof taken === 'string' || taken !== value) members[name] = taken
    if (taken !== known) isSame = false
    at++
  }
  return isSame && at === names.length ? model.value : members
}

function shareValue(value: unknown, known: unknown, model: Model | undefined): unknown {
  if (value === known) return known
  return model !== undefined && isParent(value) ? share(value, model) : value
}
