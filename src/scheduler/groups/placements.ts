import type { CompositePodGroup, PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import type { Random } from '../../base/random.ts'
import type { SchedulerContext } from '../context/context.ts'
import type { NodeState } from '../contract/contract.ts'
import type { PodOutcome } from './group-outcome.ts'

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
export function topologyKeyOf({ spec }: PodGroup | CompositePodGroup): string | undefined {
  return spec.schedulingConstraints?.topology?.[0]?.key
}

/** The pods of groups that are assumed or bound, with their nodes. */
export function scheduledPodsOf(groups: Iterable<string>, context: SchedulerContext): readonly ScheduledPod[] {
  const { cache, objects } = context
  return [...groups].flatMap((key) =>
    (context.groups?.states.scheduled(key) ?? []).map((pod) => {
      const name = cache.nodeOf(pod.metadata.uid ?? '')
      return { pod, node: name === undefined ? undefined : cache.cluster(objects).node(name) }
    }),
  )
}

/**
 * Creates one placement per topology domain, in the order of the nodes. If pods of the group already have a node, only
 * their domain gets a placement (v1.36, plugins/topologyaware GeneratePlacements).
 */
export function topologyPlacements(
  group: PodGroup | CompositePodGroup,
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
    // A placement on all nodes is equivalent to no placement (AssumePlacement).
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

/** A placement in which a group fits, and the pods that were tried there. */
export interface PlacementOutcome {
  readonly pods: readonly PodOutcome[]
  readonly nodes: readonly NodeState[]
}

/** The placement with the highest score; if several have it, a random one of them (findBestPlacement). */
export function bestPlacement<T extends PlacementOutcome>(found: readonly T[], scheduled: number, random: Random): T {
  const [only] = found
  if (found.length === 1 && only !== undefined) return only
  const counts = placementScores(found.map(({ pods }) => scheduled + placedOf(pods).length))
  const scores = found.map((one, i) => (counts[i] as number) + placementScoreOf(one))
  const most = Math.max(...scores)
  const best = found.filter((_, i) => scores[i] === most)
  return best[random.stream('placement').int(best.length)] as T
}

/** The weighted scores of the plugins for the pods that get a node there. */
function placementScoreOf({ pods, nodes }: PlacementOutcome): number {
  const placed = placedOf(pods).map(({ attempt }) => attempt.queued.parsed)
  const plugins = pods[0]?.attempt.run.profile.score ?? []
  return plugins.reduce((sum, { plugin, weight }) => sum + weight * (plugin.scorePlacement?.(placed, nodes) ?? 0), 0)
}

function placedOf(pods: readonly PodOutcome[]): readonly PodOutcome[] {
  return pods.filter(({ node }) => node !== undefined)
}

/** The score of a placement: the share of pods that have a node, from 0 to 100 (v1.36, plugins/podgrouppodscount). */
function placementScores(counts: readonly number[]): readonly number[] {
  const most = Math.max(...counts)
  return counts.map((count) => Math.trunc((count * 100) / most))
}
