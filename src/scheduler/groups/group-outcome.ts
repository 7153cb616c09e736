import type { Attempt } from '../attempt/attempt.ts'
import type { AttemptFailure } from '../context/failure.ts'
import type { CycleResult } from '../contract/contract.ts'

export const unschedulableGroup = 'pod group is unschedulable'

/** The status of a group after its algorithm. */
export type GroupStatus =
  | { readonly kind: 'success' }
  /** `isGeneric`: the status has the error `pod group is unschedulable`, and these reasons after it. */
  | { readonly kind: 'rejected'; readonly isGeneric: boolean; readonly reasons: readonly string[] }
  | { readonly kind: 'error'; readonly message: string }

/** The attempt of one pod of the group. */
export interface PodOutcome {
  readonly attempt: Attempt
  readonly result: CycleResult
  /** Absent: the pod has a node. */
  readonly failure?: AttemptFailure
  /** The node of the pod, or the nominated node of a pod that requires preemption. */
  readonly node?: string
  /** The observations of plugins with PodGroupPostFilter about the pod, by plugin. */
  readonly seen?: ReadonlyMap<string, unknown>
  /** The message of Permit, which may be empty; absent when it did not run. */
  readonly permit?: string
}

export interface GroupOutcome {
  readonly pods: readonly PodOutcome[]
  readonly status: GroupStatus
  /** The group fits after its victims are deleted. */
  readonly waitsForPreemption: boolean
}

export const rejected = (...reasons: readonly string[]): GroupStatus => ({ kind: 'rejected', isGeneric: true, reasons })

export function withReason(status: GroupStatus, reason: string): GroupStatus {
  return status.kind === 'rejected' ? { ...status, reasons: [...status.reasons, reason] } : status
}

/** The message of a status, as in conditions. */
export function groupMessage(status: GroupStatus): string {
  if (status.kind === 'success') return ''
  if (status.kind === 'error') return status.message
  return (status.isGeneric ? [unschedulableGroup, ...status.reasons] : status.reasons).join(', ')
}

/** The text of the error of a status: without the reasons if it has the generic error. */
export function groupErrorText(status: GroupStatus): string {
  return status.kind === 'rejected' && status.isGeneric ? unschedulableGroup : groupMessage(status)
}
