import type { Pod } from '../api/objects/pod.ts'
import { controllerOf } from '../api/owner-references.ts'
import { schedulingRequests } from '../api/scheduling-requests.ts'
import type { Fact } from './fact.ts'

/** What happened to one pod. Instants are milliseconds since the beginning. */
export interface PodStory {
  readonly uid: string
  readonly key: string
  /** `APP-*` for pods of a workload. */
  readonly group?: string
  readonly owner?: string
  readonly priority: number
  readonly cpuMilli: number
  readonly memoryBytes: number
  /** It was there before the beginning. */
  readonly isOld: boolean
  /** Its deletion had begun before the beginning. */
  readonly wasGoing: boolean
  /** Where it was at the beginning. */
  readonly fromNode?: string
  createdMs?: number
  boundMs?: number
  node?: string
  startedMs?: number
  unschedulableMs?: number
  /** The last reason why it could not be placed. */
  message?: string
  nominated?: string
  notReadyMs?: number
  /** When it was ready again after that, for the last time. */
  recoveredMs?: number
  /** Why it was disrupted: the reason of its DisruptionTarget condition. */
  disruption?: string
  deletedMs?: number
  /** The controller that deleted it; absent: somebody outside. */
  deletedBy?: string
  endedMs?: number
  endedAs?: string
  goneMs?: number
}

export function beginStory(pod: Pod, fact: Fact, isOld: boolean): PodStory {
  const { cpuMilli, memoryBytes } = schedulingRequests(pod)
  const owner = controllerOf(pod)
  const { nodeName } = pod.spec
  return {
    uid: fact.uid,
    key: fact.key,
    ...(fact.group === undefined ? {} : { group: fact.group }),
    ...(owner === undefined ? {} : { owner: `${owner.kind}/${owner.name}` }),
    priority: pod.spec.priority ?? 0,
    cpuMilli,
    memoryBytes,
    isOld,
    wasGoing: isOld && pod.metadata.deletionTimestamp !== undefined,
    ...(isOld && nodeName !== undefined && nodeName !== '' ? { fromNode: nodeName, node: nodeName } : {}),
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
      if (story.notReadyMs !== undefined) story.recoveredMs = atMs
      return
    case 'disruption':
      story.disruption = String(detail)
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
