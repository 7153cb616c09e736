import type { Call } from '../../api/call.ts'
import { findCondition, withCondition } from '../../api/conditions.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import type { Moment } from './moment.ts'

/** Says in a pod's status that it is not ready, since its node cannot; undefined when there is nothing to take back. */
export function notReadyCall(pod: Pod, now: number): Call | undefined {
  const before = pod.status?.conditions
  const ready = findCondition(before, 'Ready')
  if (ready === undefined) return undefined
  const unready: PodCondition = { ...ready, status: 'False' }
  const conditions = withCondition(before, unready, formatTime(now))
  if (conditions === before) return undefined
  const { name, namespace } = pod.metadata
  const object: Pod = { ...pod, status: { ...pod.status, conditions } }
  const at = namespace === undefined ? {} : { namespace }
  return { verb: 'update', resource: 'pods', ...at, name, subresource: 'status', object }
}

// v1.36, client-go DefaultTypedControllerRateLimiter: 5 ms, doubled up to 1000 s.
const FIRST_RETRY_MS = 5
const LONGEST_RETRY_MS = 1_000_000

/** Marks the pods of silent nodes not ready (v1.36, controller/util/node MarkPodsNotReady, nodelifecycle processPod). */
export class PodMarker {
  private readonly retries = new DeadlineQueue<string>()
  private readonly failures = new Map<string, number>()

  /** `failed` is called once for every pod that could not be written, unless it is gone. */
  mark(pods: readonly Pod[], node: string, moment: Moment, failed: (moment: Moment) => void): void {
    for (const pod of pods) {
      if (pod.spec.nodeName !== node) continue
      const call = notReadyCall(pod, moment.now)
      if (call === undefined) continue
      moment.call(call, (outcome, later) => {
        if (!outcome.ok && outcome.status.reason === 'NotFound') return
        if (!outcome.ok) failed(later)
        later.notify({
          regarding: referenceTo(pod),
          type: 'Warning',
          reason: 'NodeNotReady',
          message: 'Node is not ready',
        })
      })
    }
  }

  /** A pod came to a node: most are dealt with by the passes, but not one that comes after its node fell silent. */
  bound(key: string, moment: Moment, isReady: (node: string) => boolean | undefined): void {
    const pod = moment.pod(key)
    const node = pod?.spec.nodeName
    if (pod === undefined || node === undefined) {
      this.failures.delete(key)
      return
    }
    const ready = isReady(node)
    if (ready === undefined) return
    if (moment.node(node) === undefined) this.retry(key, moment)
    else if (!ready) this.mark([pod], node, moment, (later) => this.retry(key, later))
  }

  due(now: number): readonly string[] {
    return this.retries.popDue(now)
  }

  nextAt(): number | undefined {
    return this.retries.nextAt()
  }

  private retry(key: string, { now }: Moment): void {
    const failures = this.failures.get(key) ?? 0
    this.failures.set(key, failures + 1)
    this.retries.set(key, now + Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS))
  }
}

function referenceTo(pod: Pod) {
  const { name, namespace, uid, resourceVersion } = pod.metadata
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  }
}
