import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { NodeState } from '../contract/contract.ts'

/** A set of nodes on which a whole group is tried. */
export interface TopologyPlacement {
  /** The value of the topology label; empty for all nodes. */
  readonly name: string
  /** Absent: all nodes. */
  readonly nodes?: ReadonlySet<string>
}

export type Placements =
  | { readonly kind: 'placements'; readonly placements: readonly TopologyPlacement[] }
  | { readonly kind: 'error'; readonly message: string }

export interface ScheduledPod {
  readonly pod: Pod
  readonly node: NodeState | undefined
}

/** The topology key of a group. The API allows one constraint. */
export function topologyKeyOf({ spec }: PodGroup): string | undefined {
  return spec.schedulingConstraints?.topology?.[0]?.key
}

/**
 * One placement per topology domain, in the order of the nodes; only the domain of the pods of the group that have a
 * node already, if any (v1.36, plugins/topologyaware GeneratePlacements).
 */
export function topologyPlacements(
  group: PodGroup,
  nodes: readonly NodeState[],
  scheduled: readonly ScheduledPod[],
): Placements {
  const key = topologyKeyOf(group)
  if (key === undefined) return { kind: 'placements', placements: [{ name: '' }] }
  const required = domainOf(key, scheduled)
  if (required.kind === 'error') {
    const message = `cannot determine domain for already scheduled pods: ${required.message}`
    return { kind: 'error', message }
  }
  const domains = new Map<string, Set<string>>()
  for (const { name, node } of nodes) {
    const domain = node.metadata.labels?.[key]
    if (domain === undefined || (required.domain !== undefined && required.domain !== domain)) continue
    const names = domains.get(domain)
    if (names === undefined) domains.set(domain, new Set([name]))
    else names.add(name)
  }
  const placements = [...domains].map(([name, names]) =>
    // All nodes of the cluster are the same as no placement (AssumePlacement).
    names.size === nodes.length ? { name } : { name, nodes: names },
  )
  return { kind: 'placements', placements }
}

function domainOf(
  key: string,
  scheduled: readonly ScheduledPod[],
): { readonly kind: 'domain'; readonly domain?: string } | { readonly kind: 'error'; readonly message: string } {
  let found: string | undefined
  for (const { pod, node } of scheduled) {
    const text = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
    if (node === undefined) {
      const missing = `nodeinfo not found for node name ${JSON.stringify(pod.spec.nodeName ?? '')}`
      return { kind: 'error', message: `getting node for pod ${text}: ${missing}` }
    }
    const domain = node.node.metadata.labels?.[key]
    if (domain === undefined) return { kind: 'error', message: `no topology domain found for pod ${text}` }
    if (found !== undefined && found !== '' && found !== domain)
      return { kind: 'error', message: `more than 1 domain found for pod group: ${found}, ${domain}` }
    found = domain
  }
  return found === undefined ? { kind: 'domain' } : { kind: 'domain', domain: found }
}

/** The score of a placement: the share of pods that have a node, from 0 to 100 (v1.36, plugins/podgrouppodscount). */
export function placementScores(counts: readonly number[]): readonly number[] {
  const most = Math.max(...counts)
  return counts.map((count) => Math.trunc((count * 100) / most))
}
