import type { Pod } from '../../api/objects/pod.ts'
import type { Profile } from '../../scheduler/contract/contract.ts'
import type { ObjectSource } from '../explain/object-set.ts'
import { TrialCluster } from '../explain/trial-cluster.ts'

/** The number of additional pods like an existing one that the cluster can run. */
export interface Fit {
  readonly pod: string
  readonly more: number
  /** Set if `more` is only a lower limit, because the search stopped there. */
  readonly isCapped: boolean
  /** The nodes that run the additional pods, by number of pods. */
  readonly nodes: readonly { readonly node: string; readonly pods: number }[]
  /** The reasons that prevent the next pod, by number of nodes: `Insufficient cpu`. */
  readonly limits: readonly { readonly reason: string; readonly nodes: number }[]
  /** The message that the scheduler would give for the next pod. */
  readonly message?: string
}

/** Places copies of the pod one after the other with the scheduler itself, until a copy does not fit. */
export function fitMore(objects: ObjectSource, profile: Profile, example: Pod, most: number): Fit {
  const trial = new TrialCluster(objects, { ...profile, postFilter: [] }, copyOf(example, 0))
  const counts = new Map<string, number>()
  let more = 0
  for (; more < most; more++) {
    const pod = copyOf(example, more)
    const result = trial.schedule(pod)
    if (result.kind === 'error') throw new Error(result.message)
    if (result.kind === 'unschedulable') {
      return { ...fitOf(example, more, counts), isCapped: false, limits: limitsOf(trial, pod), message: result.message }
    }
    trial.place(pod, result.node)
    counts.set(result.node, (counts.get(result.node) ?? 0) + 1)
  }
  return { ...fitOf(example, more, counts), isCapped: true, limits: [] }
}

function fitOf({ metadata }: Pod, more: number, counts: ReadonlyMap<string, number>) {
  const nodes = [...counts].map(([node, pods]) => ({ node, pods }))
  const byCount = nodes.sort((a, b) => b.pods - a.pods || (a.node < b.node ? -1 : 1))
  return { pod: `${metadata.namespace}/${metadata.name}`, more, nodes: byCount }
}

function limitsOf(trial: TrialCluster, pod: Pod): Fit['limits'] {
  const counts = new Map<string, number>()
  const { rejected, preFilter } = trial.explain(pod)
  const all = preFilter === undefined ? [...rejected.values()] : trial.nodes().map(() => preFilter)
  for (const { reasons } of all) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts]
    .map(([reason, nodes]) => ({ reason, nodes }))
    .sort((a, b) => b.nodes - a.nodes || (a.reason < b.reason ? -1 : 1))
}

/** A pod that is not bound, with its own identity. */
function copyOf({ metadata, spec, ...rest }: Pod, at: number): Pod {
  const { nodeName: _, ...unbound } = spec
  const name = `${metadata.name}-more-${at}`
  return { ...rest, metadata: { ...metadata, name, uid: name }, spec: unbound, status: { phase: 'Pending' } } as Pod
}
