import type { Nominating, PluginStatus } from '../contract/contract.ts'
import { clearNomination } from '../contract/contract.ts'
import { isAssigned } from '../contract/parsed-pod.ts'
import { fitErrorMessage } from '../framework/fit-error.ts'
import type { QueuedPod } from '../queue/queued-pod.ts'
import type { SchedulerContext } from './context.ts'
import { podStatusPatch } from './pod-status-patch.ts'

/** The reason why an attempt did not place the pod. */
export interface AttemptFailure {
  /** `rejected` by a plugin, or ended by an `error`. */
  readonly kind: 'rejected' | 'error'
  readonly message: string
  readonly unschedulablePlugins: readonly string[]
  readonly pendingPlugins: readonly string[]
  readonly nominating: Nominating
}

/** events.k8s.io limits a note to 1 kB. */
const noteLengthLimit = 1024

/**
 * Returns the pod to the queue, stores its nomination, and reports the failure (v1.36, handleSchedulingFailure). A pod
 * that was assigned in the meantime (an extender answered too late) or deleted is not returned.
 */
export function handleFailure(
  context: SchedulerContext,
  queued: QueuedPod,
  failure: AttemptFailure,
  startedAt: number,
): void {
  const { now, wall, queue, objects, effects, metrics, nominator, cache } = context
  metrics.attempt(failure.kind === 'rejected' ? 'unschedulable' : 'error', queued.profile, now - startedAt)
  const current = objects.get('pods', queued.key)
  let parsed = queued.parsed
  if (current === undefined || isAssigned(current)) {
    queue.done(queued.uid)
  } else if ((current.metadata.uid ?? queued.uid) !== queued.uid) {
    // A pod with the same name was created since. It is queued separately, so this failure is not reported.
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
  // If the patch fails, the status does not change, and the next attempt patches it again.
  if (patch !== undefined) effects.call(patch, () => {})
}

function truncated(message: string): string {
  // Upstream counts bytes. Messages consist of ASCII characters.
  return message.length <= noteLengthLimit ? message : `${message.slice(0, noteLengthLimit - 4)} ...`
}

/** The failure of a pod that Reserve or Permit rejected, worded as if its node were the only one. */
export function rejectedBy(status: PluginStatus): AttemptFailure {
  return {
    kind: 'rejected',
    message: fitErrorMessage({ totalNodes: 1, counted: [{ status, nodes: 1 }] }),
    unschedulablePlugins: status.code === 'Pending' ? [] : [status.plugin ?? ''],
    pendingPlugins: status.code === 'Pending' ? [status.plugin ?? ''] : [],
    nominating: clearNomination,
  }
}

export function errored(message: string): AttemptFailure {
  return { kind: 'error', message, unschedulablePlugins: [], pendingPlugins: [], nominating: clearNomination }
}
