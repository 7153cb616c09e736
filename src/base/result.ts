/** The answer of a function whose input may be wrong: bad input is a value, not an exception. */
export type Result<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'error'; readonly message: string }

export function ok<T>(value: T): Result<T> {
  return { kind: 'ok', value }
}

export function failed(message: string): { readonly kind: 'error'; readonly message: string } {
  return { kind: 'error', message }
}

/** For texts the program itself wrote, or that were validated before: an error here is a bug. */
export function must<T>(result: Result<T>): T {
  if (result.kind === 'error') throw new Error(result.message)
  return result.value
}
