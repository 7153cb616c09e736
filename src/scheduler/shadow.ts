import type { Pod } from '../api/objects/pod.ts'
import type { KubernetesRelease } from '../api/releases/kubernetes-release.ts'
import type { Change, Controller, StepInput } from '../runtime/controller.ts'
import { SchedulerCache } from './cache/scheduler-cache.ts'
import type { Explanation, Profile, Scheduling } from './contract/contract.ts'
import { createScheduling } from './cycle.ts'
import { PodNominator } from './queue/nominator.ts'
import { watchedResourcesOf } from './watched-resources.ts'

/** The comparison of berth's decision with a placement by another scheduler. */
export interface ShadowVerdict {
  readonly pod: string
  /** The node that the other scheduler selected. */
  readonly node: string
  /** The nodes with berth's highest total score. */
  readonly best: readonly string[]
  readonly bestScore: number
  readonly score: number | undefined
  /**
   * `same`: the node is one of the best. `sampled`: the node fits but others score higher, and the other scheduler
   * evaluates only a sample of the nodes. `differs`: the node fits but others score higher, and all nodes were
   * evaluated. `refused`: berth's filters reject the node.
   */
  readonly verdict: 'same' | 'sampled' | 'differs' | 'refused'
  readonly why?: string
}

export interface ShadowOptions {
  readonly profiles: readonly Profile[]
  readonly release: KubernetesRelease
  readonly onVerdict: (verdict: ShadowVerdict) => void
}

// v1.36, pkg/scheduler: minFeasibleNodesToFind. With fewer nodes, all nodes are evaluated.
const sampledAbove = 100

/**
 * Observes another scheduler: for each pod that it binds, runs the decision on the state of the cluster before the
 * bind. It writes nothing.
 */
export function createShadow({ profiles, release, onVerdict }: ShadowOptions): Controller {
  const cache = new SchedulerCache()
  const nominator = new PodNominator()
  const schedulings = new Map<string, Scheduling>(
    profiles.map((profile) => [profile.schedulerName, createScheduling({ profile, cache, nominator })]),
  )
  let begun = false
  return {
    name: 'shadow',
    watches: watchedResourcesOf(release),
    step(input) {
      for (const change of input.changes) {
        if (begun && change.resource === 'pods') judge(change.before, change.after, input)
        follow(cache, change)
      }
      begun = true
      return {}
    },
  }

  function judge(before: Pod | undefined, after: Pod | undefined, { view, random }: StepInput): void {
    const node = after?.spec.nodeName
    if (before === undefined || before.spec.nodeName || !node || after === undefined) return
    const scheduling = schedulings.get(before.spec.schedulerName ?? 'default-scheduler')
    if (scheduling === undefined) return
    const explained = scheduling.explain(cache.parser.parse(before), { objects: view, random })
    onVerdict(verdictOn(after, node, explained, cache.nodeCount))
  }
}

function follow(cache: SchedulerCache, change: Change): void {
  const { before, after } = change
  if (change.resource === 'nodes') {
    if (change.before === undefined) cache.addNode(change.after!)
    else if (change.after === undefined) cache.removeNode(change.before)
    else cache.updateNode(change.before, change.after)
    return
  }
  if (change.resource !== 'pods') {
    cache.noteChange(change.resource, before, after)
    return
  }
  const was = counts(change.before)
  const is = counts(change.after)
  if (was && is) cache.updatePod(change.before!, change.after!)
  else if (is) cache.addPod(change.after!)
  else if (was) cache.removePod(change.before!)
}

const counts = (pod: Pod | undefined) =>
  Boolean(pod?.spec.nodeName) && pod?.status?.phase !== 'Succeeded' && pod?.status?.phase !== 'Failed'

function verdictOn(pod: Pod, node: string, explained: Explanation, nodes: number): ShadowVerdict {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`
  const rejection = explained.preFilter ?? explained.rejected.get(node)
  const totals = new Map(explained.scores.map(({ node: each, total }) => [each, total]))
  const bestScore = Math.max(Number.NEGATIVE_INFINITY, ...totals.values())
  // A single feasible node has no score.
  const best =
    explained.feasible.length === 1
      ? explained.feasible
      : [...totals].filter(([, total]) => total === bestScore).map(([each]) => each)
  const common = { pod: name, node, best, bestScore, score: totals.get(node) }
  if (rejection !== undefined && !explained.feasible.includes(node))
    return { ...common, verdict: 'refused', why: `${rejection.plugin ?? ''}: ${rejection.reasons.join('; ')}` }
  if (best.includes(node)) return { ...common, verdict: 'same' }
  if (nodes > sampledAbove)
    return {
      ...common,
      verdict: 'sampled',
      why: `${best[0]} scores ${bestScore}, ${node} ${totals.get(node)}: kube-scheduler evaluates a sample of ${nodes} nodes`,
    }
  return { ...common, verdict: 'differs', why: `${best[0]} scores ${bestScore}, ${node} ${totals.get(node)}` }
}
