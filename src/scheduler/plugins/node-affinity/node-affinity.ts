import {
  compileNodeSelector,
  compilePreferredTerms,
  RequiredNodeAffinity,
  type WeightedNodeTerm,
} from '../../../api/node-selector.ts'
import type { NodeAffinity, Pod } from '../../../api/objects/pod.ts'
import { definePlugin, failure, type NodeFacts, ok, type Plugin, skip, unresolvable } from '../../contract/contract.ts'
import { higherIsBetter } from '../../framework/normalize.ts'
import { namedNodes, preferenceProblem, sumPreferences } from './named-nodes.ts'
import { nodeAffinityWake } from './wake.ts'

export interface NodeAffinityArgs {
  /** Applies to every pod of the profile, in addition to the affinity of the pod. */
  readonly addedAffinity?: NodeAffinity
}

const notThePods = unresolvable("node(s) didn't match Pod's node affinity/selector")
const notTheProfiles = unresolvable("node(s) didn't match scheduler-enforced node affinity")
const conflict = unresolvable('pod affinity terms conflict')

export function createNodeAffinity(
  args: NodeAffinityArgs = {},
): Plugin<RequiredNodeAffinity, readonly WeightedNodeTerm[]> {
  const addedRequired = args.addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const added = addedRequired === undefined ? undefined : compileNodeSelector(addedRequired)
  const addedPreferred = args.addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const addedTerms = compilePreferredTerms(addedPreferred)

  return definePlugin<RequiredNodeAffinity, readonly WeightedNodeTerm[]>({
    name: 'NodeAffinity',
    reads: ({ pod }) => factsOf(pod, args.addedAffinity),
    preFilter({ pod }) {
      const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      if (required === undefined && added === undefined && pod.spec.nodeSelector === undefined) return skip
      const state = new RequiredNodeAffinity(pod)
      const names = namedNodes(required?.nodeSelectorTerms ?? [])
      if (names === undefined) return { state }
      return names.size === 0 ? conflict : { state, nodes: names }
    },
    filter({ pod }, { node, name }, state) {
      if (added !== undefined && !added.matches(node.metadata.labels, name)) return notTheProfiles
      const required = state ?? new RequiredNodeAffinity(pod)
      return required.matches(node.metadata.labels, name) ? ok : notThePods
    },
    preScore({ pod }) {
      const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution
      if (preferred === undefined && addedPreferred.length === 0) return skip
      const own = compilePreferredTerms(preferred)
      const problem = preferenceProblem(own)
      return problem === undefined ? { state: [...addedTerms, ...own] } : failure(problem)
    },
    score: (_pod, { node }, terms) => sumPreferences(node, terms),
    normalize: higherIsBetter,
    wakeOn: nodeAffinityWake(args),
  })
}

/** The labels that selectors and affinity terms name. A term with matchFields reads the name of the node. */
function factsOf({ spec }: Pod, added: NodeAffinity | undefined): NodeFacts {
  const terms = [spec.affinity?.nodeAffinity, added].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ preference }) => preference),
  ])
  if (terms.some(({ matchFields }) => (matchFields ?? []).length > 0)) return 'name'
  const keys = terms.flatMap(({ matchExpressions }) => (matchExpressions ?? []).map(({ key }) => key))
  return { labels: [...Object.keys(spec.nodeSelector ?? {}), ...keys] }
}
