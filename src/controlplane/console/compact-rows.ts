// Most of the state of a large cluster is repetition: pods of one ReplicaSet differ only in name, node and age; label
// sets of nodes differ only in host name and zone. Sending only the differences reduces the bytes to send and to parse
// to a sixth.
import type { LabelSet, PodRow, PodsLike } from '../../wire/console-wire.ts'

/** Label sets, each as its difference from the first one with the same keys. */
export function* compactLabels(sets: Iterable<LabelSet>): Generator<LabelSet> {
  const firstByKeys = new Map<string, LabelSet>()
  for (const set of sets) {
    const [id, labels] = set
    const keys = Object.keys(labels).join()
    const first = firstByKeys.get(keys)
    if (first === undefined) {
      firstByKeys.set(keys, set)
      yield set
    } else {
      const entries = Object.entries(labels)
      const different = entries.filter(([key, value]) => first[1][key] !== value)
      // The difference refers to a set, which costs about as much as a label.
      yield different.length + 1 < entries.length ? [id, Object.fromEntries(different), first[0]] : set
    }
  }
}

interface PodGroup {
  readonly of: PodRow
  readonly pods: (string | number)[]
}

/** The maximum number of pods with the same labels that a pod is compared with. */
const groupsOfLabels = 8

/**
 * Bound pods that are equal except for the end of their name, node and age become one entry. Other pods keep their
 * rows.
 */
export function compactPods(
  pods: readonly PodRow[],
  placeOf: ReadonlyMap<string, number>,
): { readonly rows: readonly PodRow[]; readonly like: readonly PodsLike[] } {
  const rows: PodRow[] = []
  const byLabels = new Map<number, PodGroup[]>()
  for (const pod of pods) {
    const [key, node, , , , , createdMs, labels] = pod
    const place = placeOf.get(node)
    const prefixLength = key.lastIndexOf('-') + 1
    const groups = byLabels.get(labels) ?? []
    let group = groups.find(({ of }) => isLike(pod, prefixLength, of))
    if (place !== undefined && group === undefined && prefixLength > 0 && groups.length < groupsOfLabels) {
      group = { of: [key.slice(0, prefixLength), '', ...pod.slice(2)] as unknown as PodRow, pods: [] }
      byLabels.set(labels, [...groups, group])
    }
    if (place === undefined || group === undefined) rows.push(pod)
    else group.pods.push(key.slice(prefixLength), place, createdMs - group.of[6])
  }
  return { rows, like: [...byLabels.values()].flat().map(({ of, pods: all }) => [of, all]) }
}

/**
 * Reports whether the pod is equal in all cells except node and creation time, and in its key except for the last part.
 */
function isLike(pod: PodRow, prefixLength: number, of: PodRow): boolean {
  if (pod.length !== of.length || of[0].length !== prefixLength || !pod[0].startsWith(of[0])) return false
  for (let cell = 2; cell < of.length; cell++) if (cell !== 6 && pod[cell] !== of[cell]) return false
  return true
}
