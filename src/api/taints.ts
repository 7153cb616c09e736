import { semanticEqual } from './equality.ts'
import type { Taint } from './objects/node.ts'

/** Two taints are the same if they have the same key and effect. The value and the time may differ. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

export function hasTaint(taints: readonly Taint[] | undefined, taint: Taint): boolean {
  return taints?.some((other) => sameTaint(other, taint)) ?? false
}

/** The list with this taint added, or replaced in place. Returns the same list if nothing changes. */
export function withTaint(taints: readonly Taint[] | undefined, taint: Taint): readonly Taint[] {
  const before = taints ?? []
  const known = before.find((other) => sameTaint(other, taint))
  if (known === undefined) return [...before, taint]
  if (semanticEqual(known, taint)) return before
  return before.map((other) => (sameTaint(other, taint) ? taint : other))
}

/** The list without this taint. Returns the same list if it does not have the taint. */
export function withoutTaint(taints: readonly Taint[] | undefined, taint: Taint): readonly Taint[] {
  const before = taints ?? []
  return hasTaint(before, taint) ? before.filter((other) => !sameTaint(other, taint)) : before
}

/** The taints to add and to remove for a change from `before` to `after`. */
export function diffTaints(
  before: readonly Taint[] | undefined,
  after: readonly Taint[] | undefined,
): { readonly added: readonly Taint[]; readonly removed: readonly Taint[] } {
  return {
    added: (after ?? []).filter((taint) => !hasTaint(before, taint)),
    removed: (before ?? []).filter((taint) => !hasTaint(after, taint)),
  }
}

/** `key=value:effect`, as kubectl writes a taint. A pattern may have no effect. */
export function formatTaint({ key, value, effect }: Pick<Taint, 'key' | 'value'> & Partial<Taint>): string {
  return `${key}${value === undefined || value === '' ? '' : `=${value}`}${effect === undefined ? '' : `:${effect}`}`
}
