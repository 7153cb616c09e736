import {
  compileNodeSelector,
  compilePreferredTerms,
  RequiredNodeAffinity,
  type WeightedNodeTerm,
} from '../../../api/node-selector.ts'
import type { Node, NodeSelectorTerm } from '../../../api/objects/node.ts'
import type { NodeAffinity } from '../../../api/objects/pod.ts'
import { definePlugin, ok, type Plugin, skip, unresolvable } from '../../framework/contract.ts'
import { higherIsBetter } from '../../framework/normalize.ts'
import { nodeAffinityWake } from './wake.ts'

export interface NodeAffinityArgs {
  /** Holds for every pod of the profile, besides its own. */
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
      return { state: [...addedTerms, ...compilePreferredTerms(preferred)] }
    },
    score: (_pod, { node }, terms) => sumPreferences(node, terms),
    normalize: higherIsBetter,
    wakeOn: nodeAffinityWake(args),
  })
}

/**
 * The only nodes that terms by name leave, when every term names some: terms are alternatives, so one without a name
 * leaves all nodes (undefined).
 */
export function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields } of terms) {
    let ofTerm: Set<string> | undefined
    for (const { key, operator, values } of matchFields ?? []) {
      if (key !== 'metadata.name' || operator !== 'In') continue
      const listed = new Set(values)
      ofTerm = ofTerm === undefined ? listed : new Set([...ofTerm].filter((name) => listed.has(name)))
    }
    if (ofTerm === undefined) return undefined
    for (const name of ofTerm) names.add(name)
  }
  return names
}

export function sumPreferences({ metadata }: Node, terms: readonly WeightedNodeTerm[]): number {
  let sum = 0
  for (const { weight, term } of terms) if (term.matches(metadata.labels, metadata.name)) sum += weight
  return sum
}
