import type { ContainerStatus, Pod } from '../../api/objects/pod.ts'
import type { Job } from '../../api/objects/workloads.ts'
import { type Intervals, overlapOf, parseIntervals, totalOf } from './index-intervals.ts'

interface ExitCodes {
  readonly containerName?: string
  readonly operator: 'In' | 'NotIn'
  readonly values: readonly number[]
}

interface FailureRule {
  readonly action: 'Ignore' | 'FailJob' | 'FailIndex' | 'Count'
  readonly onExitCodes?: ExitCodes
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[]
}

/** The consequence of a failed pod for its Job. */
export interface FailureVerdict {
  /** The reason why the whole Job fails. */
  readonly failJob?: string
  readonly counts: boolean
  readonly failsIndex: boolean
}

const counted: FailureVerdict = { counts: true, failsIndex: false }

export function hasFailurePolicy(job: Job): boolean {
  return job.spec?.podFailurePolicy !== undefined
}

/** The first matching rule decides (v1.36, job matchPodFailurePolicy). */
export function judgeFailure(job: Job, pod: Pod): FailureVerdict {
  const rules = (job.spec?.podFailurePolicy as { readonly rules?: readonly FailureRule[] } | undefined)?.rules ?? []
  for (const [place, rule] of rules.entries()) {
    const why = matchOf(rule, pod)
    if (why === undefined) continue
    switch (rule.action) {
      case 'Ignore':
        return { counts: false, failsIndex: false }
      case 'FailIndex':
        return { counts: true, failsIndex: true }
      case 'Count':
        return counted
      case 'FailJob':
        return { ...counted, failJob: `${why} matching ${rule.action} rule at index ${place}` }
    }
  }
  return counted
}

function matchOf({ onExitCodes, onPodConditions }: FailureRule, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata
  if (onExitCodes !== undefined) {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
    const found = [...containerStatuses, ...initContainerStatuses].find((one) => hasExitCode(one, onExitCodes))
    if (found === undefined) return undefined
    return `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${found.state?.terminated?.exitCode}`
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  )
  return condition === undefined ? undefined : `Pod ${namespace}/${name} has condition ${condition.type}`
}

function hasExitCode({ name, state }: ContainerStatus, { containerName, operator, values }: ExitCodes): boolean {
  const exitCode = state?.terminated?.exitCode
  if (exitCode === undefined || exitCode === 0) return false
  if (containerName !== undefined && containerName !== name) return false
  return values.includes(exitCode) === (operator === 'In')
}

interface SuccessRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}

/** The text for the condition: the rule of the success policy that the succeeded indexes meet. */
export function successMessage(job: Job, succeeded: Intervals, completions: number): string | undefined {
  if (succeeded.length === 0) return undefined
  const rules = (job.spec?.successPolicy as { readonly rules?: readonly SuccessRule[] } | undefined)?.rules ?? []
  const place = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && totalOf(succeeded) >= succeededCount
    const required = parseIntervals(succeededIndexes, completions)
    if (required.length === 0) return false
    const found = overlapOf(required, succeeded)
    return found === totalOf(required) || (succeededCount !== undefined && found >= succeededCount)
  })
  return place < 0 ? undefined : `Matched rules at index ${place}`
}
