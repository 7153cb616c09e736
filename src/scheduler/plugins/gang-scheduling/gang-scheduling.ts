import { objectKey } from '../../../api/object-key.ts'
import type { PodGroup } from '../../../api/objects/groups.ts'
import type { Pod } from '../../../api/objects/pod.ts'
import { groupNameOf } from '../../../api/pod-claims.ts'
import {
  definePlugin,
  failure,
  type ObjectReader,
  ok,
  type PermitAnswer,
  type Plugin,
  type PluginStatus,
  unresolvable,
} from '../../contract/contract.ts'
import {
  deepestHierarchy,
  type GroupHierarchies,
  type GroupNode,
  type GroupReader,
  groupId,
  minCountOf,
} from '../../contract/groups.ts'
import { gangSchedulingWake, hierarchyWake } from './wake.ts'

// v1.36, gangscheduling permitTimeoutDuration.
const permitTimeoutMs = 5 * 60_000

/** The pods of deeper hierarchies stay out of the queue (v1.37, BuildHierarchySnapshotFromPod). */
const deepestQueued = deepestHierarchy + 1

const tooFew = unresolvable('waiting for minCount pods from a gang to appear in scheduling queue')
const waits: PermitAnswer = {
  code: 'Wait',
  reasons: ['waiting for minCount pods from a gang to be scheduled'],
  timeoutMs: permitTimeoutMs,
}

/**
 * Keeps the pods of a gang out of the queue until `minCount` of them exist, and delays their binding until `minCount`
 * of them have a node (v1.36, plugins/gangscheduling).
 */
export function createGangScheduling(groups: GroupReader, objects: ObjectReader): Plugin<undefined, undefined> {
  return definePlugin<undefined, undefined>({
    name: 'GangScheduling',
    preEnqueue: (pod) => admit(pod, groups, objects),
    permit: ({ pod }) => permit(pod, groups, objects),
    wakeOn: gangSchedulingWake,
  })
}

/**
 * The plugin for hierarchies of groups: pods stay out of the queue until every required group has enough pods (v1.37,
 * gate CompositePodGroup).
 */
export function createHierarchyScheduling(
  groups: GroupReader,
  hierarchies: GroupHierarchies,
): Plugin<undefined, undefined> {
  const isReady = (group: GroupNode, countOf: CountOf): boolean => {
    const counts = groups.counts(group.key)
    const count =
      group.kind === 'podgroup'
        ? (counts && countOf(counts)) || 0
        : hierarchies.childrenOf(group).filter((child) => isReady(child, countOf)).length
    return count >= minCountOf(group)
  }
  return definePlugin<undefined, undefined>({
    name: 'GangScheduling',
    preEnqueue: (pod) => {
      const found = rootOf(pod, hierarchies)
      if (found === undefined) return ok
      if (typeof found === 'string') return unresolvable(found)
      if (isReady(found, ({ all }) => all)) return ok
      return found.kind === 'podgroup' ? tooFew : unresolvable(quorumOf(found))
    },
    permit: ({ pod }) => {
      const found = rootOf(pod, hierarchies)
      if (found === undefined) return ok
      if (typeof found === 'string') return failure(found)
      if (isReady(found, ({ scheduled }) => scheduled)) return ok
      return found.kind === 'podgroup'
        ? waits
        : { code: 'Wait', reasons: [quorumOf(found)], timeoutMs: permitTimeoutMs }
    },
    wakeOn: hierarchyWake(hierarchies),
  })
}

type CountOf = (counts: { readonly all: number; readonly scheduled: number }) => number

/** The root of the pod's hierarchy, or the reason why it is unknown; undefined: the pod is in no group. */
function rootOf(pod: Pod, hierarchies: GroupHierarchies): GroupNode | string | undefined {
  const name = groupNameOf(pod)
  if (name === undefined) return undefined
  const id = groupId('podgroup', objectKey(pod.metadata.namespace, name))
  const lineage = hierarchies.lineageOf(id)
  const root = hierarchies.rootOf(id)
  if (root !== undefined && lineage.length <= deepestQueued) return root
  const highest = lineage.at(-1)
  const failed = 'failed to build hierarchy snapshot'
  if (highest === undefined) return `${failed}: pod group object not found in state for ${id}`
  const tooDeep = root === undefined ? undefined : lineage[1]?.id
  const missing = tooDeep ?? groupId('compositepodgroup', parentKeyOf(highest))
  return `${failed}: composite pod group object not found in state for ${missing}`
}

function parentKeyOf({ object }: GroupNode): string {
  return objectKey(object.metadata.namespace, object.spec.parentCompositePodGroupName ?? '')
}

function quorumOf({ object }: GroupNode): string {
  return `waiting for composite pod group ${JSON.stringify(object.metadata.name)} tree to meet quorum`
}

/** A placeholder in profiles. The scheduler, which knows the groups, replaces it. */
export const gangScheduling: Plugin<undefined, undefined> = createGangScheduling(
  { counts: () => undefined },
  { get: () => undefined, list: () => [] },
)

function admit(pod: Pod, groups: GroupReader, objects: ObjectReader): PluginStatus {
  const name = groupNameOf(pod)
  if (name === undefined) return ok
  const group = groupOf(pod, name, objects)
  if (group === undefined)
    return unresolvable(`waiting for pods's pod group ${JSON.stringify(name)} to appear in scheduling queue`)
  const gang = group.spec.schedulingPolicy?.gang
  if (gang === undefined) return ok
  return (groups.counts(objectKey(pod.metadata.namespace, name))?.all ?? 0) < gang.minCount ? tooFew : ok
}

function permit(pod: Pod, groups: GroupReader, objects: ObjectReader): PermitAnswer {
  const name = groupNameOf(pod)
  if (name === undefined) return ok
  const group = groupOf(pod, name, objects)
  if (group === undefined) {
    const why = `podgroup.scheduling.k8s.io ${JSON.stringify(name)} not found`
    return failure(`failed to get podGroup ${pod.metadata.namespace ?? ''}/${name}: ${why}`)
  }
  const gang = group.spec.schedulingPolicy?.gang
  if (gang === undefined) return ok
  return (groups.counts(objectKey(pod.metadata.namespace, name))?.scheduled ?? 0) < gang.minCount ? waits : ok
}

function groupOf(pod: Pod, name: string, objects: ObjectReader): PodGroup | undefined {
  return objects.get('podgroups.scheduling.k8s.io', objectKey(pod.metadata.namespace, name))
}
