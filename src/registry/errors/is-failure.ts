import type { Failure } from '../../api/call.ts'

/** Distinguishes a failure from an object. A custom resource may also have a field `ok`. */
export function isFailure<T extends object>(value: T | Failure): value is Failure {
  // Most values are objects without `ok`: reading an absent member is faster than `in`.
  if ((value as Partial<Failure>).ok !== false) return false
  return !('metadata' in value) && isStatus((value as Failure).status)
}

const isStatus = (status: unknown): boolean => (status as { readonly kind?: unknown } | undefined)?.kind === 'Status'
