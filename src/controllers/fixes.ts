import { done, failed, type Result } from '../base/result.ts'

/** A correction of an upstream defect: `--fix` with its id enables it, `--behavior improved` enables all. */
export interface Fix {
  readonly id: FixId
  /** The part of the control plane that behaves differently. */
  readonly where: 'taint-eviction' | 'node-lifecycle' | 'scheduler' | 'node-ipam'
  readonly corrects: string
  readonly upstream: string
  /** The number of the issue in kubernetes/kubernetes. */
  readonly upstreamIssue: number
}

export const fixIds = [
  'toleration-edits',
  'countdown-from-taint',
  'eviction-retries',
  'eviction-budgets',
  'eviction-rate',
  'full-disruption-stops',
  'preemption-budgets',
  'cidr-leaks',
  'finite-tolerations',
] as const

export type FixId = (typeof fixIds)[number]

export type ControlPlaneBehavior = 'upstream' | 'improved'

export const fixes: Readonly<Record<FixId, Fix>> = {
  'toleration-edits': {
    id: 'toleration-edits',
    where: 'taint-eviction',
    corrects: 'editing tolerationSeconds shortens or extends a running countdown',
    upstream: 'finite edits are ignored once a countdown runs',
    upstreamIssue: 108982,
  },
  'countdown-from-taint': {
    id: 'countdown-from-taint',
    where: 'taint-eviction',
    corrects: 'a countdown is counted from the timeAdded of its taint, so that a restart does not restart it',
    upstream: 'a restart counts from zero',
    upstreamIssue: 108268,
  },
  'eviction-retries': {
    id: 'eviction-retries',
    where: 'taint-eviction',
    corrects: 'a failed eviction is retried with backoff until it succeeds',
    upstream: 'dropped after five tries 10 ms apart',
    upstreamIssue: 140639,
  },
  'eviction-budgets': {
    id: 'eviction-budgets',
    where: 'taint-eviction',
    corrects: 'taint eviction goes through the eviction API and waits for PodDisruptionBudgets',
    upstream: 'a plain DELETE that ignores budgets',
    upstreamIssue: 126189,
  },
  'eviction-rate': {
    id: 'eviction-rate',
    where: 'taint-eviction',
    corrects: 'taint eviction deletes at most 5 pods per second, or the configured rate',
    upstream: "limited only by the client's 20 requests per second",
    upstreamIssue: 126189,
  },
  'full-disruption-stops': {
    id: 'full-disruption-stops',
    where: 'node-lifecycle',
    corrects: 'evictions stop while a whole zone is silent',
    upstream: 'a silent zone is evicted at the full rate while another zone answers',
    upstreamIssue: 70501,
  },
  'preemption-budgets': {
    id: 'preemption-budgets',
    where: 'scheduler',
    corrects: 'preemption never violates a PodDisruptionBudget',
    upstream: 'violates budgets if there is no other candidate',
    upstreamIssue: 91492,
  },
  'cidr-leaks': {
    id: 'cidr-leaks',
    where: 'node-ipam',
    corrects: 'no CIDR leaks; duplicates and blocks out of range are found and reported',
    upstream: 'leaks when a patch times out, a node is deleted or a family is exhausted',
    upstreamIssue: 75461,
  },
  'finite-tolerations': {
    id: 'finite-tolerations',
    where: 'scheduler',
    corrects: 'a pod is not placed where it tolerates a NoExecute taint only for a time',
    upstream: 'tolerationSeconds is ignored when placing: place, evict, place',
    upstreamIssue: 92170,
  },
}

export type FixSet = ReadonlySet<FixId>

export const noFixes: FixSet = new Set()
export const allFixes: FixSet = new Set(fixIds)

/** The fixes that `--behavior` and any number of `--fix` enable together. */
export function chooseFixes({
  behavior = 'upstream',
  fix = [],
}: {
  readonly behavior?: string | undefined
  readonly fix?: readonly string[] | undefined
}): Result<FixSet> {
  if (behavior !== 'upstream' && behavior !== 'improved') {
    return failed(`behavior "${behavior}" must be upstream or improved`)
  }
  for (const id of fix) if (!isFixId(id)) return failed(`unknown fix "${id}"; known fixes: ${fixIds.join(', ')}`)
  return done(behavior === 'improved' ? allFixes : new Set(fix as readonly FixId[]))
}

export function isFixId(text: string): text is FixId {
  return (fixIds as readonly string[]).includes(text)
}
