import { isPodTerminal } from '../../api/conditions.ts'
import type { Pod } from '../../api/objects/pod.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { schedulingRequests } from '../../api/scheduling-requests.ts'
import type { Fact } from './fact.ts'
import type { OwningWorkload } from './workload-of.ts'

/**
 * The history of one pod. Times are milliseconds since the start. All members exist from the beginning, so that the stories of
 * a large cluster have one hidden class.
 */
export interface PodStory {
  readonly uid: string
  readonly key: string
  /** `APP-*` for pods of a workload. */
  readonly group: string | undefined
  readonly owner: string | undefined
  readonly workload: OwningWorkload
  readonly priority: number
  readonly cpuMilli: number
  readonly memoryBytes: number
  /** The pod existed before the start. */
  readonly isOld: boolean
  /** The pod was terminating at the start. */
  readonly wasGoing: boolean
  /** The pod had finished at the start. */
  readonly wasEnded: boolean
  /** The node of the pod at the start. */
  readonly fromNode: string | undefined
  createdMs: number | undefined
  boundMs: number | undefined
  node: string | undefined
  startedMs: number | undefined
  /** The last time at which the pod started or became ready. */
  readyMs: number | undefined
  unschedulableMs: number | undefined
  /** The last scheduling failure. */
  message: string | undefined
  nominated: string | undefined
  notReadyMs: number | undefined
  /** The last time at which the pod became ready again. */
  recoveredMs: number | undefined
  /** The reason of the DisruptionTarget condition of the pod. */
  disruption: string | undefined
  deletedMs: number | undefined
  /** The controller that deleted the pod; absent: a client outside the control plane. */
  deletedBy: string | undefined
  endedMs: number | undefined
  endedAs: string | undefined
  goneMs: number | undefined
}

export function beginStory(
  pod: Pod,
  fact: Fact,
  { isOld, workload }: { readonly isOld: boolean; readonly workload: OwningWorkload },
): PodStory {
  const { cpuMilli, memoryBytes } = schedulingRequests(pod)
  const owner = controllerOf(pod)
  const { nodeName } = pod.spec
  const node = isOld && nodeName !== '' ? nodeName : undefined
  return {
    uid: fact.uid,
    key: fact.key,
    group: fact.group,
    owner: owner === undefined ? undefined : `${owner.kind}/${owner.name}`,
    workload,
    priority: pod.spec.priority ?? 0,
    cpuMilli,
    memoryBytes,
    isOld,
    wasGoing: isOld && pod.metadata.deletionTimestamp !== undefined,
    wasEnded: isOld && isPodTerminal(pod),
    fromNode: node,
    createdMs: undefined,
    boundMs: undefined,
    node,
    startedMs: undefined,
    readyMs: undefined,
    unschedulableMs: undefined,
    message: undefined,
    nominated: undefined,
    notReadyMs: undefined,
    recoveredMs: undefined,
    disruption: undefined,
    deletedMs: undefined,
    deletedBy: undefined,
    endedMs: undefined,
    endedAs: undefined,
    goneMs: undefined,
  }
}

export function tell(story: PodStory, { what, atMs, detail, by }: Fact): void {
  switch (what) {
    case 'created':
      story.createdMs = atMs
      return
    case 'bound':
      story.boundMs = atMs
      story.node = String(detail)
      return
    case 'started':
      story.startedMs = atMs
      story.readyMs = atMs
      return
    case 'unschedulable':
    case 'gated':
      story.unschedulableMs ??= atMs
      story.message = String(detail ?? '')
      return
    case 'nominated':
      story.nominated = String(detail)
      return
    case 'notReady':
      story.notReadyMs ??= atMs
      return
    case 'recovered':
      story.readyMs = atMs
      if (story.notReadyMs !== undefined) story.recoveredMs = atMs
      return
    case 'disruption':
      // The disruption did not delete a pod that is already being deleted.
      if (story.deletedMs === undefined) story.disruption = String(detail)
      return
    case 'terminating':
      story.deletedMs = atMs
      if (by !== undefined) story.deletedBy = by
      return
    case 'ended':
      story.endedMs = atMs
      story.endedAs = String(detail)
      return
    case 'gone':
      story.goneMs = atMs
      if (!story.wasGoing) story.deletedMs ??= atMs
      return
    default:
  }
}
