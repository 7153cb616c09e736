import type { KubeObject } from '../api/objects/meta.ts'

/** A layer maps a key to its object, or to `undefined` where the key of a layer below was removed. */
type Layer = Map<string, KubeObject | undefined>

/** `/` is followed by `0` in the order of code units, so these bound the keys `namespace/…`. */
const afterSlash = '0'

/** What a fork may spend on merging layers: some milliseconds' worth of slots. */
const maxMergedSlots = 8192
/** With so many layers reads become slow, and a fork merges them whatever it takes. */
const maxLayers = 12

/**
 * The objects of one resource. The newest layer belongs to this table alone; the layers below are shared with forks
 * and never change again. Small layers are merged so that they about double in size from newest to oldest; large ones
 * are left as they are until there are too many, because a fork has to be quick.
 */
export class Table {
  #top: Layer = new Map()
  #below: readonly Layer[] = []
  #count = 0
  /** Keys in order as of some past moment; never changed in place, because forks share it. */
  #sorted: readonly string[] = []
  /** Keys created since `#sorted` was built; some may be gone again, some may be listed twice. */
  #added: string[] = []
  #removed = false
  #listed: readonly KubeObject[] | undefined

  get count(): number {
    return this.#count
  }

  get(key: string): KubeObject | undefined {
    const object = this.#top.get(key)
    if (object !== undefined || this.#below.length === 0 || this.#top.has(key)) return object
    for (const layer of this.#below) {
      const below = layer.get(key)
      if (below !== undefined || layer.has(key)) return below
    }
    return undefined
  }

  /** The key must be absent. */
  add(key: string, object: KubeObject): void {
    this.#top.set(key, object)
    this.#count++
    this.#listed = undefined
    this.#added.push(key)
    // Resources that churn and are never listed would otherwise collect the keys of everything they ever held.
    if (this.#added.length > 4096 && this.#added.length > 2 * this.#count) this.keys()
  }

  /** The key must be present. */
  replace(key: string, object: KubeObject): void {
    this.#top.set(key, object)
    this.#listed = undefined
  }

  /** The key must be present. */
  remove(key: string): void {
    if (this.#below.length === 0) this.#top.delete(key)
    else this.#top.set(key, undefined)
    this.#count--
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
    if (this.#top.size > 0) {
      this.#below = mergeLayers([this.#top, ...this.#below])
      this.#top = new Map()
    }
    const fork = new Table()
    fork.#below = this.#below
    fork.#count = this.#count
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

function mergeLayers(layers: Layer[]): readonly Layer[] {
  while (layers.length > 1) {
    const [newest, next] = layers as [Layer, Layer]
    const isCheap = newest.size * 2 >= next.size && newest.size + next.size <= maxMergedSlots
    if (!isCheap && layers.length <= maxLayers) break
    // The older layer may be in use by a fork, so the two become a third.
    const merged: Layer = new Map(next)
    const isBottom = layers.length === 2
    for (const [key, object] of newest) {
      if (object === undefined && isBottom) merged.delete(key)
      else merged.set(key, object)
    }
    layers.splice(0, 2, merged)
  }
  return layers
}

/** The index of the first key that is not smaller than `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
