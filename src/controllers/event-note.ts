import type { Outcome } from '../api/call.ts'

/** An event about an object, before it has a time and a reference. */
export interface EventNote {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

// v1.36, pkg/controller RealPodControl.
export const createdPod = (name: string): EventNote => ({
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message: `Created pod: ${name}`,
})
export const deletedPod = (name: string): EventNote => ({
  type: 'Normal',
  reason: 'SuccessfulDelete',
  message: `Deleted pod: ${name}`,
})
export const failedCreate = (why: string): EventNote => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${why}`,
})
export const failedDelete = (why: string): EventNote => ({
  type: 'Warning',
  reason: 'FailedDelete',
  message: `Error deleting: ${why}`,
})

/**
 * Reports whether a creation failed because the namespace is terminating. Later creations fail too, and no event is
 * recorded.
 */
export function isNamespaceTerminating(outcome: Outcome): boolean {
  return (
    !outcome.ok && (outcome.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  )
}
