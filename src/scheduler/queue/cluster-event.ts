import type { KubeObject } from '../../api/objects/meta.ts'
import type { KubernetesRelease } from '../../api/releases/kubernetes-release.ts'
import type { ClusterEvent, EventResource } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'

/** An event with its object. `before` is absent for additions, `after` for deletions. */
export interface ClusterChange {
  readonly event: ClusterEvent
  readonly before?: KubeObject
  readonly after?: KubeObject
}

const actionNames = new Map<number, string>(Object.entries(ActionType).map(([name, bits]) => [bits, name]))

/** The name of an event in metrics and logs. */
export function labelOf(event: ClusterEvent): string {
  return event.label ?? `${event.resource}${actionNames.get(event.action) ?? ''}`
}

/** The labels of a registration, one per action. */
export function labelsOf(event: ClusterEvent): readonly string[] {
  const { resource, action, label } = event
  if (label !== undefined || actionNames.has(action)) return [labelOf(event)]
  const update = (action & ActionType.Update) === ActionType.Update ? [ActionType.Update] : []
  const rest = update.length > 0 ? action & ~ActionType.Update : action
  const single = [...actionNames.keys()].filter((bits) => (bits & (bits - 1)) === 0 && (rest & bits) !== 0)
  return [...single, ...update].map((bits) => labelOf({ resource, action: bits }))
}

const known = new Map<string, ClusterEvent>()

/** The event of a resource and action with its label. Equal events are one object. */
export function clusterEvent(resource: EventResource, action: number): ClusterEvent {
  const name = `${resource}:${action}`
  let event = known.get(name)
  if (event === undefined) {
    event = { resource, action, label: labelOf({ resource, action }) }
    known.set(name, event)
  }
  return event
}

export const assignedPodAdd = clusterEvent('AssignedPod', ActionType.Add)
export const assignedPodDelete = clusterEvent('AssignedPod', ActionType.Delete)
export const unschedulableTimeout: ClusterEvent = {
  resource: '*',
  action: ActionType.All,
  label: 'UnschedulableTimeout',
}
export const forceActivate: ClusterEvent = { resource: '*', action: ActionType.All, label: 'ForceActivate' }

/** How the queue of a release names the events of pending pods. */
export interface PendingPodEvents {
  readonly added: ClusterEvent
  /** The label of a pod that was not in the queue when its update arrived. */
  readonly unknownUpdated: ClusterEvent
  /** The resource of updates of the pending pod itself. */
  readonly target: EventResource
  /** Whether there is an event for an update that raises requests. */
  readonly namesScaleUp: boolean
}

export function pendingPodEvents({ changes }: KubernetesRelease): PendingPodEvents {
  if (!changes.has('TargetPodEvents')) {
    return {
      added: clusterEvent('UnschedulablePod', ActionType.Add),
      unknownUpdated: clusterEvent('UnschedulablePod', ActionType.Update),
      target: 'UnschedulablePod',
      namesScaleUp: false,
    }
  }
  const added = clusterEvent('UnscheduledPod', ActionType.Add)
  return { added, unknownUpdated: added, target: 'TargetPod', namesScaleUp: true }
}

// Labels of moves without a cluster event.
export const scheduleAttemptFailure = 'ScheduleAttemptFailure'
export const backoffComplete = 'BackoffComplete'
export const popFromBackoff = 'PopFromBackoffQ'

export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === ActionType.All
}

/**
 * Reports whether a registration covers an event: the same or a more specific one (v1.36, MatchClusterEvents). A
 * registration for one kind of update does not cover a general update.
 */
export function covers(registered: ClusterEvent, incoming: ClusterEvent): boolean {
  if (isWildcard(registered)) return true
  return (
    coversResource(registered.resource, incoming.resource) &&
    (registered.action & incoming.action) !== 0 &&
    incoming.action <= registered.action
  )
}

const podResources: ReadonlySet<EventResource> = new Set([
  'AssignedPod',
  'UnschedulablePod',
  'UnscheduledPod',
  'TargetPod',
])

function coversResource(registered: EventResource, incoming: EventResource): boolean {
  return registered === '*' || registered === incoming || (registered === 'Pod' && podResources.has(incoming))
}
