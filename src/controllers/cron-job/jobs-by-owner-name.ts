import { keyOf, objectKey } from '../../api/object-key.ts'
import type { CronJob, Job } from '../../api/objects/workloads.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { ChangeOf } from '../../runtime/controller.ts'
import type { View } from '../../runtime/view.ts'

/**
 * The Jobs of a CronJob as releases up to v1.36 count them: by the name of the controlling owner, regardless of its
 * kind and uid (cronjob getJobsToBeReconciled). Jobs of a deleted CronJob count for a new one of the same name.
 */
export class JobsByOwnerName {
  private readonly keys = new Map<string, Set<string>>()

  note({ key, before, after }: ChangeOf<'jobs.batch'>): void {
    const [former, present] = [ownerKey(before), ownerKey(after)]
    if (former === present) return
    if (former !== undefined) this.keys.get(former)?.delete(key)
    if (present === undefined) return
    const known = this.keys.get(present)
    if (known === undefined) this.keys.set(present, new Set([key]))
    else known.add(key)
  }

  of(cronJob: CronJob, view: View): readonly Job[] {
    return [...(this.keys.get(keyOf(cronJob)) ?? [])].flatMap((key) => view.get('jobs.batch', key) ?? [])
  }
}

function ownerKey(job: Job | undefined): string | undefined {
  const owner = job === undefined ? undefined : controllerOf(job)
  return owner === undefined ? undefined : objectKey(job?.metadata.namespace, owner.name)
}
