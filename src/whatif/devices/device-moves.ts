import { keyOf, splitKey } from '../../api/object-key.ts'
import type { ResourceClaim } from '../../api/objects/devices.ts'
import type { Pod } from '../../api/objects/pod.ts'

/** Pods of one node that release their devices together. Candidates with the fewest devices come first. */
export type MoveCandidate = readonly Pod[]

/**
 * The limits: at most this number of pods of one node are moved together, and at most this number of nodes is tried.
 */
const mostPods = 3
const mostNodes = 16

/**
 * Sets of pods whose move may gather free devices on one node, the cheapest first. Only pods whose claims all come from
 * templates can move: a shared claim keeps its devices for its other pods.
 */
export function moveCandidates(pods: readonly Pod[], claims: readonly ResourceClaim[]): readonly MoveCandidate[] {
  const devices = devicesByPod(claims)
  const byNode = new Map<string, Pod[]>()
  for (const pod of pods) {
    const node = pod.spec.nodeName
    if (node === undefined || !devices.has(keyOf(pod)) || !canMove(pod)) continue
    byNode.set(node, [...(byNode.get(node) ?? []), pod])
  }
  const count = (pod: Pod): number => devices.get(keyOf(pod)) ?? 0
  const sets = [...byNode.values()].map((held) => [...held].sort((a, b) => count(a) - count(b) || compareKeys(a, b)))
  const total = (held: readonly Pod[]): number => held.reduce((sum, pod) => sum + count(pod), 0)
  return sets
    .sort((a, b) => total(a) - total(b) || compareKeys(a[0] as Pod, b[0] as Pod))
    .slice(0, mostNodes)
    .flatMap((held) => held.slice(0, mostPods).map((_, i) => held.slice(0, i + 1)))
    .sort((a, b) => a.length - b.length)
}

/** The pod as its controller would create it again. */
export function movedPod(pod: Pod, index: number): Pod {
  const { nodeName: _, ...spec } = pod.spec
  const { namespace, labels } = pod.metadata
  const name = `berth-move-${index}`
  return { metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }) }, spec } as Pod
}

function canMove({ metadata, spec }: Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  return (spec.resourceClaims ?? []).every(({ resourceClaimTemplateName }) => resourceClaimTemplateName !== undefined)
}

/** The number of devices that claims hold for each pod. */
function devicesByPod(claims: readonly ResourceClaim[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const { metadata, status } of claims) {
    const devices = status?.allocation?.devices?.results?.length ?? 0
    if (devices === 0) continue
    for (const { resource, name } of status?.reservedFor ?? []) {
      if (resource !== 'pods') continue
      const key = keyOf({ metadata: { name, ...(metadata.namespace && { namespace: metadata.namespace }) } })
      found.set(key, (found.get(key) ?? 0) + devices)
    }
  }
  return found
}

function compareKeys(a: Pod, b: Pod): number {
  const [x, y] = [keyOf(a), keyOf(b)]
  return x < y ? -1 : x > y ? 1 : 0
}

/** The target of a call that names a pod. */
export function podTarget(pod: Pod): { readonly namespace?: string; readonly name: string } {
  return splitKey(keyOf(pod))
}
