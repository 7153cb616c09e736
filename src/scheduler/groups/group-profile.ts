import { objectKey } from '../../api/object-key.ts'
import type { PodGroup } from '../../api/objects/groups.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { groupNameOf } from '../../api/pod-claims.ts'
import type { SchedulerCache } from '../cache/scheduler-cache.ts'
import type { KnownGroups } from '../context/context.ts'
import type { AnyPlugin, ObjectReader, PostFilterResult, Profile } from '../contract/contract.ts'
import { unschedulable } from '../contract/contract.ts'
import type { GroupFeatures } from '../contract/groups.ts'
import { keepNomination } from '../contract/post-filter.ts'
import { createGangScheduling, createHierarchyScheduling } from '../plugins/gang-scheduling/gang-scheduling.ts'
import { GroupUnits } from './group-units.ts'

/**
 * The profile of a scheduler that knows pod groups: GangScheduling reads them, and DefaultPreemption does not preempt
 * for pods whose group preempts.
 */
export function withGroups(
  profile: Profile,
  groups: KnownGroups,
  cache: SchedulerCache,
  objects: ObjectReader,
): Profile {
  const { features, states, forest } = groups
  const gang = features.composes ? createHierarchyScheduling(states, forest) : createGangScheduling(states, objects)
  const replace = (plugin: AnyPlugin): AnyPlugin => (plugin.name === gang.name ? gang : plugin)
  return {
    ...profile,
    preEnqueue: profile.preEnqueue.map(replace),
    permit: profile.permit.map(replace),
    postFilter: profile.postFilter.map((plugin) =>
      plugin.name === 'DefaultPreemption' ? forSinglePods(plugin, groups, cache, objects) : plugin,
    ),
  }
}

/** v1.36, defaultpreemption PostFilter; v1.37, Evaluator.GetVictimsOnNode. */
function forSinglePods(
  plugin: AnyPlugin,
  groups: KnownGroups,
  cache: SchedulerCache,
  objects: ObjectReader,
): AnyPlugin {
  const { features } = groups
  const postFilter = plugin.postFilter as NonNullable<AnyPlugin['postFilter']>
  const units = features.leavesTogether ? new GroupUnits(groups, cache, objects) : undefined
  return {
    ...plugin,
    postFilter: (pod, diagnosis, context) => {
      const problem = ineligible(pod.pod, features, objects)
      if (problem !== undefined) return problem
      return postFilter(pod, diagnosis, units === undefined || units.isEmpty ? context : { ...context, groups: units })
    },
  }
}

function ineligible(pod: Pod, features: GroupFeatures, objects: ObjectReader): PostFilterResult | undefined {
  if (groupNameOf(pod) === undefined) return undefined
  if (features.placesByTopology) {
    const group = podGroupOf(pod, objects)
    if (group === undefined) return refusal('pod group for pod not found')
    if (group.spec.schedulingConstraints !== undefined)
      return refusal('not eligible due to placement-based pod group scheduling limitation')
  }
  return features.preempts ? refusal('not eligible due to workload aware preemption enabled') : undefined
}

function refusal(why: string): PostFilterResult {
  return { status: unschedulable(`preemption: ${why}`), nominating: keepNomination }
}

export function podGroupOf(pod: Pod, objects: ObjectReader): PodGroup | undefined {
  const name = groupNameOf(pod)
  if (name === undefined) return undefined
  return objects.get('podgroups.scheduling.k8s.io', objectKey(pod.metadata.namespace, name))
}
