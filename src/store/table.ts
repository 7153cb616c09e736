import type { KubeObject } from '../api/objects/meta.ts'
import { ForkMap } from './fork-map.ts'

/** `/` is followed by `0` in the order of code units, so these bound the keys `namespace/…`. */
const afterSlash = '0'

/** The objects of one resource, by key and in key order. */
export class Table {
  #objects = new ForkMap<KubeObject>()
  /** Keys in order as of some past moment; never changed in place, because forks share it. */
  #sorted: readonly string[] = []
  /** Keys created since `#sorted` was built; some may be gone again, some may be listed twice. */
  #added: string[] = []
  #removed = false
  #listed: readonly KubeObject[] | undefined

  get count(): number {
    return this.#objects.size
  }

  get(key: string): KubeObject | undefined {
    return this.#objects.get(key)
  }

  /** The key must be absent. */
  add(key: string, object: KubeObject): void {
    this.#objects.set(key, object)
    this.#listed = undefined
    this.#added.push(key)
    // Resources that churn and are never listed would otherwise collect the keys of everything they ever held.
    if (this.#added.length > 4096 && this.#added.length > 2 * this.count) this.keys()
  }

  /** The key must be present. */
  replace(key: string, object: KubeObject): void {
    this.#objects.set(key, object)
    this.#listed = undefined
  }

  /** The key must be present. */
  remove(key: string): void {
    this.#objects.delete(key)
    this.#listed = undefined
    this.#removed = true
  }

  keys(): readonly string[] {
    if (this.#added.length > 0) {
      this.#sorted = mergeKeys(this.#sorted, this.#added.sort(), (key) => this.get(key) !== undefined)
      this.#added = []
    } else if (this.#removed) {
      this.#sorted = this.#sorted.filter((key) => this.get(key) !== undefined)
    }
    this.#removed = false
    return this.#sorted
  }

  list(): readonly KubeObject[] {
    if (this.#listed === undefined) {
      const keys = this.keys()
      this.#listed = this.#collect(keys, 0, keys.length)
    }
    return this.#listed
  }

  listNamespace(namespace: string): readonly KubeObject[] {
    const keys = this.keys()
    return this.#collect(keys, lowerBound(keys, `${namespace}/`), lowerBound(keys, namespace + afterSlash))
  }

  fork(): Table {
    const fork = new Table()
    fork.#objects = this.#objects.fork()
    fork.#sorted = this.#sorted
    fork.#added = this.#added.slice()
    fork.#removed = this.#removed
    fork.#listed = this.#listed
    return fork
  }

  #collect(keys: readonly string[], from: number, to: number): readonly KubeObject[] {
    const objects: KubeObject[] = []
    for (let index = from; index < to; index++) {
      const object = this.get(keys[index] as string)
      if (object !== undefined) objects.push(object)
    }
    return objects
  }
}

/** Both arrays in order; duplicates and keys that are gone are left out. */
function mergeKeys(
  sorted: readonly string[],
  added: readonly string[],
  exists: (key: string) => boolean,
): readonly string[] {
  const merged: string[] = []
  let last: string | undefined
  let left = 0
  let right = 0
  while (left < sorted.length || right < added.length) {
    const a = sorted[left]
    const b = added[right]
    const takeLeft = b === undefined || (a !== undefined && a <= b)
    const key = (takeLeft ? a : b) as string
    if (takeLeft) left++
    else right++
    if (key === last) continue
    last = key
    if (exists(key)) merged.push(key)
  }
  return merged
}

/** The index of the first key that is not smaller than `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
