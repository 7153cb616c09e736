import type { LabelMatcher } from '../../../api/label-matcher.ts'
import { createRequirement } from '../../../api/label-matcher.ts'
import { compileLabelSelector } from '../../../api/label-selector.ts'
import type { Pod, TopologySpreadConstraint } from '../../../api/objects/pod.ts'
import { must } from '../../../base/result.ts'
import type { ObjectReader } from '../../framework/contract.ts'

/** The part of a DoNotSchedule constraint that decides which changes matter to it. */
export interface SpreadRule {
  readonly topologyKey: string
  readonly selector: LabelMatcher
  readonly honoursTaints: boolean
}

/** @param args The plugin's; its default constraints count for pods that have none of their own. */
export function hardConstraints(pod: Pod, _args: unknown, _objects: ObjectReader): readonly SpreadRule[] {
  const own = pod.spec.topologySpreadConstraints ?? []
  return own.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule').map((one) => ruleOf(pod, one))
}

function ruleOf(pod: Pod, constraint: TopologySpreadConstraint): SpreadRule {
  const labels = pod.metadata.labels ?? {}
  const keyed = (constraint.matchLabelKeys ?? []).filter((key) => Object.hasOwn(labels, key))
  const added = keyed.map((key) => must(createRequirement(key, '=', [labels[key] as string])))
  return {
    topologyKey: constraint.topologyKey,
    selector: must(compileLabelSelector(constraint.labelSelector)).and(added),
    honoursTaints: constraint.nodeTaintsPolicy === 'Honor',
  }
}
