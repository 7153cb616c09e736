import { findCondition } from '../../api/conditions.ts'
import type { NodePool } from '../../api/objects/karpenter.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { labels } from '../../api/well-known.ts'
import type { View } from '../../runtime/view.ts'
import { classReadiness } from './class-readiness.ts'
import type { KarpenterCloud } from './cloud/karpenter-cloud.ts'
import { capacityTypeLabel, kwokGroup, nodePoolLabel, nodePools } from './names.ts'
import { isStatic, orderByWeight } from './node-pool.ts'
import type { KarpenterOptions } from './options.ts'
import type { Requirement } from './scheduling/requirement.ts'
import { podRequirements, Requirements, termRequirements } from './scheduling/requirements.ts'
import { volumeProblem } from './scheduling/volume-topology.ts'
import type { ClusterState } from './state/cluster-state.ts'

/** The inputs of a decision. */
export interface Situation {
  readonly view: View
  readonly state: ClusterState
  readonly cloud: KarpenterCloud
  readonly options: KarpenterOptions
  readonly now: number
  readonly wall: number
}

/** Dynamic pools, whose nodes are created and deleted with the pods, by weight. */
export function readyPools({ view }: Pick<Situation, 'view'>): readonly NodePool[] {
  const ready = view.list(nodePools).filter((pool) => {
    return !isStatic(pool) && pool.metadata.deletionTimestamp === undefined && isReady(pool, view)
  })
  return orderByWeight(ready)
}

/** A pool is ready if it is valid and its node class is ready. */
export function isReady(pool: NodePool, view: View): boolean {
  if (findCondition(pool.status?.conditions, 'Ready')?.status === 'False') return false
  return classReadiness(pool, view).status === 'True'
}

/** Pods that need a node, without pods that Karpenter ignores. */
export function pendingPods({ view, state, cloud }: Situation): readonly Pod[] {
  const { wellKnown } = cloud.catalog
  return [...state.pending].filter((pod) => podProblem(pod, view, wellKnown) === undefined)
}

/** The number of pods without a node that Karpenter ignores. */
export function ignoredPods({ view, state, cloud }: Situation): number {
  const { wellKnown } = cloud.catalog
  return [...state.pending].filter((pod) => podProblem(pod, view, wellKnown) !== undefined).length
}

/** The reason why Karpenter ignores a pod, or undefined (v1.14, Provisioner.Validate). */
export function podProblem(pod: Pod, view: View, wellKnown: ReadonlySet<string>): string | undefined {
  let known = specProblems.get(pod.spec)
  if (known?.wellKnown !== wellKnown) {
    known = { wellKnown, problem: specProblem(pod, wellKnown) }
    specProblems.set(pod.spec, known)
  }
  return known.problem ?? volumeProblem(pod, view)
}

// A waiting pod is evaluated many times, and its spec does not change.
const specProblems = new WeakMap<
  Pod['spec'],
  { readonly wellKnown: ReadonlySet<string>; readonly problem: string | undefined }
>()

function specProblem(pod: Pod, wellKnown: ReadonlySet<string>): string | undefined {
  const requirement = podRequirements(pod).get(nodePoolLabel)
  if (requirement.operator === 'DoesNotExist') return 'configured to not run on a Karpenter provisioned node'
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const terms = required ?? []
  if (terms.some(({ matchFields }) => matchFields !== undefined))
    return 'node selector term with matchFields is not supported'
  const all = [Requirements.fromLabels(pod.spec.nodeSelector), ...terms.map(termRequirements)]
  for (const requirements of all) {
    for (const each of requirements.all) {
      const problem = restriction(each, wellKnown)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

const restrictedDomains = ['karpenter.sh', kwokGroup]
const capacityTypes = ['on-demand', 'spot', 'reserved']

/** A pod must not require the host name or labels of Karpenter's own domains, unless instance types have them. */
function restriction({ key, operator, values }: Requirement, wellKnown: ReadonlySet<string>): string | undefined {
  if (key === capacityTypeLabel && operator === 'In' && !capacityTypes.some((each) => values.has(each)))
    return `invalid values: [${[...values].join(' ')}] for key: ${key}, expected one of: [${capacityTypes.join(' ')}]`
  if (wellKnown.has(key)) return undefined
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  const isOwn = restrictedDomains.some((each) => domain === each || domain.endsWith(`.${each}`))
  if (!isOwn && key !== labels.hostname) return undefined
  return `using label ${key} is not allowed as it might interfere with the internal provisioning logic`
}
