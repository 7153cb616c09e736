import type { Call } from '../../api/call.ts'
import { findCondition } from '../../api/conditions.ts'
import { updateStatusCall } from '../../api/object-calls.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { type LaneWork, runInLanes } from './lanes.ts'
import type { NodeEvent, StepContext } from './step-context.ts'

/** Sets the Ready condition of a pod to False on behalf of its node; undefined: the pod is already not ready. */
export function notReadyCall(pod: Pod, now: number): Call | undefined {
  const ready = readiness(pod)
  if (ready === undefined) return undefined
  const unready: PodCondition = { ...ready, status: 'False', lastTransitionTime: formatTime(now) }
  const conditions = pod.status?.conditions?.map((other) => (other === ready ? unready : other)) ?? []
  return updateStatusCall('pods', { ...pod, status: { ...pod.status, conditions } } as Pod)
}

/** The Ready condition, unless it is False. */
function readiness({ status }: Pod): PodCondition | undefined {
  const ready = findCondition(status?.conditions, 'Ready')
  return ready?.status === 'False' ? undefined : ready
}

// v1.36, client-go DefaultTypedControllerRateLimiter: 5 ms, doubled up to 1000 s.
const firstRetryMs = 5
const longestRetryMs = 1_000_000

/** Marks the pods of silent nodes not ready (v1.36, controller/util/node MarkPodsNotReady, nodelifecycle processPod). */
export class PodMarker {
  private readonly retries = new DeadlineQueue<string>()
  private readonly failures = new Map<string, number>()
  private readonly width: number

  /** `width`: the maximum number of pods of one node that are written at a time. */
  constructor(width: number) {
    this.width = width
  }

  /** `finished` receives whether all pods that still exist were written. */
  mark(
    pods: readonly Pod[],
    node: string,
    context: StepContext,
    finished: (allWritten: boolean, context: StepContext) => void,
  ): void {
    let allWritten = true
    const work: LaneWork<Pod> = (pod, now, done) => {
      const call = pod.spec.nodeName === node ? notReadyCall(pod, now.wall) : undefined
      if (call === undefined) {
        done(now)
        return
      }
      now.call(call, (outcome, later) => {
        const isGone = !outcome.ok && outcome.status.reason === 'NotFound'
        if (!outcome.ok && !isGone) allWritten = false
        if (!isGone) later.notify(notReadyEvent(pod))
        done(later)
      })
    }
    runInLanes(pods, this.width, context, work, (later) => finished(allWritten, later))
  }

  /** Handles a pod that was bound after its node fell silent. Other pods are marked by the passes. */
  bound(key: string, context: StepContext, isReady: (node: string) => boolean | undefined): void {
    const pod = context.pod(key)
    const node = pod?.spec.nodeName
    if (pod === undefined || node === undefined) {
      this.failures.delete(key)
      return
    }
    const ready = isReady(node)
    if (ready === undefined) return
    if (context.node(node) === undefined) this.retry(key, context)
    else if (!ready) {
      this.mark([pod], node, context, (written, later) => {
        if (!written) this.retry(key, later)
      })
    }
  }

  due(now: number): readonly string[] {
    return this.retries.popDue(now)
  }

  nextAt(): number | undefined {
    return this.retries.nextAt()
  }

  private retry(key: string, { now }: StepContext): void {
    const failures = this.failures.get(key) ?? 0
    this.failures.set(key, failures + 1)
    this.retries.set(key, now + Math.min(firstRetryMs * 2 ** failures, longestRetryMs))
  }
}

function notReadyEvent(pod: Pod): NodeEvent {
  const regarding = referenceTo(pod, { apiVersion: 'v1', kind: 'Pod' })
  return { regarding, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' }
}
