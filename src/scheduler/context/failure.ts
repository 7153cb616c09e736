import type { Nominating } from '../contract/contract.ts'
import { isAssigned } from '../contract/parsed-pod.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import type { SchedulerContext } from './context.ts'
import { podStatusPatch } from './pod-status-patch.ts'

/** Why an attempt did not place the pod. */
export interface Failure {
  /** Rejected by a plugin, or stopped by an error. */
  readonly kind: 'rejected' | 'error'
  readonly message: string
  readonly unschedulablePlugins: readonly string[]
  readonly pendingPlugins: readonly string[]
  readonly nominating: Nominating
}

/** events.k8s.io allows a note of 1 kB. */
const noteLengthLimit = 1024

/**
 * Puts the pod back, remembers its nomination, and tells the world (v1.36, handleSchedulingFailure). A pod that has
 * been assigned meanwhile, by an extender whose answer came too late, or that is gone, is not put back.
 */
export function handleFailure(context: SchedulerContext, queued: QueuedPod, failure: Failure, startedAt: number): void {
  const { now, wall, queue, objects, effects, metrics, nominator, cache } = context
  metrics.attempt(failure.kind === 'rejected' ? 'unschedulable' : 'error', queued.profile, now - startedAt)
  const current = objects.get('pods', queued.key)
  let parsed = queued.parsed
  if (current === undefined || isAssigned(current)) {
    queue.done(queued.uid)
  } else if ((current.metadata.uid ?? queued.uid) !== queued.uid) {
    // A pod of the same name was made since: it is queued in its own right, and nobody waits for news of this one.
    queue.done(queued.uid)
    return
  } else {
    const { unschedulablePlugins, pendingPlugins } = failure
    queue.requeue(queued, { pod: current, unschedulablePlugins, pendingPlugins }, now)
    parsed = cache.parser.parse(current, queued.parsed)
  }
  nominator.add(parsed, failure.nominating)
  effects.event({
    regarding: parsed.pod,
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
    message: truncated(failure.message),
  })
  const condition = {
    type: 'PodScheduled',
    status: 'False' as const,
    reason: failure.kind === 'rejected' ? 'Unschedulable' : 'SchedulerError',
    message: failure.message,
  }
  const patch = podStatusPatch(parsed.pod, { condition, nominating: failure.nominating }, wall)
  // An outcome that failed leaves the status as it was; the next attempt compares and tries again.
  if (patch !== undefined) effects.call(patch, () => {})
}

function truncated(message: string): string {
  // Upstream counts bytes; messages are ASCII but for names of resources and plugins, which are too.
  return message.length <= noteLengthLimit ? message : `${message.slice(0, noteLengthLimit - 4)} ...`
}
