import type { KubeObject } from '../../api/objects/meta.ts'
import type { ClusterEvent, EventResource } from '../contract/contract.ts'
import { ActionType } from '../contract/contract.ts'

/** An event with the object it happened to. `before` is absent for additions, `after` for deletions. */
export interface ClusterChange {
  readonly event: ClusterEvent
  readonly before?: KubeObject
  readonly after?: KubeObject
}

const ACTION_NAMES = new Map<number, string>(Object.entries(ActionType).map(([name, bits]) => [bits, name]))

/** What metrics and logs call an event. */
export function labelOf(event: ClusterEvent): string {
  return event.label ?? `${event.resource}${ACTION_NAMES.get(event.action) ?? ''}`
}

/** A registration for several actions, one by one. */
export function labelsOf(event: ClusterEvent): readonly string[] {
  const { resource, action, label } = event
  if (label !== undefined || ACTION_NAMES.has(action)) return [labelOf(event)]
  const update = (action & ActionType.Update) === ActionType.Update ? [ActionType.Update] : []
  const rest = update.length > 0 ? action & ~ActionType.Update : action
  const single = [...ACTION_NAMES.keys()].filter((bits) => (bits & (bits - 1)) === 0 && (rest & bits) !== 0)
  return [...single, ...update].map((bits) => labelOf({ resource, action: bits }))
}

const known = new Map<string, ClusterEvent>()

/** The event of that resource and action, with its label; always the same value for the same event. */
export function clusterEvent(resource: EventResource, action: number): ClusterEvent {
  const name = `${resource}:${action}`
  let event = known.get(name)
  if (event === undefined) {
    event = { resource, action, label: labelOf({ resource, action }) }
    known.set(name, event)
  }
  return event
}

export const ASSIGNED_POD_ADD = clusterEvent('AssignedPod', ActionType.Add)
export const ASSIGNED_POD_DELETE = clusterEvent('AssignedPod', ActionType.Delete)
export const UNSCHEDULED_POD_ADD = clusterEvent('UnschedulablePod', ActionType.Add)
export const UNSCHEDULED_POD_UPDATE = clusterEvent('UnschedulablePod', ActionType.Update)
export const UNSCHEDULABLE_TIMEOUT: ClusterEvent = {
  resource: '*',
  action: ActionType.All,
  label: 'UnschedulableTimeout',
}
export const FORCE_ACTIVATE: ClusterEvent = { resource: '*', action: ActionType.All, label: 'ForceActivate' }

// Labels of moves that no cluster event caused.
export const SCHEDULE_ATTEMPT_FAILURE = 'ScheduleAttemptFailure'
export const BACKOFF_COMPLETE = 'BackoffComplete'
export const POP_FROM_BACKOFF = 'PopFromBackoffQ'

export function isWildcard(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === ActionType.All
}

/**
 * Whether a registration covers an incoming event: the same or a more specific one (v1.36, MatchClusterEvents).
 * A general incoming update is not covered by a registration for one kind of update.
 */
export function covers(registered: ClusterEvent, incoming: ClusterEvent): boolean {
  if (isWildcard(registered)) return true
  return (
    coversResource(registered.resource, incoming.resource) &&
    (registered.action & incoming.action) !== 0 &&
    incoming.action <= registered.action
  )
}

function coversResource(registered: EventResource, incoming: EventResource): boolean {
  return (
    registered === '*' ||
    registered === incoming ||
    (registered === 'Pod' && (incoming === 'AssignedPod' || incoming === 'UnschedulablePod'))
  )
}
