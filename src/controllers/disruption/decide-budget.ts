import { findCondition, isPodReady } from '../../api/conditions.ts'
import { deepEqual, semanticEqual } from '../../api/equality.ts'
import type { Condition, StringMap } from '../../api/objects/meta.ts'
import type { Pod, PodDisruptionBudget } from '../../api/objects/pod.ts'
import { formatTime, parseTime } from '../../api/time.ts'
import { extended } from '../../base/extended.ts'
import { scaledValue } from '../scaled-value.ts'
import { withoutZeros } from '../without-zeros.ts'
import type { BudgetCounts } from './budget-counter.ts'

export type BudgetStatus = NonNullable<PodDisruptionBudget['status']>

/** The time after which an evicted pod that still exists counts as not deleted (v1.36, DeletionTimeout). */
export const deletionTimeoutMs = 120_000

/** The expected number of pods, and of healthy pods (v1.36, getExpectedPodCount). */
export function expectation(
  spec: PodDisruptionBudget['spec'],
  pods: number,
  expectedScale: number,
): { readonly expectedPods: number; readonly desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = spec ?? {}
  if (maxUnavailable !== undefined) {
    const missing = scaledValue(maxUnavailable, expectedScale, 'up')
    return { expectedPods: expectedScale, desiredHealthy: Math.max(0, expectedScale - missing) }
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods, desiredHealthy: minAvailable }
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  return { expectedPods: expectedScale, desiredHealthy: scaledValue(minAvailable, expectedScale, 'up') }
}

/** Reports whether the scales of the pods' controllers are needed. */
export function needsScale(spec: PodDisruptionBudget['spec']): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string'
}

export interface Disrupted {
  /** Pods that are expected to be deleted. */
  readonly pods: StringMap
  /** Pods that were expected to be deleted and still exist. */
  readonly kept: readonly Pod[]
  /** The number of healthy pods that do not count because they are about to be deleted. */
  readonly healthyButGoing: number
  readonly recheckAt?: number
}

const none: Disrupted = { pods: {}, kept: [], healthyButGoing: 0 }

/** The pods whose eviction was allowed and that are not deleted yet (v1.36, buildDisruptedPodMap). */
export function decideDisrupted(
  budget: PodDisruptionBudget,
  podOf: (name: string) => Pod | undefined,
  now: number,
): Disrupted {
  if (budget.status?.disruptedPods === undefined) return none
  const pods: Record<string, string> = {}
  const kept: Pod[] = []
  let healthyButGoing = 0
  let recheckAt = Number.POSITIVE_INFINITY
  for (const [name, time] of Object.entries(budget.status.disruptedPods)) {
    const pod = podOf(name)
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) continue
    const dueAt = (parseTime(time) ?? 0) + deletionTimeoutMs
    if (dueAt < now) kept.push(pod)
    else {
      pods[name] = time
      if (dueAt > now && isPodReady(pod)) healthyButGoing++
      // The pod is removed from the list after that time.
      recheckAt = Math.min(recheckAt, dueAt + 1)
    }
  }
  return { pods, kept, healthyButGoing, ...(recheckAt === Number.POSITIVE_INFINITY ? {} : { recheckAt }) }
}

export interface BudgetInput {
  readonly counts: BudgetCounts
  readonly expectedScale: number
  readonly disrupted: Disrupted
  readonly now: number
}

/** The status to write; undefined if it is up to date (v1.36, updatePdbStatus). */
export function decideBudgetStatus(budget: PodDisruptionBudget, input: BudgetInput): BudgetStatus | undefined {
  const { counts, expectedScale, disrupted, now } = input
  const { expectedPods, desiredHealthy } = expectation(budget.spec, counts.pods, expectedScale)
  const currentHealthy = counts.healthy - disrupted.healthyButGoing
  // A budget without pods allows no disruption: its first pods must be counted before they can be disrupted.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const generation = budget.metadata.generation ?? 0
  const wanted = { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods }
  if (isUpToDate(budget, wanted, disrupted.pods)) return undefined
  const allowed: Condition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: generation,
  }
  return {
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    ...(Object.keys(disrupted.pods).length === 0 ? {} : { disruptedPods: disrupted.pods }),
    ...(generation === 0 ? {} : { observedGeneration: generation }),
    conditions: withStatusCondition(budget.status?.conditions, allowed, now),
  }
}

function isUpToDate(
  budget: PodDisruptionBudget,
  wanted: Pick<BudgetStatus, 'disruptionsAllowed' | 'currentHealthy' | 'desiredHealthy' | 'expectedPods'>,
  disruptedPods: StringMap,
): boolean {
  const { status } = budget
  if (status === undefined) return false
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status
  const condition = findCondition(status.conditions, 'DisruptionAllowed')
  return (
    disruptionsAllowed === wanted.disruptionsAllowed &&
    currentHealthy === wanted.currentHealthy &&
    desiredHealthy === wanted.desiredHealthy &&
    expectedPods === wanted.expectedPods &&
    semanticEqual(status.disruptedPods, disruptedPods) &&
    (status.observedGeneration ?? 0) === (budget.metadata.generation ?? 0) &&
    condition?.status === (wanted.disruptionsAllowed > 0 ? 'True' : 'False') &&
    condition.reason === (wanted.disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods')
  )
}

/** No disruption is allowed while the expected count is unknown (v1.36, failSafe). */
export function failedStatus(budget: PodDisruptionBudget, why: string, now: number): BudgetStatus | undefined {
  const status = budget.status ?? { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
  const failed: Condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message: why,
    observedGeneration: status.observedGeneration ?? 0,
  }
  const next = {
    ...status,
    disruptionsAllowed: 0,
    conditions: withStatusCondition(status.conditions, failed, now),
  }
  return deepEqual(next, budget.status) ? undefined : next
}

/** apimachinery's meta.SetStatusCondition: a generation of 0 is not written. */
function withStatusCondition(
  conditions: readonly Condition[] | undefined,
  { observedGeneration = 0, ...condition }: Condition,
  now: number,
): readonly Condition[] {
  const before = conditions ?? []
  const present = findCondition(before, condition.type)
  const { status, reason, message } = condition
  if (
    present?.status === status &&
    present.reason === reason &&
    present.message === message &&
    (present.observedGeneration ?? 0) === observedGeneration &&
    present.lastTransitionTime !== undefined
  ) {
    return before
  }
  const lastTransitionTime =
    present?.status === condition.status ? (present.lastTransitionTime ?? formatTime(now)) : formatTime(now)
  const next = extended(condition, { ...withoutZeros({ observedGeneration }), lastTransitionTime })
  if (present === undefined) return [...before, next]
  return before.map((other) => (other === present ? next : other))
}
