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
import type { GroupReader } from '../../contract/groups.ts'
import { gangSchedulingWake } from './wake.ts'

// v1.36, gangscheduling permitTimeoutDuration.
const permitTimeoutMs = 5 * 60_000

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

/** The plugin of a profile before the scheduler, which knows the groups, puts its own in its place. */
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
