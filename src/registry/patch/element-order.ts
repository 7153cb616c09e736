import type { Json } from '../../api/objects/meta.ts'
import { isJsonObject } from './merge-patch.ts'

// Each with each other, so only where there are few.
const maxCompared = 16

interface Ordering {
  /** All elements of the result. */
  readonly merged: readonly Json[]
  /** The order the patch wants for the elements it names. */
  readonly patchOrder: readonly Json[]
  /** The order of the list before. */
  readonly serverOrder: readonly Json[]
  /** What tells elements apart; empty for lists of plain values. */
  readonly key: string
}

/**
 * Elements that the patch names come in the patch's order, the others in the order they had, and the two are
 * interleaved so that nothing moves that need not (strategicpatch.normalizeElementOrder).
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
  // All is in the order of the patch already where it names everything, as a kubelet does.
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
