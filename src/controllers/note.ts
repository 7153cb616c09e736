import type { Outcome } from '../api/call.ts'

/** What to tell about an object, before it is made an event. */
export interface Note {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

// v1.36, pkg/controller RealPodControl.
export const createdPod = (name: string): Note => ({
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message: `Created pod: ${name}`,
})
export const deletedPod = (name: string): Note => ({
  type: 'Normal',
  reason: 'SuccessfulDelete',
  message: `Deleted pod: ${name}`,
})
export const failedCreate = (why: string): Note => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${why}`,
})
export const failedDelete = (why: string): Note => ({
  type: 'Warning',
  reason: 'FailedDelete',
  message: `Error deleting: ${why}`,
})

/** Whether a creation failed because its namespace is terminating: later ones fail too, and no event is recorded. */
export function isNamespaceTerminating(outcome: Outcome): boolean {
  return (
    !outcome.ok && (outcome.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false)
  )
}
