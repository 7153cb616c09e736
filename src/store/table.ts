import type { KubeObject } from '../api/objects/meta.ts'
import type { StoreRange } from './contract.ts'
import { ForkMap } from './fork-map.ts'

/** `/` is followed by `0` in the order of code units, so these bound the keys `namespace/…`. */
const afterSlash = '0'

/**
 * The objects of one resource, by key and in key order. The order is computed on demand, from the last one and the
 * writes since.
 */
export class Table {
  private objects = new ForkMap<KubeObject>()
  /** Keys in order at an earlier time. Arrays are never modified: callers and forks hold them too. */
  private sortedKeys: readonly string[] = []
  /** The objects of the keys at that time; absent after too many writes since. */
  private listed: readonly KubeObject[] | undefined = []
  /** Keys added or removed since; may contain duplicates. */
  private moved: string[] = []
  /** Keys replaced since, while there is a list to update. */
  private replaced: string[] = []

  get count(): number {
    return this.objects.size
  }

  get(key: string): KubeObject | undefined {
    return this.objects.get(key)
  }

  /** The string instance with which the key was added, because callers may use it as a map key. */
  keyOf(key: string): string | undefined {
    return this.objects.keyOf(key)
  }

  /** The key must be absent. */
  add(key: string, object: KubeObject): void {
    this.objects.set(key, object)
    this.noteMove(key)
  }

  /** The key must be present. */
  replace(key: string, object: KubeObject): void {
    this.objects.set(key, object)
    if (this.listed === undefined) return
    this.replaced.push(key)
    if (this.replaced.length <= 16 + this.listed.length / 8) return
    this.listed = undefined
    this.replaced = []
  }

  /** The key must be present. */
  remove(key: string): void {
    this.objects.delete(key)
    this.noteMove(key)
  }

  keys(): readonly string[] {
    if (this.moved.length === 0) return this.sortedKeys
    const written = inOrder([...this.moved, ...this.replaced])
    const { keys, objects } = rewrite(this.sortedKeys, this.listed, written, (key) => this.get(key))
    this.sortedKeys = keys
    if (this.listed !== undefined) this.listed = objects
    this.moved = []
    this.replaced = []
    return keys
  }

  list(): readonly KubeObject[] {
    const keys = this.keys()
    if (this.listed === undefined) {
      this.listed = keys.map((key) => this.get(key) as KubeObject)
    } else if (this.replaced.length > 0) {
      const corrected = this.listed.slice()
      for (const key of this.replaced) corrected[lowerBound(keys, key)] = this.get(key) as KubeObject
      this.listed = corrected
    }
    this.replaced = []
    return this.listed
  }

  listNamespace(namespace: string): readonly KubeObject[] {
    const { count, object } = this.range(namespace)
    // The array of all objects is shared: hundreds of watchers may hold it for a while.
    if (count === this.count) return this.list()
    return Array.from({ length: count }, (_, index) => object(index))
  }

  /** The objects of a namespace, or all, whose keys are >= `from`. */
  range(namespace: string | undefined, from?: string): StoreRange {
    const keys = this.keys()
    const [start, end] = boundsOf(keys, namespace, from)
    // Maintaining the full list costs more than looking up a few objects.
    const isMost = end - start > keys.length / 8
    const listed = isMost ? this.list() : undefined
    if (listed !== undefined) return rangeOf(keys, listed, start, end)
    const key = (index: number) => keys[start + index] as string
    return { count: end - start, key, object: (index) => this.get(key(index)) as KubeObject }
  }

  fork(): Table {
    const fork = new Table()
    fork.objects = this.objects.fork()
    fork.sortedKeys = this.sortedKeys
    fork.listed = this.listed
    fork.moved = this.moved.slice()
    fork.replaced = this.replaced.slice()
    return fork
  }

  private noteMove(key: string): void {
    this.moved.push(key)
    // Without this limit, resources that change often and are never listed would keep all of their former keys.
    if (this.moved.length > 4096 && this.moved.length > 2 * this.count) this.keys()
  }
}

/** The content of a table at an earlier time. */
export class PastTable {
  readonly revision: number
  private readonly sortedKeys: readonly string[]
  private readonly objects: readonly KubeObject[]

  /** `then`: the earlier objects of the keys that were written since. */
  constructor(revision: number, now: Table | undefined, then: ReadonlyMap<string, KubeObject | undefined>) {
    this.revision = revision
    const past = rewrite(now?.keys() ?? [], now?.list() ?? [], inOrder([...then.keys()]), (key) => then.get(key))
    this.sortedKeys = past.keys
    this.objects = past.objects
  }

  range(namespace: string | undefined, from?: string): StoreRange {
    return rangeOf(this.sortedKeys, this.objects, ...boundsOf(this.sortedKeys, namespace, from))
  }
}

function rangeOf(keys: readonly string[], objects: readonly KubeObject[], start: number, end: number): StoreRange {
  return {
    count: end - start,
    key: (index) => keys[start + index] as string,
    object: (index) => objects[start + index] as KubeObject,
  }
}

function boundsOf(keys: readonly string[], namespace: string | undefined, from = ''): readonly [number, number] {
  const first = namespace === undefined ? '' : `${namespace}/`
  const end = namespace === undefined ? keys.length : lowerBound(keys, namespace + afterSlash)
  return [Math.min(end, lowerBound(keys, from > first ? from : first)), end]
}

/**
 * A list with the current objects of the written keys; the others are copied from the last list without a lookup.
 * Without a list only the keys are computed.
 */
function rewrite(
  keys: readonly string[],
  listed: readonly KubeObject[] | undefined,
  written: readonly string[],
  get: (key: string) => KubeObject | undefined,
): { readonly keys: readonly string[]; readonly objects: readonly KubeObject[] } {
  const newKeys: string[] = []
  const objects: KubeObject[] = []
  let at = 0
  const takeOver = (end: number) => {
    for (; at < end; at++) {
      newKeys.push(keys[at] as string)
      if (listed !== undefined) objects.push(listed[at] as KubeObject)
    }
  }
  for (const key of written) {
    takeOver(lowerBound(keys, key, at))
    if (keys[at] === key) at++
    const object = get(key)
    if (object === undefined) continue
    newKeys.push(key)
    if (listed !== undefined) objects.push(object)
  }
  takeOver(keys.length)
  return { keys: newKeys, objects }
}

/** Sorts in place and removes duplicates. */
function inOrder(keys: string[]): readonly string[] {
  keys.sort()
  return keys.filter((key, index) => index === 0 || key !== keys[index - 1])
}

/** The index of the first key, from `low` on, that is >= `key`. */
function lowerBound(keys: readonly string[], key: string, low = 0): number {
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}
