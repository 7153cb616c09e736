import { ActionType } from '../../contract/contract.ts'
import { clusterEvent } from '../cluster-event.ts'
import type { QueuedPod } from '../queued-pod.ts'
import type { RequeueVerdict } from '../requeue-judge.ts'
import type { InFlightTracker, RequeuePolicy } from '../requeue-policy.ts'
import { podsAttractedBy, podsForNode, specificationChanged } from './legacy-checks.ts'
import { legacyRules } from './legacy-rules.ts'

const pendingUpdate = clusterEvent('UnschedulablePod', ActionType.Update)

/** The queue of releases before queueing hints (v1.26). */
export const legacyPolicy: RequeuePolicy = {
  popsFromBackoff: false,
  retriesOnUpdate: true,
  rereadsMissingNodes: true,
  createTracker: () => new MoveRequests(),
  wakeRules: legacyRules,
  // An update of a node was one event. Annotations and declared features were not events.
  nodeEvents(events) {
    const unknown = ActionType.UpdateNodeAnnotation | ActionType.UpdateNodeDeclaredFeature
    return events.filter(({ action }) => (action & unknown) === 0).slice(0, 1)
  },
  pendingChanges: (before, after) =>
    specificationChanged(before, after) ? [{ event: pendingUpdate, before, after }] : [],
  podsForNode,
  podsAttractedBy,
}

/** A move request during an attempt sends the pod to backoff, whatever caused the request. */
class MoveRequests implements InFlightTracker {
  // A change is compared with later attempts too, so the queue must see all changes.
  readonly isIdle = false
  private cycle = 0
  private moveRequestCycle = -1

  start(): void {
    this.cycle++
  }

  done(): void {}

  has(): boolean {
    return false
  }

  record(): void {
    this.requestMove()
  }

  requestMove(): void {
    this.moveRequestCycle = this.cycle
  }

  verdict(_pod: QueuedPod): RequeueVerdict {
    return this.moveRequestCycle >= this.cycle ? 'afterBackoff' : 'skip'
  }
}
