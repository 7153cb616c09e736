import { deleteCall } from '../../api/object-calls.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { parseTime } from '../../api/time.ts'
import { reachedAt } from '../../base/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import { createReconcilerController, itself } from '../../runtime/reconciler.ts'

export const ttlAfterFinished = 'ttl-after-finished-controller'

/** Deletes finished Jobs after their TTL, with foreground propagation. */
export function createTtlAfterFinished(): Controller {
  return createReconcilerController({
    name: ttlAfterFinished,
    wakes: { 'jobs.batch': itself },
    reconcile(key, context) {
      const job = context.view.get('jobs.batch', key)
      const at = job === undefined ? undefined : expiresAt(job)
      if (job === undefined || at === undefined) return undefined
      if (at > context.wall) return { wakeAt: reachedAt(at, context) }
      const { uid } = job.metadata
      const preconditions = uid === undefined ? {} : { preconditions: { uid } }
      return {
        actions: [context.call(deleteCall('jobs.batch', job, { propagationPolicy: 'Foreground', ...preconditions }))],
      }
    },
  })
}

/** The time at which the TTL of a finished Job expires. */
function expiresAt({ metadata, spec, status }: Job): number | undefined {
  const seconds = spec?.ttlSecondsAfterFinished
  if (seconds === undefined || metadata.deletionTimestamp !== undefined) return undefined
  const finished = status?.conditions?.find(
    (c) => (c.type === 'Complete' || c.type === 'Failed') && c.status === 'True',
  )
  const at = parseTime(finished?.lastTransitionTime)
  return at === undefined ? undefined : at + seconds * 1000
}
