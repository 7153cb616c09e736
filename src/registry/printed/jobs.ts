import type { CronJob, Job } from '../../api/objects/workloads.ts'
import { humanDuration, instant, since } from './age.ts'
import { containers, formattedSelector } from './text.ts'

const jobStates = ['Complete', 'Failed', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'] as const

export function jobCells({ metadata, spec, status }: Job, now: number, age: string): readonly unknown[] {
  const has = (wanted: string) =>
    status?.conditions?.some((condition) => condition.type === wanted && condition.status === 'True') === true
  const terminating = metadata.deletionTimestamp !== undefined
  const state =
    jobStates.slice(0, 2).find(has) ?? (terminating ? 'Terminating' : (jobStates.slice(2).find(has) ?? 'Running'))
  const parallelism = spec?.parallelism ?? 0
  const completions =
    spec?.completions === undefined ? (parallelism > 1 ? `1 of ${parallelism}` : '1') : String(spec.completions)
  const startedAt = instant(status?.startTime)
  const duration = startedAt === undefined ? '' : humanDuration((instant(status?.completionTime) ?? now) - startedAt)
  return [
    metadata.name,
    state,
    `${status?.succeeded ?? 0}/${completions}`,
    duration,
    age,
    ...containers(spec?.template.spec),
    formattedSelector(spec?.selector),
  ]
}

export function cronJobCells({ metadata, spec, status }: CronJob, now: number, age: string): readonly unknown[] {
  const suspend = spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False'
  const last = status?.lastScheduleTime === undefined ? '<none>' : since(status.lastScheduleTime, now)
  const job = spec?.jobTemplate.spec
  return [
    metadata.name,
    spec?.schedule ?? '',
    spec?.timeZone ?? '<none>',
    suspend,
    status?.active?.length ?? 0,
    last,
    age,
    ...containers(job?.template.spec),
    formattedSelector(job?.selector),
  ]
}
