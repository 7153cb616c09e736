import type { Failure } from '../../api/call.ts'

/** Tells a failure from the value that it replaces. A custom resource may have a field `ok`, too. */
export function isFailure<T extends object>(value: T | Failure): value is Failure {
  return 'ok' in value && value.ok === false && !('metadata' in value) && isStatus((value as Failure).status)
}

const isStatus = (status: unknown): boolean => (status as { readonly kind?: unknown } | undefined)?.kind === 'Status'
