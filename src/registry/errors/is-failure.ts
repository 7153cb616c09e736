import type { Failure } from '../../api/call.ts'

/** Distinguishes a failure from an object. A custom resource may also have a field `ok`. */
export function isFailure<T extends object>(value: T | Failure): value is Failure {
  return 'ok' in value && value.ok === false && !('metadata' in value) && isStatus((value as Failure).status)
}

const isStatus = (status: unknown): boolean => (status as { readonly kind?: unknown } | undefined)?.kind === 'Status'
