import type { Call } from '../../api/call.ts'
import { findCondition } from '../../api/conditions.ts'
import { referenceTo } from '../../api/object-reference.ts'
import type { Pod, PodCondition } from '../../api/objects/pod.ts'
import { formatTime } from '../../api/time.ts'
import { DeadlineQueue } from '../../base/deadline-queue.ts'
import { runInLanes, type Work } from './lanes.ts'
import type { Moment, Notice } from './moment.ts'

/** Says in a pod's status that it is not ready, since its node cannot; undefined when there is nothing to take back. */
export function notReadyCall(pod: Pod, now: number): Call | undefined {
  const ready = readiness(pod)
  if (ready === undefined) return undefined
  const unready: PodCondition = { ...ready, status: 'False', lastTransitionTime: formatTime(now) }
  const conditions = pod.status?.conditions?.map((other) => (other === ready ? unready : other)) ?? []
  const { name, namespace } = pod.metadata
  const object: Pod = { ...pod, status: { ...pod.status, conditions } }
  if (namespace === undefined) return { verb: 'update', resource: 'pods', name, subresource: 'status', object }
  return { verb: 'update', resource: 'pods', namespace, name, subresource: 'status', object }
}

/** The condition that is to be taken back, if any. */
function readiness({ status }: Pod): PodCondition | undefined {
  const ready = findCondition(status?.conditions, 'Ready')
  return ready?.status === 'False' ? undefined : ready
}

// v1.36, client-go DefaultTypedControllerRateLimiter: 5 ms, doubled up to 1000 s.
const FIRST_RETRY_MS = 5
const LONGEST_RETRY_MS = 1_000_000

/** Marks the pods of silent nodes not ready (v1.36, controller/util/node MarkPodsNotReady, nodelifecycle processPod). */
export class PodMarker {
  private readonly retries = new DeadlineQueue<string>()
  private readonly failures = new Map<string, number>()
  private readonly width: number

  /** `width`: how many pods of one node are written at a time. */
  constructor(width: number) {
    this.width = width
  }

  /** `finished` is told whether every pod that is not gone could be written. */
  mark(
    pods: readonly Pod[],
    node: string,
    moment: Moment,
    finished: (allWritten: boolean, moment: Moment) => void,
  ): void {
    let allWritten = true
    const work: Work<Pod> = (pod, now, done) => {
      const call = pod.spec.nodeName === node ? notReadyCall(pod, now.wall) : undefined
      if (call === undefined) {
        done(now)
        return
      }
      now.call(call, (outcome, later) => {
        const isGone = !outcome.ok && outcome.status.reason === 'NotFound'
        if (!outcome.ok && !isGone) allWritten = false
        if (!isGone) later.notify(notReadyNotice(pod))
        done(later)
      })
    }
    runInLanes(pods, this.width, moment, work, (later) => finished(allWritten, later))
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
    else if (!ready) {
      this.mark([pod], node, moment, (written, later) => {
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

  private retry(key: string, { now }: Moment): void {
    const failures = this.failures.get(key) ?? 0
    this.failures.set(key, failures + 1)
    this.retries.set(key, now + Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS))
  }
}

function notReadyNotice(pod: Pod): Notice {
  const regarding = referenceTo(pod, { apiVersion: 'v1', kind: 'Pod' })
  return { regarding, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' }
}
