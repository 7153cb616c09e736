import type { Json } from '../../api/objects/meta.ts'
import { isJsonObject } from './merge-patch.ts'

// Compares all pairs, so only for short lists.
const maxCompared = 16

interface Ordering {
  /** All elements of the result. */
  readonly merged: readonly Json[]
  /** The order that the patch requests for the elements it names. */
  readonly patchOrder: readonly Json[]
  /** The order of the old list. */
  readonly serverOrder: readonly Json[]
  /** The merge key; empty for lists of scalars. */
  readonly key: string
}

/**
 * Elements that the patch names are in the order of the patch, the others in their old order. The two are interleaved
 * so that as few elements as possible move (strategicpatch.normalizeElementOrder).
 */
export function mergeOrder({ merged, patchOrder, serverOrder, key }: Ordering): readonly Json[] {
  const identity = (element: Json): Json | undefined => {
    if (key === '') return element
    return isJsonObject(element) ? element[key] : undefined
  }
  const positions = (list: readonly Json[]): Map<Json | undefined, number> => {
    const found = new Map<Json | undefined, number>()
    list.forEach((element, index) => {
      const id = identity(element)
      if (!found.has(id)) found.set(id, index)
    })
    return found
  }
  // If the patch names all elements, as a kubelet does, they are already in its order.
  if (merged.length === patchOrder.length && merged.length <= maxCompared && inSameOrder(merged, patchOrder, identity))
    return merged
  const inPatch = positions(patchOrder)
  const by = (order: Map<Json | undefined, number>) => (a: Json, b: Json) =>
    (order.get(identity(a)) ?? 0) - (order.get(identity(b)) ?? 0)
  const named = merged.filter((element) => inPatch.has(identity(element))).sort(by(inPatch))
  if (named.length === merged.length) return named
  const inServer = positions(serverOrder)
  const others = merged.filter((element) => !inPatch.has(identity(element))).sort(by(inServer))

  const out: Json[] = []
  let next = 0
  for (const right of named) {
    const at = inServer.get(identity(right))
    while (at !== undefined && next < others.length) {
      const left = others[next] as Json
      const leftAt = inServer.get(identity(left))
      if (leftAt === undefined || leftAt >= at) break
      out.push(left)
      next++
    }
    out.push(right)
  }
  return [...out, ...others.slice(next)]
}

function inSameOrder(
  merged: readonly Json[],
  patchOrder: readonly Json[],
  identity: (element: Json) => Json | undefined,
): boolean {
  for (let i = 0; i < merged.length; i++) {
    const id = identity(merged[i] as Json)
    if (typeof id !== 'string' || id !== identity(patchOrder[i] as Json)) return false
    for (let j = 0; j < i; j++) if (identity(merged[j] as Json) === id) return false
  }
  return true
}
