import type { KubeObject } from '../api/objects/meta.ts'
import { ForkMap } from './fork-map.ts'

/** `/` is followed by `0` in the order of code units, so these bound the keys `namespace/…`. */
const afterSlash = '0'

/**
 * The objects of one resource, by key and in key order. The order is made when it is asked for, from the last one and
 * what was written since.
 */
export class Table {
  #objects = new ForkMap<KubeObject>()
  /** Keys in order, as of some past moment. Arrays are never changed once made: callers and forks hold them too. */
  #keys: readonly string[] = []
  /** What the keys had at that moment; absent when so much was written since that it is no help. */
  #listed: readonly KubeObject[] | undefined = []
  /** Keys added since; some may be gone again, some may be there twice. */
  #added: string[] = []
  /** Whether keys were removed since. */
  #removed = false
  /** Keys changed or removed since, while there is a list to correct. */
  #changed: string[] = []

  get count(): number {
    return this.#objects.size
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key)
  }

  /** The key must be absent. */
  add(key: string, object: KubeObject): void {
    this.#objects.set(key, object)
    this.#added.push(key)
    // Resources that churn and are never listed would otherwise collect the keys of everything they ever held.
    if (this.#added.length > 4096 && this.#added.length > 2 * this.count) this.keys()
  }

  /** The key must be present. */
  replace(key: string, object: KubeObject): void {
    this.#objects.set(key, object)
    if (this.#listed !== undefined) this.#noteChange(key, this.#listed.length)
  }

  /** The key must be present. */
  remove(key: string): void {
    this.#objects.delete(key)
    this.#removed = true
    if (this.#listed !== undefined) this.#noteChange(key, this.#listed.length)
  }

  keys(): readonly string[] {
    if (this.#added.length === 0 && !this.#removed) return this.#keys
    if (this.#listed === undefined) {
      this.#keys = mergeKeys(this.#keys, this.#added.sort()).filter((key) => this.get(key) !== undefined)
    } else {
      this.#mergeWritten(this.#listed)
    }
    this.#added = []
    this.#removed = false
    return this.#keys
  }

  list(): readonly KubeObject[] {
    const keys = this.keys()
    if (this.#listed === undefined) {
      this.#listed = keys.map((key) => this.get(key) as KubeObject)
    } else if (this.#changed.length > 0) {
      const corrected = this.#listed.slice()
      for (const key of this.#changed) corrected[lowerBound(keys, key)] = this.get(key) as KubeObject
      this.#listed = corrected
    }
    this.#changed = []
    return this.#listed
  }

  listNamespace(namespace: string): readonly KubeObject[] {
    const keys = this.keys()
    const range = keys.slice(lowerBound(keys, `${namespace}/`), lowerBound(keys, namespace + afterSlash))
    return range.map((key) => this.get(key) as KubeObject)
  }

  fork(): Table {
    const fork = new Table()
    fork.#objects = this.#objects.fork()
    fork.#keys = this.#keys
    fork.#listed = this.#listed
    fork.#added = this.#added.slice()
    fork.#removed = this.#removed
    fork.#changed = this.#changed.slice()
    return fork
  }

  #noteChange(key: string, listed: number): void {
    this.#changed.push(key)
    if (this.#changed.length <= 16 + listed / 8) return
    this.#listed = undefined
    this.#changed = []
  }

  /** Takes over what was not written as it was listed, without looking it up. */
  #mergeWritten(listed: readonly KubeObject[]): void {
    const written = mergeKeys([], [...this.#added, ...this.#changed].sort())
    const keys: string[] = []
    const objects: KubeObject[] = []
    let at = 0
    for (const key of written) {
      const place = lowerBound(this.#keys, key, at)
      for (; at < place; at++) {
        keys.push(this.#keys[at] as string)
        objects.push(listed[at] as KubeObject)
      }
      if (this.#keys[at] === key) at++
      const object = this.get(key)
      if (object === undefined) continue
      keys.push(key)
      objects.push(object)
    }
    for (; at < this.#keys.length; at++) {
      keys.push(this.#keys[at] as string)
      objects.push(listed[at] as KubeObject)
    }
    this.#keys = keys
    this.#listed = objects
    this.#changed = []
  }
}

/** Both in order; what is there twice is left out once. */
function mergeKeys(one: readonly string[], other: readonly string[]): string[] {
  const merged: string[] = []
  let left = 0
  let right = 0
  while (left < one.length || right < other.length) {
    const a = one[left]
    const b = other[right]
    const takeLeft = b === undefined || (a !== undefined && a <= b)
    const key = (takeLeft ? a : b) as string
    if (takeLeft) left++
    else right++
    if (merged.length === 0 || merged[merged.length - 1] !== key) merged.push(key)
  }
  return merged
}

/** The index of the first key, from `low` on, that is not smaller than `key`. */
function lowerBound(keys: readonly string[], key: string, low = 0): number {
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
